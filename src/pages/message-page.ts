import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { html, type Html, trusted } from '../base/html.ts'
import { acceptedLocales, type Language, languageFor } from '../base/languages.ts'

/* Pages for clients in place of a booking page: a card in the same design, in their language. */

/** Inline, so that the first paint needs no further request. The policy allows it by its hash. */
export const pageStyles = ((text: string) => ({
  element: trusted(`<style>${text}</style>`),
  source: `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
}))(
  readFileSync(join(import.meta.dirname, 'booking-page.css'), 'utf8').replaceAll(/\/\*[^]*?\*\/|\n\s*/g, ' '),
)

/** Returns the first known language of `Accept-Language`, otherwise that of the business. */
export function pageLanguage(acceptLanguage: string | undefined, own: string | null = null): Language {
  return languageFor(...acceptedLocales(acceptLanguage), own)
}

/** Renders a page with only a message. Its policy must allow `pageStyles`. */
export function messagePage(
  { name, direction }: Language,
  { title, text }: { title: string; text: Html },
): Html {
  return html`<!doctype html>
    <html lang="${name}" dir="${direction}">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
        ${pageStyles.element}
      </head>
      <body>
        <main>
          <div class="card">
            <h1>${title}</h1>
            <p>${text}</p>
          </div>
        </main>
      </body>
    </html> `
}

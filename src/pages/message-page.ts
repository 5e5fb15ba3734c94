import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { html, type Html, trusted } from '../base/html.ts'
import { colorErrors } from '../catalogue/business-rules.ts'
import { acceptedLocales, type Language, languageFor } from '../base/languages.ts'

/* Pages for clients in place of a booking page: a card in the same design, in their language. */

const readStyles = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8')

/** Inline, so that the first paint needs no further request. The policy allows it by its hash. */
function inline(text: string) {
  return {
    element: trusted(`<style>${text}</style>`),
    source: `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  }
}

/** The tokens of all pages, and the styles of those for clients. */
const text = `${/@layer tokens \{[^]*?\n\}/.exec(readStyles('page.css'))?.[0] ?? ''}${readStyles('booking-page.css')}`
export const pageStyles = inline(text.replaceAll(/\/\*[^]*?\*\/|\n\s*/g, ' '))

/** Returns the styles with the colour of a brand. */
export function brandedStyles(color: string | null): { element: Html; source: string } {
  if (color === null || colorErrors(color).length > 0) return pageStyles
  const brand = inline(`:root{--brand:${color}}`)
  return {
    element: html`${pageStyles.element}${brand.element}`,
    source: `${pageStyles.source} ${brand.source}`,
  }
}

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

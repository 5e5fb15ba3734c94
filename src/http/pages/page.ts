import type { FastifyReply } from 'fastify'
import type { WebOrigin } from '../../contact-formats.ts'

/** HTML that may stand in a page as it is. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | Part[]

/** HTML with values in it: texts are escaped, HTML and lists of it are not. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(rendered)))
}

function rendered(part: Part): string {
  if (part instanceof Html) return part.text
  if (Array.isArray(part)) return part.map(rendered).join('')
  return escaped(String(part))
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign)
}

/** A text of src/problem-texts.ts: of Markdown it knows code spans. */
export function prose(text: string): Html {
  const parts = text.split('`')
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

/** Everything comes from this server, scripts and styles from files of their own; images from one more origin, if named. */
export function contentSecurityPolicy(forms: boolean, imageOrigin?: WebOrigin): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self'", ...(imageOrigin === undefined ? [] : [imageOrigin]), 'data:'].join(' '),
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${forms ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
  ].join('; ')
}

interface Page {
  title: string
  main: Html
  /** For the head of the document. */
  more?: Html
  /** Whether it has forms, which this server takes. */
  forms?: boolean
}

/** Sends a whole page, with what all pages have. */
export function sendPage(
  reply: FastifyReply,
  { title, main, more = html``, forms = false }: Page,
): FastifyReply {
  return reply
    .headers({
      'content-security-policy': contentSecurityPolicy(forms),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': forms ? 'no-store' : 'no-cache', // what a form changes is shown by the same page
    })
    .type('text/html; charset=utf-8')
    .send(pageOf({ title, main, more }).text)
}

function pageOf({ title, main, more }: Required<Omit<Page, 'forms'>>): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
        ${more}
        <link rel="stylesheet" href="/docs/page.css" />
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          <a class="name" href="/docs">Holdfast</a>
          <nav aria-label="Pages">
            <a href="/docs">API</a>
            <a href="/problems">Problems</a>
            <a href="/openapi.json">openapi.json</a>
          </nav>
        </header>
        ${main}
      </body>
    </html> `
}

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import { webOrigin } from '../base/contact-formats.ts'
import { html, type Html, trusted } from '../base/html.ts'
import { colorErrors } from '../catalogue/business-rules.ts'
import { acceptedLocales, type Language, languageFor } from '../base/languages.ts'
import { inkOn } from '../mails/layout.ts'
import { icon, type IconName } from './icons.ts'
import { contentSecurityPolicy } from './page.ts'

/* Pages for clients next to the booking page: one card in the same design, in their language. */

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
  const brand = inline(`:root{--brand:${color};--on-brand:${inkOn(color)}}`)
  return {
    element: html`${pageStyles.element}${brand.element}`,
    source: `${pageStyles.source} ${brand.source}`,
  }
}

/** Returns the first known language of `Accept-Language`, otherwise that of the business. */
export function pageLanguage(acceptLanguage: string | undefined, own: string | null = null): Language {
  return languageFor(...acceptedLocales(acceptLanguage), own)
}

/** The brand at the top of a card. */
export interface CardBusiness {
  name: string
  brand_name: string | null
  brand_color: string | null
  brand_logo_url: string | null
}

export interface MessagePage {
  title: string
  content: Html
  /** Absent on pages with a list. */
  sign?: IconName
  business?: CardBusiness | undefined
  /** Attributes of the main element, for scripts. */
  data?: Html
  /** HTML for the document's head. */
  more?: Html
  /** True if the page contains forms. */
  forms?: boolean
  /** True for a list, which needs more room. */
  isWide?: boolean
}

/** Sends a page with one card. */
export function sendMessagePage(reply: FastifyReply, language: Language, page: MessagePage): FastifyReply {
  const { business, forms = false } = page
  return reply
    .headers({
      'content-security-policy': contentSecurityPolicy(
        forms,
        webOrigin(business?.brand_logo_url ?? ''),
        {},
        brandedStyles(business?.brand_color ?? null).source,
      ),
      'x-content-type-options': 'nosniff',
      // with no-referrer, forms of older browsers would omit their origin
      'referrer-policy': forms ? 'same-origin' : 'no-referrer',
      'cache-control': 'no-store',
      vary: 'Accept, Accept-Language',
    })
    .type('text/html; charset=utf-8')
    .send(messagePage(language, page).text)
}

/** Renders a page with one card. Its policy must allow its styles. */
export function messagePage(
  { locale, direction }: Language,
  {
    title,
    content,
    sign,
    business,
    data = html``,
    more = html``,
    isWide = false,
  }: Omit<MessagePage, 'forms'>,
): Html {
  const color = business?.brand_color ?? null
  return html`<!doctype html>
    <html lang="${locale}" dir="${direction}">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
        ${brandedStyles(color).element} ${more}
      </head>
      <body ${color === null ? '' : html`data-brand`}>
        <main id="main" ${data}>
          <div class="${isWide ? 'card wide' : 'card'}">
            ${business ? cardHead(title, business) : ''} ${sign ? icon(sign) : ''}
            <h1>${title}</h1>
            ${content}
          </div>
        </main>
      </body>
    </html> `
}

/** Omits a name that the heading repeats. */
function cardHead(title: string, { name, brand_name, brand_logo_url: logo }: CardBusiness): Html {
  const shown = brand_name ?? name
  if (logo === null && shown === title) return html``
  return html`<p class="brand">
    ${logo === null ? '' : html`<img class="salon-logo" src="${logo}" alt="" referrerpolicy="no-referrer" />`}
    ${shown === title ? '' : html`<bdi>${shown}</bdi>`}
  </p>`
}

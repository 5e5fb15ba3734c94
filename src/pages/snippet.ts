import { inkOn } from '../mails/layout.ts'
import { escaped } from '../base/html.ts'
import { languageFor } from '../base/languages.ts'

/** Options of the HTML for a website. */
export interface SnippetWish {
  /** The public URL of this server, such as https://book.example.com. */
  server: string
  publishableKey: string
  /** The names of the business, and the language of its emails (BCP 47). */
  business: { name: string; brand_name: string | null; locale: string }
  serviceId?: string | undefined
  staffId?: string | undefined
  /** A language (BCP 47); the visitor's language if absent. */
  locale?: string | undefined
  /** Button colour, such as #1a2b3c; that of the business if absent. */
  color?: string | undefined
  /** The text of the link that opens the widget as an overlay. If absent, the widget is part of the page. */
  button?: string | undefined
}

/** Returns true for a colour that snippets accept. */
export function isSnippetColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text)
}

/**
 * Returns the HTML that puts the widget on a website. Before the script loads, it shows a link to the booking
 * page. It requests the widget's initial data in parallel with the script.
 */
export function widgetSnippet(wish: SnippetWish): string {
  const { server, publishableKey, business, serviceId, staffId, locale, color, button } = wish
  const prefix = button === undefined ? '' : 'data-'
  const chosen = attributesOf({ 'service-id': serviceId, 'staff-id': staffId, locale }, prefix)
  const colors = color && `--holdfast-accent: ${color}; --holdfast-on-accent: ${inkOn(color)}`
  const page = `${server}/book/${publishableKey}`
  const wanted = Object.entries({ service: serviceId, staff: staffId }).filter(([, id]) => id !== undefined)
  const query = wanted.length > 0 ? `?${wanted.map(([name, id]) => `${name}=${id}`).join('&')}` : ''
  const link = attributesOf({ href: page + query })
  const { say } = languageFor(locale ?? business.locale)
  return [
    ...(button === undefined
      ? [`<link rel="preload" as="fetch" crossorigin${attributesOf({ href: `${page}/start${query}` })}>`]
      : []),
    `<script type="module"${attributesOf({ src: `${server}/widget/v1.js` })}></script>`,
    ...(colors ? [`<style>holdfast-booking { ${colors} }</style>`] : []),
    ...(button === undefined
      ? [
          `<holdfast-booking${attributesOf({ 'publishable-key': publishableKey })}${chosen} style="display: block; min-height: 800px">`,
          `  <a${link}>${escaped(say('page.description', { name: business.brand_name ?? business.name }))}</a>`,
          `</holdfast-booking>`,
        ]
      : [
          `<a${link}${attributesOf({ 'data-holdfast-open': publishableKey })}${chosen}>${escaped(button)}</a>`,
        ]),
  ].join('\n')
}

/** Returns the given values as HTML attributes. */
function attributesOf(values: Record<string, string | undefined>, prefix = ''): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` ${prefix}${name}="${escaped(value)}"`))
    .join('')
}

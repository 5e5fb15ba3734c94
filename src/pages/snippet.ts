import { escaped } from '../base/html.ts'
import { languageFor } from '../base/languages.ts'

/** Forms of the widget: in the page, over it, by a button at the corner of the window, or in a frame. */
export const snippetModes = ['inline', 'popup', 'floating', 'frame'] as const

export const snippetThemes = ['light', 'dark', 'light dark'] as const

/** Options of the lines for a website. */
export interface SnippetWish {
  /** The public URL of this server, such as https://book.example.com. */
  server: string
  publishableKey: string
  /** The names of the business, and the language of its emails (BCP 47). */
  business: { name: string; brand_name: string | null; locale: string }
  mode: (typeof snippetModes)[number]
  serviceId?: string | undefined
  staffId?: string | undefined
  /** A language (BCP 47); the visitor's language if absent. */
  locale?: string | undefined
  /** The colour of all shades, such as #1a2b3c; that of the business if absent. */
  accent?: string | undefined
  theme?: (typeof snippetThemes)[number] | undefined
  /** The page after the booking. No frame has one. */
  successUrl?: string | undefined
  /** The text of the link or button that opens the widget. */
  button?: string | undefined
}

/** Returns true for a colour that snippets accept. */
export function isSnippetColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text)
}

/** Returns the options as attributes of the widget, without the key. */
export function snippetAttributes(wish: SnippetWish): Record<string, string | undefined> {
  const { serviceId, staffId, locale, accent, theme, successUrl } = wish
  return {
    ...{ 'service-id': serviceId, 'staff-id': staffId, locale, theme, accent },
    'success-url': wish.mode === 'frame' ? undefined : successUrl,
  }
}

/** Returns the path of the booking page with the choices, and in a frame with the looks. */
export function snippetPath({
  publishableKey,
  serviceId,
  staffId,
  theme,
  accent,
  mode,
}: SnippetWish): string {
  const looks = mode === 'frame' ? { theme, accent } : {}
  const given = Object.entries({ service: serviceId, staff: staffId, ...looks })
  const query = given.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return `/book/${publishableKey}${query.length > 0 ? `?${query.join('&')}` : ''}`
}

/**
 * Returns the HTML that puts the widget on a website. Before the script loads, it shows a link to the booking
 * page. In the page, it requests the widget's initial data in parallel with the script.
 */
export function widgetSnippet(wish: SnippetWish): string {
  const { server, publishableKey } = wish
  const key = { 'publishable-key': publishableKey }
  const chosen = snippetAttributes(wish)
  const link = attributesOf({ href: server + snippetPath(wish) })
  const text = escaped(snippetText(wish))
  const script = (kind: string, file: string) =>
    `<script ${kind}${attributesOf({ src: `${server}/widget/${file}` })}></script>`
  switch (wish.mode) {
    case 'inline': {
      const [page = '', query] = snippetPath(wish).split('?')
      const start = attributesOf({ href: `${server}${page}/start${query === undefined ? '' : `?${query}`}` })
      return [
        `<link rel="preload" as="fetch" crossorigin${start}>`,
        script('type="module"', 'v1.js'),
        `<holdfast-booking${attributesOf({ ...key, ...chosen })} style="display: block; min-height: 800px">`,
        `  <a${link}>${text}</a>`,
        `</holdfast-booking>`,
      ].join('\n')
    }
    case 'popup': {
      const opener = attributesOf({ 'data-holdfast-open': publishableKey })
      return [
        script('type="module"', 'v1.js'),
        `<a${link}${opener}${attributesOf(chosen, 'data-')}>${text}</a>`,
      ].join('\n')
    }
    case 'floating':
      return [
        script('defer', 'holdfast.js'),
        `<holdfast-button${attributesOf({ ...key, ...chosen })}>`,
        `  <a${link}>${text}</a>`,
        `</holdfast-button>`,
      ].join('\n')
    case 'frame': {
      const source = attributesOf({ src: server + snippetPath(wish), title: snippetText(wish) })
      return [
        `<iframe id="booking"${source} style="width: 100%; height: 800px; border: 0"></iframe>`,
        `<script>`,
        `  addEventListener('message', ({ origin, data }) => {`,
        `    if (origin !== '${new URL(server).origin}' || data.type !== 'holdfast:height') return`,
        `    document.getElementById('booking').style.height = \`\${data.height}px\``,
        `  })`,
        `</script>`,
      ].join('\n')
    }
  }
}

/** Returns the same for React, with the packages @holdfast/react and @holdfast/widget. */
export function reactSnippet(wish: SnippetWish): string {
  const { server, publishableKey, serviceId, staffId, locale, accent, theme, successUrl, mode } = wish
  const options = { publishableKey, serviceId, staffId, locale, theme, accent, successUrl }
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const text = `{${JSON.stringify(snippetText(wish))}}`
  const body = (lines: string[]) =>
    [`export function Booking() {`, `  return (`, ...lines.map((line) => `    ${line}`), `  )`, `}`].join(
      '\n',
    )
  const props = Object.entries({ server, ...options }).flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name}={${JSON.stringify(value)}}`],
  )
  switch (mode) {
    case 'inline':
      return `import { HoldfastBooking } from '@holdfast/react'\n\n${body(['<HoldfastBooking', ...props, '/>'])}`
    case 'floating':
      return `import { HoldfastButton } from '@holdfast/react'\n\n${body(['<HoldfastButton', ...props, '>', `  ${text}`, '</HoldfastButton>'])}`
    case 'popup':
      return [
        `import { loadHoldfast } from '@holdfast/widget'`,
        ``,
        `async function open() {`,
        `  const holdfast = await loadHoldfast(${JSON.stringify(server)})`,
        `  await holdfast.open({`,
        ...given.map(([name, value]) => `    ${name}: ${JSON.stringify(value)},`),
        `  })`,
        `}`,
        ``,
        body(['<button type="button" onClick={() => void open()}>', `  ${text}`, '</button>']),
      ].join('\n')
    case 'frame':
      return body([
        `<iframe`,
        `  src=${JSON.stringify(server + snippetPath(wish))}`,
        `  title=${text}`,
        `  style={{ width: '100%', height: 800, border: 0 }}`,
        `/>`,
      ])
  }
}

/** Returns the same as a shortcode of the WordPress plugin. */
export function wordpressSnippet(wish: SnippetWish): string {
  const { publishableKey, mode } = wish
  // quotes and brackets would end an attribute or the shortcode
  const safe = (value: string) => value.replaceAll(/["[\]<>]/g, '')
  const given = Object.entries({ mode, ...snippetAttributes(wish) } as Record<string, string | undefined>)
  const attributes = given.flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}="${safe(value)}"`],
  )
  return `[holdfast publishable-key="${publishableKey}"${attributes.join('')}]${safe(snippetText(wish))}[/holdfast]`
}

/** Returns the text of the link in it: the wanted one, or an invitation in the language of the widget. */
export function snippetText({ button, business, locale, mode }: SnippetWish): string {
  const { say } = languageFor(locale ?? business.locale)
  if (button !== undefined) return button
  return mode === 'inline'
    ? say('page.description', { name: business.brand_name ?? business.name })
    : say('page.book')
}

/** Returns the given values as HTML attributes. */
function attributesOf(values: Record<string, string | undefined>, prefix = ''): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` ${prefix}${name}="${escaped(value)}"`))
    .join('')
}

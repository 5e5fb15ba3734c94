/** What the lines for a website choose. */
export interface SnippetWish {
  /** Where visitors reach this Holdfast, such as https://book.example.com. */
  server: string
  publishableKey: string
  serviceId?: string | undefined
  staffId?: string | undefined
  /** A language (BCP 47); the visitor's own if absent. */
  locale?: string | undefined
  /** Of buttons, such as #1a2b3c; that of the business if absent. */
  color?: string | undefined
  /** The text of the button that opens the widget over the page; if absent, it stands in the page. */
  button?: string | undefined
}

/** Whether a text is a colour that snippets take. */
export function isSnippetColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text)
}

/** Black or white, whichever is read better on a colour (WCAG 2, relative luminance). */
export function textColorOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff'
}

/** The lines of HTML that put the widget on a website. */
export function widgetSnippet(wish: SnippetWish): string {
  const { server, publishableKey, serviceId, staffId, locale, color, button } = wish
  const prefix = button === undefined ? '' : 'data-'
  const chosen = Object.entries({ 'service-id': serviceId, 'staff-id': staffId, locale })
    .map(([name, value]) => (value === undefined ? '' : ` ${prefix}${name}="${escaped(value)}"`))
    .join('')
  const colors = color && `--holdfast-accent: ${color}; --holdfast-on-accent: ${textColorOn(color)}`
  return [
    `<script type="module" src="${escaped(server)}/widget/v1.js"></script>`,
    ...(colors ? [`<style>holdfast-booking { ${colors} }</style>`] : []),
    button === undefined
      ? `<holdfast-booking publishable-key="${escaped(publishableKey)}"${chosen} style="display: block; min-height: 800px"></holdfast-booking>`
      : `<button type="button" data-holdfast-open="${escaped(publishableKey)}"${chosen}>${escaped(button)}</button>`,
  ].join('\n')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

const maxEntries = 20
const maxName = 40
const maxValue = 500

/** The element, and the button that opened it over the page. */
export type EmbeddedElement = HTMLElement & { opener?: HTMLElement | undefined }

/**
 * Returns the metadata of a booking: the `utm_…` parameters of the page's address, and the `metadata-…` attributes of the
 * element, or `data-metadata-…` of its opener. Leaves out what the API would refuse.
 */
export function pageMetadata(element: EmbeddedElement): Record<string, string> {
  const found = [...new URLSearchParams(location.search)].filter(([name]) => name.startsWith('utm_'))
  for (const { attributes } of element.opener ? [element.opener, element] : [element]) {
    for (const { name, value } of attributes) {
      const [, key] = /^(?:data-)?metadata-(.+)$/.exec(name) ?? []
      if (key !== undefined) found.unshift([key, value])
    }
  }
  const entries = found.filter(
    ([name, value]) =>
      Array.from(name).length <= maxName &&
      Array.from(value).length <= maxValue &&
      !/\p{Cc}/u.test(name + value),
  )
  return Object.fromEntries(entries.slice(0, maxEntries))
}

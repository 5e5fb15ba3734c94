/* Opens the widget over the page from any link or button with `data-holdfast-open="cal_pub_…"`. */

const opener = 'data-holdfast-open'

/** Listens for clicks on such openers, including those added later. Copies the attributes to the widget. */
export function listenForOpeners(elementName: string, attributes: readonly string[]): void {
  document.addEventListener('click', (event) => {
    const button = event
      .composedPath()
      .find((target) => target instanceof HTMLElement && target.hasAttribute(opener))
    // with these keys, the browser opens a link elsewhere
    if (!(button instanceof HTMLElement) || event.defaultPrevented || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    open(elementName, button, attributes)
  })
}

function open(elementName: string, button: HTMLElement, attributes: readonly string[]): void {
  const element = Object.assign(document.createElement(elementName), { opener: button })
  element.setAttribute('overlay', '')
  for (const name of attributes) {
    const value = button.getAttribute(`data-${name}`)
    if (value !== null) element.setAttribute(name, value)
  }
  element.setAttribute('publishable-key', button.getAttribute(opener) ?? '')
  document.body.append(element)
}

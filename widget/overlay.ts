/* Any button with `data-holdfast-open="cal_pub_…"` opens the widget over its page. */

const opener = 'data-holdfast-open'
const passedOn = ['service-id', 'location-id', 'staff-id', 'locale', 'time-zone']

/** Listens for clicks on such buttons, also on those that the page adds later. */
export function listenForOpeners(elementName: string): void {
  document.addEventListener('click', (event) => {
    const button = event
      .composedPath()
      .find((target) => target instanceof Element && target.hasAttribute(opener))
    if (!(button instanceof Element) || event.defaultPrevented) return
    event.preventDefault()
    open(elementName, button)
  })
}

function open(elementName: string, button: Element): void {
  const element = document.createElement(elementName)
  element.setAttribute('overlay', '')
  element.setAttribute('publishable-key', button.getAttribute(opener) ?? '')
  for (const name of passedOn) {
    const value = button.getAttribute(`data-${name}`)
    if (value !== null) element.setAttribute(name, value)
  }
  document.body.append(element)
}

/*
 * The script for popups and the floating button: `<script src="https://…/widget/holdfast.js"></script>`. Loads the widget
 * and adds the global `Holdfast`.
 */
import type { Holdfast } from '../../embed/widget/holdfast-widget.ts'
import { bookingAttributes } from '../../embed/widget/attributes.ts'
import { FloatingButton } from './floating-button.ts'

const name = 'holdfast-booking'
const button = 'holdfast-button'

const widget = import(new URL('v1.js', import.meta.url).href).then(() => customElements.whenDefined(name))
widget.catch(() => undefined) // an opener is then a plain link, and `open` leads to the booking page

const holdfast: Holdfast = {
  open: async (options) => {
    try {
      await widget
    } catch {
      location.assign(new URL(`../book/${encodeURIComponent(options.publishableKey)}`, import.meta.url))
      return
    }
    // the widget returns the focus when it closes
    const opener = document.activeElement instanceof HTMLElement ? document.activeElement : undefined
    const element = Object.assign(document.createElement(name), { opener })
    const attributes = { overlay: '', ...bookingAttributes(options) }
    for (const [key, value] of Object.entries(attributes))
      if (value !== undefined) element.setAttribute(key, value)
    document.body.append(element)
  },
  close: () => {
    for (const { shadowRoot } of document.querySelectorAll(`${name}[overlay]`))
      shadowRoot?.querySelector('dialog')?.dispatchEvent(new Event('cancel', { cancelable: true }))
  },
  on: (event, listener) => {
    const hear = ({ detail }: CustomEvent<Parameters<typeof listener>[0]>) => listener(detail)
    document.addEventListener(`holdfast:${event}`, hear as EventListener)
    return () => document.removeEventListener(`holdfast:${event}`, hear as EventListener)
  },
}

// if a page loads scripts from two servers, the first one wins
window.Holdfast ??= holdfast
if (!customElements.get(button)) customElements.define(button, FloatingButton)

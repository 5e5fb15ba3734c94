/*
 * The entry: `<script type="module" src="https://…/widget/v1.js"></script>`. Registers one element and one
 * listener, and leaves no other trace on the page.
 */
import { BookingElement } from './booking-element.tsx'
import { listenForOpeners } from './overlay.ts'

const name = 'holdfast-booking'

// if a page loads scripts from two servers, the first one wins
if (!customElements.get(name)) {
  customElements.define(name, BookingElement)
  listenForOpeners(name, BookingElement.observedAttributes)
}

/*
 * The entry: `<script type="module" src="https://…/widget/v1.js"></script>`. It registers one element and one listener, and
 * leaves no other trace on the page.
 */
import { BookingElement } from './booking-element.tsx'
import { listenForOpeners } from './overlay.ts'

const name = 'holdfast-booking'

// with scripts of two servers on one page, the first wins
if (!customElements.get(name)) {
  customElements.define(name, BookingElement)
  listenForOpeners(name, BookingElement.observedAttributes)
}

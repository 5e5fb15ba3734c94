import { html, type Html } from '../http/pages/page.ts'
import { toMs, type Instant } from '../instants.ts'
import type { CheckoutView } from './show-checkout.ts'

const titles: Record<CheckoutView['state'], string> = {
  due: 'The deposit has not been paid yet',
  confirmed: 'Your booking is confirmed',
  cancelled: 'This booking is cancelled',
  refunding: 'Your payment is on its way back',
  refunded: 'Your payment was given back',
}

/** Leads back to the booking page, and looks whether what is due has been paid. The page is whole without it. */
const more = html`<script type="module" src="/docs/checkout.js"></script>`

/** How a booking stands, for the client who comes back from paying. */
export function checkoutPage(view: CheckoutView): { title: string; main: Html; more: Html } {
  const { state, serviceName, startsAt, timezone } = view
  const main = html`<main
    id="main"
    class="text"
    tabindex="-1"
    data-state="${state}"
    data-booking="${view.bookingId}"
  >
    <h1>${titles[state]}</h1>
    ${details([
      ['Service', serviceName],
      ['Time', timeText(startsAt, timezone)],
    ])}
    ${explanation(view)}
  </main>`
  return { title: titles[state], main, more }
}

function explanation({ state, paymentId, payUrl, expiresAt, timezone }: CheckoutView): Html {
  switch (state) {
    case 'confirmed':
      return html`<p>You need not do anything else, and can close this page.</p>`
    case 'cancelled':
      return html`<p>Nothing was paid, and the time is free for others. You can book again.</p>`
    case 'refunding':
    case 'refunded':
      return html`<p>
        The time was not free any more when the payment arrived, or the booking was cancelled. How soon you
        see the money depends on your bank.
      </p>`
    case 'due':
      return html`<p>
          The time is kept for you until ${timeText(expiresAt, timezone)}. If you have just paid, this page
          will say so in a moment<noscript>, when you load it again</noscript>.
        </p>
        ${payUrl === undefined ? '' : html`<p><a class="button main" href="${payUrl}">Pay the deposit</a></p>`}
        <form method="post" action="/checkout/${paymentId}/give-up">
          <button type="submit">Give the booking up</button>
        </form>`
  }
}

/** Names and values, one below the other. */
export function details(entries: [name: string, value: string][]): Html {
  return html`<dl>
    ${entries.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`
}

/** A time for people, in the zone of the location. */
export function timeText(instant: Instant, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone })
  return `${format.format(toMs(instant))} (${timeZone})`
}

import { amountText } from '../catalogue/currency-rules.ts'
import { html, type Html } from '../http/pages/page.ts'
import { details } from './checkout-page.ts'
import type { SandboxCheckout } from './sandbox-queries.ts'

/** The checkout page of the sandbox: plain forms, without a script. */
export function sandboxPage(checkout: SandboxCheckout, declined: boolean): { title: string; main: Html } {
  const { reference, service_name: serviceName, payment_id: paymentId } = checkout
  const isOpen = checkout.status === 'open'
  const action = (what: string) => `/sandbox/${reference}/${what}`
  const main = html`<main id="main" class="text" tabindex="-1">
    <h1>Pay a deposit (sandbox)</h1>
    <p>This is a trial: no money moves, and no card is asked for.</p>
    ${declined && isOpen ? html`<p role="alert">The payment was declined. Nothing was paid; you can try again.</p>` : ''}
    ${details([
      ['Deposit for', serviceName],
      ['Amount', amountText(checkout)],
    ])}
    ${
      isOpen
        ? html`<form method="post" action="${action('pay')}">
              <button type="submit" class="main">Pay ${amountText(checkout)}</button>
            </form>
            <form method="post" action="${action('fail')}">
              <button type="submit">Let the payment fail</button>
            </form>
            <form method="post" action="${action('give-up')}">
              <button type="submit">Give the booking up</button>
            </form>`
        : html`<p>This checkout is over. <a href="/checkout/${paymentId}">See how the booking stands</a></p>`
    }
  </main>`
  return { title: 'Pay a deposit (sandbox)', main }
}

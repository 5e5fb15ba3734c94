import type { BookingFlow } from '../flow/booking-flow.ts'
import type { CheckoutPage } from '../flow/checkouts.ts'
import { type LateFlow, lateFlowOf } from '../flow/late-flow.ts'

/** How the page at hand leads to a checkout. */
const thisPage: CheckoutPage = {
  goTo: (url) => location.assign(url),
  openBeside: (url) => {
    const tab = open(url, '_blank')
    if (!tab) return false
    tab.opener = null // so that the new tab cannot control this one
    return true
  },
}

/** What a visitor does from the hold on, on the page at hand. */
export function lateFlowOnPage(flow: BookingFlow): LateFlow {
  return lateFlowOf(flow, thisPage)
}

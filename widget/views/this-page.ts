import type { BookingFlow } from '../flow/booking-flow.ts'
import type { CheckoutPage } from '../flow/checkouts.ts'
import { type LateFlow, lateFlowOf } from '../flow/late-flow.ts'

/** Opens checkouts from the current page. */
const thisPage: CheckoutPage = {
  goTo: (url) => location.assign(url),
  openBeside: (url) => {
    const tab = open(url, '_blank')
    if (!tab) return false
    tab.opener = null // prevents the new tab from controlling this one
    return true
  },
}

/** Returns the visitor's actions from the hold on, on the current page. */
export function lateFlowOnPage(flow: BookingFlow): LateFlow {
  return lateFlowOf(flow, thisPage)
}

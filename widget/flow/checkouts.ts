import { checkoutKey, type CheckoutPlace, type OpenCheckout, takeCheckout } from './open-checkout.ts'

/** Opens a checkout and remembers its booking meanwhile. */
export interface Checkouts {
  /**
   * Returns true if the visitor leaves this page. Otherwise the checkout is in another tab, or the browser
   * blocked it. After a click, the checkout opens in any case.
   */
  go(checkout: OpenCheckout, asked: boolean): boolean
  keep(checkout: OpenCheckout): void
  /** Returns and removes the stored checkout. */
  take(): OpenCheckout | undefined
}

/** The page's functions that checkouts use. */
export interface CheckoutPage {
  goTo: (url: string) => void
  /** Opens another tab. Returns false if the browser blocks it. */
  openBeside: (url: string) => boolean
}

/**
 * Checkouts of one tab. On Holdfast's own origin, the page navigates to the checkout and back. On other
 * websites the checkout opens in another tab, so there is no return address to forge. The booking is in
 * session storage, so that the next user of the device does not find it.
 */
export function tabCheckouts(place: CheckoutPlace, { goTo, openBeside }: CheckoutPage): Checkouts {
  const { storage, ownPath } = place
  const store = (name: string, text: string) => {
    try {
      storage().setItem(name, text)
    } catch {
      // storage is disabled; the visitor sees the checkout's own confirmation
    }
  }
  const keep = (checkout: OpenCheckout) => store(checkoutKey(place), JSON.stringify(checkout))
  return {
    keep,
    go: (checkout, asked) => {
      const { bookingId, url } = checkout
      keep(checkout)
      if (!/^https?:\/\//i.test(url)) return false
      if (ownPath === null && (openBeside(url) || !asked)) return false
      // read by src/pages/checkout.js
      if (ownPath !== null) store(`holdfast:return:${bookingId}`, ownPath)
      goTo(url)
      return true
    },
    take: () => takeCheckout(place),
  }
}

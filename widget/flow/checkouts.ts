/** A booking whose deposit is being paid, and the session that made it. */
export interface OpenCheckout {
  bookingId: string
  token: string
  /** Where it is paid. */
  url: string
}

/** Goes to a checkout, and remembers in between for what. */
export interface Checkouts {
  /**
   * Whether the visitor leaves this page for it; else it is open beside, or the browser did not let it. A visitor who
   * has asked for it gets there in any case.
   */
  go(checkout: OpenCheckout, asked: boolean): boolean
  keep(checkout: OpenCheckout): void
  /** What was kept, once. */
  take(): OpenCheckout | undefined
}

/** What is needed of the page. */
export interface CheckoutPage {
  storage: () => Storage
  /** The path of the page, when it is one of the origin that serves the widget; null on websites of others. */
  ownPath: string | null
  goTo: (url: string) => void
  /** Opens another tab; false when the browser does not let it. */
  openBeside: (url: string) => boolean
}

/**
 * Checkouts of one tab. From a page of Holdfast's own origin the visitor goes there and is led back. On a website the
 * checkout opens beside it, and the widget waits: so there is no address to come back to that somebody could forge. What
 * it is for is kept in the storage of the tab, so that whoever uses the device next does not find it.
 */
export function tabCheckouts(
  publishableKey: string,
  { storage, ownPath, goTo, openBeside }: CheckoutPage,
): Checkouts {
  const key = `holdfast:checkout:${publishableKey}`
  const store = (name: string, text: string) => {
    try {
      storage().setItem(name, text)
    } catch {
      // storage that is switched off: the visitor sees the checkout's own confirmation
    }
  }
  const keep = (checkout: OpenCheckout) => store(key, JSON.stringify(checkout))
  return {
    keep,
    go: (checkout, asked) => {
      const { bookingId, url } = checkout
      keep(checkout)
      if (!/^https?:\/\//i.test(url)) return false
      if (ownPath === null && (openBeside(url) || !asked)) return false
      // where src/http/pages/checkout.js looks for it
      if (ownPath !== null) store(`holdfast:return:${bookingId}`, ownPath)
      goTo(url)
      return true
    },
    take: () => {
      try {
        const text = storage().getItem(key)
        storage().removeItem(key)
        return text === null ? undefined : (JSON.parse(text) as OpenCheckout)
      } catch {
        return undefined
      }
    },
  }
}

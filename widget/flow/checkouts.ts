/** A booking whose deposit is being paid, and the session that made it. */
export interface OpenCheckout {
  bookingId: string
  token: string
  /** Where it is paid. */
  url: string
}

/** Goes to a checkout, and remembers in between for what. */
export interface Checkouts {
  go(checkout: OpenCheckout): void
  /** What was remembered, once. */
  take(): OpenCheckout | undefined
}

/** Remembers in the storage of the tab, so that whoever uses the device next does not find it. */
export function tabCheckouts(
  publishableKey: string,
  storage: () => Storage,
  goTo: (url: string) => void,
): Checkouts {
  const key = `holdfast:checkout:${publishableKey}`
  return {
    go: (checkout) => {
      try {
        storage().setItem(key, JSON.stringify(checkout))
      } catch {
        // storage that is switched off: the visitor sees the checkout's own confirmation
      }
      if (/^https?:\/\//i.test(checkout.url)) goTo(checkout.url)
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

/** A booking whose deposit is being paid, and the session that made it. */
export interface OpenCheckout {
  bookingId: string
  token: string
  /** URL of the checkout. */
  url: string
}

/** Storage of a checkout in the tab. */
export interface CheckoutPlace {
  publishableKey: string
  storage: () => Storage
  /** The path of a page on Holdfast's own origin; null on other websites. */
  ownPath: string | null
}

export function checkoutKey({ publishableKey }: CheckoutPlace): string {
  return `holdfast:checkout:${publishableKey}`
}

/** Returns and removes the stored checkout. */
export function takeCheckout(place: CheckoutPlace): OpenCheckout | undefined {
  try {
    const text = place.storage().getItem(checkoutKey(place))
    place.storage().removeItem(checkoutKey(place))
    return text === null ? undefined : (JSON.parse(text) as OpenCheckout)
  } catch {
    return undefined // storage is disabled
  }
}

import { runsOf } from './item-discount-rules.ts'

/**
 * Divides an amount by the prices of services, all to the first if none has a price. Each sum of the first parts is
 * rounded, so the parts add up to the amount.
 */
export function shareByPrice(amount: number, prices: readonly number[]): number[] {
  const whole = prices.reduce((sum, price) => sum + price, 0)
  if (whole === 0) return prices.map((_, at) => (at === 0 ? amount : 0))
  let price = 0
  let shared = 0
  return prices.map((one) => {
    price += one
    const part = Math.round((amount * price) / whole) - shared
    shared += part
    return part
  })
}

/** Gives each item of a movement its part of the amount. Items of one movement have the same name and come together. */
export function withShares<Item extends { amount: number; price: number }>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
): (Item & { share: number })[] {
  return runsOf(items, nameOf)
    .flatMap(([from, to]) => {
      const ofOne = items.slice(from, to)
      const shares = shareByPrice(
        ofOne[0]?.amount ?? 0,
        ofOne.map(({ price }) => price),
      )
      return ofOne.map((item, at) => ({ ...item, share: shares[at] ?? 0 }))
    })
    .toArray()
}

/** Amounts of money that came in and went back, in minor units. */
export interface Takings {
  currency: string
  /** Payments of clients. */
  received: number
  /** Refunds to them. */
  refunded: number
}

/** Sums of payments and refunds, one for each currency. */
export class TakingsSums {
  private readonly sums = new Map<string, Takings>()

  /** Adds an amount, which is below zero for a refund. */
  add({ type, currency, share }: { type: 'payment' | 'refund'; currency: string; share: number }): void {
    const sum = this.sums.get(currency) ?? { currency, received: 0, refunded: 0 }
    this.sums.set(currency, sum)
    if (type === 'payment') sum.received += share
    else sum.refunded -= share
  }

  list(): Takings[] {
    return this.sums
      .values()
      .toArray()
      .toSorted((one, other) => (one.currency < other.currency ? -1 : 1))
  }
}

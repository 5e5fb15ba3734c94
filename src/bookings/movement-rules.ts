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

/** The reasons of fees by Holdfast's rules. */
const feeReasons = ['no_show', 'late_cancel'] as const

type FeeReason = (typeof feeReasons)[number]

/** Money of missed and cancelled bookings, in minor units. The first three add up to all fees that were charged. */
export interface FeeParts {
  received: number
  /** Including what was refunded. */
  waived: number
  due: number
  /** Paid in advance, and not given back. */
  kept: number
}

/** Sums of amounts of several kinds, one for each currency. */
class CurrencySums<Kind extends string> {
  private readonly sums = new Map<string, Record<Kind, number>>()
  private readonly zeros: Record<Kind, number>

  constructor(zeros: Record<Kind, number>) {
    this.zeros = zeros
  }

  add(kind: Kind, currency: string, amount: number): void {
    const sum = this.sums.get(currency) ?? { ...this.zeros }
    this.sums.set(currency, sum)
    sum[kind] += amount
  }

  list(): (Record<Kind, number> & { currency: string })[] {
    return [...this.sums]
      .map(([currency, sum]) => ({ currency, ...sum }))
      .toSorted((one, other) => (one.currency < other.currency ? -1 : 1))
  }
}

/** Sums of payments and refunds. */
export class TakingsSums {
  private readonly sums = new CurrencySums<'received' | 'refunded'>({ received: 0, refunded: 0 })

  /** Adds an amount, which is below zero for a refund. */
  add({ type, currency, share }: { type: 'payment' | 'refund'; currency: string; share: number }): void {
    if (type === 'payment') this.sums.add('received', currency, share)
    else this.sums.add('refunded', currency, -share)
  }

  list(): Takings[] {
    return this.sums.list()
  }
}

const noFees: FeeParts = { received: 0, waived: 0, due: 0, kept: 0 }

/** Sums of fees, of all that was charged, and of payments that were kept: for each reason, and for both. */
export class FeeSums {
  private readonly sums = {
    no_show: new CurrencySums<keyof FeeParts>(noFees),
    late_cancel: new CurrencySums<keyof FeeParts>(noFees),
  }

  add({ reason, type, currency, share }: FeePart): void {
    for (const one of feeReasons) this.sums[one].add(type, currency, one === reason ? share : 0)
  }

  list(): (FeesCharged & Record<FeeReason, FeesCharged> & { currency: string })[] {
    const lateOnes = this.sums.late_cancel.list()
    return this.sums.no_show.list().map(({ currency, ...missed }, at) => {
      const late = lateOnes[at] ?? noFees // both have the same currencies
      const sum = (type: keyof FeeParts) => missed[type] + late[type]
      const both = {
        ...{ received: sum('received'), waived: sum('waived'), due: sum('due'), kept: sum('kept') },
      }
      return {
        ...{ currency, ...withCharged(both) },
        ...{ no_show: withCharged(missed), late_cancel: withCharged(late) },
      }
    })
  }
}

interface FeePart {
  reason: FeeReason
  type: keyof FeeParts
  currency: string
  share: number
}

type FeesCharged = FeeParts & { charged: number }

function withCharged({ received, waived, due, kept }: FeeParts): FeesCharged {
  return { charged: received + waived + due, received, waived, due, kept }
}

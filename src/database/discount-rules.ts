/** A reduction of a price, as agreed when it was booked. Either `percent` or `amount` is not null. */
export interface Discount {
  /** The code of the coupon. */
  code: string
  /** From 1 to 100. */
  percent: number | null
  /** For the whole booking, in minor units (ISO 4217). */
  amount: number | null
  currency: string | null
  /** The services that cost less. Null: all. */
  service_ids: string[] | null
}

/** One service of a booking, with what all its people pay. */
interface PricedService {
  serviceId: string
  price: { amount: number; currency: string } | null
}

/**
 * Returns the reduction of each service of a booking, in minor units. A percentage of each price is rounded half up. An
 * amount reduces the first services until it is used up, so that no price becomes negative.
 */
export function discountsOf(discount: Discount, services: readonly PricedService[]): number[] {
  let left = discount.amount ?? 0
  return services.map(({ serviceId, price }) => {
    if (!price || !(discount.service_ids?.includes(serviceId) ?? true)) return 0
    if (discount.percent !== null) return Math.floor((price.amount * discount.percent + 50) / 100)
    const taken = price.currency === discount.currency ? Math.min(left, price.amount) : 0
    left -= taken
    return taken
  })
}

/** Returns the sum of these reductions. */
export function discountOf(discount: Discount, services: readonly PricedService[]): number {
  return discountsOf(discount, services).reduce((sum, one) => sum + one, 0)
}

/** Reads the column `discount_json`. */
export function readDiscount(text: string | null): Discount | null {
  return text === null ? null : (JSON.parse(text) as Discount) // written by discountText()
}

/** Returns the value of the column `discount_json`. */
export function discountText({ code, percent, amount, currency, service_ids }: Discount): string {
  return JSON.stringify({ code, percent, amount, currency, service_ids })
}

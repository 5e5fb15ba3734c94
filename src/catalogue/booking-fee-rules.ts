import { type Instant, plusMinutes } from '../base/instants.ts'
import { discountsOf, readDiscount } from '../database/discount-rules.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import { type ItemColumns, itemsOf, totalPriceOf } from '../database/shown-item-rules.ts'
import type { Fee, Money } from './catalogue-types.ts'
import { type FeeRules, hasFees, sortedFees } from './fee-rules.ts'
import { payableStep } from './service-rules.ts'

/* Fees of a booking for a late cancellation or a no-show: parts of its price, charged to a card that the client saved. */

/** The fees of a service of a booking, as agreed when it was booked. */
type AgreedFees = FeeRules & { service_id: string }

/** Returns the fees of services for the column `fee_rules_json`. Null without any. */
export function agreedFeesText(services: readonly ({ id: string } & FeeRules)[]): string | null {
  const agreed = services
    .filter(
      (service, index) => hasFees(service) && services.findIndex(({ id }) => id === service.id) === index,
    )
    .map(({ id, fees, no_show_percent }): AgreedFees => ({ service_id: id, fees, no_show_percent }))
  return agreed.length > 0 ? JSON.stringify(agreed) : null
}

/** Reads the column `fee_rules_json`. */
function readAgreedFees(text: string | null): AgreedFees[] {
  return text === null ? [] : (JSON.parse(text) as AgreedFees[]) // written by agreedFeesText()
}

/** The columns of a booking that decide about its fees. */
export type FeeColumns = ItemColumns &
  Pick<BookingRow, 'status' | 'fee_rules_json' | 'fee_agreed_at' | 'agreed_starts_at'> &
  Pick<
    BookingRow,
    'payment_kind' | 'payment_amount' | 'payment_currency' | 'payment_refund_total' | 'payment_paid_at'
  >

/** A fee, and its relation to the payment in advance. */
export interface BookingFee extends Money {
  /** The part that is still to be charged: the fee, less the amount paid. */
  charged: number
  /** The part of the payment beyond it, which comes back. 0 after a no-show, because a deposit then stays. */
  refunded: number
}

/**
 * Returns the fee for cancelling a booking as its client at an instant. Null if it is not late, or the client did not
 * agree to fees. A time that the business chose is never late.
 */
export function cancelFee(booking: FeeColumns, now: Instant): BookingFee | null {
  const isOthersTime = booking.agreed_starts_at !== booking.starts_at
  if (booking.status !== 'confirmed' || booking.fee_agreed_at === null || isOthersTime) return null
  const money = feeOf(booking, (rules) => percentAt(rules.fees, booking.starts_at, now))
  return money && withPaid(booking, money, true)
}

/** Returns the fee for a no-show. Null without one, or if the client did not agree to fees. */
export function noShowFee(booking: FeeColumns): BookingFee | null {
  if (booking.fee_agreed_at === null) return null
  const money = feeOf(booking, ({ no_show_percent }) => no_show_percent ?? 0)
  return money && withPaid(booking, money, false)
}

/** A fee to which a client agrees, and what becomes of the payment in advance if it is due. */
interface FeeTerm extends BookingFee {
  /** The part of the payment that stays. */
  kept: number
}

/** The columns that decide about the fees to which a client agrees. */
export type FeeTermColumns = ItemColumns &
  Pick<BookingRow, 'fee_rules_json' | 'payment_kind' | 'payment_status'> &
  Pick<BookingRow, 'payment_amount' | 'payment_currency' | 'payment_refund_total'>

/**
 * Returns all fees to which the client of a booking agrees: for cancelling within some minutes before the start, the
 * longest time first, and for a no-show. A payment that is due counts as made.
 */
export function feeTermsOf(booking: FeeTermColumns): {
  late: (FeeTerm & { within_minutes: number })[]
  missed: FeeTerm | null
} {
  const rules = readAgreedFees(booking.fee_rules_json)
  const minutes = new Set(rules.flatMap(({ fees }) => fees.map(({ within_minutes }) => within_minutes)))
  const late = [...minutes]
    .toSorted((one, other) => other - one)
    .flatMap((within_minutes) => {
      const fee = feeOf(booking, ({ fees }) => percentWithin(fees, within_minutes))
      return fee ? [{ within_minutes, ...termOf(booking, fee, true) }] : []
    })
  const missed = feeOf(booking, ({ no_show_percent }) => no_show_percent ?? 0)
  return { late, missed: missed && termOf(booking, missed, false) }
}

function percentWithin(fees: readonly Fee[], minutes: number): number {
  return sortedFees(fees).findLast(({ within_minutes }) => within_minutes >= minutes)?.percent ?? 0
}

function termOf(booking: FeeTermColumns, fee: Money, givesBack: boolean): FeeTerm {
  const { payment_status: status, payment_amount: amount, payment_currency, payment_refund_total } = booking
  const isMade = status === 'paid' || status === 'due' || status === 'preparing'
  const paid = isMade && payment_currency === fee.currency ? (amount ?? 0) - (payment_refund_total ?? 0) : 0
  const beside = besidePayment(fee, paid, givesBack)
  return { ...beside, kept: paid - beside.refunded }
}

/** A charge by hand or a fee of a booking, with what was asked back of it. */
interface ChargedPart {
  status: string
  amount: number
  returned: number
}

/**
 * Returns how much of a booking may be charged, and how much of that is left. The client agreed to the price, and to the
 * highest fee. A cancelled booking and a no-show cost the fee alone. Null without a price and a payment.
 */
export function chargeLimit(
  booking: FeeColumns & Pick<BookingRow, 'no_show_at'>,
  charges: readonly ChargedPart[],
): { most: number; left: number; currency: string } | null {
  const price = totalPriceOf(booking)
  const currency = booking.payment_currency ?? price?.currency
  if (currency === undefined) return null
  const isMissed = booking.status === 'cancelled' || booking.no_show_at !== null
  const owed = price?.currency === currency ? price.amount : (booking.payment_amount ?? 0)
  const most = (isMissed ? 0 : owed) + (highestFee(booking)?.amount ?? 0)
  const taken = charges
    .filter(({ status }) => status !== 'waived')
    .reduce((sum, { amount, returned }) => sum + amount - returned, paidOf(booking, currency))
  return { most, left: payable(Math.max(most - taken, 0), currency), currency }
}

/** Returns the highest fee to which the client agreed. Null if they agreed to none. */
function highestFee(booking: FeeColumns): Money | null {
  if (booking.fee_agreed_at === null) return null
  return feeOf(booking, ({ fees, no_show_percent }) =>
    Math.max(no_show_percent ?? 0, ...fees.map(({ percent }) => percent)),
  )
}

/** Returns the percentage for cancelling at an instant: that of the shortest time that has begun. 0: none has. */
function percentAt(fees: readonly Fee[], startsAt: Instant, now: Instant): number {
  const begun = fees.filter(({ within_minutes }) => plusMinutes(startsAt, -within_minutes) <= now)
  return sortedFees(begun).at(-1)?.percent ?? 0
}

/** Returns what a percentage of each service comes to, of prices after discounts, rounded half up. Null if nothing. */
export function feeOf(
  booking: ItemColumns & Pick<BookingRow, 'fee_rules_json'>,
  percentOf: (rules: FeeRules) => number,
): Money | null {
  const rules = readAgreedFees(booking.fee_rules_json)
  const services = itemsOf(booking).map(({ service, price, party_size }) => ({
    serviceId: service.id,
    price: price && { ...price, amount: price.amount * party_size },
  }))
  const discount = readDiscount(booking.discount_json)
  const off = discount ? discountsOf(discount, services) : []
  const currency = services.find(({ price }) => price !== null)?.price?.currency
  if (currency === undefined) return null
  const hundredths = services.reduce((sum, { serviceId, price }, index) => {
    const rule = rules.find(({ service_id }) => service_id === serviceId)
    return sum + (rule && price ? (price.amount - (off[index] ?? 0)) * percentOf(rule) : 0)
  }, 0)
  const amount = payable(Math.floor((hundredths + 50) / 100), currency)
  return amount > 0 ? { amount, currency } : null
}

/** Returns the largest amount up to the given one that a payment processor takes. */
function payable(amount: number, currency: string): number {
  const step = payableStep(currency)
  return amount - (amount % step)
}

function withPaid(booking: FeeColumns, fee: Money, givesBack: boolean): BookingFee {
  return besidePayment(fee, paidOf(booking, fee.currency), givesBack)
}

function besidePayment(fee: Money, paid: number, givesBack: boolean): BookingFee {
  return {
    ...fee,
    charged: payable(Math.max(fee.amount - paid, 0), fee.currency),
    refunded: givesBack ? payable(Math.max(paid - fee.amount, 0), fee.currency) : 0,
  }
}

/** Returns what was paid when booking and has not been asked back. */
function paidOf(booking: FeeColumns, currency: string): number {
  const { payment_amount: amount, payment_refund_total: returned, payment_paid_at: at } = booking
  if (amount === null || at === null || booking.payment_currency !== currency) return 0
  return amount - (returned ?? 0)
}

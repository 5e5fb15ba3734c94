import { type Instant, instantFromMs, toMs } from '../base/instants.ts'
import { discountOf, readDiscount } from './discount-rules.ts'
import type { BookingRow } from './shown-booking.ts'

/* The services of a booking, from the row that shows it. */

/** The columns of a shown booking that describe its items. */
export type ItemColumns = Pick<BookingRow, (typeof itemColumns)[number]>

export const itemColumns = [
  ...([
    'id',
    'starts_at',
    'ends_at',
    'party_size',
    'service_id',
    'service_name',
    'duration_minutes',
  ] as const),
  ...(['staff_id', 'staff_name', 'price_amount', 'price_currency', 'items_json', 'discount_json'] as const),
  ...(['cancel_until_minutes', 'reschedule_until_minutes', 'max_reschedules'] as const),
] as const

/** A service's rules for changes by clients. */
type ChangeRules = Pick<BookingRow, 'cancel_until_minutes' | 'reschedule_until_minutes' | 'max_reschedules'>

/** One service of a booking, with its names. */
export interface ShownItem {
  id: string
  service: { id: string; name: string; duration_minutes: number } & ChangeRules
  staff: { id: string; name: string } | null
  starts_at: Instant
  ends_at: Instant
  party_size: number
  /** The price for one person. */
  price: { amount: number; currency: string } | null
  resources: { id: string; name: string }[]
}

type ItemJson = Omit<ShownItem, 'starts_at' | 'ends_at' | 'resources'> & {
  from_ms: number
  to_ms: number
  /** Its position. */
  item: number
  /** Null if PostgreSQL finds none. */
  resources: ShownItem['resources'] | null
}

/** Returns items in the format of `items_json`. */
export function itemsText(items: readonly ShownItem[]): string {
  return JSON.stringify(
    items.map(({ starts_at, ends_at, service, ...item }, index): ItemJson => {
      const { id, name, duration_minutes } = service
      const { cancel_until_minutes, reschedule_until_minutes, max_reschedules } = service
      const rules = { cancel_until_minutes, reschedule_until_minutes, max_reschedules }
      return {
        ...item,
        service: { id, name, duration_minutes, ...rules },
        ...{ from_ms: toMs(starts_at), to_ms: toMs(ends_at), item: index },
      }
    }),
  )
}

/** Returns the strictest rules for changes by the client among the services of a booking. Null: never. */
export function changeRulesOf(booking: BookingRow): ChangeRules {
  if (booking.items_json === null) return booking
  const services = itemsOf(booking).map(({ service }) => service)
  const longest = (minutes: readonly (number | null)[]) =>
    minutes.reduce((most, one) => (most === null || one === null ? null : Math.max(most, one)), 0)
  return {
    cancel_until_minutes: longest(services.map((service) => service.cancel_until_minutes)),
    reschedule_until_minutes: longest(services.map((service) => service.reschedule_until_minutes)),
    max_reschedules: Math.min(...services.map(({ max_reschedules }) => max_reschedules)),
  }
}

/** Returns what all people of a booking pay together, after its discount; null without a price. */
export function totalPriceOf(booking: ItemColumns): ShownItem['price'] {
  const items = itemsOf(booking).map(({ service, price, party_size }) => ({
    serviceId: service.id,
    price: price && { ...price, amount: price.amount * party_size },
  }))
  const discount = readDiscount(booking.discount_json)
  const off = discount ? discountOf(discount, items) : 0
  const [first, ...others] = items.flatMap(({ price }) => price ?? [])
  return first
    ? { ...first, amount: others.reduce((sum, { amount }) => sum + amount, first.amount) - off }
    : null
}

/** Returns the code of a booking's coupon and what it takes off the price; null without one. */
export function shownDiscountOf(
  booking: ItemColumns,
): { code: string; amount: number; currency: string } | null {
  const discount = readDiscount(booking.discount_json)
  const price = totalPriceOf(booking)
  if (!discount || !price) return null
  const full = totalPriceOf({ ...booking, discount_json: null })
  return { code: discount.code, amount: (full?.amount ?? 0) - price.amount, currency: price.currency }
}

type PaidBooking = ItemColumns & Pick<BookingRow, 'payment_status' | 'payment_amount' | 'payment_currency'>

/** Returns the price minus a paid or due deposit, to pay on site. Null without a deposit or a remainder. */
export function leftOnSite(booking: PaidBooking): ShownItem['price'] {
  const price = totalPriceOf(booking)
  const { payment_status: status, payment_amount, payment_currency: currency } = booking
  const deposit = status === 'paid' || status === 'due' ? (payment_amount ?? 0) : 0
  if (!price || (deposit > 0 && price.currency !== currency) || price.amount <= deposit) return null
  return { ...price, amount: price.amount - deposit }
}

function readItems(text: string): ItemJson[] {
  const items = JSON.parse(text) as ItemJson[] // written by a statement or itemsText()
  return items.toSorted((one, other) => one.item - other.item)
}

/** True if a staff member gives one of the services of a booking. */
export function isGivenBy(
  { staff_id, items_json }: Pick<BookingRow, 'staff_id' | 'items_json'>,
  staffId: string,
): boolean {
  return (
    staff_id === staffId ||
    (items_json !== null && readItems(items_json).some(({ staff }) => staff?.id === staffId))
  )
}

/** Returns the items of a booking, in order. A booking of one service by one claim has one, with the booking's ID. */
export function itemsOf(booking: ItemColumns): ShownItem[] {
  if (booking.items_json !== null) {
    return readItems(booking.items_json).map(({ from_ms, to_ms, resources, item: _item, ...shown }) => ({
      ...shown,
      starts_at: instantFromMs(from_ms),
      ends_at: instantFromMs(to_ms),
      resources: resources ?? [],
    }))
  }
  const { id, starts_at, ends_at, party_size, duration_minutes, price_amount, price_currency } = booking
  const { cancel_until_minutes, reschedule_until_minutes, max_reschedules } = booking
  return [
    {
      ...{ id, starts_at, ends_at, party_size },
      service: {
        ...{ id: booking.service_id, name: booking.service_name, duration_minutes },
        ...{ cancel_until_minutes, reschedule_until_minutes, max_reschedules },
      },
      staff: booking.staff_id === null ? null : { id: booking.staff_id, name: booking.staff_name ?? '' },
      price:
        price_amount === null || price_currency === null
          ? null
          : { amount: price_amount, currency: price_currency },
      resources: [],
    },
  ]
}

/** Returns the name of an item, with the number of people of a party. */
export function itemName({ service, party_size }: Pick<ShownItem, 'service' | 'party_size'>): string {
  return party_size > 1 ? `${service.name} × ${party_size}` : service.name
}

/** Returns the names of all items of a booking, such as `Cut + Colour`. */
export function itemNames(items: readonly ShownItem[]): string {
  return items.map(itemName).join(' + ')
}

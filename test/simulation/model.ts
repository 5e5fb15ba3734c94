/*
 * The contract (sections 6 to 11) for one business, in its simplest form. Everything is in lists, and every question is
 * answered by a full search. Times are in milliseconds since 1970.
 */

export interface ModelService {
  id: string
  minutes: number
  bufferBefore: number
  bufferAfter: number
  capacity: number
  staffIds: string[]
  hasDeposit: boolean
}

export interface Wanted {
  service: ModelService
  locationId: string
  start: number
  staffId: string | undefined
}

export type Status = 'pending' | 'confirmed' | 'in_progress' | 'completed' | 'cancelled'
export type EventName = 'booking.created' | 'booking.updated' | 'booking.cancelled' | 'booking.completed'

export interface Claim {
  id: string
  resource: string
  seat: number
  occurrence: string
  from: number
  to: number
  owner: string | undefined
  /** Undefined for a booking. */
  expires: number | undefined
}

export interface ModelHold {
  id: string
  /** The session that may replace it. Undefined for a hold of a key. */
  session: string | undefined
  wanted: Wanted
  end: number
  expires: number
  ended: 'released' | 'converted' | undefined
}

export interface ModelBooking {
  id: string
  wanted: Wanted
  resource: string
  start: number
  end: number
  status: Status
  notes: string | null
  version: number
  /** True once others have heard of it, which is not before its first confirmation. */
  known: boolean
  payment: ModelPayment | undefined
  /** Payments that were replaced by others. */
  oldPayments: ModelPayment[]
}

/** A deposit: the service's knowledge of it, and the state of its checkout at the processor. */
export interface ModelPayment {
  id: string
  /** ID of the checkout at the processor. */
  reference: string
  status: 'due' | 'paid' | 'expired' | 'refunded'
  closedBecause: 'expired' | 'cancelled' | 'confirmed' | undefined
  refundWanted: boolean
  expires: number
  /** Time of the next query to the processor. Undefined when nothing is left to do. */
  nextCheck: number | undefined
  lastPageCheck: number | undefined
  /** `none`: one is opened when the client looks. */
  checkout: 'open' | 'paid' | 'expired' | 'none'
}

interface ModelEvent {
  type: EventName
  bookingId: string
  status: Status
  start: number
  end: number
  /** The subscribed webhooks. */
  deliveredTo: string[]
}

interface ModelWebhook {
  id: string
  events: EventName[]
  active: boolean
}

export interface Model {
  now: number
  claims: Claim[]
  holds: ModelHold[]
  bookings: ModelBooking[]
  events: ModelEvent[]
  webhooks: ModelWebhook[]
  /** The IDs of the applied events of the processor. */
  appliedEvents: Set<string>
}

/** The expected answer to a request: 2xx, or the code of a refusal. */
export interface Answer {
  status: number
  code?: string
}

export const minute = 60_000

export function newModel(now: number): Model {
  return { now, claims: [], holds: [], bookings: [], events: [], webhooks: [], appliedEvents: new Set() }
}

/** Records a change that others hear of. */
export function recordEvent(model: Model, booking: ModelBooking, type: EventName): void {
  const { id: bookingId, status, start, end } = booking
  const wanting = model.webhooks.filter(({ active, events }) => active && events.includes(type))
  model.events.push({ type, bookingId, status, start, end, deliveredTo: wanting.map(({ id }) => id) })
}

export function bookingOf(model: Model, payment: ModelPayment): ModelBooking {
  const booking = model.bookings.find((one) => one.payment === payment || one.oldPayments.includes(payment))
  if (!booking) throw new Error('each payment of the model has its booking')
  return booking
}

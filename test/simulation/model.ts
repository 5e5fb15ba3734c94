/*
 * What the contract (sections 6 to 11) says of one business, as simply as it can be said: everything in lists, every
 * question answered by looking at all of it. Times are in milliseconds since 1970.
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
  /** Undefined: booked. */
  expires: number | undefined
}

export interface ModelHold {
  id: string
  /** The session that may replace it; undefined when it is a key's. */
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
  /** Whether others were told of it: not before it is confirmed for the first time. */
  known: boolean
  payment: ModelPayment | undefined
  /** Of those that another took the place of. */
  oldPayments: ModelPayment[]
}

/** A deposit: what the service knows of it, and how its checkout stands at the processor. */
export interface ModelPayment {
  id: string
  /** Of the checkout at the processor. */
  reference: string
  status: 'due' | 'paid' | 'expired' | 'refunded'
  closedBecause: 'expired' | 'cancelled' | 'confirmed' | undefined
  refundWanted: boolean
  expires: number
  /** When the processor is to be asked; undefined when nothing is left to do. */
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
  /** The webhooks that want it. */
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
  /** The ids of the events of the processor that were applied. */
  appliedEvents: Set<string>
}

/** What a request is answered: 2xx, or the code of a refusal. */
export interface Answer {
  status: number
  code?: string
}

export const minute = 60_000

export function newModel(now: number): Model {
  return { now, claims: [], holds: [], bookings: [], events: [], webhooks: [], appliedEvents: new Set() }
}

/** A change that others are told of. */
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

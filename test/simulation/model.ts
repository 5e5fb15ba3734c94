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
  locationIds: string[]
  hasDeposit: boolean
  /** Empty: one step of `minutes` with the person. */
  steps: { minutes: number; staffed: boolean }[]
  needs: ModelNeed[]
  /** The minutes in which the business answers a request. Undefined: nobody confirms its bookings. */
  respondWithin?: number
}

interface ModelNeed {
  /** In order of preference, at any location. */
  roomIds: string[]
  quantity: number
  isWhole: boolean
}

export interface ModelRoom {
  id: string
  locationId: string
  quantity: number
}

/** True for a service that takes one claim. */
export function isPlain({ steps, needs }: ModelService): boolean {
  return steps.length + needs.length === 0
}

export interface Wanted {
  service: ModelService
  locationId: string
  start: number
  staffId: string | undefined
}

export type Status = 'pending' | 'confirmed' | 'in_progress' | 'completed' | 'cancelled'
export type EventName =
  'booking.created' | 'booking.updated' | 'booking.cancelled' | 'booking.completed' | 'booking.requested'

/** A service of a visit as a caller wants it. */
export interface WantedItem {
  service: ModelService
  /** The person to have; undefined for anyone. */
  staffId: string | undefined
  party: number
  startsWith: boolean
  /** The item of the booking that it was. */
  present?: ModelItem | undefined
}

/** A service of a visit, with the person who gives it. */
export interface ModelItem extends Omit<WantedItem, 'present'> {
  /** The person whom the client asked for. */
  chosen: string | undefined
  start: number
  end: number
}

/** Time that one thing is taken. The claims of a visit share its ID. */
export interface Claim {
  id: string
  resource: string
  seats: number[]
  occurrence: string
  from: number
  to: number
  owner: string | undefined
  /** Undefined for a booking. */
  expires: number | undefined
}

export interface ModelHold {
  id: string
  /** The resource of its first claim. */
  resource: string
  /** The session that may replace it. Undefined for a hold of a key. */
  session: string | undefined
  wanted: Wanted
  end: number
  expires: number
  ended: 'released' | 'converted' | undefined
  /** Undefined unless it is a visit. */
  items: ModelItem[] | undefined
  /** The IDs of all holds of its series, in the order of their times. Absent for one that stands alone. */
  series?: string[]
}

export interface ModelBooking {
  id: string
  created: number
  wanted: Wanted
  resource: string
  start: number
  end: number
  /** Undefined unless it is a visit. */
  items: ModelItem[] | undefined
  status: Status
  notes: string | null
  version: number
  /** True once others have heard of it, which is not before its first confirmation. */
  known: boolean
  payment: ModelPayment | undefined
  /** Payments that were replaced by others. */
  oldPayments: ModelPayment[]
  /** When a request ends without an answer, and when the service looks at it next. Undefined for anything else. */
  request: { respondBy: number; checkAt: number } | undefined
}

/** A client on the waiting list. */
export interface ModelEntry {
  id: string
  /** Its start is the first that fits. */
  wanted: Wanted
  /** The starts that fit, in order. */
  starts: number[]
  status: 'waiting' | 'offered' | 'booked' | 'ended'
  /** Offers in a row without an answer. */
  unanswered: number
  /** The address whose active entries are limited. */
  counted: string | undefined
  offers: ModelOffer[]
}

/** A time that is held for an entry. Its ID is that of the hold. */
export interface ModelOffer {
  id: string
  start: number
  end: number
  /** The person, or undefined if the service has none. */
  staffId: string | undefined
  /** Undefined while it is open. */
  decided: number | undefined
  byHand: boolean
  status: 'open' | 'taken' | 'declined' | 'lapsed' | 'skipped' | 'withdrawn'
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

/** Time at which nobody can book a person or room. */
export interface ModelBlock {
  id: string
  target: string
  from: number
  to: number
}

export interface Model {
  now: number
  rooms: ModelRoom[]
  /** The longest pause between the items of a visit, in milliseconds. */
  maxPause: number
  blocks: ModelBlock[]
  claims: Claim[]
  holds: ModelHold[]
  bookings: ModelBooking[]
  /** In the order in which they joined. */
  entries: ModelEntry[]
  events: ModelEvent[]
  webhooks: ModelWebhook[]
  /** The IDs of the applied events of the processor. */
  appliedEvents: Set<string>
}

/** The expected answer to a request: 2xx, or the code of a refusal. */
export interface Answer {
  status: number
  code?: string | undefined
  /** Codes of refusals that are right as well. */
  orCodes?: string[]
}

export const minute = 60_000

export function newModel(now: number): Model {
  const nothing = { blocks: [], claims: [], holds: [], bookings: [], entries: [], events: [], webhooks: [] }
  return { now, rooms: [], maxPause: 0, ...nothing, appliedEvents: new Set() }
}

/** Returns the services of a hold or booking. A plain one has one. */
export function itemsOf(one: ModelHold | ModelBooking): ModelItem[] {
  if (one.items) return one.items
  const { service, staffId: chosen, start: wantedStart } = one.wanted
  const staffId = service.staffIds.length > 0 ? one.resource : undefined
  const start = 'start' in one ? one.start : wantedStart
  return [{ service, chosen, party: 1, startsWith: false, staffId, start, end: one.end }]
}

export function hasDeposit(one: ModelHold | ModelBooking): boolean {
  return itemsOf(one).some(({ service }) => service.hasDeposit)
}

/** Records a change that others hear of. Only webhooks that know requests hear of the end of one. */
export function recordEvent(model: Model, booking: ModelBooking, type: EventName, ofRequest = false): void {
  const { id: bookingId, status, start, end } = booking
  const wanting = model.webhooks.filter(
    ({ active, events }) =>
      active && events.includes(type) && (!ofRequest || events.includes('booking.requested')),
  )
  model.events.push({ type, bookingId, status, start, end, deliveredTo: wanting.map(({ id }) => id) })
}

export function bookingOf(model: Model, payment: ModelPayment): ModelBooking {
  const booking = model.bookings.find((one) => one.payment === payment || one.oldPayments.includes(payment))
  if (!booking) throw new Error('each payment of the model has its booking')
  return booking
}

import {
  recordEvent,
  type Answer,
  type EventName,
  type Model,
  type ModelBooking,
  type Status,
  type WantedItem,
} from './model.ts'
import { renew, settle } from './payment-model.ts'
import { free, freeSeats, refusal, take, taken } from './slot-model.ts'
import {
  expectMoved,
  expectRetaken,
  serviceColumns,
  type PlannedClaim,
  type VisitPlan,
} from './visit-model.ts'
import { returnToList } from './waiting-model.ts'

/* Changes of bookings. */

export interface WantedChange {
  start?: number
  end?: number
  status?: Status
  notes?: string | null
  /** The services to have in place of the present ones. */
  items?: WantedItem[]
  /** The version in `If-Match`. */
  ifMatch?: number
  /** The deposit is refunded, too. */
  refund?: boolean
}

/** The expected answer to a change. */
type ExpectedChange = Answer & {
  /** Applies it. A plain booking gets the seat, a visit the claims that the table has. */
  apply: (seat: number, claims?: PlannedClaim[]) => void
  /** The seats of which it takes one. Empty if it needs none. */
  seats: (number | undefined)[]
  plan?: VisitPlan | undefined
}

export function expectChange(model: Model, booking: ModelBooking, wanted: WantedChange): ExpectedChange {
  return booking.items || wanted.items
    ? expectVisitChange(model, booking, wanted)
    : expectPlainChange(model, booking, wanted)
}

function expectPlainChange(model: Model, booking: ModelBooking, wanted: WantedChange): ExpectedChange {
  const next = changed(booking, wanted)
  const fieldError = faultOf(model, booking, { ...next, ...wanted })
  if (fieldError) return { ...fieldError, apply: () => undefined, seats: [] }
  const isTaken = next.status !== 'cancelled'
  const needsSeat = isTaken && (next.moved || booking.status === 'cancelled')
  const target = { ...booking.wanted, start: next.start }
  const question = {
    ...taken(target.service, next.start, next.end),
    ...{ session: undefined, except: [booking.id], wanted: target, resource: booking.resource },
  }
  const seats = needsSeat ? freeSeats(model, question).map(({ seat }) => seat) : []
  if (needsSeat && seats.length === 0) {
    const answer = refusal(model, { ...question, resources: [booking.resource] })
    return { ...answer, apply: () => undefined, seats }
  }
  const apply = (seat: number) => {
    if (needsSeat || !isTaken) free(model, booking.id)
    if (needsSeat) take(model, { ...booking, wanted: target, seat, end: next.end }, undefined)
    applyChange(model, booking, { ...next, refund: wanted.refund ?? false })
  }
  return { status: 200, apply, seats }
}

function expectVisitChange(model: Model, booking: ModelBooking, wanted: WantedChange): ExpectedChange {
  const refused = (answer: Answer) => ({ ...answer, apply: () => undefined, seats: [] })
  const { items } = wanted
  const next = changed(booking, wanted)
  const isTaken = next.status !== 'cancelled'
  if (wanted.end !== undefined || (items && !isTaken))
    return refused({ status: 422, code: 'validation_failed' })
  const fieldError = faultOf(model, booking, { ...next, ...wanted })
  if (fieldError) return refused(fieldError)
  const needsTime = isTaken && (next.moved || items !== undefined || booking.status === 'cancelled')
  const locationId = booking.wanted.locationId
  const start = wanted.start ?? items?.[0]?.present?.start ?? booking.start
  const at = { id: booking.id, locationId, start }
  const retaken = !needsTime
    ? undefined
    : items
      ? expectRetaken(model, { ...at, items })
      : expectMoved(model, { ...at, items: booking.items ?? [] })
  const plan = retaken?.plan
  if (retaken && !plan) return refused(retaken)
  const apply = (_seat: number, claims: PlannedClaim[] = []) => {
    if (needsTime || !isTaken) free(model, booking.id)
    if (plan) {
      Object.assign(next, { start: plan.from, end: plan.to, moved: next.moved || items !== undefined })
      model.claims.push(
        ...claims.map((claim) => ({ ...claim, id: booking.id, owner: undefined, expires: undefined })),
      )
    }
    applyChange(model, booking, { ...next, refund: wanted.refund ?? false })
    if (plan) Object.assign(booking, serviceColumns(booking, plan))
  }
  return { status: 200, orCodes: retaken?.orCodes ?? [], apply, seats: [], plan }
}

type Next = ReturnType<typeof changed>

/** Returns the changed booking and its differences. */
function changed(booking: ModelBooking, wanted: WantedChange) {
  const start = wanted.start ?? booking.start
  const end = wanted.end ?? start + (booking.end - booking.start)
  const status = wanted.status ?? booking.status
  const notes = wanted.notes === undefined ? booking.notes : wanted.notes
  const moved = start !== booking.start || end !== booking.end
  return { start, end, status, notes, moved, noted: notes !== booking.notes }
}

function faultOf(model: Model, booking: ModelBooking, next: Next & WantedChange): Answer | undefined {
  if (next.end <= next.start) return { status: 422, code: 'validation_failed' }
  if (next.start !== booking.start && next.start <= model.now) {
    return { status: 422, code: 'slot_not_offered' }
  }
  if (next.ifMatch !== undefined && next.ifMatch !== booking.version) {
    return { status: 412, code: 'version_conflict' }
  }
  if (next.moved && booking.status === 'cancelled' && next.status === 'cancelled') {
    return { status: 409, code: 'change_not_allowed' }
  }
  const paid = booking.payment && ['paid', 'refunded'].includes(booking.payment.status)
  return next.refund && !paid ? { status: 422, code: 'validation_failed' } : undefined
}

function applyChange(model: Model, booking: ModelBooking, next: Next & { refund: boolean }): void {
  const { start, end, status, notes, moved, noted, refund } = next
  const before = booking.status
  const isFirstConfirmation = !booking.known && status !== 'cancelled' && status !== 'pending'
  const isNew = status !== before
  if (isNew && status === 'cancelled') settle(model, booking, { becomes: 'cancelled', refund })
  else if (isFirstConfirmation || (isNew && status === 'completed'))
    settle(model, booking, { becomes: 'confirmed', refund })
  else settle(model, booking, { becomes: undefined, refund })
  if (!booking.known && before === 'cancelled' && status === 'pending') renew(model, booking)
  if (!moved && !noted && status === before) return
  const endsRequest = booking.request !== undefined && status === 'cancelled'
  const events = booking.known
    ? eventsOf({ before, status, otherwise: moved || noted })
    : endsRequest
      ? (['booking.cancelled'] as const)
      : eventsOfUnknown(status)
  Object.assign(booking, { start, end, status, notes, version: booking.version + 1 })
  if (status !== 'pending') booking.request = undefined
  if (isFirstConfirmation) booking.known = true
  for (const type of events) recordEvent(model, booking, type, endsRequest)
  if (endsRequest) returnToList(model, booking)
}

function eventsOf(change: { before: Status; status: Status; otherwise: boolean }): EventName[] {
  const { before, status, otherwise } = change
  if (status !== before && status === 'cancelled') return ['booking.cancelled']
  if (status !== before && status === 'completed') {
    return otherwise ? ['booking.updated', 'booking.completed'] : ['booking.completed']
  }
  return ['booking.updated']
}

/** Returns no events before the first confirmation of a booking, and then its creation. */
function eventsOfUnknown(status: Status): EventName[] {
  if (status === 'pending' || status === 'cancelled') return []
  return status === 'completed' ? ['booking.created', 'booking.completed'] : ['booking.created']
}

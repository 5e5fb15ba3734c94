import { bookingOf, minute, recordEvent, type Model, type ModelBooking, type ModelPayment } from './model.ts'
import { free, freeSeats, take, taken } from './slot-model.ts'
import { expectMoved, serviceColumns, type PlannedClaim, type VisitPlan } from './visit-model.ts'

/* Deposits: paid, expired, cancelled, late, refunded. */

/** The service waits this long for the processor's own event about the end of a checkout before it asks. */
const grace = 30_000
const betweenChecks = 3_000

export function newPayment(parts: Pick<ModelPayment, 'id' | 'reference' | 'expires'>): ModelPayment {
  return {
    ...parts,
    ...{ status: 'due', closedBecause: undefined, refundWanted: false },
    ...{ nextCheck: parts.expires + grace, lastPageCheck: undefined, checkout: 'open' },
  }
}

export const checkoutLife = 35 * minute

/** A booking that was never confirmed waits for a new deposit, whose ID only the table contains. */
export function renew(model: Model, booking: ModelBooking): void {
  const old = booking.payment
  if (!old) return
  booking.oldPayments.push(old)
  booking.payment = {
    ...newPayment({ id: '', reference: '', expires: model.now + checkoutLife }),
    checkout: 'none',
  }
}

/** Returns the state of the checkout at the processor, which counts whole seconds. */
export function checkoutOf(model: Model, payment: ModelPayment): ModelPayment['checkout'] {
  const isOver = Math.floor(model.now / 1000) >= Math.floor(payment.expires / 1000)
  if (payment.checkout === 'open' && isOver) payment.checkout = 'expired'
  return payment.checkout
}

/** The seats of a late payment are only known afterwards. The caller names them when the model asks. */
export interface Late {
  seatTaken: () => number
  claimsTaken: (plan: VisitPlan) => PlannedClaim[]
}

/** Applies an event: a deposit was paid, or can no longer be paid. */
export function applyEvent(
  model: Model,
  payment: ModelPayment,
  { id, paid, reference, ...late }: { id: string; paid: boolean; reference: string } & Late,
): void {
  if (model.appliedEvents.has(id)) return
  model.appliedEvents.add(id)
  if (paid) applyPaid(model, payment, late)
  else if (payment.status !== 'due' || payment.reference === reference) applyExpired(model, payment)
}

function applyPaid(model: Model, payment: ModelPayment, late: Late): void {
  if (payment.status === 'paid' || payment.status === 'refunded') return
  const booking = bookingOf(model, payment)
  const wasExpired = payment.closedBecause === 'expired'
  payment.status = 'paid'
  payment.nextCheck = undefined
  if (booking.payment !== payment) {
    Object.assign(payment, { refundWanted: true, nextCheck: model.now })
  } else if (booking.status !== 'cancelled') {
    if (!booking.known) confirm(model, booking)
  } else if (booking.known || !wasExpired || booking.start <= model.now || !retake(model, booking, late)) {
    Object.assign(payment, { refundWanted: true, nextCheck: model.now })
  }
}

function confirm(model: Model, booking: ModelBooking): void {
  Object.assign(booking, { status: 'confirmed', known: true, version: booking.version + 1 })
  recordEvent(model, booking, 'booking.created')
}

function retake(model: Model, booking: ModelBooking, late: Late): boolean {
  const { id, resource, start, end, items } = booking
  if (items) {
    const { plan } = expectMoved(model, { id, start, items, locationId: booking.wanted.locationId })
    if (!plan) return false
    const claims = late.claimsTaken(plan)
    model.claims.push(...claims.map((claim) => ({ ...claim, id, owner: undefined, expires: undefined })))
    Object.assign(booking, serviceColumns(booking, plan), { start: plan.from, end: plan.to })
    confirm(model, booking)
    return true
  }
  const wanted = { ...booking.wanted, start }
  const span = taken(wanted.service, start, end)
  const seats = freeSeats(model, { ...span, session: undefined, except: [id], wanted, resource })
  if (seats.length === 0) return false
  const seat = late.seatTaken()
  const isFree = seats.some((one) => (one.seat ?? seat) === seat)
  if (!isFree) throw new Error('a late payment took a seat that is not free')
  take(model, { id, wanted, resource, seat, end }, undefined)
  confirm(model, booking)
  return true
}

function applyExpired(model: Model, payment: ModelPayment): void {
  if (payment.status !== 'due' && payment.status !== 'expired') return
  if (payment.status === 'due') {
    const booking = bookingOf(model, payment)
    if (booking.known) {
      Object.assign(payment, { checkout: 'none', reference: '', nextCheck: undefined })
      return
    }
    free(model, booking.id)
    Object.assign(booking, { status: 'cancelled', version: booking.version + 1 })
    payment.closedBecause = 'expired'
  }
  Object.assign(payment, { status: 'expired', nextCheck: undefined })
}

/** Applies the consequences of a change by the business to the deposit. */
export function settle(
  model: Model,
  { payment }: ModelBooking,
  { becomes, refund }: { becomes: 'cancelled' | 'confirmed' | undefined; refund: boolean },
): void {
  if (!payment) return
  if (payment.status === 'due' && becomes) {
    Object.assign(payment, { status: 'expired', closedBecause: becomes, nextCheck: model.now })
  } else if (payment.status === 'expired' && becomes) {
    payment.closedBecause = becomes
  } else if (refund && !payment.refundWanted && payment.status === 'paid') {
    Object.assign(payment, { refundWanted: true, nextCheck: model.now })
  }
}

/**
 * Shows the page of the booking, which queries the processor, but not too often. Returns true if another checkout is
 * opened, whose reference only the table contains.
 */
export function look(model: Model, payment: ModelPayment, late: Late): boolean {
  if (payment.checkout !== 'none') ask(model, payment, late)
  if (payment.status !== 'due' || payment.checkout !== 'none') return false
  const expires = model.now + checkoutLife
  Object.assign(payment, { checkout: 'open', expires, nextCheck: expires + grace })
  return true
}

function ask(model: Model, payment: ModelPayment, late: Late): void {
  if (payment.status !== 'due') return
  if (payment.lastPageCheck !== undefined && payment.lastPageCheck > model.now - betweenChecks) return
  payment.lastPageCheck = model.now
  const state = checkoutOf(model, payment)
  if (state === 'paid') applyPaid(model, payment, late)
  if (state === 'expired') applyExpired(model, payment)
}

/** Ends a checkout: the client gives up, or the service closes it when its life is over. */
export function close(model: Model, payment: ModelPayment, late: Late): void {
  if (checkoutOf(model, payment) === 'open') payment.checkout = 'expired'
  if (payment.checkout === 'paid') applyPaid(model, payment, late)
  else applyExpired(model, payment)
}

export function paymentsOf(model: Model): ModelPayment[] {
  return model.bookings.flatMap(({ payment, oldPayments }) => [...oldPayments, ...(payment ? [payment] : [])])
}

/** Does all due work with the processor. */
export function work(model: Model, late: Late): void {
  const payments = paymentsOf(model)
  const isDue = ({ nextCheck }: ModelPayment) => nextCheck !== undefined && nextCheck <= model.now
  for (let due = payments.filter(isDue); due.length > 0; due = payments.filter(isDue)) {
    for (const payment of due) {
      if (payment.status === 'paid') Object.assign(payment, { status: 'refunded', nextCheck: undefined })
      else close(model, payment, late)
    }
  }
}

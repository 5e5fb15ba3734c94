import { usualEventTypes } from '../../src/webhooks/event-payload.ts'
import { paymentsOf } from './payment-model.ts'
import { expect } from 'vitest'
import { seatsOf } from '../support/checker.ts'
import { activeClaims } from './slot-model.ts'
import type { World } from './world.ts'

/** Compares the tables with the model and checks the invariants of the tables. */
export async function checkTables(world: World): Promise<void> {
  const rows = await rowsOf(world)
  checkClaims(world, rows)
  checkBookings(world, rows)
  checkEvents(world, rows)
  await checkEntries(world)
  await checkPayments(world)
  const released = world.model.holds.filter(({ ended }) => ended === 'released').map(({ id }) => id)
  const releasedRows = rows.holds
    .filter(({ booked_at, ended_at, expires_at, visit_id }) => {
      return booked_at === null && ended_at !== null && ended_at < expires_at && visit_id === null
    })
    .map(({ id }) => id)
  expect(releasedRows.toSorted(), 'holds that were given up').toEqual(released.toSorted())
}

type Rows = Awaited<ReturnType<typeof rowsOf>>

async function rowsOf({ service, business, model }: World) {
  const { reads } = service.context.db
  const [holds, bookings, events, deliveries] = await Promise.all([
    reads.selectFrom('claims').selectAll().where('business_id', '=', business.id).execute(),
    reads.selectFrom('bookings').selectAll().where('business_id', '=', business.id).execute(),
    reads
      .selectFrom('events')
      .selectAll()
      .where('business_id', '=', business.id)
      .orderBy('position')
      .execute(),
    reads.selectFrom('deliveries').selectAll().where('business_id', '=', business.id).execute(),
  ])
  const claims = holds.filter(({ booked_at, ended_at, expires_at }) => {
    return ended_at === null && (booked_at !== null || ms(expires_at) > model.now)
  })
  return { claims, bookings, holds, events, deliveries }
}

function checkClaims({ model, staffIds }: World, { claims, bookings }: Rows): void {
  for (const [index, one] of claims.entries()) {
    for (const other of claims.slice(index + 1)) {
      const meet =
        one.resource_id === other.resource_id &&
        one.taken_from < other.taken_until &&
        other.taken_from < one.taken_until
      const apart = seatsOf(one).isDisjointFrom(seatsOf(other)) && one.occurrence_id === other.occurrence_id
      expect(meet && !apart, `active claims ${one.id} and ${other.id} overlap`).toBe(false)
    }
  }
  const first = claims.filter(({ visit_id }) => visit_id === null)
  const booked = first.filter(({ booked_at }) => booked_at !== null).map(({ id }) => id)
  for (const { id, claim_count } of first) {
    const further = claims.filter(({ visit_id }) => visit_id === id)
    expect(further.length, `claims of ${id}`).toBe(claim_count - 1)
  }
  const living = bookings.filter(({ status }) => status !== 'cancelled').map(({ id }) => id)
  expect(booked.toSorted(), 'each booking that is not cancelled has exactly one claim').toEqual(
    living.toSorted(),
  )
  // a claim may move between alike seats
  const things = [...staffIds, ...model.rooms.map(({ id }) => id)]
  const found = claims.map((claim) => {
    const { id, visit_id, resource_id, occurrence_id, taken_from, taken_until, booked_at, expires_at } = claim
    const seats = [...seatsOf(claim)]
    return {
      ...{ id: visit_id ?? id, from: ms(taken_from), to: ms(taken_until) },
      resource: things.includes(resource_id) ? resource_id : 'a place',
      seats: resource_id === occurrence_id ? seats.length : seats.toSorted().join(),
      expires: booked_at === null ? ms(expires_at) : null,
    }
  })
  const expected = activeClaims(model).map(
    ({ id, resource, occurrence, seats, from, to, expires = null }) => {
      return {
        ...{ id, from, to, resource: resource.includes(' at ') ? 'a place' : resource },
        ...{ seats: occurrence === resource ? seats.length : seats.toSorted().join(), expires },
      }
    },
  )
  expect(found.toSorted(byTime), 'claims').toEqual(expected.toSorted(byTime))
}

function checkBookings({ model }: World, { bookings }: Rows): void {
  const found = bookings.map(
    ({ id, status, notes, version, starts_at, ends_at, confirmed_at, cancelled_at, respond_by }) => ({
      ...{ id, status, notes, version, start: ms(starts_at), end: ms(ends_at) },
      respondBy: respond_by === null ? undefined : ms(respond_by),
      ...{ known: confirmed_at !== null, isCancelled: cancelled_at !== null },
    }),
  )
  const expected = model.bookings.map(({ id, status, notes, version, start, end, known, request }) => ({
    ...{ id, status, notes, version, start, end, respondBy: request?.respondBy },
    ...{ known, isCancelled: status === 'cancelled' },
  }))
  expect(found.toSorted(byId), 'bookings').toEqual(expected.toSorted(byId))
}

/** Expects one event for each change, in order, with the booking at that time and its deliveries. */
function checkEvents({ model }: World, { events, deliveries }: Rows): void {
  // the model knows the usual events; test/webhooks and test/bookings try the others
  const usual: ReadonlySet<string> = new Set([...usualEventTypes, 'booking.requested'])
  const found = events
    .filter(({ type }) => usual.has(type))
    .map(({ id, type, booking_id, payload }) => {
      const { data } = JSON.parse(payload) as { data: { status: string; starts_at: string; ends_at: string } }
      const deliveredTo = deliveries
        .filter(({ event_id }) => event_id === id)
        .map(({ webhook_id }) => webhook_id)
      const { status, starts_at, ends_at } = data
      return { type, bookingId: booking_id, status, start: ms(starts_at), end: ms(ends_at), deliveredTo }
    })
  expect(found, 'events').toEqual(model.events)
  const wanted = model.events.flatMap(({ deliveredTo }) => deliveredTo)
  expect(deliveries.length, 'deliveries').toBe(wanted.length)
}

async function checkEntries({ service, model, business }: World): Promise<void> {
  const { reads } = service.context.db
  const entries = await reads
    .selectFrom('waitlist_entries')
    .select(['id', 'status', 'unanswered'])
    .where('business_id', '=', business.id)
    .execute()
  const offers = await reads
    .selectFrom('waitlist_offers')
    .select(['id', 'entry_id', 'status', 'starts_at'])
    .where('business_id', '=', business.id)
    .execute()
  const found = entries.map((entry) => ({
    ...entry,
    offers: offers
      .filter(({ entry_id }) => entry_id === entry.id)
      .map(({ id, status, starts_at }) => ({ id, status, start: ms(starts_at) }))
      .toSorted(byId),
  }))
  const expected = model.entries.map(({ id, status, unanswered, offers: made }) => ({
    ...{ id, status, unanswered },
    offers: made.map(({ id: hold, status: is, start }) => ({ id: hold, status: is, start })).toSorted(byId),
  }))
  expect(found.toSorted(byId), 'the waiting list').toEqual(expected.toSorted(byId))
}

async function checkPayments({ service, stripe, model, business }: World): Promise<void> {
  const { reads } = service.context.db
  const rows = await reads.selectFrom('payments').selectAll().where('business_id', '=', business.id).execute()
  const payments = paymentsOf(model)
  const found = rows
    .filter(({ id }) => payments.some((payment) => payment.id === id))
    .map(({ id, status, closed_because, refund_requested_at, next_check_at, paid_at, refunded_at }) => ({
      ...{ id, status, closedBecause: closed_because ?? undefined },
      ...{ refundWanted: refund_requested_at !== null, isPaid: paid_at !== null },
      ...{
        isRefunded: refunded_at !== null,
        nextCheck: next_check_at === null ? undefined : ms(next_check_at),
      },
    }))
  const expected = payments.map(({ id, status, closedBecause, refundWanted, nextCheck }) => ({
    ...{ id, status, closedBecause, refundWanted, nextCheck },
    ...{ isPaid: status === 'paid' || status === 'refunded', isRefunded: status === 'refunded' },
  }))
  expect(found.toSorted(byId), 'payments').toEqual(expected.toSorted(byId))
  const refunded = payments.filter(({ status }) => status === 'refunded').map(({ id }) => id)
  // the worker may also refund payments of earlier histories
  const sent = stripe.refunds.map(({ metadata }) => metadata['holdfast_payment_id'] ?? '')
  const own = sent.filter((id) => payments.some((payment) => payment.id === id))
  expect(own.toSorted(), 'each refund was sent once').toEqual(refunded.toSorted())
}

const ms = (instant: string) => Date.parse(instant)

/** Claims of one visit share their ID. */
function byTime(one: object, other: object): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1
}

function byId(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? -1 : 1
}

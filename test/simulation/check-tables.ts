import { expect } from 'vitest'
import type { TestService } from '../support/test-service.ts'
import type { Model } from './model.ts'

interface Checked {
  service: TestService
  model: Model
  businessId: string
}

/** Compares the tables with the model, and checks what must hold of them whatever the model says. */
export async function checkTables({ service, model, businessId }: Checked): Promise<void> {
  const { claims, bookings, holds, events } = await rowsOf(service, businessId, model.now)

  for (const [index, one] of claims.entries()) {
    for (const other of claims.slice(index + 1)) {
      const meet =
        one.resource_id === other.resource_id &&
        one.starts_at < other.ends_at &&
        other.starts_at < one.ends_at
      const apart = one.seat !== other.seat && one.occurrence_id === other.occurrence_id
      expect(meet && !apart, `active claims ${one.id} and ${other.id} overlap`).toBe(false)
    }
  }

  const booked = claims.filter(({ booking_id }) => booking_id !== null).map(({ booking_id }) => booking_id)
  const living = bookings.filter(({ status }) => status !== 'cancelled').map(({ id }) => id)
  expect(booked.toSorted(), 'each booking that is not cancelled has exactly one claim').toEqual(
    living.toSorted(),
  )

  const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)
  expect(claims.toSorted(byId).map(summary)).toEqual(
    model
      .activeClaims()
      .toSorted(byId)
      .map(({ id, seat, from, to, expires }) => ({ id, seat, from, to, expires: expires ?? null })),
  )
  expect(
    bookings.toSorted(byId).map(({ id, status, ...row }) => [id, status, ms(row.starts_at), ms(row.ends_at)]),
  ).toEqual(model.bookings.toSorted(byId).map(({ id, status, start, end }) => [id, status, start, end]))

  for (const { id, version } of bookings) {
    const expected = model.bookings.find((booking) => booking.id === id)?.events ?? []
    const types = events.filter(({ booking_id }) => booking_id === id).map(({ type }) => type)
    expect(types.toSorted(), 'one event per change').toEqual(expected.toSorted())
    // a completion that also moves is one change with two events
    expect(version).toBeLessThanOrEqual(types.length)
  }

  const released = model.holds.filter(({ ended }) => ended === 'released').map(({ id }) => id)
  expect(
    holds
      .filter((hold) => hold.released_at !== null)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(released.toSorted())
}

async function rowsOf({ context }: TestService, businessId: string, now: number) {
  const { reads } = context.db
  const claims = await reads.selectFrom('claims').selectAll().where('business_id', '=', businessId).execute()
  return {
    claims: claims.filter(({ expires_at }) => expires_at === null || Date.parse(expires_at) > now),
    bookings: await reads.selectFrom('bookings').selectAll().where('business_id', '=', businessId).execute(),
    holds: await reads.selectFrom('holds').selectAll().where('business_id', '=', businessId).execute(),
    events: await reads.selectFrom('events').selectAll().where('business_id', '=', businessId).execute(),
  }
}

const ms = (instant: string) => Date.parse(instant)

function summary(claim: {
  id: string
  seat: number
  starts_at: string
  ends_at: string
  expires_at: string | null
}) {
  const { id, seat, starts_at, ends_at, expires_at } = claim
  return {
    id,
    seat,
    from: ms(starts_at),
    to: ms(ends_at),
    expires: expires_at === null ? null : ms(expires_at),
  }
}

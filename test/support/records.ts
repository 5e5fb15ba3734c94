import { usualEventTypes } from '../../src/webhooks/event-payload.ts'
import type { TestService } from './test-service.ts'

/** The events of every reader. Others are for those who name them. */
const usual: ReadonlySet<string> = new Set(usualEventTypes)

const tables = ['claims', 'bookings', 'events']

/** Returns every row of holds and bookings, equal before and after an operation without effect. */
export async function snapshot(service: TestService): Promise<Record<string, string[]>> {
  const entries = await Promise.all(
    tables.map(async (table) => {
      const rows = await service.rows(table)
      return [table, rows.map((row) => JSON.stringify(row)).toSorted()] as const
    }),
  )
  return Object.fromEntries(entries)
}

/** Returns the usual events of one booking, oldest first, with parsed payloads. */
export async function eventsOf(
  service: TestService,
  bookingId: string,
): Promise<{ type: string; payload: Record<string, unknown> }[]> {
  const events = (await service.rows('events')).filter(
    (event) => event['booking_id'] === bookingId && usual.has(String(event['type'])),
  )
  // IDs sort by the millisecond only
  const inOrder = events.toSorted((one, other) => Number(one['position']) - Number(other['position']))
  return inOrder.map((event) => ({
    type: String(event['type']),
    payload: JSON.parse(String(event['payload'])) as Record<string, unknown>,
  }))
}

/** Returns the types of the events of one booking, oldest first. */
export async function eventTypesOf(service: TestService, bookingId: string): Promise<string[]> {
  return (await eventsOf(service, bookingId)).map(({ type }) => type)
}

/** Columns that the database computes, which a copy of a row cannot write. */
const computed = ['lasts_long']

/** Returns the row of a table with this ID. */
export async function rowOf(
  service: TestService,
  table: string,
  id: string,
): Promise<Record<string, unknown> | undefined> {
  const row = (await service.rows(table)).find((row) => row['id'] === id)
  return row && Object.fromEntries(Object.entries(row).filter(([column]) => !computed.includes(column)))
}

/** Returns the claim with this ID while it occupies time. Undefined once it was released, cancelled or cleaned up. */
export async function takenClaim(
  service: TestService,
  id: string,
): Promise<Record<string, unknown> | undefined> {
  const claim = await rowOf(service, 'claims', id)
  return claim?.['ended_at'] === null ? claim : undefined
}

/** Moves the clock to an instant, or to some milliseconds from it. */
export function advanceTo(service: TestService, instant: string, milliseconds = 0): void {
  const target = Date.parse(instant) + milliseconds
  service.clock.advance((target - service.clock.nowMs()) / 1000)
}

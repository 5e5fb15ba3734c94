import type { TestService } from './test-service.ts'

const tables = ['holds', 'claims', 'bookings', 'events']

/** Every row that holds and bookings consist of: equal before and after what must change nothing. */
export async function snapshot(service: TestService): Promise<Record<string, string[]>> {
  const entries = await Promise.all(
    tables.map(async (table) => {
      const rows = await service.rows(table)
      return [table, rows.map((row) => JSON.stringify(row)).toSorted()] as const
    }),
  )
  return Object.fromEntries(entries)
}

/** The events of one booking, oldest first, with parsed payloads. */
export async function eventsOf(
  service: TestService,
  bookingId: string,
): Promise<{ type: string; payload: Record<string, unknown> }[]> {
  const events = (await service.rows('events')).filter((event) => event['booking_id'] === bookingId)
  // ids sort by the millisecond only
  const inOrder = events.toSorted((one, other) => Number(one['position']) - Number(other['position']))
  return inOrder.map((event) => ({
    type: String(event['type']),
    payload: JSON.parse(String(event['payload'])) as Record<string, unknown>,
  }))
}

/** The types of the events of one booking, oldest first. */
export async function eventTypesOf(service: TestService, bookingId: string): Promise<string[]> {
  return (await eventsOf(service, bookingId)).map(({ type }) => type)
}

/** The row of a table with this id. */
export async function rowOf(
  service: TestService,
  table: string,
  id: string,
): Promise<Record<string, unknown> | undefined> {
  return (await service.rows(table)).find((row) => row['id'] === id)
}

/** Moves the clock to an instant, or to so many milliseconds from it. */
export function advanceTo(service: TestService, instant: string, milliseconds = 0): void {
  const target = Date.parse(instant) + milliseconds
  service.clock.advance((target - service.clock.nowMs()) / 1000)
}

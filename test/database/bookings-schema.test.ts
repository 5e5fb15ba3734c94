import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Queries } from '../../src/database/database.ts'
import { bookSlot, clientOf } from '../support/client.ts'
import { makeBusiness, makeOffer, makeStaff } from '../support/offers.ts'
import { rowOf, snapshot } from '../support/records.ts'
import { onEachEngine, startTestService, type TestService } from '../support/test-service.ts'

/** Returns the writable columns of a claim. */
function withoutGenerated({ lasts_long: _, ...columns }: Record<string, unknown>): Record<string, unknown> {
  return columns
}

type Table = 'claims' | 'bookings' | 'events'

onEachEngine('claims, bookings and events in the schema', (engine) => {
  let service: TestService
  /** A whole booking of one business, by table. */
  let rows: Record<Table, Record<string, unknown>>
  let foreign: Record<string, unknown>
  beforeAll(async () => {
    service = await startTestService(engine)
    const [one, two] = [await makeBusiness(service), await makeBusiness(service)]
    const staffIds = await makeStaff(service, one.id, ['Kim'])
    const offer = await makeOffer(service, one.id, { staffIds })
    const { id } = await bookSlot(clientOf(service, one.key), offer, '2026-12-01T10:00:00Z')
    const [event] = (await service.rows('events')).filter((row) => row['booking_id'] === id)
    rows = {
      bookings: (await rowOf(service, 'bookings', String(id))) ?? {},
      claims: withoutGenerated((await rowOf(service, 'claims', String(id))) ?? {}),
      events: event ?? {},
    }
    const elsewhere = await makeOffer(service, two.id, { staffIds: [] })
    const [staff_id] = await makeStaff(service, two.id, ['Kim'])
    const booking = await bookSlot(clientOf(service, two.key), elsewhere, '2026-12-01T10:00:00Z')
    foreign = { business_id: two.id, ...elsewhere, staff_id, booking_id: booking.id }
  })
  afterAll(() => service.stop())

  const write = <T>(work: (db: Queries) => Promise<T>) => service.context.db.transaction((tx) => work(tx.db))

  /** Inserts a copy of the row with other values, and removes it again. */
  async function insertCopy(table: Table, change: Record<string, unknown>): Promise<void> {
    const id = service.context.ids.next()
    const apart =
      table === 'claims'
        ? { taken_from: '2026-12-05T10:00:00.000Z', taken_until: '2026-12-05T11:00:00.000Z' }
        : {}
    const link = table === 'bookings' ? { manage_digest: id } : {}
    const copy = { ...rows[table], id, ...apart, ...link, ...change }
    await write(async (db) => {
      await db
        .insertInto(table)
        .values(copy as never)
        .execute()
      await db.deleteFrom(table).where('id', '=', id).execute()
    })
  }

  test('copies as they are fit, so that what is refused below is refused for its one change', async () => {
    for (const table of ['claims', 'bookings', 'events'] as const) await insertCopy(table, {})
  })

  test.each([['business_id'], ['booking_id']] as const)(
    "an event's %s cannot be that of another business's booking",
    async (column) => {
      const before = await snapshot(service)
      await expect(insertCopy('events', { [column]: foreign[column] })).rejects.toThrow(/foreign key/i)
      expect(await snapshot(service)).toEqual(before)
    },
  )

  test('a booking cannot name a payment that is not there', async () => {
    const payment_id = service.context.ids.next()
    await expect(insertCopy('bookings', { payment_id })).rejects.toThrow(/foreign key/i)
  })

  // it has no foreign keys, because the rows that it names are never deleted
  // (docs/decisions/0020-no-keys-to-what-stays.md)
  test.each([
    ['without an owner', { owner_id: null }],
    ['without an end of its hold', { expires_at: null }],
    ['of no business', { business_id: null }],
    ['for no service', { service_id: null }],
    ['at no location', { location_id: null }],
    ['of which the slot ends as it starts', { ends_at: '2026-12-01T10:00:00.000Z' }],
    ['that takes no time', { taken_until: '2026-12-05T10:00:00.000Z' }],
    ['on a seat below the first', { seat: -1 }],
  ])('there is no claim %s', async (_what, change) => {
    await expect(insertCopy('claims', change)).rejects.toThrow(/constraint|null/i)
  })

  test('a booking cannot be removed from under its events', async () => {
    const remove = write((db) =>
      db.deleteFrom('bookings').where('id', '=', String(rows.bookings['id'])).execute(),
    )
    await expect(remove).rejects.toThrow(/foreign key/i)
  })

  test.each([
    ['cancelled without a time', { status: 'cancelled', cancelled_at: null }],
    [
      'confirmed with a time of cancellation',
      { status: 'confirmed', cancelled_at: '2026-12-01T10:00:00.000Z' },
    ],
    ['of an unknown status', { status: 'done' }],
    ['of version 0', { version: 0 }],
    ['that ends as it starts', { ends_at: '2026-12-01T10:00:00.000Z' }],
    ['without a client', { client_email: null }],
  ])('there is no booking %s', async (_what, change) => {
    await expect(insertCopy('bookings', change)).rejects.toThrow(/constraint|null/i)
  })

  test('a cancelled booking with its time fits', async () => {
    await insertCopy('bookings', { status: 'cancelled', cancelled_at: '2026-12-01T10:00:00.000Z' })
  })

  test('an owner has one hold of each number; keys have none', async () => {
    const owner_id = service.context.ids.next()
    const id = service.context.ids.next()
    const taken = { taken_from: '2026-12-06T10:00:00.000Z', taken_until: '2026-12-06T11:00:00.000Z' }
    const first = { ...rows.claims, ...taken, id, owner_id, owner_sequence: 1 }
    await write((db) =>
      db
        .insertInto('claims')
        .values(first as never)
        .execute(),
    )
    await expect(insertCopy('claims', { owner_id, owner_sequence: 1 })).rejects.toThrow(/unique/i)
    await insertCopy('claims', { owner_id, owner_sequence: 2 })
    await insertCopy('claims', { owner_id, owner_sequence: null })
  })

  if (engine === 'postgres') return // it has a type for instants

  test.each([
    '2026-12-01T10:00:00Z',
    '2026-12-01 10:00:00.000',
    '2026-12-01T10:00:00.000+01:00',
    '2026-12-01T10:00:00.0000Z',
    '+010000-01-01T00:00:00.000Z',
    '0999-12-01T10:00:00.000Z',
    '2026-12-01',
    'now',
    '',
  ])('SQLite refuses %j as an instant', async (text) => {
    for (const column of ['created_at', 'updated_at', 'starts_at']) {
      await expect(insertCopy('bookings', { [column]: text })).rejects.toThrow(/constraint/i)
    }
    for (const column of ['starts_at', 'taken_from', 'created_at', 'expires_at', 'booked_at', 'ended_at']) {
      // an active claim that breaks a rule would be skipped first
      const ended = { ended_at: '2026-12-05T09:00:00.000Z', [column]: text }
      await expect(insertCopy('claims', ended)).rejects.toThrow(/constraint|non-deterministic/i)
    }
    await expect(insertCopy('events', { occurred_at: text })).rejects.toThrow(/constraint/i)
  })
})

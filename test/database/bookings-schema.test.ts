import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Queries } from '../../src/database/database.ts'
import { bookSlot, clientOf } from '../support/client.ts'
import { makeBusiness, makeOffer, makeStaff } from '../support/offers.ts'
import { rowOf, snapshot } from '../support/records.ts'
import { onEachEngine, startTestService, type TestService } from '../support/test-service.ts'

type Table = 'holds' | 'bookings' | 'events' | 'claims'

onEachEngine('holds, bookings and events in the schema', (engine) => {
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
      holds: (await rowOf(service, 'holds', String(id))) ?? {},
      bookings: (await rowOf(service, 'bookings', String(id))) ?? {},
      claims: (await rowOf(service, 'claims', String(id))) ?? {},
      events: event ?? {},
    }
    const elsewhere = await makeOffer(service, two.id, { staffIds: [] })
    const [staff_id] = await makeStaff(service, two.id, ['Kim'])
    const stranger = clientOf(service, two.key)
    const booking = await bookSlot(stranger, elsewhere, '2026-12-01T10:00:00Z')
    await stranger.cancel(String(booking.id)) // its claim is gone, so that its id is free for one
    foreign = { business_id: two.id, ...elsewhere, staff_id, booking_id: booking.id }
  })
  afterAll(() => service.stop())

  const write = <T>(work: (db: Queries) => Promise<T>) => service.context.db.transaction((tx) => work(tx.db))

  /** Writes a copy of the row with other values; the copy is removed again. */
  async function insertCopy(table: Table, change: Record<string, unknown>): Promise<void> {
    const id = service.context.ids.next()
    const apart =
      table === 'claims' ? { starts_at: '2026-12-05T10:00:00.000Z', ends_at: '2026-12-05T11:00:00.000Z' } : {}
    const copy = { ...rows[table], id, ...apart, ...change }
    await write(async (db) => {
      await db
        .insertInto(table)
        .values(copy as never)
        .execute()
      await db.deleteFrom(table).where('id', '=', id).execute()
    })
  }

  const held = {
    owner_id: '018f0000-0000-7000-8000-000000000000',
    expires_at: '2026-12-05T09:00:00.000Z',
    booking_id: null,
  }

  test('copies as they are fit, so that what is refused below is refused for its one change', async () => {
    for (const table of ['holds', 'bookings', 'events'] as const) await insertCopy(table, {})
    await insertCopy('claims', held)
  })

  test.each([
    ['holds', 'business_id'],
    ['holds', 'service_id'],
    ['holds', 'location_id'],
    ['holds', 'staff_id'],
    ['bookings', 'business_id'],
    ['bookings', 'service_id'],
    ['bookings', 'location_id'],
    ['bookings', 'staff_id'],
    ['events', 'business_id'],
    ['events', 'booking_id'],
  ] as const)("%s cannot name another business's %s", async (table, column) => {
    const before = await snapshot(service)
    await expect(insertCopy(table, { [column]: foreign[column] })).rejects.toThrow(/foreign key/i)
    expect(await snapshot(service)).toEqual(before)
  })

  test("a claim cannot be another business's, nor for another business's booking", async () => {
    const { id } = rows.claims
    const update = (columns: Record<string, unknown>) =>
      write((db) =>
        db
          .updateTable('claims')
          .set(columns as never)
          .where('id', '=', String(id))
          .execute(),
      )
    await expect(update({ business_id: foreign['business_id'] })).rejects.toThrow(/foreign key/i)
    await expect(
      insertCopy('claims', { id: foreign['booking_id'], booking_id: foreign['booking_id'] }),
    ).rejects.toThrow(/foreign key/i)
    await expect(insertCopy('claims', { ...held, business_id: service.context.ids.next() })).rejects.toThrow(
      /foreign key/i,
    )
  })

  test('what is booked cannot be removed from under its claim and events', async () => {
    for (const table of ['bookings', 'services', 'locations', 'staff', 'businesses'] as const) {
      const { id, service_id, location_id, staff_id, business_id } = rows.bookings
      const ids = {
        bookings: id,
        services: service_id,
        locations: location_id,
        staff: staff_id,
        businesses: business_id,
      }
      const remove = write((db) => db.deleteFrom(table).where('id', '=', String(ids[table])).execute())
      await expect(remove).rejects.toThrow(/foreign key/i)
    }
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
    const first = { ...rows.holds, id, owner_id, owner_sequence: 1 }
    await write((db) =>
      db
        .insertInto('holds')
        .values(first as never)
        .execute(),
    )
    await expect(insertCopy('holds', { owner_id, owner_sequence: 1 })).rejects.toThrow(/unique/i)
    await insertCopy('holds', { owner_id, owner_sequence: 2 })
    await insertCopy('holds', { owner_id, owner_sequence: null })
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
    await expect(insertCopy('claims', { ...held, expires_at: text })).rejects.toThrow(/constraint/i)
    await expect(insertCopy('events', { occurred_at: text })).rejects.toThrow(/constraint/i)
    await expect(insertCopy('holds', { expires_at: text })).rejects.toThrow(/constraint/i)
  })
})

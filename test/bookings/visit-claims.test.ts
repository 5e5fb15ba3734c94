import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Transaction } from '../../src/database/database.ts'
import { findErrors } from '../support/checker.ts'
import { clientOf } from '../support/client.ts'
import { makeBusiness, makeLocation, type OwnBusiness } from '../support/offers.ts'
import { onEachEngine, startTestService, type TestService } from '../support/test-service.ts'

/* The schema decides: no statement, whatever wrote it, leaves a half visit behind. */

onEachEngine('the claims of a visit', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let items: { service_id: string }[]
  let locationId: string
  let minute = 0
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    locationId = await makeLocation(service, business.id)
    const create = async (path: string, body: object) =>
      String((await service.call('POST', path, { token: business.key, body })).body.id)
    const room = await create('/resources', { location_id: locationId, name: 'Room', quantity: 1 })
    const offered = { duration_minutes: 30, location_ids: [locationId] }
    items = [
      {
        service_id: await create('/services', {
          ...offered,
          name: 'Sauna',
          needs: [{ resource_ids: [room] }],
        }),
      },
      { service_id: await create('/services', { ...offered, name: 'Bath' }) },
    ]
  })
  afterAll(() => service.stop())

  /** Holds a visit of three claims. Returns the IDs of the first and a further one. */
  async function held(): Promise<{ id: string; further: string }> {
    minute += 120
    const starts_at = new Date(Date.UTC(2026, 11, 1, 8, minute)).toISOString()
    const reply = await service.call('POST', '/bookings/hold', {
      token: business.key,
      body: { location_id: locationId, starts_at, items },
    })
    expect(reply.status, JSON.stringify(reply.body)).toBe(201)
    const id = String(reply.body.hold_id)
    const further = (await claimsOf(id)).filter((claim) => claim['visit_id'] === id)
    expect(further).toHaveLength(2)
    return { id, further: String(further[0]?.['id']) }
  }

  const claimsOf = async (id: string) =>
    (await service.rows('claims')).filter((claim) => claim['id'] === id || claim['visit_id'] === id)

  const change = (work: (db: Transaction['db'], now: string) => Promise<unknown>) =>
    service.context.db.transaction((tx) => work(tx.db, tx.now))

  test.each([
    [
      'a further one alone is booked',
      (id: string) => sql`update claims set booked_at = created_at where id = ${id}`,
    ],
    ['a further one is deleted', (id: string) => sql`delete from claims where id = ${id}`],
    [
      'a further one expires later',
      (id: string) => sql`update claims set expires_at = taken_until where id = ${id}`,
    ],
    [
      'a further one leaves its visit',
      (id: string) => sql`update claims set visit_id = null where id = ${id}`,
    ],
  ])('is refused if %s', async (_what, statement) => {
    const { id, further } = await held()
    const before = await claimsOf(id)
    await expect(change((db) => statement(further).execute(db))).rejects.toThrow('visits_are_whole')
    expect(await claimsOf(id)).toEqual(before)
  })

  test('are no visit with another number of them', async () => {
    const { id } = await held()
    const count = sql`update claims set claim_count = claim_count + 1 where id = ${id}`
    await expect(change((db) => count.execute(db))).rejects.toThrow('visits_are_whole')
  })

  test('are refused without the first', async () => {
    const { further } = await held()
    const columns = sql.raw(
      'business_id, service_id, location_id, starts_at, ends_at, seat, party_size, taken_from, taken_until, owner_id, created_at, expires_at',
    )
    const orphan = service.context.ids.next()
    const insert = sql`
      insert into claims (id, resource_id, occurrence_id, visit_id, ${columns})
      select ${sql.val(orphan)}, ${sql.val(orphan)}, ${sql.val(orphan)}, ${sql.val(service.context.ids.next())}, ${columns}
        from claims where id = ${further}`
    await expect(
      change((db) => (engine === 'postgres' ? castIds(insert, db) : insert.execute(db))),
    ).rejects.toThrow(/visits_are_whole|FOREIGN KEY/)
    expect(await service.rows('claims')).not.toContainEqual(expect.objectContaining({ id: orphan }))
  })

  test('a first one is refused without all others', async () => {
    const { id } = await held()
    const lone = service.context.ids.next()
    const columns = sql.raw(
      'business_id, service_id, location_id, starts_at, ends_at, seat, party_size, taken_from, taken_until, owner_id, created_at, expires_at',
    )
    const insert = sql`
      insert into claims (id, resource_id, occurrence_id, claim_count, ${columns})
      select ${sql.val(lone)}, ${sql.val(lone)}, ${sql.val(lone)}, 2, ${columns} from claims where id = ${id}`
    if (engine === 'postgres') {
      await expect(change((db) => castIds(insert, db))).rejects.toThrow('visits_are_whole')
    } else await change((db) => insert.execute(db)) // is skipped, as for an overlap
    expect(await service.rows('claims')).not.toContainEqual(expect.objectContaining({ id: lone }))
  })

  test('follow the first into a booking and to its end', async () => {
    const { id } = await held()
    const key = clientOf(service, business.key)
    const states = async () =>
      new Set(
        (await claimsOf(id)).map(({ booked_at, ended_at }) => [booked_at !== null, ended_at !== null].join()),
      )
    expect((await key.book(id)).status).toBe(201)
    expect(await states()).toEqual(new Set(['true,false']))
    await key.cancel(id)
    expect(await states()).toEqual(new Set(['true,true']))
    expect(await findErrors(service.databaseUrl)).toEqual([])
  })

  test('go with the first, and so do the items of a hold, but not those of a booking', async () => {
    const hold = await held()
    const booking = await held()
    const key = clientOf(service, business.key)
    await key.book(booking.id)
    await key.cancel(booking.id)
    for (const { id } of [hold, booking])
      await change((db) => sql`delete from claims where id = ${id}`.execute(db))
    for (const { id } of [hold, booking]) expect(await claimsOf(id)).toEqual([])
    const itemsOf = async (id: string) =>
      (await service.rows('visit_items')).filter((item) => item['visit_id'] === id)
    expect(await itemsOf(hold.id)).toEqual([])
    expect(await itemsOf(booking.id)).toHaveLength(2)
    expect((await key.show(booking.id)).body.items).toHaveLength(2)
  })

  test.runIf(engine === 'postgres')('an earlier release that ends a further one ends its visit', async () => {
    const { id, further } = await held()
    await change((db, now) => sql`update claims set ended_at = ${now} where id = ${further}`.execute(db))
    expect((await claimsOf(id)).every(({ ended_at }) => ended_at !== null)).toBe(true)
    expect(await findErrors(service.databaseUrl)).toEqual([])
  })
})

/** PostgreSQL takes untyped values in a select list for text. */
function castIds(statement: ReturnType<typeof sql>, db: Transaction['db']): Promise<unknown> {
  const { sql: text, parameters } = statement.compile(db)
  return db.executeQuery({
    ...statement.compile(db),
    sql: text.replace(
      /select ((?:\$\d+(?:, )?)+)/,
      (_all, list: string) => `select ${list.replace(/\$\d+/g, (name) => `${name}::uuid`)}`,
    ),
    parameters,
  })
}

import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Queries } from '../../src/database/database.ts'
import { writeSeats } from '../../src/database/seat-sets.ts'
import { makeBusiness } from '../support/offers.ts'
import { onEachEngine, startTestService, type TestService } from '../support/test-service.ts'

const at = (time: string, day = '01') => `2026-12-${day}T${time}:00.000Z`

onEachEngine('claims in the schema', (engine) => {
  let service: TestService
  let businessId: string
  /** A new resource for each test. */
  let resource: string
  beforeAll(async () => {
    service = await startTestService(engine)
    businessId = (await makeBusiness(service)).id
  })
  beforeEach(() => {
    resource = newId()
  })
  afterAll(() => service.stop())

  const newId = () => service.context.ids.next()

  interface ClaimParts {
    id: string
    seat: number
    /** Replaces the one seat. */
    seats: number[]
    occurrence: string
    from: string
    to: string
    resourceId: string
    expires: string
    ended: string | null
  }

  function claim(parts: Partial<ClaimParts> = {}) {
    const {
      id,
      seat,
      seats: several,
      occurrence,
      from,
      to,
      resourceId,
      expires,
      ended,
    } = {
      id: newId(),
      seat: 0,
      seats: undefined,
      occurrence: resource,
      from: at('10:00'),
      to: at('11:00'),
      resourceId: resource,
      expires: at('09:00'),
      ended: null,
      ...parts,
    }
    const seats = several ?? [seat]
    return {
      id,
      insert: (db: Queries, onConflict = sql``) =>
        sql<{ id: string }>`
          insert into claims (id, business_id, service_id, location_id, starts_at, ends_at, resource_id, seat,
                              party_size, seats, occurrence_id, taken_from, taken_until, owner_id, created_at, expires_at, ended_at)
          values (${id}, ${businessId}, ${newId()}, ${newId()}, ${at('10:00')}, ${at('10:30')}, ${resourceId},
                  ${seats[0]}, ${seats.length}, ${writeSeats(db, seats)}, ${occurrence}, ${from}, ${to}, ${newId()}, ${at('08:50')}, ${expires}, ${ended})
          ${onConflict} returning id`.execute(db),
    }
  }

  const write = <T>(work: (db: Queries) => Promise<T>) => service.context.db.transaction((tx) => work(tx.db))

  /** Returns true if the schema accepts a claim in addition to the existing ones. */
  async function fits(parts: Partial<ClaimParts> = {}): Promise<boolean> {
    const { rows } = await write((db) => claim(parts).insert(db, sql`on conflict do nothing`))
    return rows.length === 1
  }

  async function count(): Promise<number> {
    return (await service.rows('claims')).filter((row) => row['resource_id'] === resource).length
  }

  test('a seat is claimed once at any time', async () => {
    expect(await fits()).toBe(true)
    expect(await fits()).toBe(false)
    expect(await fits({ from: at('10:59'), to: at('12:00') })).toBe(false)
    expect(await fits({ from: at('09:00'), to: at('10:01') })).toBe(false)
    expect(await fits({ from: at('10:15'), to: at('10:30') })).toBe(false)
    expect(await fits({ from: at('09:00'), to: at('12:00') })).toBe(false)
    expect(await count()).toBe(1)
  })

  test('times are half-open: back-to-back claims fit', async () => {
    expect(await fits()).toBe(true)
    expect(await fits({ from: at('11:00'), to: at('12:00') })).toBe(true)
    expect(await fits({ from: at('09:00'), to: at('10:00') })).toBe(true)
  })

  test('another seat fits within one occurrence, and not in another', async () => {
    const occurrence = newId()
    expect(await fits({ occurrence })).toBe(true)
    expect(await fits({ occurrence, seat: 1 })).toBe(true)
    expect(await fits({ occurrence, seat: 1, from: at('10:30'), to: at('11:30') })).toBe(false)
    expect(await fits({ occurrence: newId(), seat: 2 })).toBe(false)
    expect(await fits({ occurrence: newId(), seat: 2, from: at('10:59'), to: at('11:30') })).toBe(false)
    expect(await fits({ occurrence: newId(), from: at('11:00'), to: at('12:00') })).toBe(true)
  })

  test('a claim of several seats takes all of them, or none', async () => {
    expect(await fits({ seats: [1, 4, 5] })).toBe(true)
    for (const seat of [1, 4, 5]) expect(await fits({ seat })).toBe(false)
    expect(await fits({ seats: [0, 3, 5] })).toBe(false)
    expect(await fits({ seats: [0, 1], from: at('10:59'), to: at('12:00') })).toBe(false)
    expect(await fits({ seats: [2, 6], occurrence: newId() })).toBe(false)
    expect(await fits({ seats: [0, 2, 3] })).toBe(true) // between the others, and before them
    expect(await fits({ seat: 0 })).toBe(false)
    expect(await fits({ seat: 6 })).toBe(true)
    expect(await fits({ seats: [6, 7] })).toBe(false)
    expect(await fits({ seats: [0, 1, 2, 3, 4, 5], from: at('11:00'), to: at('12:00') })).toBe(true)
    const ended = claim({ seats: [0, 6], ended: at('08:55') })
    await write((db) => ended.insert(db))
    const revive = (db: Queries) =>
      db.updateTable('claims').set({ ended_at: null }).where('id', '=', ended.id).execute()
    await expect(write(revive)).rejects.toThrow()
  })

  test('a set of seats is of several people, and one seat is no set', async () => {
    const change = (party_size: number, seats: number[]) =>
      write((db) =>
        db
          .updateTable('claims')
          .set({ party_size, seats: writeSeats(db, seats) })
          .where('resource_id', '=', resource)
          .execute(),
      )
    expect(await fits()).toBe(true)
    await expect(change(2, [0])).rejects.toThrow()
    await expect(change(1, [0, 1])).rejects.toThrow()
    await expect(change(0, [0])).rejects.toThrow()
    await change(2, [0, 1])
    expect(await fits({ seat: 1 })).toBe(false)
  })

  test('another resource has times of its own', async () => {
    expect(await fits()).toBe(true)
    expect(await fits({ resourceId: newId() })).toBe(true)
  })

  test('a claim lasts at most 72 hours, and one of 72 hours is found from its last moment', async () => {
    const [from, to] = [at('10:00', '01'), at('10:00', '04')]
    await expect(fits({ from, to: at('10:01', '04') })).rejects.toThrow()
    expect(await fits({ from, to })).toBe(true)
    expect(await fits({ from: at('09:59', '04'), to: at('12:00', '04') })).toBe(false)
    expect(await fits({ from: at('10:00', '04'), to: at('12:00', '04') })).toBe(true)
  })

  // claims of up to three hours are searched within three hours, longer ones within three days
  test.each([
    ['of three hours', '13:00'],
    ['of a minute more', '13:01'],
    ['of a minute less', '12:59'],
  ])('a claim %s is found from its last minute, and by one that begins before it', async (_length, end) => {
    const [to, before] = [at(end), new Date(Date.parse(at(end)) - 60_000).toISOString()]
    expect(await fits({ from: at('10:00'), to })).toBe(true)
    expect(await fits({ from: before, to: at('18:00') })).toBe(false)
    expect(await fits({ from: before, to: at('13:30') })).toBe(false)
    expect(await fits({ from: at('06:00'), to: at('10:01') })).toBe(false)
    expect(await fits({ from: at('09:59'), to: at('10:01') })).toBe(false)
    expect(await fits({ from: at('09:00', '01'), to: at('09:00', '03') })).toBe(false)
    expect(await fits({ from: to, to: at('18:00') })).toBe(true)
  })

  test('a claim ends after it starts', async () => {
    await expect(fits({ to: at('10:00') })).rejects.toThrow()
    await expect(fits({ to: at('09:00') })).rejects.toThrow()
  })

  test('an expired claim obstructs until it has ended', async () => {
    const expired = claim({ expires: '2020-01-01T00:00:00.000Z' })
    await write((db) => expired.insert(db))
    expect(await fits()).toBe(false)
    await write((db) =>
      db
        .updateTable('claims')
        .set('ended_at', sql`expires_at`)
        .where('id', '=', expired.id)
        .execute(),
    )
    expect(await fits()).toBe(true)
    expect(await count()).toBe(2)
  })

  test('an ended claim obstructs nothing and is obstructed by nothing', async () => {
    expect(await fits()).toBe(true)
    expect(await fits({ ended: at('08:55') })).toBe(true)
    expect(await fits({ ended: at('08:55'), occurrence: newId() })).toBe(true)
    expect(await fits({ from: at('11:00'), to: at('12:00'), ended: at('08:55') })).toBe(true)
    expect(await fits({ from: at('11:00'), to: at('12:00') })).toBe(true)
    expect(await count()).toBe(5)
  })

  test('an ended claim does not come back into a time that is claimed', async () => {
    const ended = claim({ ended: at('08:55') })
    await write((db) => ended.insert(db))
    const takenSince = claim({ from: at('10:30'), to: at('11:30') })
    await write((db) => takenSince.insert(db))
    const back = () =>
      write((db) => db.updateTable('claims').set({ ended_at: null }).where('id', '=', ended.id).execute())
    await expect(back()).rejects.toThrow()
    await write((db) => db.deleteFrom('claims').where('id', '=', takenSince.id).execute())
    await back()
    expect(await fits()).toBe(false)
  })

  test('an update into a claimed time is refused, one beside it or of its own time is not', async () => {
    const moving = claim({ from: at('12:00'), to: at('13:00') })
    await write((db) => moving.insert(db))
    expect(await fits()).toBe(true)
    const move = (from: string, to: string) =>
      write((db) =>
        sql`update claims set taken_from = ${from}, taken_until = ${to} where id = ${moving.id}`.execute(db),
      )
    await expect(move(at('10:30'), at('11:30'))).rejects.toThrow()
    await move(at('11:00'), at('12:30'))
    await move(at('11:30'), at('13:30'))
    const update = (column: 'seat' | 'occurrence_id', value: string | number) =>
      write((db) =>
        sql`update claims set ${sql.ref(column)} = ${value}, taken_from = ${at('10:00')} where id = ${moving.id}`.execute(
          db,
        ),
      )
    await expect(update('occurrence_id', newId())).rejects.toThrow()
    await update('seat', 1)
    await expect(update('seat', 0)).rejects.toThrow()
  })

  test('of many claims on one seat at once, one is let in', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => fits()))
    expect(results.filter(Boolean)).toHaveLength(1)
    expect(await count()).toBe(1)
  })
})

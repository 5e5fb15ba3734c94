import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from 'kysely'
import { findErrors } from '../support/checker.ts'
import { clientOf, type Client } from '../support/client.ts'
import { isWhole, onOneEngine, rounds } from '../support/long.ts'
import {
  makeBusiness,
  makeLocation,
  makeOffer,
  makeService,
  makeStaff,
  type OwnBusiness,
} from '../support/offers.ts'
import { randomFrom, seeds } from '../support/random.ts'
import { startTestService, type Reply, type TestService } from '../support/test-service.ts'

const weekMs = 7 * 86_400_000
const firstMs = Date.UTC(2026, 11, 1, 10)
const startOf = (week: number, minutes = 0) =>
  new Date(firstMs + week * weekMs + minutes * 60_000).toISOString().replace('.000Z', 'Z')
const year = { every: 'week', count: 52 }

const startsOf = (reply: Reply): string[] =>
  (reply.body.series.holds as { starts_at: string }[]).map(({ starts_at }) => normalised(starts_at))
const normalised = (text: string) => new Date(text).toISOString().replace('.000Z', 'Z')

onOneEngine('postgres', 'a series among visitors', (engine) => {
  let services: TestService[]
  let business: OwnBusiness
  let clients: Client[]
  beforeAll(async () => {
    const first = await startTestService(engine)
    services = [
      first,
      ...(engine === 'postgres' ? [await startTestService(engine, {}, { beside: first })] : []),
    ]
    business = await makeBusiness(first)
    clients = services.map((service) => clientOf(service, business.key))
  })
  afterAll(async () => {
    for (const service of services.toReversed()) await service.stop()
  })
  const client = (turn: number) => clients[turn % clients.length] as Client

  /** Fills random weeks by ten visitors, each with a hold and a booking after the other. Returns what they got. */
  async function visitors(offer: Awaited<ReturnType<typeof makeOffer>>, seed: number): Promise<string[]> {
    const random = randomFrom(seed)
    const wishes = Array.from({ length: 10 }, () => Array.from({ length: 4 }, () => random.below(52)))
    const got = await Promise.all(
      wishes.map(async (weeks, visitor) => {
        const mine: string[] = []
        for (const week of weeks) {
          const held = await client(visitor).hold(offer, startOf(week))
          expect([201, 409], JSON.stringify(held.body)).toContain(held.status)
          if (held.status !== 201) continue
          expect((await client(visitor + 1).book(held.body.hold_id as string)).status).toBe(201)
          mine.push(startOf(week))
        }
        return mine
      }),
    )
    return got.flat()
  }

  test('gets all of its times, or none, or exactly those that nobody else got', async () => {
    for (const [round, seed] of seeds(rounds(4, 200)).entries()) {
      const service = services[0] as TestService
      const offer = await makeOffer(service, business.id, { intervalMinutes: 30, timezone: 'UTC' })
      const conflicts = round % 2 === 0 ? 'skip' : 'refuse'
      const [series, taken] = await Promise.all([
        client(1).hold(offer, startOf(0), { repeat: year, conflicts }),
        visitors(offer, seed),
      ])
      const label = `seed ${String(seed)}: ${JSON.stringify(series.body)}`
      const all = Array.from({ length: 52 }, (_, week) => startOf(week))
      if (series.status === 201) {
        const got = startsOf(series)
        expect(new Set(got).isDisjointFrom(new Set(taken)), label).toBe(true)
        // later visitors may have met the series; what it skipped was theirs
        const skipped = (series.body.series.skipped as { starts_at: string }[]).map((one) =>
          normalised(one.starts_at),
        )
        expect([...got, ...skipped].toSorted(), label).toEqual(all)
        expect(
          skipped.every((start) => taken.includes(start)),
          label,
        ).toBe(true)
        if (conflicts === 'refuse') expect(skipped, label).toEqual([])
        const booked = await client(0).book(series.body.hold_id as string)
        expect(booked.body.series.booking_ids, label).toHaveLength(got.length)
      } else {
        expect([series.status, conflicts], label).toEqual([409, 'refuse'])
        const named = (series.body.conflicts as { starts_at: string }[]).map((one) =>
          normalised(one.starts_at),
        )
        expect(named.length, label).toBeGreaterThan(0)
        expect(
          named.every((start) => taken.includes(start)),
          label,
        ).toBe(true)
        const rest = await client(0).hold(offer, startOf(0), { repeat: year, conflicts: 'skip' })
        expect(startsOf(rest).length + taken.length, label).toBe(52) // it has left nothing behind
      }
    }
    expect(await findErrors((services[0] as TestService).databaseUrl)).toEqual([])
  })

  test('series that meet wait for each other one way only', async () => {
    const service = services[0] as TestService
    const place = await makeLocation(service, business.id, { timezone: 'UTC' })
    for (let round = 0; round < rounds(2, 50); round += 1) {
      const staffIds = await makeStaff(service, business.id, ['Anna', 'Ben', 'Cleo'], [place])
      const service_id = await makeService(service, business.id, { staffIds, locationIds: [place] })
      const offer = { service_id, location_id: place }
      const placed = await Promise.all(
        Array.from({ length: 6 }, (_, turn) =>
          client(turn).hold(offer, startOf(0, turn % 2 === 0 ? 0 : 15), {
            repeat: { every: 'day', count: isWhole ? 52 : 20 },
            conflicts: 'skip',
          }),
        ),
      )
      const got = placed.map((reply) => (reply.status === 201 ? startsOf(reply).length : 0))
      expect(got.reduce((sum, count) => sum + count, 0)).toBe(3 * (isWhole ? 52 : 20)) // three people, all of the time
    }
    if (engine !== 'postgres') return
    const { rows } = await sql<{ deadlocks: number }>`
      select deadlocks from pg_stat_database where datname = current_database()`.execute(
      service.context.db.reads,
    )
    expect(Number(rows[0]?.deadlocks)).toBe(0)
    expect(await findErrors(service.databaseUrl)).toEqual([])
  })
})

import pg from 'pg'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { clientOf, sessionClient, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, makeStaff, type Offer, type OwnBusiness } from '../support/offers.ts'
import { watcherOf, type Watcher } from '../support/slots.ts'
import { storeBookings } from '../support/stored-bookings.ts'
import {
  onEachEngine,
  startTestService,
  withoutLimiter,
  type Reply,
  type TestService,
} from '../support/test-service.ts'

onEachEngine('what availability costs', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let session: Client
  let watcher: Watcher
  let staffIds: string[]
  let offer: Offer
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    session = await sessionClient(service, business)
    watcher = watcherOf(service, session)
    const names = Array.from({ length: 10 }, (_, index) => `Person ${index}`)
    staffIds = await makeStaff(service, business.id, names)
    offer = await makeOffer(service, business.id, { staffIds, intervalMinutes: 30 })
  })
  afterAll(() => service.stop())

  let starts = 0
  /** Returns a start without conflicts. */
  const nextStart = () => new Date(Date.UTC(2027, 4, 1, (starts += 1))).toISOString()

  /** Returns the statements of a call, without the count of the request. */
  async function statementsOf(call: () => Promise<Reply>): Promise<string[]> {
    service.statements.length = 0
    const { status } = await call()
    expect(status).toBeLessThan(500)
    return withoutLimiter(service.statements)
  }

  test('is as many statements for many people and bookings as for few', async () => {
    const one = clientOf(service, business.key)
    const small = await makeOffer(service, business.id, { staffIds: staffIds.slice(0, 1) })
    const questions = (asked: Offer, limit: number) => [
      () => watcher.show(asked, '2026-12-01', '2026-12-07'),
      () => watcher.soonest(asked),
      () => watcher.explain(asked, '2026-12-01T10:00:00Z'),
      () => one.list({ limit: String(limit) }),
      () => one.hold(asked, nextStart()),
    ]
    for (let booked = 0; booked < 12; booked += 1) {
      const held = await one.hold(offer, nextStart())
      expect((await one.book(String(held.body.hold_id))).status).toBe(201)
    }
    const counts = async (asked: Offer, limit: number) => {
      const all: number[] = []
      for (const ask of questions(asked, limit)) {
        await ask() // caches of some seconds are filled
        all.push((await statementsOf(ask)).length)
      }
      return all
    }
    expect(await counts(offer, 10)).toEqual(await counts(small, 1))
  })

  test('grows with what is asked for, not with what was booked before or is booked later', async () => {
    const { context } = service
    const past = { staffIds, minutes: 30, stepMinutes: 60, businessId: business.id }
    let stored = 0
    const store = async (count: number, from: string) => {
      const of = { ...past, serviceId: offer.service_id, locationId: offer.location_id }
      const batch = 250 // with a larger batch, a statement could exceed the time limit on a busy machine
      for (let done = 0; done < count; done += batch) {
        const fromMs = Date.parse(from) + (done / staffIds.length) * 3_600_000
        const more = { count: batch, firstNumber: stored, fromMs }
        await context.db.transaction((tx) => storeBookings(tx.db, engine, { ...of, ...more }))
        stored += batch
      }
    }
    await store(2_000, '2026-12-02T00:00:00Z') // 200 hours
    await store(4_000, '2026-10-01T00:00:00Z') // until November: enough for an index to pay off
    const few = await rowsRead()
    await store(4_000, '2026-08-01T00:00:00Z')
    await store(4_000, '2027-01-20T00:00:00Z')
    const many = await rowsRead()
    expect(many).toEqual(few)
    // each of ten people has a booking in every requested hour
    expect(many.claims).toBeGreaterThanOrEqual(10 * 48)
    expect(many.claims).toBeLessThanOrEqual(10 * 24 * 6) // a claim that reaches into it may start three days earlier
  })

  /** Counts the rows of each table that availability of two days reads, or would by its plan. */
  async function rowsRead(): Promise<Record<string, number>> {
    const ask = () => watcher.show(offer, '2026-12-04', '2026-12-05')
    await ask()
    return engine === 'sqlite' ? rowsOfSqlite(ask) : rowsOfPostgres(ask)
  }

  async function rowsOfPostgres(ask: () => Promise<Reply>): Promise<Record<string, number>> {
    const queries = vi.spyOn(pg.Client.prototype, 'query')
    await ask()
    const calls = queries.mock.calls.map(([query]) => query as unknown as { text: string; values: unknown[] })
    queries.mockRestore()
    const look = calls.find(({ text }) => /from claims/.test(text))
    if (!look) throw new Error('no look at claims was seen')
    const client = new pg.Client({ connectionString: databaseUrl() })
    await client.connect()
    try {
      await client.query('analyze')
      const explained = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
        `explain (analyze, format json) ${look.text}`,
        look.values,
      )
      const plan = explained.rows[0]?.['QUERY PLAN'][0]?.Plan
      return plan ? readOf(plan) : {}
    } finally {
      await client.end()
    }
  }

  /** The plan names the index that bounds the rows, and the rows within it are counted. */
  async function rowsOfSqlite(ask: () => Promise<Reply>): Promise<Record<string, number>> {
    const statements = await statementsOf(ask)
    const look = statements.find((text) => /from claims/.test(text)) ?? ''
    const file = new DatabaseSync(databaseUrl().slice('sqlite:'.length))
    try {
      const details = file.prepare(`explain query plan ${look}`).all() as { detail: string }[]
      const plan = details
        .map(({ detail }) => detail)
        .filter((detail) => /claims|blocks|bookings|businesses/.test(detail))
      expect(plan.filter((detail) => detail.startsWith('SCAN'))).toEqual([])
      expect(plan).toContain(
        'SEARCH claims USING INDEX claims_by_resource (resource_id=? AND lasts_long=? AND taken_from>? AND taken_from<?)',
      )
      expect(plan.some((detail) => detail.includes('bookings'))).toBe(false)
      const within = file
        .prepare(`select count(*) as claims from claims where taken_from >= ? and taken_from < ?`)
        .get('2026-11-30T23:00:00.000Z', '2026-12-05T23:00:00.000Z') as { claims: number }
      return { claims: within.claims }
    } finally {
      file.close()
    }
  }

  function databaseUrl(): string {
    const { database } = service.context.config
    return database.engine === 'sqlite' ? `sqlite:${database.file}` : (database.urls[0] ?? '')
  }
})

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

/**
 * Returns the rows that the nodes of a plan read, by table. A bitmap's index names no table, but its parent node does.
 */
function readOf(node: PlanNode, read: Record<string, number> = {}): Record<string, number> {
  const table = node['Relation Name']
  const rows =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  if (table !== undefined) read[table] = (read[table] ?? 0) + Math.round(rows * node['Actual Loops'])
  for (const child of node.Plans ?? []) readOf(child, read)
  return read
}

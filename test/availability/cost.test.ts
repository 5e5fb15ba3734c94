import pg from 'pg'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sessionClient, type Client } from '../support/client.ts'
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

  /** The statements of a call, besides the counting of the request. */
  async function statementsOf(call: () => Promise<Reply>): Promise<string[]> {
    service.statements.length = 0
    const { status } = await call()
    expect(status).toBeLessThan(500)
    return withoutLimiter(service.statements)
  }

  /** Nothing is remembered but the token. */
  async function forget(): Promise<void> {
    service.clock.advance(5)
    await service.call('GET', '/locations', { token: session.token })
  }

  describe('in statements', () => {
    const month = () => watcher.show(offer, '2026-12-01', '2026-12-31')
    const questions: [string, () => Promise<Reply>][] = [
      ['a month of ten people', month],
      ['why not', () => watcher.explain(offer, '2026-12-01T10:00:00Z')],
      ['the soonest', () => watcher.soonest(offer)],
    ]

    test.each(questions)('%s: two with nothing remembered, one afterwards', async (_what, ask) => {
      await forget()
      expect(await statementsOf(ask)).toHaveLength(2)
      expect(await statementsOf(ask)).toHaveLength(1)
      expect(await statementsOf(ask)).toHaveLength(1)
    })

    test('an unchanged answer is found by one too', async () => {
      const etag = String((await month()).headers['etag'])
      const again = () => watcher.show(offer, '2026-12-01', '2026-12-31', { 'if-none-match': etag })
      expect(await statementsOf(again)).toHaveLength(1)
    })

    test('a refused hold looks once for other times', async () => {
      await session.hold(offer, '2026-12-01T10:00:00Z')
      const refused = () => session.hold(offer, '2026-12-01T10:01:00Z')
      const statements = await statementsOf(refused)
      const looks = statements.filter((text) => /^\s*select/.test(text))
      expect(looks).toHaveLength(2) // at what it asks for, then at the days around
    })
  })

  test('grows with what is asked for, not with what was booked before or is booked later', async () => {
    const { context } = service
    const past = { staffIds, minutes: 30, stepMinutes: 60, businessId: business.id }
    let stored = 0
    const store = async (count: number, from: string) => {
      const of = { ...past, serviceId: offer.service_id, locationId: offer.location_id }
      const batch = 1_000 // of thousands more, a statement could take longer than the limit on a busy machine
      for (let done = 0; done < count; done += batch) {
        const fromMs = Date.parse(from) + (done / staffIds.length) * 3_600_000
        const more = { count: batch, firstNumber: stored, fromMs }
        await context.db.transaction((tx) => storeBookings(tx.db, engine, { ...of, ...more }))
        stored += batch
      }
    }
    await store(2_000, '2026-12-02T00:00:00Z') // 200 hours
    await store(8_000, '2026-10-01T00:00:00Z') // until November: enough for an index to pay
    const few = await rowsRead()
    await store(8_000, '2026-08-01T00:00:00Z')
    await store(8_000, '2027-01-20T00:00:00Z')
    const many = await rowsRead()
    expect(many).toEqual(few)
    // each of ten people has a booking in every hour that is asked for
    expect(many.claims).toBeGreaterThanOrEqual(10 * 48)
    expect(many.claims).toBeLessThanOrEqual(10 * 24 * 6) // a claim that reaches into it may start three days before
  })

  /** How many rows of each table the look at two days reads, or would by its plan. */
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

  /** The plan says which index bounds the rows; how many lie within is counted. */
  async function rowsOfSqlite(ask: () => Promise<Reply>): Promise<Record<string, number>> {
    const statements = await statementsOf(ask)
    const look = statements.find((text) => /from claims/.test(text)) ?? ''
    const file = new DatabaseSync(databaseUrl().slice('sqlite:'.length))
    try {
      const details = file.prepare(`explain query plan ${look}`).all() as { detail: string }[]
      const plan = details
        .map(({ detail }) => detail)
        .filter((detail) => /claims|blocks|holds|bookings|businesses/.test(detail))
      expect(plan.filter((detail) => detail.startsWith('SCAN'))).toEqual([])
      expect(plan).toContain(
        'SEARCH claims USING INDEX claims_by_resource (resource_id=? AND starts_at>? AND starts_at<?)',
      )
      expect(plan.some((detail) => detail.includes('bookings'))).toBe(false)
      const within = file
        .prepare(`select count(*) as claims from claims where starts_at >= ? and starts_at < ?`)
        .get('2026-11-30T23:00:00.000Z', '2026-12-05T23:00:00.000Z') as { claims: number }
      return { claims: within.claims }
    } finally {
      file.close()
    }
  }

  function databaseUrl(): string {
    const { database } = service.context.config
    return database.engine === 'sqlite' ? `sqlite:${database.file}` : database.url
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

/** Rows that the nodes of a plan read, by table. A bitmap's index names no table, but the node above it does. */
function readOf(node: PlanNode, read: Record<string, number> = {}): Record<string, number> {
  const table = node['Relation Name']
  const rows =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  if (table !== undefined) read[table] = (read[table] ?? 0) + Math.round(rows * node['Actual Loops'])
  for (const child of node.Plans ?? []) readOf(child, read)
  return read
}

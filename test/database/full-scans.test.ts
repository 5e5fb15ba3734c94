import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { instantFromMs } from '../../src/base/instants.ts'
import type { Queries } from '../../src/database/database.ts'
import { tidy } from '../../src/operate/housekeeping.ts'
import { jobs } from '../../src/server.ts'
import { type SharedStage, startStage } from '../simulation/stage.ts'
import { takeStep } from '../simulation/steps.ts'
import { makeWorld } from '../simulation/world.ts'
import { ok, startReceiver } from '../support/receiver.ts'
import { engines, startTestService, type TestService } from '../support/test-service.ts'
import { makeShop, makeWebhook } from '../support/webhooks.ts'

/*
 * A full scan of a table gets slower with every booking ever made. SQLite reports its plans without looking at the
 * data. PostgreSQL has one plan for each statement, whatever its parameters (src/database/postgres.ts). The plan
 * depends on the assumed size of the tables.
 */

/** The tables of the sandbox and of rules do not grow with the bookings of a business in production. */
const growing = [
  ...['bookings', 'claims', 'deliveries', 'events', 'idempotency_records', 'payments'],
  ...['processor_events', 'sessions', 'booking_attempts', 'visit_items', 'clients'],
]
/** The plan names tables that refer to a written one. They are read only if a reference is broken. */
const references = /^insert into "bookings"/

/** Returns the statements that scan a whole growing table without an index. */
async function fullScans({ context }: TestService, statements: Set<string>): Promise<string[]> {
  const scans: string[] = []
  for (const statement of statements) {
    const explain = sql.raw<{ detail: string }>(`explain query plan ${statement}`)
    const { rows } = await explain.execute(context.db.reads)
    const found = new Set(rows.map(({ detail }) => /^CO-ROUTINE (\w+)$/.exec(detail)?.[1])) // by another part of it
    for (const { detail } of rows) {
      // an index that is made for one run of the statement reads the whole table
      if (/AUTOMATIC/.test(detail)) scans.push(`${detail}: ${statement}`)
      const name = /^SCAN (\w+)$/.exec(detail)?.[1]
      if (name === undefined || found.has(name)) continue
      const table = new RegExp(`"?(\\w+)"? as "?${name}\\b`).exec(statement)?.[1] ?? name
      if (!growing.includes(table) || (table === 'claims' && references.test(statement))) continue
      scans.push(`${detail}: ${statement}`)
    }
  }
  return scans
}

/** Excludes the test's own reads. */
const ofService = (statements: string[]) =>
  new Set(
    statements.filter((text) => !/^select \* from|^(begin|commit|rollback|savepoint|release)/.test(text)),
  )

test('a change, its deliveries and their log read no growing table from beginning to end (sqlite)', async () => {
  const service = await startTestService('sqlite')
  const receiver = await startReceiver()
  receiver.answer = ok
  const shop = await makeShop(service)
  await makeWebhook(service, { token: shop.business.key, to: receiver })
  service.statements.length = 0
  const { id } = (await shop.book()) as { id: string }
  await shop.client.change(id, { status: 'completed', notes: 'two events' })
  await service.app.deliveries.settled()
  expect(receiver.received).toHaveLength(3)
  const statements = ofService(service.statements.filter((text) => /events|deliveries/.test(text)))
  expect(statements.size).toBeGreaterThanOrEqual(5)
  expect(await fullScans(service, statements)).toEqual([])
  await service.stop()
  await receiver.stop()
})

/** Collects the statements of some histories, with housekeeping after each. */
async function statementsOfHistories(stage: SharedStage): Promise<Set<string>> {
  const statements = new Set<string>()
  for (const seed of [1, 2, 3]) {
    stage.clear(seed)
    const world = await makeWorld(stage, seed)
    for (let taken = 0; taken < 40; taken += 1) await takeStep(world)
    await tidy(stage.service.context, jobs)
    for (const statement of ofService(stage.service.statements)) statements.add(statement)
  }
  expect(statements.size).toBeGreaterThan(50)
  return statements
}

test('nor do holds, bookings, payments, lists and housekeeping (sqlite)', async () => {
  const stage = await startStage('sqlite')
  expect(await fullScans(stage.service, await statementsOfHistories(stage))).toEqual([])
  await stage.stop()
})

test.runIf(engines.includes('postgres'))('nor does any of these (postgres)', async () => {
  const stage = await startStage('postgres')
  const statements = await statementsOfHistories(stage)
  const reads = stage.service.context.db.reads as Queries // one connection, which reads
  await takeForLarge(reads)
  const { rows } = await sql`
    select name, setting from pg_settings where name in ('plan_cache_mode', 'jit') order by name`.execute(
    reads,
  )
  expect(rows).toEqual([
    { name: 'jit', setting: 'off' }, // compiling takes many times as long as a statement, and happens each time
    { name: 'plan_cache_mode', setting: 'force_generic_plan' },
  ])
  const scans: string[] = []
  await reads.connection().execute(async (connection) => {
    for (const [number, statement] of [...statements].entries()) {
      const plan = await planOfAll(connection, `plan_${number}`, statement)
      const tables = [...plan.matchAll(/Seq Scan on (\w+)/g)].map(([, table]) => table ?? '')
      if (tables.some((table) => growing.includes(table))) scans.push(`${statement}\n${plan}`)
    }
  })
  expect(scans).toEqual([])
  await stage.stop()
})

/** Collects the statements of lists of bookings in each order, with a cursor, of a day and of a search. */
async function statementsOfLists(service: TestService): Promise<Set<string>> {
  const shop = await makeShop(service)
  for (let count = 0; count < 2; count += 1) await shop.book()
  service.statements.length = 0
  for (const sort of ['created_at', 'starts_at', '-created_at', '-starts_at']) {
    const { next_cursor } = (await shop.client.list({ sort, limit: 1 })).body as { next_cursor: string }
    const day = { from: '2026-12-01T00:00:00Z', to: '2026-12-02T00:00:00Z' }
    const queries = [
      { cursor: next_cursor },
      day,
      ...[{}, day].flatMap((also) => [
        { q: few, ...also },
        { q: many, ...also },
      ]),
    ]
    for (const query of queries) {
      expect(await shop.client.list({ sort, ...query })).toMatchObject({ status: 200 })
    }
  }
  const { key: token } = shop.business
  for (const first_name of ['Åsa', 'Bo'])
    await service.call('POST', '/clients', { token, body: { first_name } })
  const { body } = await service.call('GET', '/clients?limit=1', { token })
  const next = await service.call('GET', `/clients?cursor=${String(body.next_cursor)}`, { token })
  expect(next.status).toBe(200)
  const statements = [...ofService(service.statements)].filter((text) =>
    /(from|join) "bookings"|client_texts|from clients as c where/.test(text),
  )
  expect(statements.length).toBeGreaterThan(15)
  return new Set(statements)
}

/** A text that an index of clients finds, and one that is too short for it. */
const [few, many] = ['lovelace', 'e\u0331x']

/** The bookings of a day in the order of their creation, clients found by a search, and their bookings. */
const sortsFew = (statement: string) =>
  (/order by "b"\."created_at"/.test(statement) && /starts_at >= /.test(statement)) ||
  /client_texts|^\s*with w as materialized/.test(statement)

test('lists of bookings read along their order and sort nothing (sqlite)', async () => {
  const service = await startTestService('sqlite')
  const statements = await statementsOfLists(service)
  expect(await fullScans(service, statements)).toEqual([])
  for (const statement of statements) {
    if (sortsFew(statement)) continue
    const explain = sql.raw<{ detail: string }>(`explain query plan ${statement}`)
    const { rows } = await explain.execute(service.context.db.reads)
    const details = rows.map(({ detail }) => detail)
    expect(
      details.filter((detail) => /TEMP B-TREE/.test(detail)),
      statement,
    ).toEqual([])
  }
  await service.stop()
})

test.runIf(engines.includes('postgres'))('and so they do (postgres)', async () => {
  const service = await startTestService('postgres')
  const statements = await statementsOfLists(service)
  const reads = service.context.db.reads as Queries // one connection, which reads
  await takeForLarge(reads)
  await reads.connection().execute(async (connection) => {
    for (const [number, statement] of [...statements].entries()) {
      const plan = await planOfAll(connection, `list_${number}`, statement)
      expect(plan).not.toMatch(/Seq Scan on (bookings|clients)/)
      if (sortsFew(statement)) continue
      expect(plan, statement).not.toMatch(/\bSort\b/)
    }
  })
  await service.stop()
})

/** Makes PostgreSQL believe that each growing table has a million rows. It would believe that an empty one is empty. */
async function takeForLarge(db: Queries): Promise<void> {
  const row = { provider: 'stripe', event_id: 'evt_1', applied_at: instantFromMs(0) }
  await db.insertInto('processor_events').values(row).execute()
  const id = randomUUID()
  await db
    .insertInto('visit_items')
    .values({
      ...{ id, business_id: id, visit_id: id, item: 0, service_id: id, party_size: 1, starts_with: 0 },
      ...{ starts_at: instantFromMs(0), ends_at: instantFromMs(1), resource_ids_json: '[]' },
    })
    .execute()
  await sql`update pg_class set reltuples = 1000000, relpages = greatest(relpages, 1)
             where relname in (${sql.join(growing)})`.execute(db)
}

/** Returns the plan of a prepared statement for all parameters. */
async function planOfAll(db: Queries, name: string, statement: string): Promise<string> {
  const parameters = Math.max(0, ...[...statement.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  await sql.raw(`prepare ${name} as ${statement}`).execute(db)
  const nulls = parameters > 0 ? `(${Array(parameters).fill('null').join(', ')})` : ''
  const { rows } = await sql.raw<{ 'QUERY PLAN': string }>(`explain execute ${name}${nulls}`).execute(db)
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

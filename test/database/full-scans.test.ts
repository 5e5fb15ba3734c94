import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { chores } from '../../src/app.ts'
import { tidy } from '../../src/housekeeping.ts'
import { startStage } from '../simulation/stage.ts'
import { takeStep } from '../simulation/steps.ts'
import { makeWorld } from '../simulation/world.ts'
import { ok, startReceiver } from '../support/receiver.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { makeShop, makeWebhook } from '../support/webhooks.ts'

/*
 * A statement that reads a table from beginning to end costs more with every booking that was ever made. SQLite tells of
 * its plans without a look at the data; what PostgreSQL plans depends on them (test/availability/cost.test.ts).
 */

/** Those of the sandbox and of rules do not grow with the bookings of a business in production. */
const growing = [
  ...['bookings', 'claims', 'deliveries', 'events', 'holds', 'idempotency_records', 'payments'],
  ...['processor_events', 'sessions'],
]
/** The plan names tables that refer to one that is written: they are read only while a reference is broken. */
const references = /^insert into "bookings"/

/** The statements that read a growing table from beginning to end, along no index. */
async function fullScans({ context }: TestService, statements: Set<string>): Promise<string[]> {
  const scans: string[] = []
  for (const statement of statements) {
    const explain = sql.raw<{ detail: string }>(`explain query plan ${statement}`)
    const { rows } = await explain.execute(context.db.reads)
    const found = new Set(rows.map(({ detail }) => /^CO-ROUTINE (\w+)$/.exec(detail)?.[1])) // by another part of it
    for (const { detail } of rows) {
      const name = /^SCAN (\w+)$/.exec(detail)?.[1]
      if (name === undefined || found.has(name)) continue
      const table = new RegExp(`"?(\\w+)"? as "?${name}\\b`).exec(statement)?.[1] ?? name
      if (!growing.includes(table) || (table === 'claims' && references.test(statement))) continue
      scans.push(`${detail}: ${statement}`)
    }
  }
  return scans
}

/** What a test itself reads is not the service's. */
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
  expect(statements.size).toBeGreaterThan(5)
  expect(await fullScans(service, statements)).toEqual([])
  await service.stop()
  await receiver.stop()
})

test('nor do holds, bookings, payments, lists and housekeeping (sqlite)', async () => {
  const stage = await startStage('sqlite')
  const statements = new Set<string>()
  for (const seed of [1, 2, 3]) {
    stage.clear(seed)
    const world = await makeWorld(stage, seed)
    for (let taken = 0; taken < 40; taken += 1) await takeStep(world)
    await tidy(stage.service.context, chores)
    for (const statement of ofService(stage.service.statements)) statements.add(statement)
  }
  expect(statements.size).toBeGreaterThan(50)
  expect(await fullScans(stage.service, statements)).toEqual([])
  await stage.stop()
})

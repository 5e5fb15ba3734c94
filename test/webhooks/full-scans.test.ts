import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { tidy } from '../../src/housekeeping.ts'
import { deletedWebhooks, oldDeliveries, oldEvents } from '../../src/webhooks/tidy-deliveries.ts'
import { ok, startReceiver } from '../support/receiver.ts'
import { startTestService } from '../support/test-service.ts'
import { makeShop, makeWebhook } from '../support/webhooks.ts'

/** A table that grows, by its name or short name, and is read from beginning to end: along an index it says so. */
const fullScan = /^SCAN (events|e|deliveries|d|bookings)$/

test('a change, its deliveries and the housekeeping read no table from beginning to end (sqlite)', async () => {
  const service = await startTestService('sqlite')
  const receiver = await startReceiver()
  receiver.answer = ok
  const shop = await makeShop(service)
  await makeWebhook(service, { token: shop.business.key, to: receiver })
  service.statements.length = 0
  const { id } = (await shop.book()) as { id: string }
  await shop.client.change(id, { status: 'completed', notes: 'two events' })
  await service.app.deliveries.settled()
  await tidy(service.context, [oldDeliveries, oldEvents, deletedWebhooks])
  expect(receiver.received).toHaveLength(3)

  const scans: string[] = []
  const statements = new Set(service.statements.filter((text) => /events|deliveries/.test(text)))
  for (const statement of statements) {
    const plan = await sql
      .raw<{ detail: string }>(`explain query plan ${statement}`)
      .execute(service.context.db.reads)
    for (const { detail } of plan.rows) if (fullScan.test(detail)) scans.push(`${detail}: ${statement}`)
  }
  await service.stop()
  await receiver.stop()
  expect(statements.size).toBeGreaterThan(5)
  expect(scans).toEqual([])
})

import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { operator } from '../../src/access/operator.ts'
import type { Queries } from '../../src/database/database.ts'
import { createWebhook } from '../../src/webhooks/create-webhook.ts'
import {
  findDueDeliveries,
  writeOutcomes,
  type Outcome,
  type Wanted,
} from '../../src/webhooks/due-delivery-queries.ts'
import { leaseWebhooks } from '../../src/webhooks/lease-queries.ts'
import { plusSeconds } from '../../src/instants.ts'
import { makeBusiness } from '../support/offers.ts'
import { changeRows } from '../support/tenant-things.ts'
import { engines, onEachEngine, startTestService, type TestService } from '../support/test-service.ts'

/*
 * What is read of many deliveries, right after they were written: PostgreSQL plans with statistics that know none of
 * them yet, and may not read all of them for the few that are claimed.
 */

const perWebhook = 200
const wantedOfEach = 5

test.runIf(engines.includes('postgres'))(
  'claiming and recording read the rows they want, however many are due and however many webhooks are leased (postgres)',
  async () => {
    const service = await startTestService('postgres')
    await service.app.deliveries.stop(0)
    const { context } = service
    const ids = await makeWebhooks(service, 60)
    await changeRows(
      service,
      sql`insert into deliveries (id, webhook_id, business_id, event_id, event_type, booking_id, status, attempts_left,
                                  next_attempt_at, created_at)
          select gen_random_uuid(), w.id, w.business_id, gen_random_uuid(), 'booking.created', gen_random_uuid(),
                 'pending', 3, ${context.clock.now()}, ${context.clock.now()}
            from webhooks as w cross join generate_series(1, ${sql.lit(perWebhook)})`,
    )
    const by = context.ids.next()
    const read = await context.db.transaction(async (tx) => {
      const now = context.clock.now()
      const lease = { by, now, until: plusSeconds(now, 30) }
      expect(await leaseWebhooks(tx.db, 'postgres', { ids, lease })).toHaveLength(ids.length)
      const wanted = ids.slice(0, 30).map((id) => ({ id, most: wantedOfEach, inHand: new Set<string>() }))
      const due = await findDueDeliveries(tx.db, 'postgres', { wanted, by, now })
      expect(due).toHaveLength(30 * wantedOfEach)
      await sql`set synchronous_commit to on`.execute(tx.db) // servers for tests have it off
      await writeOutcomes(tx.db, 'postgres', due.map(succeeded))
      expect(await waitsForDisk(tx.db)).toBe('off')
      const { rows } = await sql<{ in_turn: number; by_index: number }>`
        select seq_tup_read::int as in_turn, idx_tup_fetch::int as by_index
          from pg_stat_xact_user_tables where relname = 'deliveries'`.execute(tx.db)
      return rows[0]
    })
    // for that transaction alone: nothing else may be forgotten
    expect(await context.db.transaction((tx) => waitsForDisk(tx.db))).toBe('on')
    expect(read?.in_turn).toBe(0)
    expect(read?.by_index).toBeLessThanOrEqual(2 * 30 * wantedOfEach)
    await service.stop()
  },
)

onEachEngine('what is due', (engine) => {
  test('is found the oldest first, without what is in hand, or from a place on that a look has come to', async () => {
    const service = await startTestService(engine)
    await service.app.deliveries.stop(0)
    const { context } = service
    const [id = ''] = await makeWebhooks(service, 1)
    const now = context.clock.now()
    const ids = Array.from({ length: 6 }, () => context.ids.next()).toSorted()
    const deliveries = ids.map((delivery, index) => {
      // two at each instant
      const nextAttempt = plusSeconds(now, -100 + Math.floor(index / 2))
      return sql`select ${delivery}, w.id, w.business_id, ${delivery}, 'booking.created', ${delivery}, 'pending', 3,
                        ${nextAttempt}, ${now} from webhooks as w where w.id = ${id}`
    })
    const columns = sql.raw(
      'id, webhook_id, business_id, event_id, event_type, booking_id, status, attempts_left, next_attempt_at, created_at',
    )
    for (const delivery of deliveries.toReversed()) {
      await changeRows(service, sql`insert into deliveries (${columns}) ${delivery}`)
    }
    const by = context.ids.next()
    const find = (wanted: Pick<Wanted, 'most'> & Partial<Wanted>) =>
      context.db.transaction((tx) =>
        findDueDeliveries(tx.db, engine, { wanted: [{ id, inHand: new Set(), ...wanted }], by, now }),
      )
    expect(await find({ most: 6 })).toEqual([]) // nobody has leased it
    await context.db.transaction((tx) =>
      leaseWebhooks(tx.db, engine, { ids: [id], lease: { by, now, until: plusSeconds(now, 30) } }),
    )
    const all = await find({ most: 9 })
    expect(all.map((one) => one.id)).toEqual(ids)
    const looks = [
      { wanted: { most: 3 }, finds: ids.slice(0, 3) },
      { wanted: { most: 3, inHand: new Set(ids.slice(1, 3)) }, finds: [ids[0], ids[3], ids[4]] },
      { wanted: { most: 2, after: all[2] }, finds: ids.slice(3, 5) },
      { wanted: { most: 9, after: all[5] }, finds: [] },
    ]
    for (const { wanted, finds } of looks) {
      expect((await find(wanted)).map((one) => one.id)).toEqual(finds)
    }
    await service.stop()
  })
})

async function makeWebhooks(service: TestService, count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const business = await makeBusiness(service)
    for (let index = 0; index < 20; index += 1) {
      const wanted = { business_id: business.id, url: `http://127.0.0.1:9/${index}` }
      ids.push(
        (await createWebhook(service.context, operator, { ...wanted, events: ['booking.created'] })).id,
      )
    }
  }
  return ids
}

async function waitsForDisk(db: Queries): Promise<string | undefined> {
  const { rows } = await sql<{ synchronous_commit: string }>`show synchronous_commit`.execute(db)
  return rows[0]?.synchronous_commit
}

function succeeded({ id }: { id: string }): Outcome {
  return {
    id,
    status: 'succeeded',
    attempts_json: '[]',
    attempts_made: 1,
    attempts_left: 0,
    next_attempt_at: null,
  }
}

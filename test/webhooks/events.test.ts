import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import type { Transaction } from '../../src/database/database.ts'
import { tidy } from '../../src/operate/housekeeping.ts'
import { jobs } from '../../src/server.ts'
import { recordChange, unsettledFrom } from '../../src/webhooks/event.ts'
import { expectErrors } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import { startReceiver } from '../support/receiver.ts'
import { unknownId } from '../support/tenant-things.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { makeShop, makeWebhook, type Shop } from '../support/webhooks.ts'

interface ShownEvent {
  id: string
  type: string
  booking_id: string
  business_id: string
  occurred_at: string
  payload: { event: string; data: { id: string } }
}

onOneEngine('postgres', 'the list of events', (engine) => {
  let service: TestService
  let shop: Shop
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    shop = await makeShop(service)
  })

  async function events(query = '', token = shop.business.key): Promise<ShownEvent[]> {
    const { status, body } = await service.call('GET', `/events?limit=100${query}`, { token })
    expect(status).toBe(200)
    return body.data as ShownEvent[]
  }

  test('has every event with its payload, the oldest first', async () => {
    const booking = (await shop.book()) as { id: string }
    await shop.client.change(booking.id, { status: 'completed', notes: 'x' })
    await shop.client.cancel(booking.id)
    const listed = await events()
    const types = ['booking.created', 'booking.updated', 'booking.completed', 'booking.cancelled']
    expect(listed.map(({ type }) => type)).toEqual(types)
    expect(listed.map(({ payload }) => payload.event)).toEqual(types)
    for (const event of listed) {
      expect(event).toMatchObject({
        booking_id: booking.id,
        business_id: shop.business.id,
        occurred_at: '2026-11-20T10:00:00+01:00',
        payload: { data: { id: booking.id } },
      })
    }
    const recorded = (await service.events()).filter(({ booking_id }) => booking_id === booking.id)
    expect(listed.map(({ payload }) => payload)).toEqual(
      expect.arrayContaining(recorded.map(({ payload }) => payload)),
    )
  })

  test('is narrowed by booking, by type, and to what comes after an event', async () => {
    const one = (await shop.book()) as { id: string }
    const two = (await shop.book()) as { id: string }
    await shop.client.cancel(one.id)
    const all = await events()
    expect(all.map(({ booking_id }) => booking_id)).toEqual([one.id, two.id, one.id])
    expect(await events(`&booking_id=${one.id}`)).toEqual([all[0], all[2]])
    expect(await events('&type=booking.cancelled')).toEqual([all[2]])
    expect(await events(`&after=${String(all[0]?.id)}`)).toEqual(all.slice(1))
    expect(await events(`&after=${String(all[2]?.id)}`)).toEqual([])
    expect(await events(`&after=${String(all[0]?.id)}&booking_id=${one.id}`)).toEqual([all[2]])
    expect(await events('&type=booking.cancelled&type=booking.created')).toEqual(all)
  })

  test('is read from the newest, down to an event', async () => {
    for (let index = 0; index < 5; index += 1) await shop.book()
    const all = await events()
    expect(await events('&order=newest')).toEqual(all.toReversed())
    expect(await events(`&order=newest&after=${String(all[1]?.id)}`)).toEqual(all.slice(2).toReversed())
    const page = async (query: string) => {
      const path = `/events?limit=2&order=newest&after=${String(all[1]?.id)}${query}`
      return (await service.call('GET', path, { token: shop.business.key })).body
    }
    const first = await page('')
    const second = await page(`&cursor=${String(first.next_cursor)}`)
    expect(first.data).toEqual([all[4], all[3]])
    expect([second.data, second.next_cursor]).toEqual([[all[2]], null])
  })

  test('is read a page at a time', async () => {
    for (let index = 0; index < 5; index += 1) await shop.book()
    const all = await events()
    const seen: ShownEvent[] = []
    let query = ''
    for (let page = 0; page < 3; page += 1) {
      const { body } = await service.call('GET', `/events?limit=2${query}`, { token: shop.business.key })
      seen.push(...(body.data as ShownEvent[]))
      query = `&cursor=${String(body.next_cursor)}`
      expect(body.next_cursor === null).toBe(page === 2)
    }
    expect(seen).toEqual(all)
  })

  test('begins after no event that it does not have', async () => {
    await shop.book()
    const other = await makeShop(service)
    await other.book()
    const [foreign] = await events('', other.business.key)
    for (const id of [unknownId, foreign?.id]) {
      const path = `/events?after=${String(id)}`
      expectErrors(await service.call('GET', path, { token: shop.business.key }), '/after')
    }
    expectErrors(await service.call('GET', '/events?cursor=x', { token: shop.business.key }), '/cursor')
    expectErrors(await service.call('GET', '/events?type=x', { token: shop.business.key }), '/type')
  })

  test("shows a business its own, and a hub its businesses'", async () => {
    await shop.book()
    const inHub = await makeShop(service, { hubId: service.world.hub.id })
    await inHub.book()
    const ofHub = await events('', service.world.hub.key)
    expect(ofHub.map(({ business_id }) => business_id)).toContain(inHub.business.id)
    expect(ofHub.map(({ business_id }) => business_id)).not.toContain(shop.business.id)
    expect(await events(`&business_id=${inHub.business.id}`, service.world.hub.key)).toHaveLength(1)
    expect(await events(`&business_id=${inHub.business.id}`)).toEqual([])
    expect(await events('', (await makeShop(service)).business.key)).toEqual([])
  })

  /** Records an event in a separate transaction. */
  const record = (tx: Transaction, bookingId: string) =>
    recordChange(service.context, tx, {
      by: 'system',
      types: ['booking.updated'],
      booking: {
        id: bookingId,
        business_id: shop.business.id,
        status: 'confirmed',
        starts_at: tx.now,
        ends_at: tx.now,
        party_size: 1,
        client_first_name: 'Ada',
        client_last_name: 'Lovelace',
        client_email: 'ada@example.com',
        service: { id: shop.offer.service_id, name: 'Massage' },
        location: { id: shop.offer.location_id, name: 'Main street', timezone: 'Europe/Berlin' },
        items: [],
        series_id: null,
        metadata_json: null,
      },
    })

  test.runIf(engine === 'postgres')(
    'never lets a follower miss an event that is committed late',
    async () => {
      const { id } = (await shop.book()) as { id: string }
      const { db } = service.context
      const [created] = await events()
      let commitLate: () => void = () => undefined
      const mayCommit = new Promise<void>((resolve) => (commitLate = resolve))
      let isWritten: () => void = () => undefined
      const written = new Promise<void>((resolve) => (isWritten = resolve))
      const late = db.transaction(async (tx) => {
        await record(tx, id)
        isWritten()
        await mayCommit
      })
      await written
      for (let index = 0; index < 3; index += 1) await db.transaction((tx) => record(tx, id))
      // those after it are committed, but still wait for the one before
      expect(await events(`&after=${String(created?.id)}`)).toEqual([])
      commitLate()
      await late
      const followed = await events(`&after=${String(created?.id)}`)
      expect(followed).toHaveLength(4)
      const rows = await service.rows('events')
      const lowest = Math.min(
        ...rows
          .filter((row) => row['booking_id'] === id && row['id'] !== created?.id)
          .map((row) => Number(row['position'])),
      )
      expect(rows.find((row) => row['id'] === followed[0]?.id)?.['position']).toBe(lowest)
    },
  )

  test.runIf(engine === 'postgres')(
    'does not wait for what runs in other databases of the server',
    async () => {
      const elsewhere = new pg.Client({ connectionString: inject('postgresUrl') ?? '' })
      await elsewhere.connect()
      await elsewhere.query('begin')
      await elsewhere.query('select pg_current_xact_id()')
      await shop.book()
      expect(await events()).toHaveLength(1)
      await elsewhere.end()
    },
  )

  test('gives a follower every event exactly once while many are written at the same time', async () => {
    const { id } = (await shop.book()) as { id: string }
    const seen: string[] = (await events()).map((event) => event.id)
    const writing = { isOver: false }
    const writers = Array.from({ length: 6 }, async () => {
      for (let index = 0; index < 15; index += 1) {
        await service.context.db.transaction(async (tx) => {
          await record(tx, id)
          // the longer one takes to commit, the more others come between
          for (let turn = 0; turn < index % 4; turn += 1) await sql`select 1`.execute(tx.db)
        })
      }
    })
    const done = Promise.all(writers).then(() => (writing.isOver = true))
    const follow = async () => {
      const fresh = await events(`&after=${String(seen.at(-1))}`)
      seen.push(...fresh.map((event) => event.id))
      return fresh.length
    }
    while (!writing.isOver) {
      await follow()
      await setImmediate() // requests over sockets would let others have their turn
    }
    await done
    while ((await follow()) > 0);
    const rows = (await service.rows('events')).filter((row) => row['booking_id'] === id)
    expect(rows).toHaveLength(91)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.toSorted()).toEqual(rows.map((row) => String(row['id'])).toSorted())
  })
})

onOneEngine('postgres', 'housekeeping of events', (engine) => {
  test('keeps events and deliveries for 30 days, and what is deleted no longer than needed', async () => {
    const service = await startTestService(engine)
    const receiver = await startReceiver()
    const shop = await makeShop(service)
    const { key: token } = shop.business
    const kept = await makeWebhook(service, { token, to: receiver })
    const gone = await makeWebhook(service, { token, to: receiver })
    await shop.book()
    await service.app.deliveries.settled()
    await service.call('DELETE', `/webhooks/${gone.id}`, { token })
    const counts = async () => {
      await tidy(service.context, jobs)
      const tables = ['events', 'deliveries', 'webhooks']
      return Promise.all(tables.map(async (table) => (await service.rows(table)).length))
    }
    expect(await counts()).toEqual([1, 1, 1])
    expect((await service.rows('webhooks'))[0]?.['id']).toBe(kept.id)
    service.clock.advance(30 * 86_400)
    expect(await counts()).toEqual([1, 1, 1])
    service.clock.advance(1)
    expect(await counts()).toEqual([1, 0, 1])
    service.clock.advance(86_400)
    expect(await counts()).toEqual([0, 0, 1])
    await service.stop()
    await receiver.stop()
  })

  test('drops all deleted webhooks at once, however many they are', async () => {
    const service = await startTestService(engine)
    const receiver = await startReceiver()
    for (const shop of [await makeShop(service), await makeShop(service)]) {
      const { key: token } = shop.business
      for (let index = 0; index < 13; index += 1) {
        const { id } = await makeWebhook(service, { token, to: receiver })
        await service.call('DELETE', `/webhooks/${id}`, { token })
      }
    }
    expect(await service.rows('webhooks')).toHaveLength(26)
    await tidy(service.context, jobs)
    expect(await service.rows('webhooks')).toEqual([])
    await service.stop()
    await receiver.stop()
  })
})

const wrap = 2 ** 32

test.each([
  ['nothing runs', { next: 1_000, oldest: 900, running: null, hidden: 0, base: 0 }, 1_000],
  ['transactions run', { next: 1_000, oldest: 900, running: '990,995', hidden: 0, base: 0 }, 990],
  ['only later ones run', { next: 1_000, oldest: 900, running: '1003', hidden: 0, base: 0 }, 1_000],
  ['some are not told', { next: 1_000, oldest: 900, running: '995', hidden: 1, base: 0 }, 900],
  [
    'ids have wrapped',
    { next: 3 * wrap + 1_000, oldest: 0, running: '990', hidden: 0, base: 0 },
    3 * wrap + 990,
  ],
  [
    'ids are about to wrap',
    { next: wrap + 5, oldest: 0, running: `${wrap - 3}`, hidden: 0, base: 0 },
    wrap - 3,
  ],
  ['ids wrap just now', { next: wrap - 5, oldest: 0, running: '7', hidden: 0, base: 0 }, wrap - 5],
])('events are settled up to the lowest transaction that may still run: %s', (_name, seen, expected) => {
  expect(unsettledFrom(seen)).toBe(expected)
})

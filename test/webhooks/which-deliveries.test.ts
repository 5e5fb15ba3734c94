import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createKey } from '../../src/catalogue/business-keys.ts'
import { changeBusiness, changeHub, createHub } from '../../src/catalogue/business.ts'
import { insertEvents } from '../../src/webhooks/event-queries.ts'
import { bookSlot, sessionClient } from '../support/client.ts'
import { onOneEngine } from '../support/long.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { nextStart } from '../support/tenant-things.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { makeShop, makeWebhook, type Shop } from '../support/webhooks.ts'

onOneEngine('postgres', 'deliveries of a change', (engine) => {
  let service: TestService
  let receiver: Receiver
  let shop: Shop
  beforeAll(async () => {
    service = await startTestService(engine)
    receiver = await startReceiver()
  })
  afterAll(async () => {
    await service.stop()
    await receiver.stop()
  })
  beforeEach(async () => {
    shop = await makeShop(service)
  })

  /** Lists the deliveries of some work: `/all booking.created confirmed`, in any order. */
  async function arrivals(work: () => Promise<unknown>): Promise<string[]> {
    await service.app.deliveries.settled()
    receiver.received.length = 0
    await work()
    await service.app.deliveries.settled()
    return receiver.received
      .map(({ path, body }) => {
        const { event, data } = JSON.parse(body.toString()) as { event: string; data: { status: string } }
        return `${path} ${event} ${data.status}`
      })
      .toSorted()
  }

  const recordedSince = async (before: number) =>
    (await service.events()).slice(before).map(({ type }) => type)

  const paths: Record<string, { from?: string; change: object | 'cancel'; events: string[] }> = {
    'a new start': { change: { starts_at: '2028-01-01T10:00:00Z' }, events: ['booking.updated confirmed'] },
    'a new end': { change: { ends_at: 'end' }, events: ['booking.updated confirmed'] },
    'new notes': { change: { notes: 'x' }, events: ['booking.updated confirmed'] },
    'status in_progress': {
      change: { status: 'in_progress' },
      events: ['booking.updated in_progress'],
    },
    'status pending': { change: { status: 'pending' }, events: ['booking.updated pending'] },
    'status confirmed again after cancelled': {
      from: 'cancelled',
      change: { status: 'confirmed' },
      events: ['booking.updated confirmed'],
    },
    'status completed': { change: { status: 'completed' }, events: ['booking.completed completed'] },
    'status completed and notes': {
      change: { status: 'completed', notes: 'y' },
      events: ['booking.completed completed', 'booking.updated completed'],
    },
    'status cancelled': { change: { status: 'cancelled' }, events: ['booking.cancelled cancelled'] },
    'a cancellation': { change: 'cancel', events: ['booking.cancelled cancelled'] },
  }

  test('a conversion sends one booking.created, by session and by key', async () => {
    await makeWebhook(service, { token: shop.business.key, to: receiver, path: '/all' })
    const session = await sessionClient(service, shop.business)
    for (const client of [session, shop.client]) {
      const arrived = await arrivals(() => bookSlot(client, shop.offer, nextStart()))
      expect(arrived).toEqual(['/all booking.created confirmed'])
    }
  })

  test.each(Object.entries(paths))(
    '%s sends its events, each once',
    async (_name, { from, change, events }) => {
      const booking = (await shop.book()) as { id: string; starts_at: string }
      if (from !== undefined) await shop.client.change(booking.id, { status: from })
      await makeWebhook(service, { token: shop.business.key, to: receiver, path: '/all' })
      const before = (await service.events()).length
      const body =
        change === 'cancel' || !('ends_at' in change)
          ? change
          : { ends_at: new Date(Date.parse(booking.starts_at) + 3_600_000).toISOString() }
      const arrived = await arrivals(async () => {
        const reply =
          body === 'cancel'
            ? await shop.client.cancel(booking.id)
            : await shop.client.change(booking.id, body as Record<string, unknown>)
        expect(reply.status).toBe(200)
      })
      expect(arrived).toEqual(events.map((event) => `/all ${event}`))
      expect((await recordedSince(before)).toSorted()).toEqual(events.map((event) => event.split(' ')[0]))
    },
  )

  test('what changes nothing, or is refused, sends nothing', async () => {
    const booking = (await shop.book()) as { id: string }
    const other = (await shop.book()) as { starts_at: string }
    await makeWebhook(service, { token: shop.business.key, to: receiver, path: '/all' })
    const before = (await service.events()).length
    const arrived = await arrivals(async () => {
      expect((await shop.client.change(booking.id, {})).status).toBe(200)
      expect((await shop.client.change(booking.id, { status: 'confirmed' })).status).toBe(200)
      expect((await shop.client.change(booking.id, { starts_at: other.starts_at })).status).toBe(409)
      expect((await shop.client.change(booking.id, { notes: 'x' }, { 'if-match': '"9"' })).status).toBe(412)
      const held = await shop.client.hold(shop.offer, nextStart())
      const bad = { custom_field_values: [{ field_id: crypto.randomUUID(), value: 'x' }] }
      expect((await shop.client.book(String(held.body.hold_id), bad)).status).toBe(422)
    })
    expect(arrived).toEqual([])
    expect(await recordedSince(before)).toEqual([])
    await shop.client.cancel(booking.id)
    expect(await arrivals(() => shop.client.cancel(booking.id))).toEqual([])
  })

  test('a change that is rolled back after its event leaves no event and no delivery', async () => {
    await makeWebhook(service, { token: shop.business.key, to: receiver, path: '/all' })
    const { transaction } = service.context.db
    const tables = async () => [await service.rows('events'), await service.rows('deliveries')]
    const before = await tables()
    service.context.db.transaction = (work) =>
      transaction.call(service.context.db, async (tx) => {
        await work(tx)
        throw new Error('too late')
      }) as never
    const arrived = await arrivals(async () => {
      await expect(shop.book()).rejects.toThrow()
    }).finally(() => (service.context.db.transaction = transaction))
    expect(arrived).toEqual([])
    expect(await tables()).toEqual(before)
  })

  test('a webhook gets the events that it names, while it is active', async () => {
    const { key: token } = shop.business
    await makeWebhook(service, { token, to: receiver, path: '/created', events: ['booking.created'] })
    const off = await makeWebhook(service, { token, to: receiver, path: '/off' })
    const gone = await makeWebhook(service, { token, to: receiver, path: '/gone' })
    await makeWebhook(service, {
      token,
      to: receiver,
      path: '/rest',
      events: ['booking.updated', 'booking.cancelled'],
    })
    await service.call('PATCH', `/webhooks/${off.id}`, { token, body: { status: 'disabled' } })
    await service.call('DELETE', `/webhooks/${gone.id}`, { token })
    let id = ''
    expect(await arrivals(async () => (id = ((await shop.book()) as { id: string }).id))).toEqual([
      '/created booking.created confirmed',
    ])
    expect(await arrivals(() => shop.client.change(id, { notes: 'x' }))).toEqual([
      '/rest booking.updated confirmed',
    ])
    await service.call('PATCH', `/webhooks/${off.id}`, { token, body: { status: 'active' } })
    expect(await arrivals(() => shop.client.cancel(id))).toEqual([
      '/off booking.cancelled cancelled',
      '/rest booking.cancelled cancelled',
    ])
  })

  test("a hub's webhook gets the events of all its businesses, and of no other", async () => {
    const hub = await createHub(service.context, { name: 'Chain', plan: 'enterprise' })
    const { key: token } = await createKey(service.context, { type: 'hub', hubId: hub.id })
    await makeWebhook(service, { token, to: receiver, path: '/hub' })
    const [one, two] = [
      await makeShop(service, { hubId: hub.id }),
      await makeShop(service, { hubId: hub.id, plan: 'growth' }),
    ]
    await makeWebhook(service, { token: one.business.key, to: receiver, path: '/one' })
    expect(await arrivals(() => one.book())).toEqual([
      '/hub booking.created confirmed',
      '/one booking.created confirmed',
    ])
    expect(await arrivals(() => two.book())).toEqual(['/hub booking.created confirmed'])
    expect(await arrivals(() => shop.book())).toEqual([])
    await changeHub(service.context, hub.id, { plan: 'pro' })
    expect(await arrivals(() => one.book())).toEqual(['/one booking.created confirmed'])
  })

  test('events of several businesses are written at once, in their order, each with its deliveries', async () => {
    const other = await makeShop(service)
    const [hook, otherHook] = [
      await makeWebhook(service, { token: shop.business.key, to: receiver, path: '/one' }),
      await makeWebhook(service, {
        token: other.business.key,
        to: receiver,
        path: '/two',
        events: ['booking.updated'],
      }),
    ]
    const bookings = await Promise.all([shop.book(), other.book(), shop.book()])
    await service.app.deliveries.settled()
    const { context } = service
    const write = (types: string[]) =>
      context.db.transaction((tx) =>
        insertEvents(tx.db, {
          audit: [],
          events: types.map((type, index) => ({
            id: context.ids.next(),
            business_id: String(bookings[index]?.['business_id']),
            booking_id: String(bookings[index]?.['id']),
            ...{
              type,
              payload: `{"name":"Zoë \\u0000 ${index}"}`,
              occurred_at: tx.now,
              due_at: tx.now,
              traceparent: null,
              also: '',
            },
          })),
        }),
      )
    const before = (await service.rows('events')).length
    const deliveriesBefore = (await service.rows('deliveries')).map(({ id }) => id)
    service.statements.length = 0
    const types = ['booking.updated', 'booking.updated', 'booking.cancelled']
    expect(await write(types)).toBe(3)
    const insertions = () =>
      new Set(service.statements.filter((text) => /insert into (events|deliveries)/.test(text)))
    const texts = insertions()
    expect(texts.size).toBe(engine === 'sqlite' ? 2 : 1)
    const events = (await service.rows('events')).toSorted(
      (a, b) => Number(a['position']) - Number(b['position']),
    )
    const inOrder = events.slice(before)
    expect(inOrder.map(({ booking_id, type, payload }) => [booking_id, type, payload])).toEqual(
      types.map((type, index) => [bookings[index]?.['id'], type, `{"name":"Zoë \\u0000 ${index}"}`]),
    )
    const added = (await service.rows('deliveries')).filter(({ id }) => !deliveriesBefore.includes(id))
    const eventOf = (row: Record<string, unknown>) => inOrder.findIndex(({ id }) => id === row['event_id'])
    expect(added.map((row) => [eventOf(row), row['webhook_id'], row['status']]).toSorted()).toEqual([
      [0, hook.id, 'pending'],
      [1, otherHook.id, 'pending'],
      [2, hook.id, 'pending'],
    ])
    expect(await write(types.slice(0, 1))).toBe(1)
    expect(insertions()).toEqual(texts)
  })

  test('below Enterprise the event is recorded and nothing is sent', async () => {
    await makeWebhook(service, { token: shop.business.key, to: receiver, path: '/all' })
    const session = await sessionClient(service, shop.business)
    await changeBusiness(service.context, shop.business.id, { plan: 'pro' })
    const before = (await service.events()).length
    expect(await arrivals(() => bookSlot(session, shop.offer, nextStart()))).toEqual([])
    expect(await recordedSince(before)).toEqual(['booking.created'])
  })
})

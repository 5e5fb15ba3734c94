import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { aroundTransactions, DatabaseUnavailable } from '../../src/database/database.ts'
import type { Instant } from '../../src/instants.ts'
import { DeliverySignal } from '../../src/webhooks/delivery-signal.ts'
import { DeliveryWorker } from '../../src/webhooks/delivery-worker.ts'
import { endLeases, keepLeases, leaseWebhooks } from '../../src/webhooks/lease-queries.ts'
import { eventually } from '../support/eventually.ts'
import { hang, ok, startReceiver, type Receiver } from '../support/receiver.ts'
import { onEachEngine, startTestService, type TestService } from '../support/test-service.ts'
import { deliveriesOf, makeShop, makeWebhook, type OwnWebhook, type Shop } from '../support/webhooks.ts'

onEachEngine('the lease of a webhook', (engine) => {
  let service: TestService
  let receiver: Receiver
  let shop: Shop
  let webhook: OwnWebhook
  /** Two servers over the same database, as far as deliveries go. The database can go away from the first. */
  let first: DeliveryWorker
  let other: DeliveryWorker
  let isCut: boolean
  beforeAll(async () => {
    service = await startTestService(engine)
    await service.app.deliveries.stop(0)
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    receiver = await startReceiver()
    shop = await makeShop(service)
    webhook = await makeWebhook(service, { token: shop.business.key, to: receiver })
    isCut = false
    const db = aroundTransactions(service.context.db, (_tx, work) => {
      if (isCut) throw new DatabaseUnavailable('the database is away')
      return work()
    })
    first = new DeliveryWorker({ ...service.context, db }, { version: '0' })
    first.start()
    const context = { ...service.context, dueDeliveries: new DeliverySignal() }
    other = new DeliveryWorker(context, { version: '0' })
    return async () => {
      isCut = false
      await receiver.stop()
      await first.stop(0)
      await other.stop(0)
    }
  })

  const arrivals = (count: number) =>
    eventually(`${count} arrivals`, 5_000, () => receiver.received.length >= count || undefined)
  const log = () => deliveriesOf(service, { token: shop.business.key, id: webhook.id })
  const deliveryRows = async () =>
    (await service.rows('deliveries')).filter((row) => row['webhook_id'] === webhook.id)
  const webhookRow = async () => (await service.rows('webhooks')).find((row) => row['id'] === webhook.id)

  test('keeps other servers from sending until it ends; then another takes over', async () => {
    receiver.answer = hang
    await shop.book()
    await arrivals(1)
    isCut = true
    other.start()
    await other.settled()
    service.clock.advance(29.9)
    await other.settled()
    expect(receiver.received).toHaveLength(1)
    receiver.answer = ok
    service.clock.advance(0.1)
    await other.settled()
    const [earlier, later, ...more] = receiver.received
    expect(more).toEqual([])
    expect(later?.headers['webhook-id']).toBe(earlier?.headers['webhook-id'])
    expect(later?.body).toEqual(earlier?.body)
    expect(await log()).toMatchObject([
      { status: 'succeeded', attempts: [{ number: 1, response_status: 200 }] },
    ])
  })

  test('is renewed for as long as its server lives and has something in hand', async () => {
    receiver.answer = hang
    await shop.book()
    await arrivals(1)
    const before = (await webhookRow())?.['leased_until']
    service.clock.advance(15)
    first.wake()
    await eventually('a later end', 5_000, async () => {
      return (await webhookRow())?.['leased_until'] !== before || undefined
    })
    service.clock.advance(29.9)
    other.start()
    await other.settled()
    expect(receiver.received).toHaveLength(1)
    expect(await webhookRow()).toMatchObject({ fence: 1 })
  })

  test('is fenced: what an older holder has to say comes too late', async () => {
    const finish: ((code: number) => void)[] = []
    receiver.answer = (response) => finish.push((code) => response.writeHead(code).end())
    await shop.book()
    await arrivals(1)
    isCut = true
    service.clock.advance(30)
    other.start()
    await arrivals(2)
    isCut = false
    const before = await deliveryRows()
    expect(before).toMatchObject([{ status: 'pending', attempts_made: 0 }])
    expect(await webhookRow()).toMatchObject({ fence: 2 })
    finish[0]?.(500)
    await first.settled()
    expect(await deliveryRows()).toEqual(before)
    expect(await webhookRow()).toMatchObject({ leased_by: expect.any(String) as string, fence: 2 })
    finish[1]?.(200)
    await other.settled()
    expect(await log()).toMatchObject([
      { status: 'succeeded', attempts: [{ number: 1, response_status: 200 }] },
    ])
  })

  test('is kept by the server that has it, under the fence it has it with', async () => {
    const { db } = service.context
    const [one, two] = [randomUUID(), randomUUID()]
    const until = '2030-01-01T00:00:00.000Z' as Instant
    const lease = async (by: string) => {
      const wanted = { ids: [webhook.id], lease: { by, now: service.context.clock.now(), until } }
      const [leased] = await db.transaction((tx) => leaseWebhooks(tx.db, engine, wanted))
      return leased?.fence
    }
    const end = (by: string) => db.transaction((tx) => endLeases(tx.db, engine, { ids: [webhook.id], by }))
    const isKept = async (by: string, fence: number) => {
      const asked = { by, webhooks: [{ id: webhook.id, fence }] }
      return (await db.transaction((tx) => keepLeases(tx.db, engine, asked))).length === 1
    }
    expect(await lease(one)).toBe(1)
    expect([await isKept(one, 1), await isKept(two, 1)]).toEqual([true, false])
    await end(two)
    expect(await isKept(one, 1)).toBe(true)
    await end(one)
    expect(await isKept(one, 1)).toBe(false)
    expect(await lease(two)).toBe(2)
    expect(await lease(one)).toBeUndefined()
    await end(two)
    expect(await lease(one)).toBe(3)
    // what it sent under the first fence is no longer its own to write about
    expect([await isKept(one, 1), await isKept(one, 3)]).toEqual([false, true])
  })

  test('leaves all of its deliveries to one server', async () => {
    receiver.answer = hang
    for (let index = 0; index < 6; index += 1) await shop.book()
    await arrivals(4)
    other.start()
    await other.settled()
    expect(receiver.received).toHaveLength(4)
    isCut = true
    service.clock.advance(30)
    await arrivals(8)
    expect(receiver.received).toHaveLength(8)
  })

  test('ends with the last outcome', async () => {
    receiver.answer = ok
    await shop.book()
    await first.settled()
    expect(receiver.received).toHaveLength(1)
    expect(await webhookRow()).toMatchObject({ leased_until: null, leased_by: null })
  })

  test('is given back when the server stops: nothing counts as tried', async () => {
    receiver.answer = hang
    await shop.book()
    await arrivals(1)
    expect((await webhookRow())?.['leased_by']).toEqual(expect.any(String))
    await first.stop(20)
    expect(await webhookRow()).toMatchObject({ leased_until: null, leased_by: null })
    expect(await deliveryRows()).toMatchObject([
      { status: 'pending', attempts_made: 0, attempts_json: '[]', attempts_left: 3 },
    ])
  })

  test('lets what is in flight be recorded when the webhook is disabled, and not be tried again', async () => {
    const finish: ((code: number) => void)[] = []
    receiver.answer = (response) => finish.push((code) => response.writeHead(code).end())
    await shop.book()
    await shop.book()
    await arrivals(2)
    const change = { token: shop.business.key, body: { status: 'disabled' } }
    await service.call('PATCH', `/webhooks/${webhook.id}`, change)
    finish[0]?.(200)
    finish[1]?.(500)
    await first.settled()
    const lines = (await log()).toSorted((one, two) => one.status.localeCompare(two.status))
    expect(lines).toMatchObject([
      { status: 'failed', attempts: [{ response_status: 500 }], next_attempt_at: null },
      { status: 'succeeded', attempts: [{ response_status: 200 }], next_attempt_at: null },
    ])
  })
})

onEachEngine('a server that stops', (engine) => {
  test('lets what is in flight finish, and records it', async () => {
    const service = await startTestService(engine)
    const receiver = await startReceiver()
    const shop = await makeShop(service)
    const { id } = await makeWebhook(service, { token: shop.business.key, to: receiver })
    let finish: () => void = () => undefined
    receiver.answer = (response) => (finish = () => response.end())
    await shop.book()
    await eventually('the arrival', 5_000, () => receiver.received[0])
    const stopped = service.app.deliveries.stop(5_000)
    await shop.book() // a booking of the last moment is delivered by the next server
    finish()
    await stopped
    const lines = await deliveriesOf(service, { token: shop.business.key, id })
    expect(lines.map(({ status }) => status)).toEqual(['pending', 'succeeded'])
    expect(receiver.received).toHaveLength(1)
    const next = new DeliveryWorker(service.context, { version: '0' })
    receiver.answer = ok
    next.start()
    await next.settled()
    expect(receiver.received).toHaveLength(2)
    await next.stop(0)
    await service.stop()
    await receiver.stop()
  })
})

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { DeliverySignal } from '../../src/webhooks/delivery-signal.ts'
import { DeliveryWorker } from '../../src/webhooks/delivery-worker.ts'
import { eventually } from '../support/eventually.ts'
import { hang, ok, startReceiver, type Receiver } from '../support/receiver.ts'
import { onEachEngine, startTestService, type TestService } from '../support/test-service.ts'
import { deliveriesOf, makeShop, makeWebhook, type OwnWebhook, type Shop } from '../support/webhooks.ts'

onEachEngine('the lease of a delivery', (engine) => {
  let service: TestService
  let receiver: Receiver
  let shop: Shop
  let webhook: OwnWebhook
  /** A second server over the same database, as far as deliveries go. */
  let other: DeliveryWorker
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    receiver = await startReceiver()
    shop = await makeShop(service)
    webhook = await makeWebhook(service, { token: shop.business.key, to: receiver })
    const context = { ...service.context, dueDeliveries: new DeliverySignal() }
    other = new DeliveryWorker(context, { version: '0' })
    return async () => {
      await receiver.stop()
      await other.stop(0)
    }
  })

  const arrivals = (count: number) =>
    eventually(`${count} arrivals`, 5_000, () => receiver.received.length >= count || undefined)
  const log = () => deliveriesOf(service, { token: shop.business.key, id: webhook.id })

  test('keeps other servers from sending it until it ends; then another takes over', async () => {
    receiver.answer = hang
    await shop.book()
    await arrivals(1)
    other.start()
    await other.settled()
    service.clock.advance(29.9)
    await other.settled()
    expect(receiver.received).toHaveLength(1)
    receiver.answer = ok
    service.clock.advance(0.1)
    await other.settled()
    const [first, second, ...more] = receiver.received
    expect(more).toEqual([])
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.body).toEqual(first?.body)
    expect(await log()).toMatchObject([
      { status: 'succeeded', attempts: [{ number: 1, response_status: 200 }] },
    ])
  })

  test('is fenced: what an older holder has to say comes too late', async () => {
    const finish: ((code: number) => void)[] = []
    receiver.answer = (response) => finish.push((code) => response.writeHead(code).end())
    await shop.book()
    await arrivals(1)
    service.clock.advance(30)
    other.start()
    await arrivals(2)
    const rows = async () =>
      (await service.rows('deliveries')).filter((row) => row['webhook_id'] === webhook.id)
    const before = await rows()
    expect(before).toMatchObject([{ status: 'pending', fence: 2, attempts_made: 0 }])
    finish[0]?.(500)
    await service.app.deliveries.settled()
    expect(await rows()).toEqual(before)
    finish[1]?.(200)
    await other.settled()
    expect(await log()).toMatchObject([
      { status: 'succeeded', attempts: [{ number: 1, response_status: 200 }] },
    ])
  })

  test('a webhook of which one server has leases is left to that one', async () => {
    receiver.answer = hang
    for (let index = 0; index < 6; index += 1) await shop.book()
    await arrivals(4)
    other.start()
    await other.settled()
    expect(receiver.received).toHaveLength(4)
    service.clock.advance(30)
    await Promise.race([other.settled(), arrivals(8)])
    expect(receiver.received.length).toBeLessThanOrEqual(8)
  })

  test('is given back when the server stops: nothing counts as tried', async () => {
    receiver.answer = hang
    await service.app.deliveries.settled()
    other.start()
    // the other's turn: the first server has what it leased before
    const rows = async () =>
      (await service.rows('deliveries')).filter((row) => row['webhook_id'] === webhook.id)
    await shop.book()
    await arrivals(1)
    const holder = (await rows())[0]?.['leased_by']
    expect(holder).toEqual(expect.any(String))
    await other.stop(20)
    await service.app.deliveries.stop(20)
    expect(await rows()).toMatchObject([
      {
        status: 'pending',
        leased_until: null,
        leased_by: null,
        attempts_made: 0,
        attempts_json: '[]',
        attempts_left: 3,
      },
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

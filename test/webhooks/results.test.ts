import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { DatabaseUnavailable } from '../../src/database/database.ts'
import { aroundTransactions } from '../support/around-transactions.ts'
import { DueSignal } from '../../src/database/lease-loop.ts'
import { DeliveryWorker } from '../../src/webhooks/worker.ts'
import { eventually } from '../support/eventually.ts'
import { hang, ok, startReceiver, type Receiver } from '../support/receiver.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { deliveriesOf, makeShop, makeWebhook, type OwnWebhook, type Shop } from '../support/webhooks.ts'

/** After this time another server may send a leased delivery. */
const leaseSeconds = 30

onOneEngine('sqlite', 'the result of an attempt', (engine) => {
  let service: TestService
  let receiver: Receiver
  let shop: Shop
  let webhook: OwnWebhook
  /** The workers of two servers on one database, which the first can lose. */
  let first: DeliveryWorker
  let other: DeliveryWorker
  let isCut: boolean
  /** Called when the first server counts a delivery. */
  let counted: () => void
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
    counted = () => undefined
    service.logLines.length = 0
    const db = aroundTransactions(service.context.db, (_tx, work) => {
      if (isCut) throw new DatabaseUnavailable('the database is away')
      return work()
    })
    const metrics = { ...service.context.metrics, delivery: () => counted() }
    first = new DeliveryWorker({ ...service.context, db, metrics }, { version: '0' })
    first.start()
    const context = { ...service.context, dueDeliveries: new DueSignal() }
    other = new DeliveryWorker(context, { version: '0' })
    return async () => {
      isCut = false
      await receiver.stop()
      await first.stop(0)
      await other.stop(0)
    }
  })

  const arrivals = (count: number) =>
    eventually(`${count} arrivals`, () => receiver.received.length >= count || undefined)
  const log = () => deliveriesOf(service, { token: shop.business.key, id: webhook.id })
  const state = async () =>
    (await service.call('GET', `/webhooks/${webhook.id}`, { token: shop.business.key })).body.status as string
  const errors = () => service.logLines.filter((line) => line.includes('"level":"error"'))

  /** Lets the test answer requests: the first one with the first function, and so on. */
  function answerByHand(): ((code: number) => void)[] {
    const finish: ((code: number) => void)[] = []
    receiver.answer = (response) => finish.push((code) => response.writeHead(code).end())
    return finish
  }

  test('is written although counting it throws, and so is the next one', async () => {
    counted = () => {
      throw new Error('counting failed')
    }
    for (let round = 1; round <= 2; round += 1) {
      await shop.book()
      await eventually(`result ${round}`, async () => {
        const lines = await log()
        return lines.filter(({ status }) => status === 'succeeded').length === round || undefined
      })
    }
    await eventually('an error in the log', () => errors().length > 0 || undefined)
    expect(errors().join('')).toContain('counting failed')
  })

  test('that could not be written while the lease lasted is an error in the log, and the delivery is sent again', async () => {
    const finish = answerByHand()
    await shop.book()
    await arrivals(1)
    isCut = true
    finish[0]?.(200)
    service.clock.advance(leaseSeconds)
    const [line] = await eventually('an error in the log', () => (errors().length > 0 ? errors() : undefined))
    const [delivery] = await log()
    expect(delivery).toMatchObject({ status: 'pending', attempts: [] })
    expect(line).toContain(delivery?.id)
    receiver.answer = ok
    other.start()
    await other.settled()
    const [earlier, later, ...more] = receiver.received
    expect(more).toEqual([])
    expect(later?.headers['webhook-id']).toBe(earlier?.headers['webhook-id'])
    expect(await log()).toMatchObject([{ status: 'succeeded', attempts: [{ number: 1 }] }])
  })

  test('disables its webhook with 410 while its lease lasts', async () => {
    const finish = answerByHand()
    await shop.book()
    await arrivals(1)
    finish[0]?.(410)
    await first.settled()
    expect(await state()).toBe('disabled')
  })

  test('that comes after the lease is not written, and its 410 disables nothing', async () => {
    const finish = answerByHand()
    await shop.book()
    await arrivals(1)
    isCut = true
    service.clock.advance(leaseSeconds)
    other.start()
    await arrivals(2)
    isCut = false
    finish[0]?.(410)
    await first.settled()
    expect(await state()).toBe('active')
    expect(await log()).toMatchObject([{ status: 'pending', attempts: [] }])
    finish[1]?.(200)
    await other.settled()
    expect(await log()).toMatchObject([
      { status: 'succeeded', attempts: [{ number: 1, response_status: 200 }] },
    ])
    expect(await state()).toBe('active')
  })

  test('is written when the webhook was disabled meanwhile, and the delivery is not tried again', async () => {
    const finish = answerByHand()
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
    service.clock.advance(400)
    await first.settled()
    expect(receiver.received).toHaveLength(2)
  })
})

onOneEngine('sqlite', 'a leased delivery', (engine) => {
  let service: TestService
  let receiver: Receiver
  let shop: Shop
  let webhook: OwnWebhook
  beforeEach(async () => {
    service = await startTestService(engine)
    receiver = await startReceiver()
    shop = await makeShop(service)
    webhook = await makeWebhook(service, { token: shop.business.key, to: receiver })
    return async () => {
      await receiver.stop()
      await service.stop()
    }
  })

  const log = () => deliveriesOf(service, { token: shop.business.key, id: webhook.id })
  const arrival = (number: number) => eventually(`arrival ${number}`, () => receiver.received[number - 1])

  test('is not sent by another server until the lease ends; then it is, with the same id and body', async () => {
    receiver.answer = hang
    await shop.book()
    await arrival(1)
    const other = new DeliveryWorker({ ...service.context, dueDeliveries: new DueSignal() }, { version: '0' })
    other.start()
    await other.settled()
    service.clock.advance(leaseSeconds - 0.1)
    await other.settled()
    expect(receiver.received).toHaveLength(1)
    receiver.answer = ok
    service.clock.advance(0.1)
    await other.settled()
    const [earlier, later] = receiver.received
    expect(later?.headers['webhook-id']).toBe(earlier?.headers['webhook-id'])
    expect(later?.body).toEqual(earlier?.body)
    expect(await log()).toMatchObject([
      { status: 'succeeded', attempts: [{ number: 1, response_status: 200 }] },
    ])
    await other.stop(0)
  })

  test('is released when the server stops before the response: no attempt counts, and the next server sends it at once', async () => {
    receiver.answer = hang
    await shop.book()
    await arrival(1)
    await service.app.deliveries.stop(20)
    expect(await log()).toMatchObject([{ status: 'pending', attempts: [] }])
    receiver.answer = ok
    const next = new DeliveryWorker(service.context, { version: '0' })
    next.start()
    await next.settled()
    expect(await log()).toMatchObject([{ status: 'succeeded', attempts: [{ number: 1 }] }])
    await next.stop(0)
  })

  test('is finished and written by a server that stops; what is booked then is left to the next', async () => {
    let finish: () => void = () => undefined
    receiver.answer = (response) => (finish = () => response.end())
    await shop.book()
    await arrival(1)
    const stopped = service.app.deliveries.stop(5_000)
    await shop.book()
    finish()
    await stopped
    expect((await log()).map(({ status }) => status)).toEqual(['pending', 'succeeded'])
    expect(receiver.received).toHaveLength(1)
    const next = new DeliveryWorker(service.context, { version: '0' })
    receiver.answer = ok
    next.start()
    await next.settled()
    expect(receiver.received).toHaveLength(2)
    await next.stop(0)
  })
})

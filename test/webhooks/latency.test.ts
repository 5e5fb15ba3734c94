import { afterAll, beforeAll, expect, test } from 'vitest'
import { operator } from '../../src/access/actor.ts'
import { changeBooking } from '../../src/bookings/booking.ts'
import { DeliverySignal } from '../../src/webhooks/delivery-signal.ts'
import { DeliveryWorker } from '../../src/webhooks/worker.ts'
import { eventually } from '../support/eventually.ts'
import { ok, type Receiver, startReceiver } from '../support/receiver.ts'
import { onEachEngine, startTestService, type TestService } from '../support/test-service.ts'
import { makeShop, makeWebhook, type Shop } from '../support/webhooks.ts'

const rounds = 9

/** Adds due deliveries to a webhook. */
async function addBacklog(service: TestService, webhookId: string, count: number): Promise<void> {
  const now = service.clock.now()
  const rows = Array.from({ length: count }, () => ({
    ...{ id: service.context.ids.next(), webhook_id: webhookId, business_id: null },
    ...{ event_id: service.context.ids.next(), event_type: 'booking.completed', booking_id: webhookId },
    ...{
      sample_payload: '{}',
      status: 'pending' as const,
      attempts_left: 3,
      next_attempt_at: now,
      created_at: now,
    },
  }))
  await service.context.db.transaction(async (tx) => {
    for (let begun = 0; begun < count; begun += 500) {
      await tx.db
        .insertInto('deliveries')
        .values(rows.slice(begun, begun + 500))
        .execute()
    }
  })
}

onEachEngine('a delivery is made soon', (engine) => {
  let service: TestService
  let receiver: Receiver
  let shop: Shop
  let bookingId: string
  beforeAll(async () => {
    service = await startTestService(engine)
    receiver = await startReceiver()
    shop = await makeShop(service)
    bookingId = ((await shop.book()) as { id: string }).id
    await makeWebhook(service, { token: shop.business.key, to: receiver })
  })
  afterAll(async () => {
    await service.stop()
    await receiver.stop()
  })

  /** The median of the milliseconds from the end of a change to its arrival: one slow round on a busy machine does not count. */
  async function medianOf(
    change: (notes: string) => Promise<unknown>,
    settle = () => service.app.deliveries.settled(),
  ): Promise<number> {
    const durations: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const before = receiver.received.length
      await change(`${engine} ${round}`)
      const changedMs = performance.now()
      const arrived = await eventually('the delivery', 5_000, () => receiver.received[before])
      durations.push(arrived.atMs - changedMs)
      await settle()
    }
    return durations.toSorted((one, other) => one - other)[(rounds - 1) / 2] ?? NaN
  }

  test('after a change over HTTP, within 100 ms', async () => {
    const median = await medianOf((notes) => shop.client.change(bookingId, { notes }))
    expect(median).toBeLessThan(100)
  })

  test('while the backlog of another webhook is worked off, within 100 ms', async () => {
    const other = await startReceiver()
    other.answer = (response) => setTimeout(() => response.end(), 5) // four at once: 800 a second at most
    const to = { token: shop.business.key, to: other, events: ['booking.completed'] }
    const { id } = await makeWebhook(service, to)
    const backlog = 4_000
    await addBacklog(service, id, backlog)
    await service.call('POST', `/webhooks/${id}/test`, to)
    await eventually('much of the backlog', 5_000, () => other.received.length > 100 || undefined)
    const median = await medianOf(
      (notes) => shop.client.change(bookingId, { notes: `${notes} beside` }),
      () => Promise.resolve(),
    )
    expect(median).toBeLessThan(100)
    expect(other.received.length).toBeLessThan(backlog)
    await service.call('DELETE', `/webhooks/${id}`, { token: shop.business.key })
    await service.app.deliveries.settled()
    await other.stop()
  })

  test.runIf(engine === 'postgres')('after a change by a process that delivers nothing itself', async () => {
    // like the command line: nobody hears its signal, so it calls the servers through the database
    const context = { ...service.context, dueDeliveries: new DeliverySignal() }
    const target = { id: bookingId, ifMatch: undefined }
    const median = await medianOf((notes) =>
      changeBooking(context, operator, { target, change: { notes: `${notes} by command` } }),
    )
    expect(median).toBeLessThan(250) // half a second would be the poll of every second
  })

  test.runIf(engine === 'postgres')('after another server is done with the same receiver', async () => {
    const context = { ...service.context, dueDeliveries: new DeliverySignal() }
    const other = new DeliveryWorker(context, { version: '0' })
    other.start()
    const target = { id: bookingId, ifMatch: undefined }
    const durations: number[] = []
    for (let round = 0; round < 3; round += 1) {
      const before = receiver.received.length
      let finish: () => void = () => undefined
      receiver.answer = (response) => (finish = () => response.end())
      await shop.client.change(bookingId, { notes: `one ${round}` })
      await eventually('the first delivery', 5_000, () => receiver.received[before])
      receiver.answer = ok
      await changeBooking(context, operator, { target, change: { notes: `two ${round}` } })
      await other.settled() // it has polled while the other server had the webhook
      finish()
      const finishedMs = performance.now()
      const arrived = await eventually('the second delivery', 5_000, () => receiver.received[before + 1])
      durations.push(arrived.atMs - finishedMs)
      await service.app.deliveries.settled()
      await other.settled()
    }
    await other.stop(0)
    expect(durations.toSorted((one, two) => one - two)[1]).toBeLessThan(500) // the poll of every second comes later
  })
})

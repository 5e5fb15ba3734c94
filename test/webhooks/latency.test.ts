import { afterAll, beforeAll, test } from 'vitest'
import { operator } from '../../src/access/actor.ts'
import { changeBooking } from '../../src/bookings/booking.ts'
import { DueSignal } from '../../src/database/lease-loop.ts'
import { DeliveryWorker } from '../../src/webhooks/worker.ts'
import { eventually } from '../support/eventually.ts'
import { ok, type Receiver, startReceiver } from '../support/receiver.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { makeShop, makeWebhook, type Shop } from '../support/webhooks.ts'

/** No poll comes while these tests run, so each arrival was caused by a signal. */
const neverMs = 3_600_000
const rounds = 3

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

onOneEngine('postgres', 'a delivery is made soon', (engine) => {
  let service: TestService
  let receiver: Receiver
  let shop: Shop
  let bookingId: string
  beforeAll(async () => {
    service = await startTestService(engine, {}, { deliveries: { pollMs: neverMs } })
    receiver = await startReceiver()
    shop = await makeShop(service)
    bookingId = ((await shop.book()) as { id: string }).id
    await makeWebhook(service, { token: shop.business.key, to: receiver })
  })
  afterAll(async () => {
    await service.stop()
    await receiver.stop()
  })

  /** Expects that each of some changes arrives. */
  async function arrives(
    change: (notes: string) => Promise<unknown>,
    settle = () => service.app.deliveries.settled(),
  ): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      const before = receiver.received.length
      await change(`${engine} ${round}`)
      await eventually('the delivery', () => receiver.received[before])
      await settle()
    }
  }

  test('after a change over HTTP', async () => {
    await arrives((notes) => shop.client.change(bookingId, { notes }))
  })

  test('while the backlog of another webhook is worked off', async () => {
    const other = await startReceiver()
    other.answer = (response) => setTimeout(() => response.end(), 5) // four at once: 800 a second at most
    const to = { token: shop.business.key, to: other, events: ['booking.completed'] }
    const { id } = await makeWebhook(service, to)
    await addBacklog(service, id, 2_000)
    await service.call('POST', `/webhooks/${id}/test`, to)
    await eventually('much of the backlog', () => other.received.length > 100 || undefined)
    await arrives(
      (notes) => shop.client.change(bookingId, { notes: `${notes} beside` }),
      () => Promise.resolve(),
    )
    await service.call('DELETE', `/webhooks/${id}`, { token: shop.business.key })
    await service.app.deliveries.settled()
    await other.stop()
  })

  test.runIf(engine === 'postgres')('after a change by a process that delivers nothing itself', async () => {
    // like the command line, whose signal nobody hears, so it notifies the servers through the database
    const context = { ...service.context, dueDeliveries: new DueSignal() }
    const target = { id: bookingId }
    await arrives((notes) =>
      changeBooking(context, operator, { target, change: { notes: `${notes} by command` } }),
    )
  })

  test.runIf(engine === 'postgres')('after another server is done with the same receiver', async () => {
    const context = { ...service.context, dueDeliveries: new DueSignal() }
    const other = new DeliveryWorker(context, { version: '0', pollMs: neverMs })
    other.start()
    const target = { id: bookingId }
    for (let round = 0; round < rounds; round += 1) {
      const before = receiver.received.length
      let finish: () => void = () => undefined
      receiver.answer = (response) => (finish = () => response.end())
      await shop.client.change(bookingId, { notes: `one ${round}` })
      await eventually('the first delivery', () => receiver.received[before])
      receiver.answer = ok
      await changeBooking(context, operator, { target, change: { notes: `two ${round}` } })
      await other.settled() // it has polled while the other server had the webhook
      finish()
      await eventually('the second delivery', () => receiver.received[before + 1])
      await service.app.deliveries.settled()
      await other.settled()
    }
    await other.stop(0)
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { operator } from '../../src/access/operator.ts'
import { changeBooking } from '../../src/bookings/change-booking.ts'
import { DeliverySignal } from '../../src/webhooks/delivery-signal.ts'
import { DeliveryWorker } from '../../src/webhooks/delivery-worker.ts'
import { eventually } from '../support/eventually.ts'
import { ok, startReceiver, type Receiver } from '../support/receiver.ts'
import { onEachEngine, startTestService, type TestService } from '../support/test-service.ts'
import { makeShop, makeWebhook, type Shop } from '../support/webhooks.ts'

const rounds = 9

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

  /** The median of the milliseconds from the end of a change to its arrival: one slow round on a busy machine is none. */
  async function medianOf(change: (notes: string) => Promise<unknown>): Promise<number> {
    const durations: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const before = receiver.received.length
      await change(`${engine} ${round}`)
      const changedMs = performance.now()
      const arrived = await eventually('the delivery', 5_000, () => receiver.received[before])
      durations.push(arrived.atMs - changedMs)
      await service.app.deliveries.settled()
    }
    return durations.toSorted((one, other) => one - other)[(rounds - 1) / 2] ?? NaN
  }

  test('after a change over HTTP, within 100 ms', async () => {
    const median = await medianOf((notes) => shop.client.change(bookingId, { notes }))
    expect(median).toBeLessThan(100)
  })

  test.runIf(engine === 'postgres')('after a change by a process that delivers nothing itself', async () => {
    // as the command line has it: nobody hears its signal, so it calls the servers through the database
    const context = { ...service.context, dueDeliveries: new DeliverySignal() }
    const target = { id: bookingId, ifMatch: undefined }
    const median = await medianOf((notes) =>
      changeBooking(context, operator, { target, change: { notes: `${notes} by command` } }),
    )
    expect(median).toBeLessThan(250) // half a second would be the look of every second
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
      await other.settled() // it has looked, and the other server had the webhook
      finish()
      const finishedMs = performance.now()
      const arrived = await eventually('the second delivery', 5_000, () => receiver.received[before + 1])
      durations.push(arrived.atMs - finishedMs)
      await service.app.deliveries.settled()
      await other.settled()
    }
    await other.stop(0)
    expect(durations.toSorted((one, two) => one - two)[1]).toBeLessThan(500) // the look of every second comes later
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { operator } from '../../src/access/operator.ts'
import { changeBooking } from '../../src/bookings/change-booking.ts'
import { DeliverySignal } from '../../src/webhooks/delivery-signal.ts'
import { eventually } from '../support/eventually.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
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
})

import { expect, test } from 'vitest'
import { startReceiver, type Received } from '../support/receiver.ts'
import { onEachEngine, startTestService } from '../support/test-service.ts'
import { makeShop, makeWebhook } from '../support/webhooks.ts'

const bookings = 12

onEachEngine('one of 20 receivers hangs for ever', (engine) => {
  test('and the others get theirs as fast as without it', { timeout: 60_000 }, async () => {
    const service = await startTestService(engine)
    const receiver = await startReceiver()
    const shop = await makeShop(service)
    const created = ['booking.created']
    for (let index = 0; index < 20; index += 1) {
      await makeWebhook(service, {
        token: shop.business.key,
        to: receiver,
        path: `/${index}`,
        events: created,
      })
    }
    let doneAt = 0
    const lastOf = (count: number) =>
      new Promise<void>((resolve) => {
        doneAt = count
        whenDone = resolve
      })
    let whenDone: () => void = () => undefined
    let arrived = 0
    let hangs = false
    receiver.answer = (response, { path }) => {
      if (hangs && path === '/0') return
      response.end()
      if (hangs || path !== '/0') arrived += path === '/0' ? 0 : 1
      if (arrived === doneAt) whenDone()
    }

    /** Milliseconds from the response to each booking to its arrival. */
    async function durations(): Promise<number[]> {
      receiver.received.length = 0
      arrived = 0
      const all = lastOf(bookings * 19)
      const bookedAt = new Map<string, number>()
      for (let index = 0; index < bookings; index += 1) {
        const { id } = (await shop.book()) as { id: string }
        bookedAt.set(id, performance.now())
      }
      await all
      const idOf = ({ body }: Received) => (JSON.parse(body.toString()) as { data: { id: string } }).data.id
      return receiver.received
        .filter(({ path }) => path !== '/0')
        .map((received) => received.atMs - (bookedAt.get(idOf(received)) ?? NaN))
        .toSorted((one, other) => one - other)
    }
    const p95 = (values: number[]) => values[Math.floor(values.length * 0.95)] ?? NaN

    await durations() // warm
    const without = await durations()
    hangs = true
    const beside = await durations()
    expect(beside).toHaveLength(bookings * 19)
    expect(p95(beside)).toBeLessThan(p95(without) * 2 + 100)
    expect(p95(beside)).toBeLessThan(2_000)
    const held = receiver.received.filter(({ path }) => path === '/0')
    expect(held).toHaveLength(4) // and no more of its deliveries are in flight at once
    await receiver.stop()
    await service.stop()
  })
})

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { onOneEngine, rounds } from '../support/long.ts'
import { startReceiver, type Received } from '../support/receiver.ts'
import { startTestService } from '../support/test-service.ts'
import { addDeliveries, makeWebhooks } from '../support/webhooks.ts'

const webhooks = rounds(300, 1_500)

onOneEngine('sqlite', `with something due to ${String(webhooks)} webhooks`, (engine) => {
  test('each has its first before any has many', async () => {
    const service = await startTestService(engine)
    const receiver = await startReceiver()
    const ids = await makeWebhooks(
      service,
      Array.from({ length: webhooks }, (_, index) => `${receiver.address}/${index}`),
    )
    await addDeliveries(service, ids, 40)
    // as sent, because the receiver accepts connections one by one, between other work of this process
    const counts = new Map<string, number>()
    const { promise: whenEachHasOne, resolve } = Promise.withResolvers<number>()
    const count = (message: unknown) => {
      const { request } = message as { request: { origin: string; path: string } }
      if (request.origin !== receiver.address) return
      counts.set(request.path, (counts.get(request.path) ?? 0) + 1)
      if (counts.size === ids.length) resolve(Math.max(...counts.values()))
    }
    subscribe('undici:request:create', count)
    service.app.deliveries.wake()
    expect(await whenEachHasOne).toBeLessThan(40)
    unsubscribe('undici:request:create', count)
    await service.app.deliveries.stop(0)
    await service.stop()
    await receiver.stop()
  })
})

onOneEngine('postgres', 'beside receivers that hang with a long backlog', (engine) => {
  test('the others get theirs, and of one that hangs at most four are in flight', async () => {
    const service = await startTestService(engine, {}, { deliveries: { attemptMs: 3_600_000 } })
    const receiver = await startReceiver()
    const [hanging, answering] = [100, 20]
    const paths = [...Array<string>(hanging).fill('/hangs'), ...Array<string>(answering).fill('/answers')]
    const ids = await makeWebhooks(
      service,
      paths.map((path) => receiver.address + path),
    )
    receiver.answer = (response, { path }) => {
      if (path === '/answers') response.end()
    }
    const arrived = (path: string) => receiver.received.filter((each) => each.path === path)
    await addDeliveries(service, ids.slice(0, hanging), 40)
    service.app.deliveries.wake()
    await eventually('all receivers that hang', () => arrived('/hangs').length >= hanging || undefined)
    for (let round = 1; round <= 5; round += 1) {
      await addDeliveries(service, ids.slice(hanging), 1)
      service.app.deliveries.wake()
      await eventually('the others', () => arrived('/answers').length >= answering * round || undefined)
    }
    expect(maxOfOne(arrived('/hangs'))).toBeLessThanOrEqual(4)
    await service.app.deliveries.stop(0)
    await service.stop()
    await receiver.stop()
  })
})

/** Counts the deliveries of the webhook with the most. */
function maxOfOne(received: Received[]): number {
  const webhooks = received.map(
    ({ body }) => (JSON.parse(body.toString()) as { webhook_id: string }).webhook_id,
  )
  return Math.max(...[...Map.groupBy(webhooks, (id) => id).values()].map(({ length }) => length))
}

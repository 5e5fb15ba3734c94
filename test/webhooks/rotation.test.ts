import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { expectProblem } from '../support/expect-problem.ts'
import { startReceiver, type Received, type Receiver } from '../support/receiver.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { makeShop, makeWebhook, type OwnWebhook, type Shop } from '../support/webhooks.ts'

onOneEngine('sqlite', 'a rotated secret', (engine) => {
  let service: TestService
  let receiver: Receiver
  let shop: Shop
  let webhook: OwnWebhook
  beforeAll(async () => {
    service = await startTestService(engine)
    receiver = await startReceiver()
  })
  afterAll(async () => {
    await service.stop()
    await receiver.stop()
  })
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    shop = await makeShop(service)
    webhook = await makeWebhook(service, { token: shop.business.key, to: receiver })
  })
  afterEach(() => vi.useRealTimers())

  const rotate = () =>
    service.call('POST', `/webhooks/${webhook.id}/rotate-secret`, { token: shop.business.key })

  async function delivered(): Promise<Received> {
    receiver.received.length = 0
    vi.setSystemTime(service.clock.nowMs())
    await shop.book()
    await service.app.deliveries.settled()
    const [got] = receiver.received
    if (!got) throw new Error('nothing arrived')
    return got
  }
  /** Returns the secrets that verify the two signatures of a delivery: that of Standard Webhooks, and ours. */
  const fits = ({ body, headers }: Received, secrets: string[]) => ({
    standard: secrets.map((secret) => {
      try {
        return Boolean(new Webhook(secret).verify(body.toString(), headers))
      } catch {
        return false
      }
    }),
    service: secrets.map(
      (secret) =>
        headers['x-service-signature'] ===
        `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    ),
  })

  test('verifies beside the old one for 24 hours, and alone afterwards', async () => {
    const rotated = await rotate()
    expect(rotated.status).toBe(200)
    expect(rotated.body).toEqual({
      ...(await service.call('GET', `/webhooks/${webhook.id}`, { token: shop.business.key })).body,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    })
    const secrets = [rotated.body.secret as string, webhook.secret]
    expect(secrets[0]).not.toBe(secrets[1])
    expect(fits(await delivered(), secrets)).toEqual({ standard: [true, true], service: [true, false] })
    service.clock.advance(86_399)
    expect(fits(await delivered(), secrets)).toEqual({ standard: [true, true], service: [true, false] })
    service.clock.advance(1)
    expect(fits(await delivered(), secrets)).toEqual({ standard: [true, false], service: [true, false] })
  })

  test('is not rotated again within 24 hours, and then it is', async () => {
    const { body } = await rotate()
    service.clock.advance(86_399)
    expectProblem(await rotate(), 'rotation_in_progress')
    const standing = await delivered()
    expect(fits(standing, [String(body.secret)]).service).toEqual([true])
    service.clock.advance(1)
    const again = await rotate()
    expect(again.status).toBe(200)
    expect(again.body.secret).not.toBe(body.secret)
  })

  test('of many rotations at once only one happens', async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, rotate))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)])
    const [won] = replies.filter(({ status }) => status === 200)
    expect(fits(await delivered(), [String(won?.body.secret), webhook.secret]).standard).toEqual([true, true])
  })
})

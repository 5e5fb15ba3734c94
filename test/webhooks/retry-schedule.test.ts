import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startReceiver, status, type Answer, type Receiver } from '../support/receiver.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { deliveriesOf, makeShop, makeWebhook, type Shop } from '../support/webhooks.ts'

onOneEngine('sqlite', 'the schedule of attempts', (engine) => {
  let service: TestService
  let receiver: Receiver
  let shop: Shop
  let webhook: { id: string }
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    // a separate one, because deliveries of other tests are still retried
    receiver = await startReceiver()
    shop = await makeShop(service)
    webhook = await makeWebhook(service, { token: shop.business.key, to: receiver })
    return () => receiver.stop()
  })

  async function line() {
    const [line] = await deliveriesOf(service, { token: shop.business.key, id: webhook.id })
    if (!line) throw new Error('there is no delivery')
    return line
  }
  /** Returns the seconds until the next attempt, or undefined if there is none. */
  async function secondsToNext(): Promise<number | undefined> {
    const { next_attempt_at } = await line()
    return next_attempt_at === null
      ? undefined
      : (Date.parse(next_attempt_at) - Math.floor(service.clock.nowMs() / 1000) * 1000) / 1000
  }
  const attempt = async (seconds: number) => {
    service.clock.advance(seconds)
    await service.app.deliveries.settled()
    return receiver.received.length
  }

  test('is at once, about 30 s later and about 5 min later, within a fifth', async () => {
    receiver.answer = status(500)
    const firsts: number[] = []
    for (let round = 0; round < 12; round += 1) {
      webhook = await makeWebhook(service, { token: shop.business.key, to: receiver })
      receiver.received.length = 0
      await shop.book()
      expect(await attempt(0)).toBeGreaterThanOrEqual(1)
      const first = (await secondsToNext()) ?? NaN
      expect(first).toBeGreaterThanOrEqual(23)
      expect(first).toBeLessThanOrEqual(36)
      firsts.push(first)
      await attempt(40)
      const second = (await secondsToNext()) ?? NaN
      expect(second).toBeGreaterThanOrEqual(239)
      expect(second).toBeLessThanOrEqual(360)
      await attempt(400)
      expect(await secondsToNext()).toBeUndefined()
      expect((await line()).attempts).toHaveLength(3)
      await service.call('DELETE', `/webhooks/${webhook.id}`, { token: shop.business.key })
    }
    expect(new Set(firsts).size).toBeGreaterThan(1)
  })

  test('an attempt is not made before its time, and is at its time', async () => {
    receiver.answer = status(500)
    await shop.book()
    expect(await attempt(0)).toBe(1)
    const wait = (await secondsToNext()) ?? NaN
    expect(await attempt(wait - 1)).toBe(1)
    expect(await attempt(2)).toBe(2)
    const { attempts } = await line()
    expect(Date.parse(attempts[1]?.at ?? '') - Date.parse(attempts[0]?.at ?? '')).toBe((wait + 1) * 1000)
  })

  test.each<[string, Answer, number]>([
    ['seconds of a 429', status(429, { 'retry-after': '120' }), 120],
    ['seconds of a 503', status(503, { 'retry-after': '7' }), 7],
    ['more than an hour', status(429, { 'retry-after': '86400' }), 3_600],
  ])('honours Retry-After: %s', async (_name, answer, seconds) => {
    receiver.answer = answer
    await shop.book()
    await attempt(0)
    expect(await secondsToNext()).toBe(seconds)
    expect(await attempt(seconds)).toBe(2)
  })

  test('honours Retry-After: a date', async () => {
    receiver.answer = status(503, { 'retry-after': new Date(service.clock.nowMs() + 90_000).toUTCString() })
    await shop.book()
    await attempt(0)
    expect(await secondsToNext()).toBeGreaterThanOrEqual(89)
    expect(await secondsToNext()).toBeLessThanOrEqual(91)
  })

  test.each([
    ['of a 500', status(500, { 'retry-after': '3000' })],
    ['that is not a time', status(429, { 'retry-after': 'soon' })],
    ['that is negative', status(429, { 'retry-after': '-5' })],
  ])('ignores Retry-After %s', async (_name, answer) => {
    receiver.answer = answer
    await shop.book()
    await attempt(0)
    expect(await secondsToNext()).toBeLessThanOrEqual(36)
    expect(await secondsToNext()).toBeGreaterThanOrEqual(23)
  })

  test('a retry by hand gives three more attempts, the first at once, with the same id', async () => {
    receiver.answer = status(500)
    await shop.book()
    for (const seconds of [0, 40, 400]) await attempt(seconds)
    const { id, status: state } = await line()
    expect(state).toBe('failed')
    const path = `/webhooks/${webhook.id}/deliveries/${id}/retry`
    const retried = await service.call('POST', path, { token: shop.business.key })
    expect(retried).toMatchObject({ status: 202, body: { id, status: 'pending' } })
    expect(await attempt(0)).toBe(4)
    expect(await attempt(40)).toBe(5)
    receiver.answer = status(200)
    expect(await attempt(400)).toBe(6)
    expect((await line()).status).toBe('succeeded')
    expect((await line()).attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6])
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    // a successful one can also be sent again
    await service.call('POST', path, { token: shop.business.key })
    expect(await attempt(0)).toBe(7)
  })

  test('of a disabled webhook pending deliveries fail, and a retry by hand is one attempt', async () => {
    receiver.answer = status(500)
    await shop.book()
    await attempt(0)
    const token = shop.business.key
    await service.call('PATCH', `/webhooks/${webhook.id}`, { token, body: { status: 'disabled' } })
    expect(await line()).toMatchObject({ status: 'failed', next_attempt_at: null })
    expect(await attempt(400)).toBe(1)
    await service.call('POST', `/webhooks/${webhook.id}/deliveries/${(await line()).id}/retry`, { token })
    expect(await attempt(0)).toBe(2)
    expect(await line()).toMatchObject({ status: 'failed', next_attempt_at: null })
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { behaviours, startBadReceiver, startSelfSigned, type BadReceiver } from '../support/bad-receivers.ts'
import { longTest, onOneEngine, testIn } from '../support/long.ts'
import { startReceiver, status, type Receiver } from '../support/receiver.ts'
import { engines, startTestService, type TestService } from '../support/test-service.ts'
import { deliveriesOf, makeShop, makeWebhook, type Shop } from '../support/webhooks.ts'

/** The time limit in the tests. The last one proves that the real one is ten seconds. */
const attemptMs = 1_000

onOneEngine('sqlite', 'a receiver that fails', (engine) => {
  let service: TestService
  let shop: Shop
  beforeAll(async () => {
    service = await startTestService(engine, {}, { deliveries: { attemptMs } })
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    shop = await makeShop(service)
  })

  /** Books, makes all attempts, and returns the line of the log. */
  async function lineOf(address: string) {
    const { key: token } = shop.business
    const { id } = await makeWebhook(service, { token, to: { address } })
    await shop.book()
    for (const seconds of [0, 40, 400]) {
      service.clock.advance(seconds)
      await service.app.deliveries.settled()
    }
    const [line, ...more] = await deliveriesOf(service, { token, id })
    if (!line) throw new Error('there is no delivery')
    expect(more).toEqual([])
    const { status: state } = (await service.call('GET', `/webhooks/${id}`, { token })).body
    return { line, state: state as string, webhookId: id }
  }

  const failed = (response_status: number | null, error: string) => ({
    status: 'failed',
    next_attempt_at: null,
    attempts: [1, 2, 3].map((number) => ({
      number,
      at: expect.any(String),
      duration_ms: expect.any(Number),
      response_status,
      error,
    })),
  })

  describe('in its answer', () => {
    let receiver: Receiver
    beforeEach(async () => {
      receiver = await startReceiver()
      return () => receiver.stop()
    })

    test.each([
      [500, 'status_not_2xx'],
      [404, 'status_not_2xx'],
      [301, 'redirect_not_followed'],
      [307, 'redirect_not_followed'],
    ])('with %i is tried three times', async (code, error) => {
      const elsewhere = await startReceiver()
      receiver.answer = status(code, { location: elsewhere.address })
      const { line, state } = await lineOf(receiver.address)
      expect(line).toMatchObject(failed(code, error))
      expect(state).toBe('active')
      expect(receiver.received).toHaveLength(3)
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
      expect(elsewhere.received).toEqual([])
      await elsewhere.stop()
    })

    test('with 410 is tried once, and disables its webhook', async () => {
      receiver.answer = status(410)
      const { line, state, webhookId } = await lineOf(receiver.address)
      expect(line).toMatchObject({ status: 'failed', attempts: [{ response_status: 410 }] })
      expect(line.attempts).toHaveLength(1)
      expect(state).toBe('disabled')
      await shop.book()
      await service.app.deliveries.settled()
      expect(receiver.received).toHaveLength(1)
      expect(await deliveriesOf(service, { token: shop.business.key, id: webhookId })).toHaveLength(1)
    })

    test('twice and then succeeds has succeeded', async () => {
      receiver.answer = (response, received) => {
        response.statusCode = receiver.received.indexOf(received) < 2 ? 503 : 204
        response.end()
      }
      const { line } = await lineOf(receiver.address)
      expect(line.status).toBe('succeeded')
      expect(line.attempts.map(({ response_status }) => response_status)).toEqual([503, 503, 204])
    })
  })

  describe('on its connection', () => {
    const quick = [
      ['resets', null, 'connection_reset'],
      ['is cut off in its answer', 200, 'connection_reset'],
      ['is no HTTP', null, 'invalid_response'],
    ] as const
    const slow = [
      ['hangs', null, 'timeout'],
      ['drips', 200, 'timeout'],
      ['drips its headers', null, 'timeout'],
    ] as const
    // three attempts that take a second each
    for (const [name, code, error] of [...quick, ...slow]) {
      testIn(error !== 'timeout')(name, async () => {
        const receiver = await startBadReceiver(behaviours[name])
        const { line } = await lineOf(receiver.address)
        expect(line).toMatchObject(failed(code, error))
        expect(receiver.connections).toBe(3)
        await receiver.stop()
      })
    }

    test.each(['sends 1 GB', 'never ends its answer'] as const)(
      '%s: it has said 200, but no more than 64 KiB is read, and that is no success',
      async (name) => {
        const receiver = await startBadReceiver(behaviours[name])
        const { line, state } = await lineOf(receiver.address)
        expect(line).toMatchObject(failed(200, 'response_too_large'))
        expect(state).toBe('active')
        expect(receiver.sentBytes).toBeLessThan(60_000_000) // three times the capacity of the system's buffers
        await receiver.stop()
      },
    )

    test('answers with 64 KiB, which is read to its end; with a byte more it is not', async () => {
      const receiver = await startReceiver()
      receiver.answer = (response) => response.end(Buffer.alloc(65_536, 'x'))
      expect((await lineOf(receiver.address)).line).toMatchObject({ status: 'succeeded' })
      receiver.answer = (response) => response.end(Buffer.alloc(65_537, 'x'))
      expect((await lineOf(receiver.address)).line).toMatchObject(failed(200, 'response_too_large'))
      await receiver.stop()
    })

    test('shows a certificate that nobody trusts', async () => {
      const receiver = await startSelfSigned()
      const { line } = await lineOf(receiver.address)
      expect(line).toMatchObject(failed(null, 'certificate_rejected'))
      await receiver.stop()
    })

    test('is not there', async () => {
      const receiver = await startReceiver()
      await receiver.stop()
      const { line } = await lineOf(receiver.address)
      expect(line).toMatchObject(failed(null, 'connection_refused'))
    })

    test('has a name without an address', async () => {
      const { line } = await lineOf('http://receiver.invalid')
      expect(line).toMatchObject(failed(null, 'dns_failed'))
    })
  })

  test('leaves nothing of its address but the host in the log', async () => {
    const receiver = await startReceiver()
    receiver.answer = status(500)
    service.logLines.length = 0
    await lineOf(`${receiver.address}/hooks/s3cret-path?token=s3cret`)
    const lines = service.logLines.filter((text) => text.includes('an attempt to deliver failed'))
    expect(lines).toHaveLength(3)
    expect(lines.join('')).toContain(new URL(receiver.address).host)
    expect(service.logLines.join('')).not.toMatch(/s3cret|whsec_/)
    await receiver.stop()
  })
})

longTest('an attempt ends after ten seconds, whether the receiver hangs or drips', async () => {
  await Promise.all(
    engines.map(async (engine) => {
      const service = await startTestService(engine)
      const receivers: BadReceiver[] = []
      const shop = await makeShop(service)
      const { key: token } = shop.business
      const ids: string[] = []
      for (const name of ['hangs', 'drips', 'drips its headers'] as const) {
        const receiver = await startBadReceiver(behaviours[name])
        receivers.push(receiver)
        ids.push((await makeWebhook(service, { token, to: receiver })).id)
      }
      await shop.book()
      await service.app.deliveries.settled()
      for (const id of ids) {
        const [line] = await deliveriesOf(service, { token, id })
        expect(line).toMatchObject({ status: 'pending', attempts: [{ error: 'timeout' }] })
        expect(line?.attempts[0]?.duration_ms).toBeGreaterThan(9_900)
      }
      await service.stop()
      for (const receiver of receivers) await receiver.stop()
    }),
  )
})

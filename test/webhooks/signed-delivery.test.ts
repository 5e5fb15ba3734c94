import { createHmac } from 'node:crypto'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { eventItems } from '../support/event-body.ts'
import { startReceiver, type Received, type Receiver } from '../support/receiver.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { deliveriesOf, makeShop, makeWebhook, type OwnWebhook, type Shop } from '../support/webhooks.ts'

onOneEngine('sqlite', 'a delivery', (engine) => {
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
    // the library reads the clock of the process, while the service has a test clock
    vi.useFakeTimers({ toFake: ['Date'], now: service.clock.nowMs() })
    shop = await makeShop(service)
    webhook = await makeWebhook(service, { token: shop.business.key, to: receiver, path: '/hooks?token=1' })
    receiver.received.length = 0
  })
  afterEach(() => vi.useRealTimers())

  /** Books and returns the one delivery. */
  async function delivered(): Promise<{ booking: { id: string; starts_at: string }; got: Received }> {
    const booking = (await shop.book()) as { id: string; starts_at: string }
    await service.app.deliveries.settled()
    const [got, ...more] = receiver.received
    if (!got) throw new Error('nothing arrived')
    expect(more).toEqual([])
    return { booking, got }
  }

  test('has exactly the documented fields and headers', async () => {
    const { booking, got } = await delivered()
    expect(got.method).toBe('POST')
    expect(got.path).toBe('/hooks?token=1')
    const body = JSON.parse(got.body.toString()) as object
    const shown = (await shop.client.show(booking.id)).body
    expect(body).toEqual({
      event: 'booking.created',
      timestamp: '2026-11-20T10:00:00+01:00',
      data: {
        id: booking.id,
        status: 'confirmed',
        service: { id: shop.offer.service_id, name: shown.service.name },
        client: { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' },
        starts_at: shown.starts_at,
        ends_at: shown.ends_at,
        location: { id: shop.offer.location_id, name: shown.location.name },
        items: eventItems(shown),
      },
    })
    const [event] = (await service.rows('events')).filter((row) => row['booking_id'] === booking.id)
    expect(got.body.toString()).toBe(event?.['payload'])
    expect(got.headers).toEqual({
      host: new URL(receiver.address).host,
      connection: 'keep-alive',
      'content-length': String(got.body.length),
      'content-type': 'application/json',
      'user-agent': `Holdfast/${packageJson.version}`,
      'x-service-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
      'webhook-id': event?.['id'],
      'webhook-timestamp': String(service.clock.nowMs() / 1000),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    })
    expect(got.rawHeaders).toContain('X-Service-Signature')
  })

  test('is signed with the whole secret over the raw body', async () => {
    const { got } = await delivered()
    expect(webhook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const digest = createHmac('sha256', Buffer.from(webhook.secret, 'utf8')).update(got.body).digest('hex')
    expect(got.headers['x-service-signature']).toBe(`sha256=${digest}`)
  })

  test('is verified by the library of Standard Webhooks; altered or 301 s old it is not', async () => {
    const { got } = await delivered()
    const judge = new Webhook(webhook.secret)
    const verify = (changes: { body?: string; headers?: object } = {}) =>
      judge.verify(changes.body ?? got.body.toString(), { ...got.headers, ...changes.headers })
    expect(verify()).toMatchObject({ event: 'booking.created' })
    const altered = got.body.toString().replace('Ada', 'Eve')
    expect(() => verify({ body: altered })).toThrow(WebhookVerificationError)
    expect(() => verify({ headers: { 'webhook-id': crypto.randomUUID() } })).toThrow(WebhookVerificationError)
    vi.setSystemTime(service.clock.nowMs() + 300_000)
    expect(verify()).toMatchObject({ event: 'booking.created' })
    vi.setSystemTime(service.clock.nowMs() + 301_000)
    expect(() => verify()).toThrow(WebhookVerificationError)
  })

  test('stands in the log with its attempt', async () => {
    const { booking, got } = await delivered()
    expect(await deliveriesOf(service, { token: shop.business.key, id: webhook.id })).toEqual([
      {
        id: expect.any(String),
        event_id: got.headers['webhook-id'],
        event: 'booking.created',
        booking_id: booking.id,
        status: 'succeeded',
        attempts: [
          {
            number: 1,
            at: '2026-11-20T10:00:00+01:00',
            duration_ms: expect.any(Number),
            response_status: 200,
            error: null,
          },
        ],
        next_attempt_at: null,
        created_at: '2026-11-20T10:00:00+01:00',
      },
    ])
  })

  test('goes over a connection that is there already', async () => {
    await delivered()
    const before = receiver.connections
    receiver.received.length = 0
    await delivered()
    expect(receiver.connections).toBe(before)
  })
})

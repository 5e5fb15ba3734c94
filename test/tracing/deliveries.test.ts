import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ok, startReceiver, status, type Receiver } from '../support/receiver.ts'
import { collectSpans } from '../support/spans.ts'
import { nextStart } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, startTestService, type TestService } from '../support/test-service.ts'
import { makeShop, makeWebhook, type OwnWebhook, type Shop } from '../support/webhooks.ts'

const spans = await collectSpans()
const traceId = '0af7651916cd43dd8448eb211c80319c'
const secretPart = 'opensesame'

onOneEngine('sqlite', 'an attempt to deliver', (engine) => {
  let service: TestService
  let receiver: Receiver
  let shop: Shop
  let webhook: OwnWebhook
  beforeAll(async () => {
    service = await startTestService(engine)
    receiver = await startReceiver()
    shop = await makeShop(service)
    const path = `/${secretPart}?token=${secretPart}`
    webhook = await makeWebhook(service, { token: shop.business.key, to: receiver, path })
  })
  beforeEach(() => {
    spans.forget()
    receiver.answer = ok
    receiver.received.length = 0
  })
  afterAll(async () => {
    await service.stop()
    await receiver.stop()
  })

  /** Books with a request with this traceparent, if any. */
  const book = async (flags?: string) => {
    const token = shop.business.key
    const body = { ...shop.offer, starts_at: nextStart() }
    const held = await service.call('POST', '/bookings/hold', { token, body })
    spans.forget()
    const reply = await service.call('POST', '/bookings', {
      token,
      headers: flags === undefined ? {} : { traceparent: `00-${traceId}-b7ad6b7169203331-${flags}` },
      body: { hold_id: String(held.body.hold_id), client: ada },
    })
    expect(reply.status).toBe(201)
  }
  const attempts = () => spans.all().filter(({ attributes }) => 'holdfast.webhook_id' in attributes)
  /** Returns the only attempt. */
  const attempted = async (): Promise<ReadableSpan> => {
    await service.app.deliveries.settled()
    const [span, ...more] = attempts()
    if (!span) throw new Error('no attempt made a span')
    expect(more).toEqual([])
    return span
  }

  test('of bookings at once, which share a transaction, is each in the trace of its own request', async () => {
    const token = shop.business.key
    const held: string[] = []
    for (let index = 0; index < 5; index += 1) {
      const body = { ...shop.offer, starts_at: nextStart() }
      held.push(String((await service.call('POST', '/bookings/hold', { token, body })).body.hold_id))
    }
    const traceOf = (index: number) => `${traceId.slice(0, -1)}${index}`
    await Promise.all(
      held.map((hold_id, index) =>
        service.call('POST', '/bookings', {
          token,
          headers: { traceparent: `00-${traceOf(index)}-b7ad6b7169203331-01` },
          body: { hold_id, client: ada },
        }),
      ),
    )
    await service.app.deliveries.settled()
    const events = await service.rows('events')
    const traces = held.map((id) => {
      return String(events.find((event) => event['booking_id'] === id)?.['traceparent']).split('-')[1]
    })
    expect(traces).toEqual(held.map((_id, index) => traceOf(index)))
  })

  test('is a span in the trace of the request that made its event', async () => {
    await book('01')
    const span = await attempted()
    const [event] = (await service.rows('events')).toReversed()
    const [delivery] = (await service.rows('deliveries')).filter((row) => row['event_id'] === event?.['id'])
    const { hostname, port } = new URL(receiver.address)
    expect(span).toMatchObject({
      name: 'POST',
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.UNSET },
    })
    expect(span.attributes).toEqual({
      'http.request.method': 'POST',
      'server.address': hostname,
      'server.port': Number(port),
      'http.response.status_code': 200,
      'holdfast.delivery_id': delivery?.['id'],
      'holdfast.event_id': event?.['id'],
      'holdfast.webhook_id': webhook.id,
    })
    const transaction = spans
      .all()
      .find((each) => each.spanContext().spanId === span.parentSpanContext?.spanId)
    expect(transaction?.name).toBe('transaction')
    const { name } = spans.all().find(({ kind }) => kind === SpanKind.SERVER) as ReadableSpan
    expect(name).toBe('POST /api/v1/bookings')
    expect(span.spanContext().traceId).toBe(traceId)
    const [startMs, endMs] = [span.startTime, span.endTime].map(([s, ns]) => s * 1000 + ns / 1e6)
    expect(Math.abs((endMs ?? NaN) - Date.now())).toBeLessThan(3_600_000) // in real time, not by the clock of the test
    expect((endMs ?? NaN) - (startMs ?? NaN)).toBeGreaterThan(0)
  })

  test('later than the first is in that trace too, with its number; what failed says why', async () => {
    receiver.answer = status(503)
    await book('01')
    const first = await attempted()
    expect(first.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(first.attributes).toMatchObject({ 'http.response.status_code': 503, 'error.type': '503' })
    spans.forget()
    receiver.answer = status(302, { location: '/' })
    service.clock.advance(60)
    service.app.deliveries.wake()
    const second = await attempted()
    expect(second.spanContext().traceId).toBe(traceId)
    expect(second.attributes).toMatchObject({
      'http.request.resend_count': 1,
      'http.response.status_code': 302,
      'error.type': 'redirect_not_followed',
    })
  })

  test('of what nobody traced is not sent as a trace either', async () => {
    await book('00')
    await service.app.deliveries.settled()
    expect(receiver.received).toHaveLength(1)
    expect(attempts()).toEqual([])
  })

  test('of a sample, which is of no event, begins a trace of its own', async () => {
    await service.call('POST', `/webhooks/${webhook.id}/test`, { token: shop.business.key })
    const span = await attempted()
    expect(span.parentSpanContext).toBeUndefined()
  })

  test('shows neither path and query of the receiver nor a secret, and tells the receiver no trace', async () => {
    await book('01')
    await attempted()
    expect(receiver.received[0]?.path).toContain(secretPart)
    expect(receiver.received[0]?.headers).not.toHaveProperty('traceparent')
    for (const value of [secretPart, webhook.secret, ada.email]) expect(spans.text()).not.toContain(value)
  })
})

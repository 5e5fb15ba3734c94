import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { tidy } from '../../src/operate/housekeeping.ts'
import { jobs } from '../../src/server.ts'
import { httpClients } from '../support/http-client.ts'
import { scrape } from '../support/scrape.ts'
import { expectNoSecrets, seededRequests } from '../support/seeded-secrets.ts'
import { collectSpans } from '../support/spans.ts'
import { nextStart, type Tenant } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'

const spans = await collectSpans()
const traceId = '0af7651916cd43dd8448eb211c80319c'
const parentId = 'b7ad6b7169203331'
const traceparent = `00-${traceId}-${parentId}-01`

onOneEngine('sqlite', 'a trace', (engine) => {
  let service: TestService
  let salon: Tenant
  let address: string
  const call = httpClients()
  beforeAll(async () => {
    const HOLDFAST_SECRET = Buffer.alloc(32, 1).toString('base64') // otherwise the first booking creates one
    service = await startTestService(engine, { HOLDFAST_SECRET })
    salon = businessOf(service.world, 'Salon Spree')
    address = await service.app.server.listen({ port: 0 })
  })
  beforeEach(() => {
    spans.forget()
    service.logLines.length = 0
  })
  afterAll(() => service.stop())

  /** Returns the span of the only request, and all that belong to it. */
  const onlyRequest = () => {
    const servers = spans.all().filter(({ kind }) => kind === SpanKind.SERVER)
    expect(servers).toHaveLength(1)
    const server = servers[0] as ReadableSpan
    return { server, others: spans.all().filter((span) => span !== server) }
  }
  const childrenOf = (parent: ReadableSpan) =>
    spans.all().filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent.spanContext().spanId)
  const hold = (headers: Record<string, string> = {}) =>
    call(address, 'POST', '/bookings/hold', {
      token: salon.business_key,
      headers,
      body: { ...offer(salon, 'Haircut'), starts_at: nextStart() },
    })

  test('of a request continues the one that its traceparent names', async () => {
    await hold({ traceparent })
    const { server, others } = onlyRequest()
    expect(server.spanContext().traceId).toBe(traceId)
    expect(server.parentSpanContext).toMatchObject({ spanId: parentId, isRemote: true })
    expect(others.length).toBeGreaterThan(0)
    expect(new Set(others.map((span) => span.spanContext().traceId))).toEqual(new Set([traceId]))
  })

  test('reaches what is done after a body that came later than its headers', async () => {
    const body = JSON.stringify({ ...offer(salon, 'Haircut'), starts_at: nextStart() })
    const sending = request(`${address}/api/v1/bookings/hold`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${salon.business_key}`,
        'content-type': 'application/json',
        'content-length': body.length,
        expect: '100-continue',
        traceparent,
      },
    })
    sending.flushHeaders()
    await once(sending, 'continue') // the server has begun to handle the request
    sending.end(body)
    const [answer] = (await once(sending, 'response')) as [IncomingMessage]
    await once(answer.resume(), 'end')
    expect(answer.statusCode).toBe(201)
    const transaction = spans.all().find(({ name }) => name === 'transaction')
    expect(transaction?.spanContext().traceId).toBe(traceId)
  })

  test('begins anew without a traceparent or with a broken one', async () => {
    for (const header of [
      undefined,
      '00-0-0-01',
      `ff-${traceId}-${parentId}-01`,
      `00-${'0'.repeat(32)}-${parentId}-01`,
    ]) {
      spans.forget()
      await hold(header === undefined ? {} : { traceparent: header })
      const { server } = onlyRequest()
      expect(server.parentSpanContext).toBeUndefined()
      expect(server.spanContext().traceId).not.toBe(traceId)
    }
  })

  test('that its caller does not want is not recorded', async () => {
    const reply = await hold({ traceparent: traceparent.replace(/01$/, '00') })
    expect(reply.status).toBe(201)
    expect(spans.all()).toEqual([])
  })

  test('names the pattern of the route, the status and the request id', async () => {
    await call(address, 'GET', `/services/${salon.services[0]?.id ?? ''}`, {
      token: salon.business_key,
      headers: { 'x-request-id': 'followed-1' },
    })
    const { server } = onlyRequest()
    expect(server.name).toBe('GET /api/v1/services/:id')
    expect(server.status.code).toBe(SpanStatusCode.UNSET)
    expect(server.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/api/v1/services/:id',
      'http.response.status_code': 200,
      'holdfast.request_id': 'followed-1',
    })
  })

  test('of a refusal has its code, and is no error; an unknown path has no route', async () => {
    await call(address, 'GET', '/nowhere/at/all', { headers: { 'x-request-id': 'followed-2' } })
    const { server } = onlyRequest()
    expect(server.name).toBe('GET')
    expect(server.status.code).toBe(SpanStatusCode.UNSET)
    expect(server.attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 404,
      'holdfast.request_id': 'followed-2',
      'holdfast.problem': 'not_found',
    })
  })

  test('has a child for the transaction, and in it one for each statement, without values', async () => {
    const starts_at = nextStart()
    const token = salon.business_key
    const held = await call(address, 'POST', '/bookings/hold', {
      token,
      body: { ...offer(salon, 'Haircut'), starts_at },
    })
    const hold_id = String(held.body.hold_id)
    spans.forget()
    service.statements.length = 0
    await call(address, 'POST', '/bookings', { token, body: { hold_id, client: ada } })
    const { server, others } = onlyRequest()
    const transactions = others.filter(({ name }) => name === 'transaction')
    expect(transactions).toHaveLength(1)
    expect(childrenOf(server)).toContain(transactions[0])
    const inside = childrenOf(transactions[0] as ReadableSpan)
    const texts = inside.map(({ attributes }) => attributes['db.query.text'])
    expect(inside.map(({ name }) => name)).toContain('with')
    expect(inside.every(({ kind }) => kind === SpanKind.CLIENT)).toBe(true)
    const all = others.flatMap(({ attributes }) => attributes['db.query.text'] ?? [])
    const ofRequest = service.statements.filter(
      (text) => !/\b(waiting_webhooks|next_check_at|key_requests)\b/.test(text),
    ) // polls
    expect(all.toSorted()).toEqual(ofRequest.toSorted())
    expect(texts.join('\n')).toContain('insert into bookings')
    for (const value of [hold_id, ada.email, ada.last_name, salon.id])
      expect(spans.text()).not.toContain(value)
  })

  test('of an internal error is marked as one, and so is the statement that failed, by its code alone', async () => {
    const { replies } = await seededRequests(service, engine, salon).failInside()
    expect(replies.map(({ status }) => status)).toEqual([500, 500])
    const failed = spans.all().filter(({ status }) => status.code === SpanStatusCode.ERROR)
    const kinds = failed.map(({ name }) => name)
    expect(kinds.filter((name) => name === 'POST /api/v1/bookings')).toHaveLength(2)
    expect(kinds.filter((name) => name === 'transaction')).toHaveLength(2)
    // on PostgreSQL the event is inserted together with its deliveries; a statement sent along with a failing one
    // fails, too
    const insert = /^(insert|with)$/
    expect(kinds.filter((name) => insert.test(name)).length).toBeGreaterThanOrEqual(2)
    for (const { status, events } of failed) {
      expect(status.message).toBeUndefined()
      expect(events).toEqual([])
    }
    const statement = failed.find(({ name }) => insert.test(name))
    expect(statement?.attributes['error.type']).toBe(engine === 'sqlite' ? 'ERR_SQLITE_ERROR' : '42P01')
  })

  test('of a refusal inside a transaction shows a transaction that ended in order', async () => {
    const body = { hold_id: crypto.randomUUID(), client: ada }
    const reply = await call(address, 'POST', '/bookings', { token: salon.business_key, body })
    expect(reply.status).toBe(404)
    const transaction = spans.all().find(({ name }) => name === 'transaction')
    expect(transaction?.status.code).toBe(SpanStatusCode.UNSET)
    expect(transaction?.attributes['holdfast.problem']).toBe('hold_not_found')
  })

  test('is found in each line of the log that belongs to the request, with the id of the answer', async () => {
    const { replies } = await seededRequests(service, engine, salon).failInside()
    const lines = service.logLines.map((line) => JSON.parse(line) as Record<string, unknown>)
    for (const { body } of replies) {
      const span = spans.all().find(({ attributes }) => attributes['holdfast.request_id'] === body.request_id)
      const ofRequest = lines.filter(({ request_id }) => request_id === body.request_id)
      expect(ofRequest.map(({ msg }) => msg)).toEqual(['a request failed', 'request'])
      for (const { trace_id } of ofRequest) expect(trace_id).toBe(span?.spanContext().traceId)
    }
  })

  test('holds no work that belongs to no request', async () => {
    await tidy(service.context, jobs)
    await service.context.db.ping()
    expect(spans.all()).toEqual([])
  })

  test('shows no secret and nothing of a client, nor do metrics and log, through all kinds of answers', async () => {
    const seeded = seededRequests(service, engine, salon)
    const { replies, tokens } = await seeded.provoke()
    const failed = await seeded.failInside()
    const statuses = new Set([...replies, ...failed.replies].map(({ status }) => status))
    for (const status of [200, 201, 400, 401, 403, 404, 405, 412, 413, 415, 422, 500])
      expect(statuses).toContain(status)
    expect(spans.all().length).toBeGreaterThan(replies.length)
    const used = [...tokens, ...failed.tokens]
    expectNoSecrets(service, spans.text(), used)
    expectNoSecrets(service, (await scrape(service)).text, used)
    expectNoSecrets(service, service.logLines.join('\n'), used)
  })
})

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createHoldfastClient, type RetryOptions } from '../../client/holdfast-client.ts'
import { systemTime, type Send } from '../../client/send-with-retries.ts'
import { nextStart, type Tenant } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'
import { sendTo, startDroppingServer, timeOf } from './client-service.ts'

onOneEngine('sqlite', 'a client that is asked to come back later', (engine) => {
  let service: TestService
  let salon: Tenant
  let time: ReturnType<typeof timeOf>
  beforeEach(async () => {
    service = await startTestService(engine, { RATE_LIMIT_FACTOR: '0.01' }) // 6 requests a minute
    salon = businessOf(service.world, 'Salon Spree')
    time = timeOf(service)
  })
  afterEach(() => service.stop())

  const clientOver = (fetch: Send, retries: Partial<RetryOptions> = {}, baseUrl = 'http://holdfast.test') =>
    createHoldfastClient({ baseUrl, key: salon.business_key, fetch, retries }, time)

  test('waits as long as a 429 says, and is let through', async () => {
    const { send, sent } = sendTo(service)
    const client = clientOver(send, { maxWaitSeconds: 60 })
    for (let request = 1; request <= 7; request += 1) {
      expect((await client.services.list()).data).not.toHaveLength(0)
    }
    expect(time.waits).toEqual([60])
    expect(sent).toHaveLength(8)
  })

  test('gives the answer as it is when the wait would be too long', async () => {
    const { send, sent } = sendTo(service)
    const client = clientOver(send, { maxWaitSeconds: 59 })
    for (let request = 1; request <= 6; request += 1) await client.services.list()
    await expect(client.services.list()).rejects.toMatchObject({ code: 'rate_limited', status: 429 })
    expect(time.waits).toEqual([])
    expect(sent).toHaveLength(7)
  })

  test('a creation whose answer was lost happens once', async () => {
    const { send, sent } = sendTo(service)
    let lost = 0
    const client = clientOver(async (request) => {
      const response = await send(request)
      if (lost === 2) return response
      lost += 1
      return new Response(null, { status: 503, headers: { 'retry-after': '1' } })
    })
    const body = { ...offer(salon, 'Haircut'), starts_at: nextStart() }
    const { data, response } = await client.holds.create(body).withResponse()
    expect(response.status).toBe(201)
    expect(response.headers.get('idempotent-replayed')).toBe('true')
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(await service.rows('claims')).toMatchObject([{ id: data.hold_id }])
    expect(time.waits).toEqual([1, 1])
  })

  test.each(['before', 'after'] as const)(
    'a creation whose connection drops %s the server has done it happens once',
    async (when) => {
      const proxy = await startDroppingServer(sendTo(service).send, { drops: 2, when })
      try {
        const client = clientOver(fetch, {}, proxy.url)
        const body = { ...offer(salon, 'Haircut'), starts_at: nextStart() }
        const { data, response } = await client.holds.create(body).withResponse()
        expect(response.status).toBe(201)
        expect(response.headers.get('idempotent-replayed')).toBe(when === 'after' ? 'true' : null)
        expect(await service.rows('claims')).toMatchObject([{ id: data.hold_id }])
        expect(proxy.requests()).toBe(3)
        expect(time.waits).toEqual([1, 2])
      } finally {
        await proxy.close()
      }
    },
  )

  test('keeps the Idempotency-Key that a caller has named', async () => {
    const { send, sent } = sendTo(service)
    const body = { ...offer(salon, 'Haircut'), starts_at: nextStart() }
    const named = { idempotencyKey: 'order-17' }
    const first = await clientOver(send).holds.create(body, named)
    const again = await clientOver(send).holds.create(body, named)
    expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual(['order-17', 'order-17'])
    expect(again).toEqual(first)
  })
})

describe('a client of a service that is away', () => {
  /** Answers with each in turn, then with the last one. An error instead of a response is a dropped connection. */
  const answering = (...answers: (number | Error | [number, Record<string, string>])[]) => {
    const asked: Request[] = []
    const send: Send = (request) => {
      const answer = answers[Math.min(asked.length, answers.length - 1)] ?? 200
      asked.push(request)
      if (answer instanceof Error) return Promise.reject(answer)
      const [status, headers] = typeof answer === 'number' ? [answer, {}] : answer
      return Promise.resolve(new Response(status < 300 ? '{}' : '<p>away</p>', { status, headers }))
    }
    return { send, asked }
  }
  const dropped = new TypeError('fetch failed')
  const waits: number[] = []
  let random = 1
  const time = {
    ...systemTime,
    random: () => random,
    wait: (milliseconds: number) => Promise.resolve(void waits.push(milliseconds)),
  }
  beforeEach(() => {
    waits.splice(0)
    random = 1
  })

  const clientOver = (fetch: Send, given = time, retries: Partial<RetryOptions> = {}) =>
    createHoldfastClient({ baseUrl: 'http://holdfast.test', key: 'x', fetch, retries }, given)
  const read = (send: Send, retries: Partial<RetryOptions> = {}) =>
    clientOver(send, time, retries).services.get(id)
  const id = '8722dbeb-7f09-8993-9751-bd3a10e37d26'

  test('gives up after five attempts, and throws the last answer', async () => {
    const { send, asked } = answering(503)
    await expect(read(send)).rejects.toMatchObject({ name: 'UnexpectedAnswerError', status: 503 })
    expect(asked).toHaveLength(5)
    expect(waits).toEqual([1000, 2000, 4000, 8000])
  })

  test('gives up after five dropped connections, and throws the last error', async () => {
    const { send, asked } = answering(dropped)
    await expect(read(send)).rejects.toBe(dropped)
    expect(asked).toHaveLength(5)
  })

  test.each([500, 502, 503, 504, dropped])('tries a read again after %s', async (fault) => {
    const { send, asked } = answering(fault, 200)
    expect(await read(send)).toEqual({})
    expect(asked).toHaveLength(2)
  })

  test.each([500, 502, 503, 504, dropped])(
    'tries a creation again after %s, with the same key',
    async (fault) => {
      const { send, asked } = answering(fault, 201)
      const body = { service_id: id, location_id: id, starts_at: '2026-12-01T10:00:00Z' }
      expect(await clientOver(send).holds.create(body)).toEqual({})
      expect(new Set(asked.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1)
      expect(asked).toHaveLength(2)
    },
  )

  test('repeats a change that no server has received', async () => {
    const refused = new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
    const { send, asked } = answering(refused, refused, 200)
    await clientOver(send).bookings.cancel(id)
    expect(asked).toHaveLength(3)
  })

  test.each([undefined, ''])('needs a key, not %j', (key) => {
    expect(() => createHoldfastClient({ baseUrl: 'http://holdfast.test', key: key as string })).toThrow(
      'Pass a key',
    )
  })

  test.each([500, 502, 503, 504, dropped])('does not repeat a change after %s', async (fault) => {
    const { send, asked } = answering(fault, 200)
    await clientOver(send).bookings.update(id, { notes: 'x' }).catch(String)
    await clientOver(answering(fault).send).bookings.cancel(id).catch(String)
    expect(asked).toHaveLength(1)
    expect(waits).toEqual([])
  })

  test('does not repeat a creation that the server cannot recognise', async () => {
    const { send, asked } = answering(dropped, 201)
    const body = { url: 'https://example.com', events: ['booking.created' as const] }
    await expect(clientOver(send).webhooks.create(body)).rejects.toBe(dropped)
    expect(asked.map(({ headers }) => headers.get('idempotency-key'))).toEqual([null])
  })

  test('repeats a change that was refused by a limit', async () => {
    const { send, asked } = answering([429, { 'retry-after': '7' }], 200)
    await clientOver(send).bookings.update(id, { notes: 'x' })
    expect(asked).toHaveLength(2)
    expect(waits).toEqual([7000])
  })

  test('clients that failed together do not come back together', async () => {
    random = 0
    await read(answering(dropped, 502, 200).send)
    random = 0.5
    await read(answering(dropped, 502, 200).send)
    expect(waits).toEqual([500, 1000, 750, 1500])
  })

  test('waits between attempts no longer than it may', async () => {
    await read(answering(dropped, dropped, dropped, 200).send, { attempts: 4, maxWaitSeconds: 3 })
    expect(waits).toEqual([1000, 2000, 3000])
  })

  test('understands a date, and waits at once for one that has passed', async () => {
    const { send, asked } = answering([503, { 'retry-after': new Date(0).toUTCString() }])
    await read(send).catch(String)
    expect(asked).toHaveLength(5)
    expect(waits).toEqual([0, 0, 0, 0])
  })

  test('waits as long as a 500 says', async () => {
    await read(answering([500, { 'retry-after': '9' }], 200).send)
    expect(waits).toEqual([9000])
  })

  test.each([503, dropped])('stops waiting after %s when it is told to', async (fault) => {
    const { send, asked } = answering(fault instanceof Error ? fault : [fault, { 'retry-after': '20' }])
    const controller = new AbortController()
    const answer = clientOver(send, systemTime as typeof time).services.get(id, {
      signal: controller.signal,
    })
    setImmediate(() => controller.abort(new Error('the page was left')))
    await expect(answer).rejects.toThrow('the page was left')
    expect(asked).toHaveLength(1)
  })

  test.each([400, 404, 409, 501])('tries nothing again that was refused with %i', async (status) => {
    const { send, asked } = answering(status)
    await read(send).catch(String)
    expect(asked).toHaveLength(1)
  })

  test('an attempt that takes too long is given up', async () => {
    let asked = 0
    const client = clientOver(
      (request) =>
        new Promise((_, reject) => {
          asked += 1
          request.signal.addEventListener('abort', () => reject(request.signal.reason as Error))
        }),
      time,
      { timeoutSeconds: 0.05 },
    )
    await expect(client.services.get(id)).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(asked).toBe(1)
  })

  test('a connection that drops within the body is tried again', async () => {
    const whole = JSON.stringify({ data: [], next_cursor: null })
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length })
      requests += 1
      if (requests > 1) return response.end(whole)
      response.write(whole.slice(0, 9))
      setImmediate(() => response.destroy())
    })
    let requests = 0
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const client = createHoldfastClient({ baseUrl: `http://127.0.0.1:${port}`, key: 'x' }, time)
    expect(await client.services.list()).toEqual({ data: [], next_cursor: null })
    expect(requests).toBe(2)
    server.close()
  })
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createHoldfastClient, type RetryOptions } from '../../client/holdfast-client.ts'
import { systemTime, type Send } from '../../client/send-with-retries.ts'
import { nextStart, type Tenant } from '../support/tenant-things.ts'
import {
  businessOf,
  offer,
  onEachEngine,
  startTestService,
  type TestService,
} from '../support/test-service.ts'
import { sendTo, timeOf } from './client-service.ts'

onEachEngine('a client that is asked to come back later', (engine) => {
  let service: TestService
  let salon: Tenant
  let time: ReturnType<typeof timeOf>
  beforeEach(async () => {
    service = await startTestService(engine, { RATE_LIMIT_FACTOR: '0.01' }) // 6 requests a minute
    salon = businessOf(service.world, 'Salon Spree')
    time = timeOf(service)
  })
  afterEach(() => service.stop())

  const clientOver = (fetch: Send, retries: Partial<RetryOptions> = {}) =>
    createHoldfastClient({ baseUrl: 'http://holdfast.test', key: salon.business_key, fetch, retries }, time)

  test('waits as long as a 429 says, and is let through', async () => {
    const { send, sent } = sendTo(service)
    const client = clientOver(send, { maxWaitSeconds: 60 })
    for (let request = 1; request <= 7; request += 1) {
      expect((await client.GET('/api/v1/services')).response.status).toBe(200)
    }
    expect(time.waits).toEqual([60])
    expect(sent).toHaveLength(8)
  })

  test('gives the answer as it is when the wait would be too long', async () => {
    const { send, sent } = sendTo(service)
    const client = clientOver(send, { maxWaitSeconds: 59 })
    for (let request = 1; request <= 6; request += 1) await client.GET('/api/v1/services')
    const { error } = await client.GET('/api/v1/services')
    expect(error).toMatchObject({ code: 'rate_limited', status: 429 })
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
    const { data, response } = await client.POST('/api/v1/bookings/hold', { body })
    expect(response.status).toBe(201)
    expect(response.headers.get('idempotent-replayed')).toBe('true')
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(await service.rows('claims')).toMatchObject([{ id: data?.hold_id }])
    expect(time.waits).toEqual([1, 1])
  })

  test('keeps the Idempotency-Key that a caller has named', async () => {
    const { send, sent } = sendTo(service)
    const body = { ...offer(salon, 'Haircut'), starts_at: nextStart() }
    const named = { body, headers: { 'Idempotency-Key': 'order-17' } }
    const first = await clientOver(send).POST('/api/v1/bookings/hold', named)
    const again = await clientOver(send).POST('/api/v1/bookings/hold', named)
    expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual(['order-17', 'order-17'])
    expect(again.data).toEqual(first.data)
  })
})

describe('a client of a service that is away', () => {
  const away = (headers: Record<string, string> = {}) => {
    const asked: Request[] = []
    const send: Send = (request) => {
      asked.push(request)
      return Promise.resolve(new Response('<p>away</p>', { status: 503, headers }))
    }
    return { send, asked }
  }
  const waits: number[] = []
  const time = {
    ...systemTime,
    wait: (milliseconds: number) => Promise.resolve(void waits.push(milliseconds)),
  }
  beforeEach(() => void waits.splice(0))

  const clientOver = (fetch: Send, given = time, retries: Partial<RetryOptions> = {}) =>
    createHoldfastClient({ baseUrl: 'http://holdfast.test', key: 'x', fetch, retries }, given)

  test('gives up after three attempts, and gives the last answer', async () => {
    const { send, asked } = away()
    const { error, response } = await clientOver(send).GET('/api/v1/services')
    expect(response.status).toBe(503)
    expect(error).toBe('<p>away</p>')
    expect(asked).toHaveLength(3)
    expect(waits).toEqual([1000, 1000])
  })

  test('understands a date, and waits at once for one that has passed', async () => {
    const { send, asked } = away({ 'retry-after': new Date(0).toUTCString() })
    await clientOver(send).GET('/api/v1/services')
    expect(asked).toHaveLength(3)
    expect(waits).toEqual([0, 0])
  })

  test('stops waiting when it is told to', async () => {
    const { send, asked } = away({ 'retry-after': '20' })
    const controller = new AbortController()
    const answer = clientOver(send, systemTime as typeof time).GET('/api/v1/services', {
      signal: controller.signal,
    })
    setImmediate(() => controller.abort(new Error('the page was left')))
    await expect(answer).rejects.toThrow('the page was left')
    expect(asked).toHaveLength(1)
  })

  test('tries nothing again that was refused for another reason', async () => {
    const asked: Request[] = []
    const client = clientOver((request) => {
      asked.push(request)
      return Promise.resolve(Response.json({ code: 'internal' }, { status: 500 }))
    })
    await client.GET('/api/v1/services')
    expect(asked).toHaveLength(1)
  })

  test('an attempt that takes too long is given up', async () => {
    const client = clientOver(
      (request) =>
        new Promise((_, reject) => {
          request.signal.addEventListener('abort', () => reject(request.signal.reason as Error))
        }),
      time,
      { timeoutSeconds: 0.05 },
    )
    await expect(client.GET('/api/v1/services')).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})

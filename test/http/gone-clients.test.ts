import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rawConnection } from '../support/raw-connections.ts'
import { growthOf } from '../support/scrape.ts'
import { onOneEngine } from '../support/long.ts'
import {
  ada,
  beforeTransactions,
  businessOf,
  type CallOptions,
  offer,
  startTestService,
  type TestService,
} from '../support/test-service.ts'

const problems = { metric: 'holdfast_problems_total', by: ['method', 'route', 'code'] }
const written = ['sessions', 'claims', 'bookings', 'events', 'idempotency_records']

onOneEngine('sqlite', 'a client that goes away while its request waits for the database', (engine) => {
  let service: TestService
  let address: string
  let token: string
  let key: string
  let hours = 0

  beforeAll(async () => {
    service = await startTestService(engine)
    await service.app.server.listen({ port: 0, host: '127.0.0.1' })
    address = `http://127.0.0.1:${(service.app.server.server.address() as AddressInfo).port}`
    token = await service.session()
    key = businessOf(service.world, 'Salon Spree').publishable_key
  })
  afterAll(() => service.stop())

  const nextSlot = () => ({
    ...offer(businessOf(service.world, 'Salon Spree'), 'Meeting room'),
    starts_at: new Date(Date.UTC(2027, 0, 1) + (hours += 2) * 3_600_000).toISOString(),
  })
  const rows = () => Promise.all(written.map((table) => service.rows(table)))

  /** Sends a request and closes its connection before its transaction has begun. Its work must be skipped. */
  const leave = async (path: string, { token, body, headers }: CallOptions): Promise<void> => {
    const payload = body === undefined ? '' : JSON.stringify(body)
    const lines = Object.entries({
      host: 'holdfast',
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      'content-length': String(payload.length),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`)
    const begins = Promise.withResolvers<undefined>()
    const asks = Promise.withResolvers<{ outcome: Promise<unknown> }>()
    const isGone = Promise.withResolvers<undefined>()
    let isAsked = false
    const end = beforeTransactions(service, async () => {
      if (!isAsked) return // a statement of another request
      begins.resolve(undefined)
      await isGone.promise
    })
    const { db } = service.context
    const { sharedTransaction } = db
    db.sharedTransaction = (work, options) => {
      isAsked = true
      const outcome = sharedTransaction.call(db, work, options) as ReturnType<typeof work>
      asks.resolve({ outcome })
      return outcome
    }
    try {
      const connected = once(service.app.server.server, 'connection') as Promise<[Socket]>
      const client = rawConnection(address, `POST /api/v1${path} HTTP/1.1\r\n${lines.join('')}\r\n${payload}`)
      const [connection] = await connected
      const { outcome } = await asks.promise
      await begins.promise
      const closed = once(connection, 'close')
      client.socket.destroy()
      await closed
      isGone.resolve(undefined)
      await expect(outcome).rejects.toMatchObject({ name: 'MemberGone' })
    } finally {
      isGone.resolve(undefined)
      end()
      db.sharedTransaction = sharedTransaction
    }
    await service.call('GET', '//healthz') // so that the server has had a chance to respond
  }

  const cases: [name: string, path: string, options: () => Promise<CallOptions>][] = [
    ['a hold', '/bookings/hold', () => Promise.resolve({ token, body: nextSlot() })],
    [
      'a conversion',
      '/bookings',
      async () => {
        const hold = await service.call('POST', '/bookings/hold', { token, body: nextSlot() })
        return { token, body: { hold_id: hold.body.hold_id, client: ada } }
      },
    ],
    ['the exchange of a key', '/session', () => Promise.resolve({ token: key })],
  ]

  test.each(cases)(
    'changes nothing with %s, and no error is logged or counted',
    async (_name, path, options) => {
      const request = await options()
      const before = await rows()
      service.logLines.length = 0
      expect(await growthOf(service, problems, () => leave(path, request))).toEqual({})
      expect(await rows()).toEqual(before)
      const levels = service.logLines.map((line) => (JSON.parse(line) as { level: string }).level)
      expect(levels).not.toContain('error')
    },
  )

  test.each(cases.filter(([, path]) => path !== '/session'))(
    'has %s with a key done when it repeats the request',
    async (name, path, options) => {
      const request = { ...(await options()), headers: { 'idempotency-key': `gone: ${name}` } }
      const before = await rows()
      await leave(path, request)
      expect(await rows()).toEqual(before)
      const repeated = await service.call('POST', path, request)
      expect(repeated.status).toBe(201)
      expect(repeated.headers).not.toHaveProperty('idempotent-replayed')
    },
  )

  test('in the middle of its body, no error is logged or counted', async () => {
    service.logLines.length = 0
    const cutOff = async () => {
      const arrives = once(service.app.server.server, 'request')
      const { socket } = rawConnection(
        address,
        `POST /api/v1/bookings/hold HTTP/1.1\r\nhost: holdfast\r\nauthorization: Bearer ${token}\r\n` +
          'content-type: application/json\r\ncontent-length: 500\r\n\r\n{"service_id":',
      )
      const [request] = (await arrives) as [IncomingMessage]
      const ends = new Promise((resolve) => request.once('close', resolve))
      socket.destroy()
      await ends
      await service.call('GET', '//healthz') // the consequences of the end have happened
    }
    const growth = await growthOf(service, problems, cutOff)
    expect(Object.keys(growth).filter((name) => name.includes('internal'))).toEqual([])
    const levels = service.logLines.map((line) => (JSON.parse(line) as { level: string }).level)
    expect(levels).not.toContain('error')
  })
})

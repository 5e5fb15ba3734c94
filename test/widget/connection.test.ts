import { describe, expect, test } from 'vitest'
import type { BookingStart } from '../../widget/api/api-types.ts'
import { Connection } from '../../widget/api/connection.ts'
import { codeOf, Unreachable } from '../../widget/api/refusals.ts'
import { troubleOf } from '../../widget/flow/trouble.ts'

interface Sent {
  method: string
  path: string
  /** As passed to `fetch`. */
  address: string
  headers: Record<string, string>
}

type Reply = { status: number; body?: unknown; headers?: Record<string, string> } | 'nothing'

const start = Date.parse('2026-11-20T09:00:00Z')

function tabStorage(): Storage {
  const kept = new Map<string, string>()
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  } as unknown as Storage // the connection needs no more of it
}

/** Returns a connection to a service with given answers, in a world whose clock stands still. */
function connectionTo(
  answer: (request: Sent, count: number) => Reply,
  storage = tabStorage(),
  carried: BookingStart[] = [],
) {
  const sent: Sent[] = []
  const pauses: number[] = []
  const waits: (number | null)[] = []
  let nowMs = start
  let ids = 0
  const session = () => ({
    session_token: `cal_ses_${sent.length}`,
    expires_at: new Date(nowMs + 3_600_000).toISOString(),
  })
  const connection = new Connection('https://book.example.com/api/v1', 'cal_pub_1', {
    fetch: async (input, init) => {
      const address = input as string
      const request = {
        method: init?.method ?? '',
        path: new URL(address).pathname.replace('/api/v1', ''),
        address,
        headers: init?.headers as Record<string, string>,
      }
      sent.push(request)
      const isExchange = request.path === '/session'
      const reply = isExchange ? { status: 201, body: session() } : answer(request, sent.length)
      if (reply === 'nothing') throw new TypeError('Failed to fetch')
      const { status, body, headers = {} } = reply
      return new Response(body === undefined ? null : JSON.stringify(body), { status, headers })
    },
    nowMs: () => nowMs,
    pause: async (ms) => {
      pauses.push(ms)
    },
    randomId: () => `id-${(ids += 1)}`,
    storage: () => storage,
    carried: () => carried.shift() ?? null,
  })
  connection.onWait = (seconds) => waits.push(seconds)
  return {
    connection,
    sent,
    pauses,
    waits,
    later: (minutes: number) => {
      nowMs += minutes * 60_000
    },
    paths: () => sent.map(({ path }) => path),
  }
}

const problem = (status: number, code: string, headers: Record<string, string> = {}): Reply => ({
  status,
  body: { status, code, detail: 'so it is' },
  headers,
})
const fine: Reply = { status: 200, body: { fine: true } }

describe('the session', () => {
  test('is exchanged once, when it is first needed, however many ask', async () => {
    const { connection, paths, sent } = connectionTo(() => fine)
    await Promise.all(['/services', '/locations', '/staff'].map((path) => connection.call('GET', path)))
    expect(paths()).toEqual(['/session', '/services', '/locations', '/staff'])
    expect(sent.map(({ headers }) => headers['Authorization'])).toEqual([
      'Bearer cal_pub_1',
      ...Array.from({ length: 3 }, () => 'Bearer cal_ses_1'),
    ])
  })

  test('is renewed before its hour is over, and the old one goes along', async () => {
    const { connection, sent, later } = connectionTo(() => fine)
    await connection.call('GET', '/services')
    later(54)
    await connection.call('GET', '/services')
    later(2)
    await connection.call('GET', '/services')
    expect(sent.map(({ path, headers }) => [path, headers['X-Previous-Session']])).toEqual([
      ['/session', undefined],
      ['/services', undefined],
      ['/services', undefined],
      ['/session', 'cal_ses_1'],
      ['/services', undefined],
    ])
  })

  test('that is no longer taken is renewed once, not again and again', async () => {
    const { connection, paths } = connectionTo(() => problem(401, 'session_expired'))
    await expect(connection.call('GET', '/services')).rejects.toSatisfy(
      (error) => codeOf(error) === 'session_expired',
    )
    expect(paths()).toEqual(['/session', '/services', '/session', '/services'])
  })

  test('several requests that meet its end renew it together', async () => {
    const { connection, paths } = connectionTo(({ headers }) =>
      headers['Authorization'] === 'Bearer cal_ses_1' ? problem(401, 'session_expired') : fine,
    )
    await Promise.all([connection.call('GET', '/a'), connection.call('GET', '/b')])
    expect(paths().filter((path) => path === '/session')).toHaveLength(2)
  })
})

describe('the session of a tab', () => {
  test('serves the pages that follow, until shortly before it ends', async () => {
    const storage = tabStorage()
    const first = connectionTo(() => fine, storage)
    expect(first.connection.isOpen).toBe(false)
    await first.connection.call('GET', '/services')
    const second = connectionTo(() => fine, storage)
    expect(second.connection.isOpen).toBe(true)
    await second.connection.call('GET', '/services')
    expect(second.paths()).toEqual(['/services'])
    second.later(56)
    expect(second.connection.isOpen).toBe(false)
    await second.connection.call('GET', '/services')
    expect(second.sent.at(1)).toMatchObject({
      path: '/session',
      headers: { 'X-Previous-Session': 'cal_ses_1' },
    })
  })

  test('that is refused is exchanged for a new one', async () => {
    const storage = tabStorage()
    await connectionTo(() => fine, storage).connection.call('GET', '/services')
    const { connection, paths } = connectionTo(
      (_request, count) => (count === 1 ? problem(401, 'session_expired') : fine),
      storage,
    )
    await connection.call('GET', '/services')
    expect(paths()).toEqual(['/services', '/session', '/services'])
  })

  test('is not needed where storage is switched off', async () => {
    const off = new Proxy(tabStorage(), {
      get: () => {
        throw new DOMException('denied', 'SecurityError')
      },
    })
    const { connection, paths } = connectionTo(() => fine, off)
    await connection.call('GET', '/a')
    await connection.call('GET', '/b')
    expect(paths()).toEqual(['/session', '/a', '/b'])
  })

  test('what a page begins with needs none, and waits as a limit asks', async () => {
    const { connection, sent, waits } = connectionTo((_request, count) =>
      count === 1 ? problem(429, 'rate_limited', { 'retry-after': '7' }) : fine,
    )
    expect(await connection.start('service=cut')).toEqual({ fine: true })
    expect(sent.map(({ path }) => path)).toEqual(Array(2).fill('/book/cal_pub_1/start'))
    expect(sent[0]?.headers).toEqual({})
    expect(waits).toEqual([7, null])
  })

  test('what the page carries is taken once, without a request', async () => {
    const start = { services: [] } as unknown as BookingStart
    const { connection, sent } = connectionTo(() => fine, tabStorage(), [start])
    expect(await connection.start('')).toBe(start)
    expect(await connection.start('')).toEqual({ fine: true })
    // to the letter, like the preload lines of a website
    expect(sent.map(({ address }) => new URL(address).href)).toEqual([
      'https://book.example.com/book/cal_pub_1/start',
    ])
  })
})

describe('patience', () => {
  test('a limit is waited for as long as it asks, and told', async () => {
    const { connection, pauses, waits } = connectionTo((_request, count) =>
      count === 2 ? problem(429, 'rate_limited', { 'retry-after': '7' }) : fine,
    )
    expect((await connection.call('GET', '/services')).body).toEqual({ fine: true })
    expect(pauses).toEqual([7_000])
    expect(waits).toEqual([7, null])
  })

  test('a limit of an hour is not waited for', async () => {
    const { connection, pauses } = connectionTo(() => problem(429, 'rate_limited', { 'retry-after': '1800' }))
    await expect(connection.call('GET', '/services')).rejects.toSatisfy(
      (error) => codeOf(error) === 'rate_limited',
    )
    expect(pauses).toEqual([])
  })

  test('a limit that never ends is given up', async () => {
    const { connection, pauses } = connectionTo(() => problem(429, 'rate_limited', { 'retry-after': '1' }))
    await expect(connection.call('GET', '/services')).rejects.toSatisfy(
      (error) => codeOf(error) === 'rate_limited',
    )
    expect(pauses).toHaveLength(3)
  })

  test.each([
    ['unreachable', 'nothing' as const],
    ['unknown', problem(503, 'unavailable', { 'retry-after': '1' })],
    ['unknown', { status: 502 }],
  ])(
    'no answer, or one of a server in trouble, is tried once more, and then told apart (%s, %j)',
    async (kind, reply) => {
      const { connection, paths } = connectionTo(() => reply)
      const error = await connection.call('GET', '/services').catch((refusal: unknown) => refusal)
      expect(troubleOf(error).kind).toBe(kind)
      expect(paths()).toEqual(['/session', '/services', '/services'])
    },
  )

  test('the second try of a creation is the same request to the service', async () => {
    const { connection, sent } = connectionTo((_request, count) => (count === 2 ? 'nothing' : fine))
    await connection.call('POST', '/bookings/hold', { body: {} })
    const keys = sent.slice(1).map(({ headers }) => headers['Idempotency-Key'])
    expect(keys).toEqual(['id-1', 'id-1'])
    await connection.call('POST', '/bookings/hold', { body: {} })
    expect(sent.at(-1)?.headers['Idempotency-Key']).toBe('id-2')
  })

  test('a page that goes away does not try again', async () => {
    const { connection, paths } = connectionTo(({ method }) => (method === 'DELETE' ? 'nothing' : fine))
    await connection.call('GET', '/services')
    await expect(connection.call('DELETE', '/bookings/hold/1', { keepalive: true })).rejects.toBeInstanceOf(
      Unreachable,
    )
    expect(paths()).toEqual(['/session', '/services', '/bookings/hold/1'])
  })

  test('an answer that is no problem document is a refusal all the same', async () => {
    const { connection } = connectionTo(() => ({ status: 404, body: '<html>a proxy</html>' }))
    await expect(connection.call('GET', '/services')).rejects.toSatisfy(
      (error) => codeOf(error) === 'unknown',
    )
  })

  test('what has not changed is told by 304, without a body', async () => {
    const { connection, sent } = connectionTo(() => ({ status: 304, headers: { etag: '"1"' } }))
    expect(await connection.call('GET', '/availability', { etag: '"1"' })).toEqual({
      status: 304,
      body: undefined,
      etag: '"1"',
    })
    expect(sent[1]?.headers['If-None-Match']).toBe('"1"')
  })
})

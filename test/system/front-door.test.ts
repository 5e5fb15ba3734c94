/** @module-tag long */
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoWorld } from '../support/holdfast-process.ts'
import { eventually, httpClients, openSessions, type Call } from '../support/http-client.ts'
import { lastStatus, rawConnection, sendOnAndOn } from '../support/raw-connections.ts'
import { longTest, rounds } from '../support/long.ts'
import { startServer, type ServerProcess } from '../support/server-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { businessOf, type Reply } from '../support/test-service.ts'

const call: Call = httpClients()
let database: TestDatabase
let key: string

beforeAll(async () => {
  database = await createTestDatabase('sqlite')
  const salon = businessOf(await demoWorld(database.url), 'Salon Spree')
  key = salon.publishable_key
})
afterAll(() => database.drop())

/** Sends an honest request. */
async function serves(server: ServerProcess): Promise<Reply> {
  const [token = ''] = await openSessions(call, [server.address], { key, count: 1 })
  return call(server.address, 'GET', '/services', { token })
}

function residentMegabytes({ process }: ServerProcess): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process.pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

const post = 'POST /api/v1/session HTTP/1.1\r\nHost: a\r\n'
const get = 'GET /healthz HTTP/1.1\r\nHost: a\r\n'
const json = 'Content-Type: application/json\r\n'
const chunked = 'Transfer-Encoding: chunked\r\n'

// Slow tests wait together, in the long form. The timeouts are 10 and 15 seconds.
describe.concurrent('what goes on and on', () => {
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServer(database.url, { MAX_CONNECTIONS_PER_IP: '5000' }) // all of them have one address
  })
  afterAll(() => server.stop())

  longTest(
    '500 that drip a byte a second do not stop the others, and are closed by the timeouts',
    async () => {
      const [token = ''] = await openSessions(call, [server.address], { key, count: 1 })
      const slowHeaders = 'GET /api/v1/services HTTP/1.1\r\nHost: a\r\nX-Slow: '
      const slowBody = `${post}Authorization: Bearer ${key}\r\nContent-Length: 60000\r\n\r\n`
      const drips = Array.from({ length: 500 }, (_, index) =>
        sendOnAndOn(server.address, [index % 2 === 0 ? slowHeaders : slowBody, 'a'], 1_000),
      )
      for (let request = 0; request < 40; request += 1) {
        expect((await call(server.address, 'GET', '/services', { token })).status).toBe(200)
      }
      const endings = await Promise.all(drips.map(({ closed }) => closed))
      for (const [index, { received, afterMs }] of endings.entries()) {
        expect(lastStatus(received)).toBe(408)
        // 10 s for headers, 15 s for the whole
        expect(afterMs).toBeGreaterThan(index % 2 === 0 ? 9_000 : 14_000)
      }
      expect((await serves(server)).status).toBe(200)
    },
  )

  longTest('a connection on which nothing is ever sent is closed too', async () => {
    const { received } = await rawConnection(server.address).closed
    expect(lastStatus(received)).toBe(408)
  })

  longTest.each(['KEY', 'no key'])('an endless body is cut off, with %s', async (credentials) => {
    const token = credentials.replace('KEY', key)
    const head = `${post}Authorization: Bearer ${token}\r\n${json}${chunked}\r\n`
    const chunk = `2000\r\n${'x'.repeat(8_192)}\r\n`
    const { received } = await sendOnAndOn(server.address, [head, chunk], 20).closed
    expect(received === '' || /HTTP\/1\.1 4\d\d /.test(received)).toBe(true)
  })

  longTest('hundreds of half-open connections that send nothing more are closed', async () => {
    const halfOpen = Array.from({ length: 300 }, () => {
      const one = rawConnection(server.address, `${post}Content-Length: 10\r\n\r\n{`)
      one.socket.end()
      return one.closed
    })
    await Promise.all(halfOpen)
    expect((await serves(server)).status).toBe(200)
  })

  longTest(
    'an event loop that hardly turns makes the API answer 503 with Retry-After while /healthz says that the process lives, and passes',
    async () => {
      const own = await createTestDatabase('sqlite') // a file has one server
      const { publishable_key: key } = businessOf(await demoWorld(own.url), 'Salon Spree')
      const preload = pathToFileURL(new URL('../support/block-loop.mjs', import.meta.url).pathname).href
      const server = await startServer(own.url, {}, { preloads: [preload] })
      const [token = ''] = await openSessions(call, [server.address], { key, count: 1 })
      const ask = () =>
        call(server.address, 'GET', '/services', { token, headers: { origin: 'https://a.example' } })
      let served = await ask()
      expect(served.status).toBe(200)

      server.process.signal('SIGUSR2')
      const refused = await eventually('a refusal', async () => {
        const reply = await ask()
        if (reply.status !== 200) return reply
        served = reply
        return undefined
      })
      expect(refused).toMatchObject({
        status: 503,
        headers: {
          'retry-after': expect.stringMatching(/^[1-9]\d*$/),
          'content-type': expect.stringContaining('application/problem+json'),
          'access-control-allow-origin': '*',
          // the last known figures of the session, not those of its address
          'x-ratelimit-limit': served.headers['x-ratelimit-limit'],
          'x-ratelimit-remaining': expect.any(String),
        },
        body: { code: 'unavailable', request_id: refused.headers['x-request-id'] },
      })
      expect((await call(server.address, 'GET', '//healthz')).status).toBe(200)

      server.process.signal('SIGUSR2')
      await eventually('an answer as before', async () => ((await ask()).status === 200 ? true : undefined))
      await server.stop()
      await own.drop()
    },
    180_000,
  )
})

/** Malformed input by its fault. KEY stands for a valid key. */
const attacks: Record<string, string> = {
  'a body of 10 MB': `${post}Authorization: Bearer KEY\r\n${json}Content-Length: 10485760\r\n\r\n${'x'.repeat(10_485_760)}`,
  'JSON 100,000 deep': `${post}Authorization: Bearer KEY\r\n${json}Content-Length: 100000\r\n\r\n${'['.repeat(100_000)}`,
  'JSON 60,000 deep, which is not too long': `${post}Authorization: Bearer KEY\r\n${json}Content-Length: 60000\r\n\r\n${'['.repeat(30_000)}${']'.repeat(30_000)}`,
  '10,000 headers': `${get}${Array.from({ length: 10_000 }, (_, index) => `X-${index}: a\r\n`).join('')}\r\n`,
  'an expectation that nobody knows': `${get}Expect: miracles\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n`,
  '101 headers': `${get}${'X: a\r\n'.repeat(100)}\r\n`,
  'a URL of 100 KB': `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  garbage: '\u0000\u0001\u0002 no HTTP at all \r\n\r\n',
  'garbage after a right request': `${get}\r\n\u0016\u0003\u0001 garbage ${'\u0007'.repeat(5_000)}`,
  'HTTP/0.9': 'GET /healthz\r\n\r\n',
  'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'no Host': 'GET /healthz HTTP/1.1\r\n\r\n',
  'two Hosts': `${get}Host: b\r\n\r\n`,
  'an endless chunked body': `${post}Authorization: Bearer KEY\r\n${json}${chunked}\r\n${`2000\r\n${'x'.repeat(8_192)}\r\n`.repeat(100)}`,
  'a chunk size that is no number': `${post}Authorization: Bearer KEY\r\n${json}${chunked}\r\nzz\r\n{}\r\n0\r\n\r\n`,
  'a chunk size beyond all numbers': `${post}Authorization: Bearer KEY\r\n${json}${chunked}\r\n${'f'.repeat(40)}\r\n{}\r\n0\r\n\r\n`,
  'Content-Length with Transfer-Encoding': `${post}Content-Length: 4\r\n${chunked}\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n`,
  'two Content-Lengths': `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`,
  'two Content-Lengths in one': `${post}Content-Length: 2, 3\r\n\r\n{}x`,
  'a negative Content-Length': `${post}Content-Length: -1\r\n\r\n{}`,
  'a Transfer-Encoding that is not known': `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
  'a space before the colon': `${post}Content-Length : 2\r\n\r\n{}`,
  'lines that end in a line feed alone': 'GET /healthz HTTP/1.1\nHost: a\nX: b\n\n',
  'a line that is folded': `${get}X: a\r\n b\r\n\r\n`,
  'a NUL in a header': `${get}X: a\u0000b\r\n\r\n`,
}

describe('what is not a right request', () => {
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServer(database.url)
  })
  afterAll(() => server.stop())

  /** Sends one and disconnects after the answer. The server may have closed the connection earlier. */
  const attack = async (text: string): Promise<string> => {
    const connection = rawConnection(server.address, Buffer.from(text.replace('KEY', key), 'latin1'))
    connection.socket.end() // half open: the answer is still read
    const { received } = await connection.closed
    return received
  }

  test.each(Object.entries(attacks))(
    '%s is refused or closed, and shows nothing of the inside',
    async (_, text) => {
      const received = await attack(text)
      const status = lastStatus(received)
      if (status !== undefined) {
        expect(status).toBeGreaterThanOrEqual(400)
        expect(status).toBeLessThan(500)
        expect(received).toContain('application/problem+json')
        expect(received).toMatch(/x-request-id: /i)
      }
      expect(received).not.toMatch(/HPE_|node:|\.ts:|llhttp/)
      expect(received).not.toContain('201 Created')
    },
  )

  longTest(
    'hundreds of each leave the memory flat, and the server serves',
    async () => {
      const all = Object.values(attacks)
      const round = async () => {
        for (let turn = 0; turn < rounds(2, 60); turn += 1) await Promise.all(all.map(attack))
      }
      await round() // compilation and caches along the way are complete
      const before = residentMegabytes(server)
      for (let turn = 0; turn < rounds(1, 10); turn += 1) await round()
      const grown = residentMegabytes(server) - before
      expect(grown).toBeLessThan(160)
      expect((await serves(server)).status).toBe(200)
    },
    180_000,
  )
})

test('of connections from one address at most MAX_CONNECTIONS_PER_IP are kept, those of a trusted proxy aside', async () => {
  for (const [proxies, max] of [
    ['', 3],
    ['127.0.0.0/8', 5],
  ] as const) {
    const server = await startServer(database.url, {
      ...{ MAX_CONNECTIONS: '5', MAX_CONNECTIONS_PER_IP: '3', TRUST_PROXY: proxies },
    })
    const kept = Array.from({ length: max }, () => rawConnection(server.address, `${get}\r\n`))
    await eventually('the answers', () =>
      kept.every(({ received }) => lastStatus(received()) === 200) ? true : undefined,
    )
    expect((await rawConnection(server.address, `${get}\r\n`).closed).received).toBe('')
    kept[0]?.socket.destroy()
    await eventually('a free place', async () => {
      const next = rawConnection(server.address, `${get}Connection: close\r\n\r\n`)
      return lastStatus((await next.closed).received) === 200 ? true : undefined
    })
    await server.stop()
  }
})

test('of connections at most MAX_CONNECTIONS are kept: one more is closed unread, and a place that is free is given', async () => {
  const server = await startServer(database.url, { MAX_CONNECTIONS: '5' })
  const kept = Array.from({ length: 5 }, () => rawConnection(server.address, `${get}\r\n`))
  await eventually('five answers', () =>
    kept.every(({ received }) => lastStatus(received()) === 200) ? true : undefined,
  )
  const tooMany = await rawConnection(server.address, `${get}\r\n`).closed
  expect(tooMany.received).toBe('')
  expect(kept.filter(({ socket }) => socket.destroyed)).toEqual([])

  kept[0]?.socket.destroy()
  await eventually('a free place', async () => {
    const next = rawConnection(server.address, `${get}Connection: close\r\n\r\n`)
    return lastStatus((await next.closed).received) === 200 ? true : undefined
  })
  await eventually('a line in the log', () =>
    /"MAX_CONNECTIONS":5/.test(server.process.stdout()) ? true : undefined,
  )
  await server.stop()
})

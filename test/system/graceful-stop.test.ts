/** @module-tag long */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findErrors } from '../support/checker.ts'
import { clientOf, slot, startCluster, type Cluster } from '../support/cluster.ts'
import { emptyDirectory, project } from '../support/holdfast-process.ts'
import { eventually, httpClients, openSessions, tally } from '../support/http-client.ts'
import { longTest, onOneEngine } from '../support/long.ts'
import { startServer } from '../support/server-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { type Reply } from '../support/test-service.ts'

const call = httpClients()
/** Long enough for a request of a busy machine. */
const drainSeconds = 3

/** Opens a connection that sends its input and nothing more. */
async function openConnection(
  address: string,
  text: string,
): Promise<{ socket: Socket; received: () => string }> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.on('error', () => undefined) // it is cut off intentionally
  socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
  await once(socket, 'connect')
  if (text !== '') socket.write(text)
  return { socket, received: () => received }
}

onOneEngine('postgres', 'a server that is asked to stop', (engine) => {
  let cluster: Cluster
  let client: ReturnType<typeof clientOf>
  let tokens: string[]
  /** True once a test has ended the first server. */
  let hasEnded = false
  beforeAll(async () => {
    cluster = await startCluster(engine, { DRAIN_SECONDS: String(drainSeconds), LOG_LEVEL: 'info' })
    client = clientOf(cluster, call)
  })
  beforeEach(async () => {
    if (hasEnded) cluster.servers[0] = await cluster.start()
    hasEnded = false
    const key = cluster.business.publishable_key
    tokens = await openSessions(call, cluster.addresses, { key, count: 60 })
  })
  afterAll(() => cluster.stop())

  /** Ends the first server. */
  async function stop(): Promise<void> {
    hasEnded = true
    expect(await cluster.servers[0]?.stop()).toEqual({ code: 0, signal: null })
  }

  test('is not ready at once, answers what was sent before, and ends with 0', async () => {
    const address = cluster.address(0)
    expect((await call(address, 'GET', '//readyz')).status).toBe(200)
    const sent = tokens.map((token, index) => client.hold(0, token, slot(index >> 1)))
    const stopped = stop()
    const notReady = await eventually('a failing readiness', async () => {
      const reply = await call(address, 'GET', '//readyz')
      return reply.status === 503 ? reply : undefined
    })
    expect(notReady).toMatchObject({ body: { reason: 'stopping' }, headers: { connection: 'close' } })
    // it still serves while load balancers take notice
    expect(tally([await call(address, 'GET', '/services', { token: tokens[0] ?? '' })])).toEqual({ '200': 1 })
    expect(tally(await Promise.all(sent))).toEqual({ '201': 30, '409 slot_held': 30 })
    await stopped
    expect(cluster.servers[0]?.process.stdout()).toContain('"msg":"stopped"')
    expect(await findErrors(cluster.databaseUrl)).toEqual([])
  })

  longTest(
    'answers everything that is asked while it drains, and does not wait for connections that are kept alive',
    async () => {
      const { socket, received } = await openConnection(
        cluster.address(0),
        'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
      )
      await eventually('the answer', () => received().includes('alive') || undefined)
      const brokenAtMs: number[] = []
      const replies: Reply[] = []
      const loops = tokens.slice(0, 20).map(async (token, index) => {
        for (let round = 0; ; round += 1) {
          const sentMs = performance.now()
          try {
            replies.push(await client.hold(0, token, slot(index * 400 + 400 + (round % 400))))
          } catch {
            brokenAtMs.push(sentMs)
            return // the server is gone
          }
        }
      })
      await eventually('load', () => replies.length > 100 || undefined)
      const askedMs = performance.now()
      const before = replies.length
      await stop()
      await eventually('the end of the connection', () => socket.closed || undefined)
      await Promise.all(loops)
      expect(replies.length).toBeGreaterThan(before)
      expect(Object.keys(tally(replies))).toEqual(['201'])
      // it drains for three seconds; requests at the very end may find no server
      expect(Math.min(...brokenAtMs) - askedMs).toBeGreaterThan((drainSeconds * 1_000) / 3)
      expect(await findErrors(cluster.databaseUrl)).toEqual([])
    },
  )
})

// Tests that are independent of the database.
describe('a server that is asked to stop', () => {
  longTest('ends although clients do not finish their requests', async () => {
    const cluster = await startCluster('sqlite', { DRAIN_SECONDS: '1' })
    const [address = ''] = cluster.addresses
    const key = cluster.business.business_key
    const unfinished = [
      '',
      'GET /heal',
      'GET /healthz HTTP/1.1\r\nHost: x\r\n',
      `POST /api/v1/bookings/hold HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{"a',
    ]
    const connections = await Promise.all(unfinished.map((text) => openConnection(address, text)))
    expect(await cluster.servers[0]?.stop()).toEqual({ code: 0, signal: null })
    for (const { socket } of connections) socket.destroy()
    await cluster.stop()
  })

  longTest(
    'what reaches a stopping server while its event loop stands still and the drain ends is answered',
    async () => {
      const database = await createTestDatabase('sqlite')
      const preload = pathToFileURL(join(project, 'test/support/stand-still.mjs')).href
      const goOn = join(emptyDirectory(), 'go-on')
      // long enough for a busy machine to stand still before the drain ends
      const variables = { DRAIN_SECONDS: '2', LOG_LEVEL: 'info', GO_ON: goOn }
      const server = await startServer(database.url, variables, { preloads: [preload] })
      const question = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
      const connect20 = () =>
        Promise.all(Array.from({ length: 20 }, () => openConnection(server.address, question)))
      const answers = ({ received }: { received: () => string }) => received().split('200 OK').length - 1
      const kept = await connect20()
      await eventually('the first answers', () => kept.every((one) => answers(one) === 1) || undefined)

      const stopped = server.stop()
      await server.process.says(/stopping/)
      server.process.signal('SIGUSR2')
      await server.process.says(/standing still/)
      for (const { socket } of kept) socket.write(question)
      const fresh = await connect20()
      await new Promise((resolve) => setTimeout(resolve, 2_200)) // real time is the subject: the drain ends meanwhile
      writeFileSync(goOn, '')
      await eventually('every answer', () =>
        [...kept.map((one) => answers(one) === 2), ...fresh.map((one) => answers(one) === 1)].every(Boolean)
          ? true
          : undefined,
      )
      expect(await stopped).toEqual({ code: 0, signal: null })
      await database.drop()
    },
  )
})

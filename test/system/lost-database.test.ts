/** @module-tag long */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findErrors, readContents, readRows } from '../support/checker.ts'
import { book, clientOf, slot, type Cluster } from '../support/cluster.ts'
import { eventually, httpClients, openSessions, tally } from '../support/http-client.ts'
import { demoWorld } from '../support/holdfast-process.ts'
import { longTest, rounds, testIn } from '../support/long.ts'
import { startServer, withoutLimits, type ServerProcess } from '../support/server-process.ts'
import { startProxy, type ProxyMode, type TcpProxy } from '../support/tcp-proxy.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { ada, businessOf, engines, offer, type Reply } from '../support/test-service.ts'

const call = httpClients()
const cuts = rounds(1, 20)
/** Five seconds, or ten for a stop, plus the delays of a busy machine. */
const soonMs = 40_000

describe.runIf(engines.includes('postgres'))('a PostgreSQL server that cannot be reached', () => {
  let database: TestDatabase
  let proxy: TcpProxy
  let server: ServerProcess
  let cluster: Cluster
  let client: ReturnType<typeof clientOf>
  let token: string
  let firstSlot = 0
  beforeAll(async () => {
    database = await createTestDatabase('postgres')
    const world = await demoWorld(database.url)
    proxy = await startProxy(database.url)
    server = await startServer(proxy.url, withoutLimits)
    const business = businessOf(world, 'Salon Spree')
    cluster = { business, address: () => server.address } as unknown as Cluster
    client = clientOf(cluster, call)
  })
  beforeEach(async () => {
    const key = cluster.business.publishable_key
    const sessions = await openSessions(call, [server.address], { key, count: 1 })
    token = sessions[0] ?? ''
    firstSlot += 1_000
  })
  afterAll(async () => {
    await server.kill()
    await proxy.close()
    await database.drop()
  })

  /** Slots of one test, none of which remains for the next. */
  const ownSlot = (index: number) => slot(firstSlot + index)

  /** Returns a reply and its duration in milliseconds. */
  async function timed(request: Promise<Reply>): Promise<{ reply: Reply; tookMs: number }> {
    const startedMs = performance.now()
    const reply = await request
    return { reply, tookMs: performance.now() - startedMs }
  }

  async function expectUnavailable(request: Promise<Reply>): Promise<void> {
    const { reply, tookMs } = await timed(request)
    expect(tally([reply])).toEqual({ '503 unavailable': 1 })
    expect(reply.headers['retry-after']).toBe('1')
    expect(tookMs).toBeLessThan(soonMs)
  }

  async function recovers(): Promise<void> {
    await eventually('a hold after the database was back', async () =>
      (await client.hold(0, token, ownSlot(500))).status === 201 ? true : undefined,
    )
    expect((await call(server.address, 'GET', '//readyz')).status).toBe(200)
  }

  for (const mode of ['hang', 'refuse', 'reset'] satisfies ProxyMode[]) {
    testIn(mode === 'refuse')(`that does "${mode}": 503 soon, not ready, alive, and back soon`, async () => {
      await book(client, token, ownSlot(0)) // every kind of connection is open
      proxy.set(mode)
      const slow = [
        expectUnavailable(client.hold(0, token, ownSlot(1))),
        expectUnavailable(client.change(0, '01990000-0000-7000-8000-000000000000', { notes: 'x' })),
        ...Array.from({ length: 30 }, (_, index) =>
          expectUnavailable(client.hold(0, token, ownSlot(2 + index))),
        ),
      ]
      const readiness = await timed(call(server.address, 'GET', '//readyz'))
      expect(readiness.reply.status).toBe(503)
      expect(readiness.tookMs).toBeLessThan(soonMs)
      expect((await call(server.address, 'GET', '//healthz')).status).toBe(200)
      await Promise.all(slow)
      // long enough that every connection has failed at least once
      await expectUnavailable(client.hold(0, token, ownSlot(40)))
      proxy.set('forward')
      await recovers()
      expect(await findErrors(database.url)).toEqual([])
    })
  }

  test.each([
    ['before', { '201': 1 }],
    ['after', { '409 hold_converted': 1 }],
  ] as const)(
    'connections cut %s the database heard of COMMIT leave one booking or none, and the repeat tells which',
    async (when, repeated) => {
      for (let round = 0; round < cuts; round += 1) {
        const hold = await client.hold(0, token, ownSlot(round))
        const id = String(hold.body.hold_id)
        const happened = proxy.cutAt('commit', when, id)
        await expectUnavailable(client.convert(0, token, id))
        await happened
        expect(tally([await client.convert(0, token, id)])).toEqual(repeated)
      }
      expect(await findErrors(database.url)).toEqual([])
    },
  )

  longTest.each(['before', 'after'] as const)(
    'keyed requests whose connections are cut %s the database heard of COMMIT are answered once when they are repeated',
    async (when) => {
      const { business } = cluster
      const send = (path: string, key: string, body: object) =>
        call(server.address, 'POST', path, { token, body, headers: { 'idempotency-key': key } })
      const cutAndRepeat = async (path: string, key: string, body: object) => {
        const happened = proxy.cutAt('commit', when, key)
        await expectUnavailable(send(path, key, body))
        await happened
        const repeated = await Promise.all([send(path, key, body), send(path, key, body)])
        expect(tally(repeated)).toEqual({ '201': 2 })
        expect(repeated[0].body).toEqual(repeated[1].body)
        return repeated[0].body
      }
      const before = await readContents(database.url)
      for (let round = 0; round < cuts; round += 1) {
        const asked = { ...offer(business, 'Meeting room'), starts_at: ownSlot(700 + round) }
        const hold = await cutAndRepeat('/bookings/hold', `hold-${when}-${round}`, asked)
        await cutAndRepeat('/bookings', `book-${when}-${round}`, { hold_id: hold.hold_id, client: ada })
      }
      const after = await readContents(database.url)
      for (const table of ['claims', 'bookings', 'events'] as const) {
        expect(after[table].length, table).toBe(before[table].length + cuts)
      }
      expect(await findErrors(database.url)).toEqual([])
    },
  )

  test('a connection that is lost inside a transaction ends that request alone', async () => {
    for (const statement of ['update claims', 'insert into events']) {
      proxy.set('forward') // on new connections nothing is prepared: the text of the statement passes
      const hold = await eventually('a hold on a new connection', async () => {
        const reply = await client.hold(0, token, ownSlot(600))
        return reply.status === 201 ? reply : undefined
      })
      const id = String(hold.body.hold_id)
      const happened = proxy.cutAt(statement, 'after')
      await expectUnavailable(client.convert(0, token, id))
      await happened
      expect(await readRows(database.url, `select id from bookings where id = '${id}'`)).toEqual([])
      expect(tally([await client.release(0, token, id)])).toEqual({ '204': 1 })
    }
    expect(server.process.stderr()).toBe('')
  })

  longTest('a server whose database hangs still stops', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, index) => client.hold(0, token, ownSlot(index)))) // open connections
    proxy.set('hang')
    const inFlight = client.hold(0, token, ownSlot(20)).catch(() => undefined)
    const startedMs = performance.now()
    expect(await server.stop()).toEqual({ code: 0, signal: null })
    expect(performance.now() - startedMs).toBeLessThan(soonMs)
    await inFlight
  })
})

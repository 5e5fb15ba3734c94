/** @module-tag long */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { findErrors, readRows } from '../support/checker.ts'
import { clientOf, slot, startCluster, type Cluster } from '../support/cluster.ts'
import { runHoldfast, type ProcessOptions } from '../support/holdfast-process.ts'
import { eventually, httpClients, openSessions, tally } from '../support/http-client.ts'
import { longTest, rounds } from '../support/long.ts'
import { makeNextRelease } from '../support/next-release.ts'
import { startNotedLoad, type NotedLoad } from '../support/noted-load.ts'
import { createTestRedis, type TestRedis } from '../support/test-redis.ts'
import { businessOf, engines } from '../support/test-service.ts'

const call = httpClients()
const possible = engines.includes('postgres') && inject('haproxy') !== null && inject('redisUrl') !== null

const nodes = rounds(2, 3)
const contenders = 80
/** Servers start one after the other under load. */
const slow = { timeout: 300_000 }

describe.runIf(possible)('several servers behind HAProxy, as docs/guides/scaling.md sets them up', () => {
  let cluster: Cluster
  let client: ReturnType<typeof clientOf>
  let redis: TestRedis
  beforeAll(async () => {
    redis = createTestRedis()
    const variables = {
      TRUST_PROXY: '127.0.0.1/32',
      DRAIN_SECONDS: '2',
      REDIS_URL: redis.url,
      REDIS_KEY_PREFIX: redis.prefix,
    }
    cluster = await startCluster('postgres', variables, { nodes })
    client = clientOf(cluster, call)
  })
  afterAll(async () => {
    await cluster.stop()
    await redis.drop()
  })

  test('one of 80 who want a slot at once gets it, and one of 50 conversions is the booking', async () => {
    const key = cluster.business.publishable_key
    const tokens = await openSessions(call, cluster.addresses, { key, count: contenders })
    for (let round = 0; round < rounds(1, 10); round += 1) {
      const replies = await Promise.all(
        tokens.map((token) => client.hold(0, token, slot(round - 10)).then((reply) => ({ reply, token }))),
      )
      expect(tally(replies.map(({ reply }) => reply))).toEqual({
        '201': 1,
        '409 slot_held': contenders - 1,
      })
      const winner = replies.find(({ reply }) => reply.status === 201)
      const id = String(winner?.reply.body.hold_id)
      const conversions = Array.from({ length: 50 }, () => client.convert(0, winner?.token ?? '', id))
      expect(tally(await Promise.all(conversions))).toEqual({ '201': 1, '409 hold_converted': 49 })
    }
    expect(await findErrors(cluster.databaseUrl)).toEqual([])
  })

  longTest('a downgrade closes the business key on every server within five seconds', async () => {
    const { id, business_key: token } = businessOf(cluster.world, 'Lotus Clinic')
    const variables = { DATABASE_URL: cluster.databaseUrl }
    const changePlan = (plan: string) =>
      runHoldfast(['business', 'update', id, '--plan', plan], { variables })
    expect(await changePlan('enterprise')).toMatchObject({ code: 0 })
    const statuses = () =>
      Promise.all(
        cluster.servers.map(
          async ({ address }) => (await call(address, 'GET', '/services', { token })).status,
        ),
      )
    expect(await statuses()).toEqual(Array(nodes).fill(200)) // cached from here on
    expect(await changePlan('pro')).toMatchObject({ code: 0 })
    await eventually('refusals', async () => {
      const all = await statuses()
      return all.every((status) => status === 403) || undefined
    })
  })

  /** Runs work under load and expects that no client notices anything. */
  async function underLoad(work: (moreLoad: () => Promise<unknown>) => Promise<void>): Promise<NotedLoad> {
    const load = await startNotedLoad(cluster, call, { clients: 6, pauseMs: 10 })
    const moreLoad = () => {
      const before = load.answered()
      return eventually('load', () => load.answered() > before + 200 || undefined)
    }
    await moreLoad()
    await work(moreLoad)
    await moreLoad()
    await load.stop()
    expect([load.unexpected, load.refused]).toEqual([[], []])
    expect(await findErrors(cluster.databaseUrl, load.acknowledged)).toEqual([])
    return load
  }

  /** Replaces one server after the other. */
  async function replaceAll(options?: Omit<ProcessOptions, 'variables'>): Promise<void> {
    for (const [place, server] of cluster.servers.entries()) {
      expect(await server.stop()).toEqual({ code: 0, signal: null })
      cluster.servers[place] = await cluster.start(place, options)
    }
  }

  longTest('a rolling restart under load loses nothing and refuses nothing', slow, async () => {
    await underLoad(() => replaceAll())
  })

  longTest('a rolling upgrade: old servers serve on the new schema, then new ones', slow, async () => {
    const program = makeNextRelease()
    await underLoad(async (moreLoad) => {
      const variables = { DATABASE_URL: cluster.databaseUrl }
      const migrated = await runHoldfast(['migrate', '--json'], { variables, program })
      expect([migrated.code, migrated.stderr]).toEqual([0, ''])
      expect(JSON.parse(migrated.stdout)).toMatchObject({ ran: ['9999-next-release'] })
      await moreLoad()
      for (const { address } of cluster.servers) {
        expect((await call(address, 'GET', '//readyz')).status).toBe(200)
      }
      await replaceAll({ program })
    })
    expect(await readRows(cluster.databaseUrl, 'select id from next_things')).toEqual([])
  })
})

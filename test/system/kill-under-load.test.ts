/** @module-tag long */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findErrors, findHalfVisits } from '../support/checker.ts'
import { startCluster, type Cluster } from '../support/cluster.ts'
import { eventually, httpClients } from '../support/http-client.ts'
import { onOneEngine, rounds } from '../support/long.ts'
import { type NotedLoad, startNotedLoad } from '../support/noted-load.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { allEvents } from '../support/webhooks.ts'

const kills = rounds(1, 50)
const call = httpClients()

onOneEngine('postgres', 'a server that is killed while it serves', (engine) => {
  let cluster: Cluster
  let receiver: Receiver
  beforeAll(async () => {
    // each client leaves many holds behind, which must all exist afterwards, and each event a delivery
    receiver = await startReceiver()
    cluster = await startCluster(engine, { NODE_ENV: 'test' }) // production would not deliver to loopback
    const token = cluster.business.business_key
    const body = { url: receiver.address, events: allEvents }
    expect((await call(cluster.address(0), 'POST', '/webhooks', { token, body })).status).toBe(201)
  })
  afterAll(async () => {
    await cluster.stop()
    await receiver.stop()
  })

  /** Expects both services of each visit in a list of bookings. */
  async function expectWholeVisits({ visits }: NotedLoad): Promise<void> {
    const token = cluster.business.business_key
    const { body } = await eventually('a list', async () => {
      const reply = await call(cluster.address(0), 'GET', '/bookings?limit=100', { token })
      return reply.status === 200 ? reply : undefined
    })
    const { data } = body as { data: { id: string; items: unknown[] }[] }
    const halves = data.filter(({ id, items }) => visits.has(id) && items.length !== 2)
    expect(halves).toEqual([])
  }

  test('loses nothing that it has acknowledged, and starts again', { timeout: 600_000 }, async () => {
    const load = await startNotedLoad(cluster, call)
    for (let kill = 0; kill < kills; kill += 1) {
      const before = load.answered()
      await eventually('load on the servers', () => load.answered() > before + 200 || undefined)
      const victim = kill % cluster.servers.length
      await cluster.servers[victim]?.kill()
      expect(await findHalfVisits(cluster.databaseUrl)).toEqual([])
      cluster.servers[victim] = await cluster.start()
      await expectWholeVisits(load)
    }
    const before = load.answered()
    await eventually('load after the last start', () => load.answered() > before + 200 || undefined)
    await eventually('twenty of each state', () => {
      const states = Object.groupBy(load.acknowledged.values(), ({ state }) => state)
      const all = ['held', 'released', 'booked', 'cancelled'] as const
      return all.every((state) => (states[state]?.length ?? 0) > 20) || undefined
    })
    await eventually('a delivery', () => receiver.received[0])
    await load.stop()
    expect(load.unexpected).toEqual([])
    expect(await findErrors(cluster.databaseUrl, load.acknowledged)).toEqual([])
  })
})

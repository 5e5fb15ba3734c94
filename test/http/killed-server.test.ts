import { afterAll, beforeAll, expect, test } from 'vitest'
import { readRows } from '../support/checker.ts'
import { slot, startCluster, type Cluster } from '../support/cluster.ts'
import { eventually, httpClients } from '../support/http-client.ts'
import { onOneEngine, rounds } from '../support/long.ts'
import { offer, type Reply } from '../support/test-service.ts'

const kills = rounds(1, 10)
const clients = 8
const call = httpClients()

onOneEngine('postgres', 'a keyed request whose server is killed', (engine) => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster(engine)
  })
  afterAll(() => cluster.stop())

  test('has one effect and one answer, however often it is repeated', async () => {
    const answers = new Map<string, Reply>()
    let repeated = 0
    let stopping = false

    /** Repeats a request until there is an answer, like a client on a bad network. */
    const untilAnswered = async (index: number): Promise<Reply> => {
      const request = {
        token: cluster.business.business_key,
        body: { ...offer(cluster.business, 'Meeting room'), starts_at: slot(index) },
        headers: { 'idempotency-key': `slot-${index}` },
      }
      for (let turn = index; ; turn += 1) {
        const reply = await call(cluster.address(turn), 'POST', '/bookings/hold', request).catch(
          () => undefined,
        )
        if (reply && reply.status !== 503) return reply
        repeated += 1
      }
    }
    const client = async (first: number): Promise<void> => {
      for (let index = first; !stopping; index += clients)
        answers.set(`slot-${index}`, await untilAnswered(index))
    }
    const load = Array.from({ length: clients }, (_, index) => client(index))
    for (let kill = 0; kill < kills; kill += 1) {
      const before = answers.size
      await eventually('answers before the next kill', () => answers.size > before + 50 || undefined)
      const victim = kill % cluster.servers.length
      const repeatedBefore = repeated
      await cluster.servers[victim]?.kill()
      await eventually('a request that met the dead server', () => repeated > repeatedBefore || undefined)
      cluster.servers[victim] = await cluster.start()
    }
    stopping = true
    await Promise.all(load)

    expect([...answers.values()].filter(({ status }) => status !== 201)).toEqual([])
    const holds = await readRows(cluster.databaseUrl, 'select id from claims')
    const records = await readRows(cluster.databaseUrl, 'select idempotency_key from idempotency_records')
    expect(holds.map(({ id }) => String(id)).toSorted()).toEqual(
      [...answers.values()].map(({ body }) => String(body.hold_id)).toSorted(),
    )
    expect(records.map((record) => String(record.idempotency_key)).toSorted()).toEqual(
      [...answers.keys()].toSorted(),
    )
  })
})

/** @module-tag long */
import { beforeEach, expect } from 'vitest'
import { readRows } from '../support/checker.ts'
import { book, clientOf, replaceByDying, slot, startCluster, type Cluster } from '../support/cluster.ts'
import { eventually, patientClients } from '../support/http-client.ts'
import { longTest, onOneEngine, rounds, testIn } from '../support/long.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { execute } from '../support/statements.ts'
import { allEvents } from '../support/webhooks.ts'

const call = patientClients()
/** Production would not deliver to loopback, and no test should wait half a minute for a retry. */
const variables = { NODE_ENV: 'test', WEBHOOK_RETRY_SECONDS: '1,1' }

const changesUntilKill = rounds(30, 200)
const kills = rounds(1, 3)
const maxChanges = (kills + 2) * changesUntilKill

/** Statements between the steps of a delivery. */
const lease = 'set next_attempt_at ='
const write = 'attempts_json = r.attempts_json'

/** Makes deliveries leased by killed servers due again. Other tests prove that this takes 30 seconds. */
const endLeases = (databaseUrl: string) =>
  execute(
    databaseUrl,
    `update deliveries set next_attempt_at = '2020-01-01T00:00:00.000Z' where status = 'pending'`,
  )

onOneEngine('sqlite', 'deliveries of servers that are killed', (engine) => {
  let cluster: Cluster
  let receiver: Receiver
  beforeEach(async () => {
    receiver = await startReceiver()
    cluster = await startCluster(engine, variables)
    return async () => {
      await cluster.stop()
      await receiver.stop()
    }
  })

  const register = async (path: string) => {
    const token = cluster.business.business_key
    const body = { url: receiver.address + path, events: allEvents }
    const reply = await call(cluster.address(0), 'POST', '/webhooks', { token, body })
    expect(reply.status).toBe(201)
    return reply.body.id as string
  }
  const ids = () => receiver.received.map(({ headers }) => headers['webhook-id'])
  const eventRows = () => readRows(cluster.databaseUrl, 'select * from events order by id')

  /** Books at a server that dies at a statement. */
  async function bookAndDie(text: string): Promise<void> {
    await register('/hooks')
    const dying = await replaceByDying(cluster, text, variables)
    // the answer may be lost with the server
    await book(clientOf(cluster, call), cluster.business.business_key, slot(1)).catch(() => undefined)
    expect(await dying.process.ended).toMatchObject({ signal: 'SIGKILL' })
    expect(await eventRows()).toHaveLength(1)
  }
  const takeOver = async () => {
    await endLeases(cluster.databaseUrl) // before the next server has its own leases
    cluster.servers.splice(0, Infinity, await cluster.start())
  }

  // in brief, the two tests use one engine each
  testIn(engine === 'sqlite')('between the commit and the sending are made by the next', async () => {
    await bookAndDie(lease)
    expect(receiver.received).toEqual([])
    await takeOver()
    await eventually('the delivery', () => receiver.received[0])
    const [event] = await eventRows()
    expect(ids()).toEqual([event?.['id']])
    expect(receiver.received[0]?.body.toString()).toBe(event?.['payload'])
  })

  longTest('between the 2xx and its record are made again, with the same id', async () => {
    await bookAndDie(write)
    expect(receiver.received).toHaveLength(1)
    await takeOver()
    await eventually('the second arrival', () => receiver.received[1])
    const [first, second] = receiver.received
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.body).toEqual(first?.body)
    await eventually('the record', async () => {
      const [row] = await readRows(cluster.databaseUrl, 'select status from deliveries')
      return row?.['status'] === 'succeeded' || undefined
    })
  })

  longTest(`${String(maxChanges)} events, with kills in between: none is lost`, async () => {
    const client = clientOf(cluster, call)
    const token = cluster.business.business_key
    const bookings = await Promise.all(
      Array.from({ length: 10 }, (_, index) => book(client, token, slot(index))),
    )
    await register('/hooks')
    const before = (await eventRows()).length
    let left = maxChanges
    let changes = 0
    const writers = bookings.map(async (id, turn) => {
      while (left > 0) {
        left -= 1
        const reply = await client
          .change(turn + changes, id, { notes: `change ${(changes += 1)}` })
          .catch(() => undefined)
        if (reply?.status !== 200) left += 1 // it may have happened nevertheless
      }
    })
    const written = Promise.all(writers)
    for (let kill = 1; kill <= kills; kill += 1) {
      await eventually('changes before the next kill', () => changes > kill * changesUntilKill || undefined)
      const victim = kill % cluster.servers.length
      await cluster.servers[victim]?.kill()
      cluster.servers[victim] = await cluster.start()
    }
    await written
    const wanted = (await eventRows()).slice(before).map((row) => String(row['id']))
    expect(wanted.length).toBeGreaterThanOrEqual(maxChanges)
    await endLeases(cluster.databaseUrl)
    await eventually('every event', () => {
      const arrived = new Set(ids())
      return wanted.every((id) => arrived.has(id)) || undefined
    })
    expect(ids().filter((id) => !wanted.includes(String(id)))).toEqual([])
  })

  // a SQLite file has one server
  if (engine === 'postgres')
    longTest('two servers that live send none twice, and share the work', async () => {
      const client = clientOf(cluster, call)
      const token = cluster.business.business_key
      const bookings = await Promise.all(
        Array.from({ length: 8 }, (_, index) => book(client, token, slot(index))),
      )
      receiver.answer = (response) => setTimeout(() => response.end(), 5)
      await Promise.all(['/a', '/b', '/c', '/d'].map(register))
      const notes = rounds(5, 25)
      const wanted = 8 * notes * 4
      let turn = 0
      await Promise.all(
        bookings.map(async (id) => {
          for (let index = 0; index < notes; index += 1) {
            const reply = await client.change((turn += 1), id, { notes: `note ${index}` })
            expect(reply.status).toBe(200)
          }
        }),
      )
      await eventually('every delivery', () => receiver.received.length >= wanted || undefined)
      await eventually('every record', async () => {
        const rows = await readRows(
          cluster.databaseUrl,
          `select id from deliveries where status <> 'succeeded'`,
        )
        return rows.length === 0 || undefined
      })
      const pairs = receiver.received.map(({ path, headers }) => `${path} ${headers['webhook-id'] ?? ''}`)
      expect(pairs).toHaveLength(wanted)
      expect(new Set(pairs).size).toBe(wanted)
      const attempts = await readRows(cluster.databaseUrl, 'select distinct attempts_made from deliveries')
      expect(attempts.map(({ attempts_made: made }) => Number(made))).toEqual([1])
    })
})

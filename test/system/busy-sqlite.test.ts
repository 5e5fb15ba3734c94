/** @module-tag long */
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf, slot, startCluster, type Cluster } from '../support/cluster.ts'
import { eventually, httpClients, openSessions, tally } from '../support/http-client.ts'
import { longTest } from '../support/long.ts'
import type { Reply } from '../support/test-service.ts'

const call = httpClients()
let cluster: Cluster
let client: ReturnType<typeof clientOf>
let tokens: string[]
beforeAll(async () => {
  cluster = await startCluster('sqlite')
  client = clientOf(cluster, call)
  const key = cluster.business.publishable_key
  tokens = await openSessions(call, cluster.addresses, { key, count: 30 })
})
afterAll(() => cluster.stop())

longTest('while another process writes to the file for long, changes are 503 and reads go on', async () => {
  using other = new DatabaseSync(cluster.databaseUrl.slice('sqlite:'.length))
  other.exec('begin immediate')
  // some wait for the file, the others behind them for their turn
  const replies: Reply[] = []
  const queued = Promise.all(
    tokens.map(async (token, index) => replies.push(await client.hold(0, token, slot(index)))),
  )
  let reads = 0
  while (replies.length < tokens.length && reads < 50) {
    const read = await call(cluster.address(0), 'GET', '/services', { token: tokens[0] ?? '' })
    expect(read.status).toBe(200)
    reads += 1
  }
  expect(reads, 'an event loop that waited for the file would answer one').toBeGreaterThan(3)
  await queued
  expect(tally(replies)).toEqual({ '503 unavailable': tokens.length })
  for (const { headers } of replies) expect(headers['retry-after']).toBe('1')
  other.exec('rollback')
  await eventually('a hold after the file was free', async () =>
    (await client.hold(0, tokens[0] ?? '', slot(200))).status === 201 ? true : undefined,
  )
})

test('a change waits for another process that writes for a moment, and then happens', async () => {
  using other = new DatabaseSync(cluster.databaseUrl.slice('sqlite:'.length))
  other.exec('begin immediate')
  const holds = Promise.all(tokens.map((token, index) => client.hold(0, token, slot(300 + index))))
  setTimeout(() => other.exec('rollback'), 200) // real time is the subject: far shorter than the limit
  expect(tally(await holds)).toEqual({ '201': tokens.length })
})

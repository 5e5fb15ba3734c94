import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../../src/database/postgres.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { findErrors, readRows } from '../support/checker.ts'
import { startCluster, type Cluster } from '../support/cluster.ts'
import { eventually, httpClients } from '../support/http-client.ts'
import { startNotedLoad } from '../support/noted-load.ts'
import { type PgBouncer, pgbouncerProgram, startPgBouncer } from '../support/pgbouncer.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { createMigratedDatabase } from '../support/test-database.ts'
import { engines } from '../support/test-service.ts'
import { allEvents } from '../support/webhooks.ts'

/* PgBouncer in transaction mode: no two transactions of a client need have the same connection. */

const call = httpClients()
const program = engines.includes('postgres') ? pgbouncerProgram() : undefined

describe.runIf(program)('by way of PgBouncer in transaction mode', () => {
  let bouncer: PgBouncer
  let direct: string
  let cluster: Cluster
  let receiver: Receiver
  beforeAll(async () => {
    const database = await createMigratedDatabase('postgres')
    direct = database.url
    bouncer = await startPgBouncer(program ?? '', database.url)
    receiver = await startReceiver()
    const drop = async () => {
      await bouncer.stop()
      await database.drop()
    }
    cluster = await startCluster(
      'postgres',
      { NODE_ENV: 'test' }, // production would not deliver to loopback
      { database: { url: bouncer.url, drop } },
    )
  })
  afterAll(async () => {
    await cluster.stop()
    await receiver.stop()
  })

  test('is recognised where the address does not say so', async () => {
    const urls = [bouncer.url.replace('?pgbouncer=true', '')]
    await expect(openPostgres({ urls, poolSize: 1, fraction: Math.random })).rejects.toThrow(
      /^DATABASE_URL: PgBouncer answers at 127\.0\.0\.1:\d+ \(unsupported startup parameter: \w+\)\. Add pgbouncer=true/,
    )
  })

  test('the role takes the settings of the guide', async () => {
    const guide = documentAt('docs/guides/high-availability.md')
    const statements = blocksOf(guide).find(({ language }) => language === 'sql')?.text ?? ''
    const all = `create role holdfast_of_guide; ${statements.replaceAll('role holdfast', 'role holdfast_of_guide')}`
    await readRows(direct, all) // which rolls back
    expect(statements.split('\n')).toHaveLength(4)
  })

  test('two servers hold, book, cancel and deliver as without', async () => {
    const token = cluster.business.business_key
    const body = { url: receiver.address, events: allEvents }
    expect((await call(cluster.address(0), 'POST', '/webhooks', { token, body })).status).toBe(201)
    const load = await startNotedLoad(cluster, call)
    await eventually('load', () => load.answered() > 500 || undefined)
    await eventually('a delivery', () => receiver.received[0])
    await load.stop()
    expect([...load.unexpected, ...load.refused]).toEqual([])
    expect(await findErrors(cluster.databaseUrl, load.acknowledged)).toEqual([])
    for (const { process } of cluster.servers) expect(process.stderr()).toBe('')
  })
})

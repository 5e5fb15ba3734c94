/** @module-tag long */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../../src/database/postgres.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'
import type { Finding } from '../../src/operate/doctor-types.ts'
import { findErrors, readRows } from '../support/checker.ts'
import { startCluster, type Cluster } from '../support/cluster.ts'
import { runCommand } from '../support/command-line.ts'
import { project, runHoldfast } from '../support/holdfast-process.ts'
import { moreHolds } from '../support/failover.ts'
import { eventually, httpClients } from '../support/http-client.ts'
import { longTest } from '../support/long.ts'
import { startNotedLoad } from '../support/noted-load.ts'
import { type PgBouncer, pgbouncerProgram, startPgBouncer } from '../support/pgbouncer.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { execute } from '../support/statements.ts'
import { createMigratedDatabase } from '../support/test-database.ts'
import { engines } from '../support/test-service.ts'
import { allEvents } from '../support/webhooks.ts'

/* PgBouncer in transaction mode: each transaction of a client may use a different connection. */

const call = httpClients()
const program = engines.includes('postgres') ? pgbouncerProgram() : undefined

async function doctor(variables: Record<string, string>): Promise<Finding[]> {
  const { stdout, stderr } = await runCommand(['doctor', '--json'], variables)
  expect(stderr).toBe('')
  return JSON.parse(stdout) as Finding[]
}

test.runIf(program)(
  'a PgBouncer of the tests ends with their process, also where that is killed',
  async () => {
    const start = `
    import { startPgBouncer } from ${JSON.stringify(join(project, 'test/support/pgbouncer.ts'))}
    console.log((await startPgBouncer(${JSON.stringify(program)}, 'postgres://a:b@127.0.0.1:1/c')).url)`
    const child = execFile(process.execPath, ['--input-type=module', '--eval', start])
    const url = new URL(await new Promise<string>((resolve) => child.stdout?.once('data', resolve)))
    const asks = () => {
      const client = new pg.Client({
        host: '127.0.0.1',
        port: Number(url.port),
        user: 'pgbouncer',
        database: 'pgbouncer',
      })
      return client.connect().then(() => client.end())
    }
    await asks()
    child.kill('SIGKILL')
    await eventually('its end', () =>
      asks().then(
        () => undefined,
        (error: unknown) => (error as { code?: string }).code === 'ECONNREFUSED' || undefined,
      ),
    )
  },
)

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

  longTest('several migrate at once, and none leaves a lock for which the next would wait', async () => {
    const migrate = () => runCommand(['migrate'], { DATABASE_URL: bouncer.url })
    for (let round = 0; round < 6; round += 1) {
      for (const ran of await Promise.all([migrate(), migrate(), migrate()])) {
        expect(ran).toMatchObject({ code: 0, stderr: '' })
      }
    }
    expect(await readRows(direct, `select 1 from pg_locks where locktype = 'advisory'`)).toEqual([])
  })

  test('is recognised where the address does not say so', async () => {
    const urls = [bouncer.url.replace('?pgbouncer=true', '')]
    await expect(openPostgres({ urls, poolSize: 1, fraction: Math.random })).rejects.toThrow(
      /^DATABASE_URL: PgBouncer answers at 127\.0\.0\.1:\d+ \(unsupported startup parameter: \w+\)\. Add pgbouncer=true/,
    )
  })

  test('is recognised where it drops startup parameters, by the server and by doctor', async () => {
    const dropping = await startPgBouncer(program ?? '', direct, [
      'ignore_startup_parameters = options, statement_timeout, idle_in_transaction_session_timeout',
    ])
    const variables = { DATABASE_URL: dropping.url.replace('?pgbouncer=true', ''), PORT: '0' }
    const { code, stderr } = await runHoldfast(['serve'], { variables })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^holdfast: DATABASE_URL: a pooler such as PgBouncer answers at 127\.0\.0\.1:\d+: .* Add pgbouncer=true to the URL: \/\w+\?pgbouncer=true\.\n$/,
    )
    const found = await doctor(variables)
    expect(found.find(({ check }) => check === 'database')).toMatchObject({
      state: 'fault',
      fix: expect.stringMatching(/^Add pgbouncer=true to the URL: /),
    })
    const reads = await doctor({ DATABASE_URL: direct, DATABASE_READ_URL: variables.DATABASE_URL })
    expect(reads.find(({ check }) => check === 'reads')).toMatchObject({
      state: 'fault',
      fix: expect.stringContaining('add pgbouncer=true to the URL'),
    })
    await dropping.stop()
  })

  test('doctor says what the role lacks, and is content when it has the settings of the guide', async () => {
    const variables = { DATABASE_URL: bouncer.url }
    const ofRole = async () => (await doctor(variables)).find(({ check }) => check === 'role')
    const lacking = await ofRole()
    expect(lacking).toMatchObject({ state: 'warning', fix: expect.stringMatching(/then RECONNECT/) })
    const [statements = ''] = lacking?.fix?.split(' then ') ?? []
    const guide = blocksOf(documentAt('docs/guides/high-availability.md'))
    const inGuide = guide.find(({ language }) => language === 'sql')?.text ?? ''
    const plain = (text: string) => text.replaceAll(/role \S+/g, 'role x').replaceAll(/;\s+/g, ';\n')
    expect(plain(inGuide)).toContain(plain(statements).trim()) // which may have some already
    const here = `in database ${new URL(direct).pathname.slice(1)}` // others use the server, too
    await execute(direct, inGuide.replaceAll('role holdfast', `role ${new URL(direct).username} ${here}`))
    await bouncer.reconnect()
    expect(await ofRole()).toMatchObject({ state: 'ok' })
  })

  test('two servers hold, book, cancel and deliver as without', async () => {
    const token = cluster.business.business_key
    const body = { url: receiver.address, events: allEvents }
    expect((await call(cluster.address(0), 'POST', '/webhooks', { token, body })).status).toBe(201)
    const load = await startNotedLoad(cluster, call)
    await moreHolds(load)
    await eventually('a delivery', () => receiver.received[0])
    await load.stop()
    expect(load.unexpected).toEqual([]) // a busy machine may refuse some with 503
    expect(await findErrors(cluster.databaseUrl, load.acknowledged)).toEqual([])
    for (const { process } of cluster.servers) expect(process.stderr()).toBe('')
  })
})

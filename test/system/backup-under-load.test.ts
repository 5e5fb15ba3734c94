/** @module-tag long */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksOf, documentAt, project } from '../docs/documents.ts'
import { findErrors, readRows, type Acknowledged } from '../support/checker.ts'
import { startCluster, type Cluster } from '../support/cluster.ts'
import { emptyDirectory, runHoldfast } from '../support/holdfast-process.ts'
import { eventually, httpClients } from '../support/http-client.ts'
import { longTest, rounds } from '../support/long.ts'
import { startNotedLoad, type NotedLoad } from '../support/noted-load.ts'
import { inBash } from '../support/shell.ts'
import { execute } from '../support/statements.ts'
import { engines } from '../support/test-service.ts'

const call = httpClients()

/**
 * Returns the records acknowledged before a backup began, which it must contain. Records that changed meanwhile may be
 * in either state.
 */
function expectedIn(before: Acknowledged, after: Acknowledged): Acknowledged {
  return new Map(
    [...before].map(([id, known]) => {
      const later = after.get(id)
      const inDoubt = known.inDoubt || later?.inDoubt === true || later?.state !== known.state
      return [id, { ...known, inDoubt }]
    }),
  )
}

async function moreLoad(load: NotedLoad, requests: number): Promise<void> {
  const before = load.answered()
  await eventually('load on the servers', () => load.answered() > before + requests || undefined)
}

/** Resolves when clients have learned of more than ten new bookings. */
async function moreBooked({ acknowledged }: NotedLoad): Promise<void> {
  const known = () =>
    [...acknowledged.values()].filter(({ state }) => state === 'booked' || state === 'cancelled').length
  const before = known()
  await eventually('bookings', () => known() > before + 10 || undefined)
}

async function bookings(databaseUrl: string): Promise<number> {
  return Number((await readRows(databaseUrl, 'select count(*) as n from bookings'))[0]?.['n'])
}

describe('a backup of SQLite while clients book', () => {
  let cluster: Cluster
  let load: NotedLoad
  let before: Acknowledged
  let after: Acknowledged
  const backup = join(emptyDirectory(), 'backup.db')
  const variables = () => ({ DATABASE_URL: cluster.databaseUrl })
  beforeAll(async () => {
    cluster = await startCluster('sqlite')
    load = await startNotedLoad(cluster, call)
    await moreLoad(load, rounds(150, 1_000))
    await moreBooked(load)
    before = new Map(load.acknowledged)
    const ran = await runHoldfast(['backup', backup], { variables: variables() })
    after = new Map(load.acknowledged)
    expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(
      /^backed up to \S+: [\d.]+ MB, \d+ bookings, the latest change at \S+ \([\d.]+ s\)\n$/,
    )
    await moreBooked(load)
  })
  afterAll(() => cluster.stop())

  test('holds everything that was acknowledged before it, whole, and disturbs nobody', async () => {
    expect(await findErrors(`sqlite:${backup}`, expectedIn(before, after))).toEqual([])
    expect(load.unexpected).toEqual([])
  })

  test('cannot be restored while the server runs, which goes on', async () => {
    const ran = await runHoldfast(['restore', backup], { variables: variables() })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^holdfast: A Holdfast server uses \S+: stop the server first\.$/m)
    await moreLoad(load, 50)
  })

  test('restored in the place of the database it is served again; what was there is kept', async () => {
    await load.stop()
    await cluster.servers[0]?.kill() // it leaves a WAL behind, which is no part of the backup
    const was = await bookings(cluster.databaseUrl)
    const ran = await runHoldfast(['restore', backup, '--json'], { variables: variables() })
    expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' })
    const report = JSON.parse(ran.stdout) as { bookings: number; kept: string }
    expect(report.bookings).toBeLessThan(was)
    expect(await bookings(cluster.databaseUrl)).toBe(report.bookings)
    expect(await bookings(`sqlite:${report.kept}`)).toBe(was)
    expect(await findErrors(`sqlite:${report.kept}`, load.acknowledged)).toEqual([])

    cluster.servers[0] = await cluster.start()
    const again = await startNotedLoad(cluster, call)
    await moreLoad(again, 100)
    await again.stop()
    expect(again.unexpected).toEqual([])
    const acknowledged = new Map([...expectedIn(before, after), ...again.acknowledged])
    expect(await findErrors(cluster.databaseUrl, acknowledged)).toEqual([])
  })
})

const tools = ['pg_dump', 'pg_restore', 'createdb']
const missing = tools.filter((tool) => spawnSync(tool, ['--version']).status !== 0)
if (missing.length > 0) {
  console.warn(`\n*** SKIPPED: there is no ${missing.join(', ')} here: a dump of PostgreSQL is not tried.\n`)
}

test.runIf(missing.length > 0 && process.env['CI'])(
  'the tools of PostgreSQL are there, as CI has to have them',
  () => {
    expect(missing).toEqual([])
  },
)

describe.runIf(engines.includes('postgres') && missing.length === 0)(
  'the commands of the guide on PostgreSQL',
  () => {
    longTest('dump, while clients book, what can be restored into another database', async () => {
      const guide = blocksOf(documentAt('docs/guides/backups.md')).map(({ text }) => text)
      const [dump = '', restore = ''] = ['pg_dump', 'pg_restore'].map((words) =>
        guide.find((text) => text.includes(words)),
      )
      const cluster = await startCluster('postgres')
      const load = await startNotedLoad(cluster, call)
      await moreLoad(load, rounds(150, 1_000))
      await moreBooked(load)
      const before = new Map(load.acknowledged)
      const directory = emptyDirectory()
      const options = { directory, variables: { DATABASE_URL: cluster.databaseUrl } }
      await inBash(`set -e\n${dump}`, options)
      const after = new Map(load.acknowledged)
      await load.stop()
      expect(load.unexpected).toEqual([])

      const name = `holdfast_test_${process.pid}_restored`
      const restored = Object.assign(new URL(cluster.databaseUrl), { pathname: `/${name}` }).href
      const lines = restore
        .replaceAll('holdfast_restored', name)
        .replace(/^RESTORED_URL=.*$/m, `RESTORED_URL=${restored}`)
        .replace('npx holdfast', `${process.execPath} ${join(project, 'bin/holdfast.js')}`)
      expect(lines).toContain(restored)
      const said = await inBash(`set -e\n${lines}`, options)
      expect(said).toMatch(/^ok {6}overlap rules: /m)
      expect(await findErrors(restored, expectedIn(before, after))).toEqual([])
      expect(await bookings(restored)).toBeGreaterThan(10)
      await execute(cluster.databaseUrl, `drop database ${name} with (force)`)
      await cluster.stop()
    })
  },
)

/** @module-tag long */
import { symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { findErrors, readRows } from '../support/checker.ts'
import { slot, startCluster, clientOf, book } from '../support/cluster.ts'
import { httpClients, openSessions } from '../support/http-client.ts'
import { emptyDirectory, runHoldfast } from '../support/holdfast-process.ts'
import { longTest, onOneEngine, rounds } from '../support/long.ts'
import { startServer } from '../support/server-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { engines } from '../support/test-service.ts'

const call = httpClients()

test('a second server on one SQLite file is refused at once, by any name of the file; the first goes on', async () => {
  const cluster = await startCluster('sqlite')
  const refusal = blocksOf(documentAt('docs/guides/self-hosting.md')).find(
    ({ language }) => language === 'text',
  )
  const file = cluster.databaseUrl.slice('sqlite:'.length)
  const link = `${emptyDirectory()}/link.db`
  symlinkSync(file, link)
  for (const url of [cluster.databaseUrl, `sqlite:${link}`]) {
    const second = await runHoldfast(['serve'], { variables: { DATABASE_URL: url, PORT: '0' } })
    expect(second).toMatchObject({ code: 1, stdout: '' })
    // on one line, as in docs/guides/self-hosting.md
    const named = url.slice('sqlite:'.length)
    expect(second.stderr).toBe(`${refusal?.text.replace('/var/lib/holdfast/holdfast.db', named) ?? ''}\n`)
  }
  const key = cluster.business.publishable_key
  const [token = ''] = await openSessions(call, cluster.addresses, { key, count: 1 })
  await book(clientOf(cluster, call), token, slot(0))
  expect(await findErrors(cluster.databaseUrl)).toEqual([])

  // the lock ends with the process, for whatever reason
  await cluster.servers[0]?.kill()
  cluster.servers[0] = await cluster.start()
  await cluster.stop()
})

onOneEngine('postgres', 'an empty database that many processes meet at once', (engine) => {
  test('is brought up to date once, and all of them end well', async () => {
    const database = await createTestDatabase(engine)
    const variables = { DATABASE_URL: database.url }
    const migrations = Array.from({ length: rounds(3, 8) }, () =>
      runHoldfast(['migrate', '--json'], { variables }),
    )
    const ran = await Promise.all(migrations)
    for (const { code, stderr } of ran) expect([code, stderr]).toEqual([0, ''])
    const names = ran.flatMap(({ stdout }) => (JSON.parse(stdout) as { ran: string[] }).ran)
    expect(names.length, 'each migration ran in one process').toBe(new Set(names).size)
    expect(names).toContain('0001-first-schema')
    await database.drop()
  })
})

describe.runIf(engines.includes('postgres'))(
  'several servers that start at once on an empty PostgreSQL database',
  () => {
    longTest('all serve, beside commands, and one demo world is there', async () => {
      const database = await createTestDatabase('postgres')
      const variables = { DATABASE_URL: database.url }
      const commands = ['migrate', 'demo'].map((command) => runHoldfast([command], { variables }))
      const servers = await Promise.all(
        Array.from({ length: rounds(2, 4) }, () => startServer(database.url, { NODE_ENV: 'development' })),
      )
      for (const { code, stderr } of await Promise.all(commands)) expect([code, stderr]).toEqual([0, ''])
      for (const { address } of servers) expect((await call(address, 'GET', '//readyz')).status).toBe(200)
      expect(await readRows(database.url, 'select id from businesses')).toHaveLength(4)
      expect(await readRows(database.url, 'select service_id from service_locations')).toHaveLength(42)
      for (const server of servers) expect(await server.stop()).toEqual({ code: 0, signal: null })
      await database.drop()
    })
  },
)

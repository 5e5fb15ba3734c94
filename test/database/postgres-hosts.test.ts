import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Database, DatabaseUnavailable } from '../../src/database/database.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { eventually } from '../support/eventually.ts'
import { longTest, testFirstOf } from '../support/long.ts'
import { startProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { engines } from '../support/test-service.ts'

/* Two paths to one server represent two servers here. test/system/failover.test.ts uses real ones. */

describe.runIf(engines.includes('postgres'))('an address with several hosts', () => {
  let database: TestDatabase
  let ways: [TcpProxy, TcpProxy]
  let db: Database | undefined
  beforeEach(async () => {
    database = await createTestDatabase('postgres')
    ways = [await startProxy(database.url), await startProxy(database.url)]
  })
  afterEach(async () => {
    await db?.close()
    await Promise.all(ways.map((way) => way.close()))
    await database.drop()
  })

  const open = async () => {
    const options = { urls: ways.map(({ url }) => url), poolSize: 3, fraction: Math.random }
    ;({ db } = await openPostgres(options))
    return db
  }
  /** Returns true once it answers again. Statements in flight during the outage may fail. */
  const answers = (opened: Database) =>
    eventually('an answer', () =>
      opened.ping().then(
        () => true,
        () => undefined,
      ),
    )

  testFirstOf([
    ['refuses', 'refuse'],
    ['does not answer', 'hang'],
  ])('is opened by the host that answers, when the other %s', async (_, mode) => {
    ways[0].set(mode)
    await (await open()).ping()
  })

  testFirstOf([
    ['refuses', 'refuse'],
    ['does not answer any more', 'hang'],
  ])('leads to the other host when the present one %s, and stays there', async (_, mode) => {
    ways[1].set('refuse')
    const opened = await open()
    ways[0].set(mode)
    ways[1].set('forward')
    await answers(opened)
    ways[0].set('forward')
    await opened.ping()
    ways[0].set('hang')
    await opened.ping() // which it would not if it had gone back
  })

  longTest('without a host that takes writes is unavailable, and found again', async () => {
    const opened = await open()
    const name = new URL(database.url).pathname.slice(1)
    const onlyReads = (value: string) =>
      sql.raw(`alter database ${name} set default_transaction_read_only = ${value}`)
    await onlyReads('on').execute(opened.reads)
    for (const way of ways) way.set('refuse')
    await expect(opened.ping()).rejects.toThrow(DatabaseUnavailable)
    for (const way of ways) way.set('forward') // to servers that accept only reads
    await expect(opened.ping()).rejects.toThrow(DatabaseUnavailable)
    await expect(open()).rejects.toThrow(
      /^DATABASE_URL: no PostgreSQL that takes writes answers at 127\.0\.0\.1:\d+ or 127\.0\.0\.1:\d+\/\w+ \(none of the/,
    )
    db = opened
    const { db: direct } = await openPostgres({ urls: [database.url], poolSize: 1, fraction: Math.random })
    await sql`set transaction_read_only = off`.execute(direct.reads)
    await sql`set default_transaction_read_only = off`.execute(direct.reads)
    await onlyReads('off').execute(direct.reads)
    await direct.close()
    for (const way of ways) way.set('refuse') // the watch has earlier connections
    for (const way of ways) way.set('forward')
    await answers(opened)
  })

  test('closes without a server, and leaves no socket', async () => {
    const opened = await open()
    for (const way of ways) way.set('hang')
    await opened.close()
    db = undefined
  })
})

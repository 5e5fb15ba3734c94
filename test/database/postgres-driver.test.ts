import { CompiledQuery, sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { instantFromMs } from '../../src/base/instants.ts'
import { type Database, DatabaseUnavailable, executeAtOnce } from '../../src/database/database.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { readRows } from '../support/checker.ts'
import { eventually } from '../support/http-client.ts'
import { longTest } from '../support/long.ts'
import { execute } from '../support/statements.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { engines } from '../support/test-service.ts'

const poolSize = 3

describe.runIf(engines.includes('postgres'))('the PostgreSQL driver', () => {
  let database: TestDatabase
  let db: Database
  let idleErrors: Error[]
  beforeAll(async () => {
    database = await createTestDatabase('postgres')
  })
  afterAll(() => database.drop())
  beforeEach(async () => {
    idleErrors = []
    const options = { urls: [database.url], poolSize, fraction: Math.random }
    db = (await openPostgres({ ...options, onIdleError: (error) => idleErrors.push(error) })).db
    await sql`drop table if exists counters`.execute(db.reads)
    await sql`create table counters (name text primary key, value integer not null)`.execute(db.reads)
    await sql`insert into counters values ('a', 0), ('b', 0)`.execute(db.reads)
  })
  afterEach(async () => {
    await db.close()
  })

  const add = (queries: typeof db.reads, name: string) =>
    sql`update counters set value = value + 1 where name = ${name}`.execute(queries)

  /** Returns the first value of a query. */
  async function value(query: ReturnType<typeof sql>): Promise<unknown> {
    const { rows } = await query.execute(db.reads)
    return Object.values(rows[0] ?? {})[0]
  }

  test('a deadlock is repeated until both transactions are done', async () => {
    const attempts: number[] = []
    const met = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()] as const
    const cross = (own: 0 | 1, first: string, second: string) =>
      db.transaction(async (tx) => {
        attempts.push(tx.attempt)
        await add(tx.db, first)
        met[own].resolve(undefined)
        await met[own === 0 ? 1 : 0].promise // each holds one row and wants the other's
        await add(tx.db, second)
      })
    await Promise.all([cross(0, 'a', 'b'), cross(1, 'b', 'a')])
    expect(attempts.length).toBeGreaterThan(2)
    expect(Math.max(...attempts)).toBeGreaterThan(0)
    const rows = await readRows(database.url, 'select value from counters')
    expect(rows.map((row) => row['value'])).toEqual([2, 2])
  })

  test.each(['40001', '40P01'])(
    'the error %s is repeated, with nothing left of the first try',
    async (code) => {
      await db.transaction(async (tx) => {
        await add(tx.db, 'a')
        if (tx.attempt < 2) await fail(tx.db, code)
      })
      expect(await value(sql`select value from counters where name = 'a'`)).toBe(1)
    },
  )

  test.each(['53300', '53100', '57P03', '58030', '55P03', '25006'])(
    'the error %s means that the database is not available',
    async (code) => {
      await expect(db.transaction((tx) => fail(tx.db, code))).rejects.toBeInstanceOf(DatabaseUnavailable)
    },
  )

  test('what a migration of another release adds does not disturb statements that are prepared', async () => {
    const all = (queries: typeof db.reads) =>
      sql<Record<string, unknown>>`select * from counters where name = ${'a'}`.execute(queries)
    const atOnce = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 8 }, work)) // on all connections
    await atOnce(() => db.transaction((tx) => all(tx.db)))
    for (const column of ['one', 'two']) {
      await execute(database.url, `alter table counters add column ${column} integer default 1`)
      const inside = await atOnce(() => db.transaction((tx) => all(tx.db)))
      const outside = await atOnce(() => all(db.reads))
      for (const { rows } of [...inside, ...outside]) expect(rows[0]?.[column]).toBe(1)
    }
  })

  test('statements that are asked for at once run in that order, and see each other', async () => {
    const rows = await db.transaction(async (tx) => {
      const change = "update counters set value = 7 where name = 'a'"
      const texts = [change, "select value from counters where name = 'a'"]
      return Promise.all(texts.map((text) => executeAtOnce(tx.db, CompiledQuery.raw(text))))
    })
    expect(rows[1]?.rows).toEqual([{ value: 7 }])
  })

  test('what is asked for along with a statement that fails, fails as it does', async () => {
    const failed: unknown[] = []
    const both = db.transaction(async (tx) => {
      const texts = ['select 1 / 0', 'select 2', "update counters set value = 9 where name = 'a'"]
      const ended = await Promise.allSettled(
        texts.map((text) => executeAtOnce(tx.db, CompiledQuery.raw(text))),
      )
      for (const one of ended) failed.push(one.status === 'rejected' && (one.reason as { code: string }).code)
    })
    await expect(both).rejects.toBeInstanceOf(Error)
    expect(failed).toEqual(['22012', '22012', '22012'])
    expect(await value(sql`select value from counters where name = 'a'`)).toBe(0)
  })

  test('a transaction in which it fails to forget its plans fails for that reason', async () => {
    const client = pg.Client.prototype
    const { query } = client
    const failing = `do $$ begin raise exception 'full' using errcode = '53100'; end $$`
    client.query = function (this: pg.Client, ...[first, ...rest]: unknown[]) {
      const sent = first === 'discard plans' ? failing : first
      return Reflect.apply(query, this, [sent, ...rest]) as unknown
    } as typeof client.query
    try {
      const many = db.transaction(async (tx) => {
        for (let count = 0; count < 100; count += 1) await add(tx.db, 'a')
      })
      await expect(many).rejects.toThrow(DatabaseUnavailable)
    } finally {
      client.query = query
    }
    await db.transaction((tx) => add(tx.db, 'a'))
    expect(await value(sql`select value from counters where name = 'a'`)).toBe(1)
  })

  test('a transaction that cannot begin writes nothing', async () => {
    const client = pg.Client.prototype
    const { query } = client
    const failing = `do $$ begin raise exception 'full' using errcode = '53100'; end $$`
    client.query = function (this: pg.Client, ...[first, ...rest]: unknown[]) {
      const isBegin = (first as { text?: string }).text === 'begin'
      return Reflect.apply(query, this, [isBegin ? failing : first, ...rest]) as unknown
    } as typeof client.query
    try {
      const first = db.transaction((tx) => add(tx.db, 'a'))
      await expect(first).rejects.toThrow(DatabaseUnavailable)
      const several = db.transaction((tx) => Promise.all([add(tx.db, 'a'), add(tx.db, 'b')]))
      await expect(several).rejects.toThrow(DatabaseUnavailable)
    } finally {
      client.query = query
    }
    expect(await value(sql`select sum(value) from counters`)).toBe(0)
    await db.transaction((tx) => add(tx.db, 'a'))
    expect(await value(sql`select sum(value) from counters`)).toBe(1)
  })

  test('any other error is thrown as the database told it', async () => {
    await expect(sql`select 1 / 0`.execute(db.reads)).rejects.toMatchObject({ code: '22012' })
  })

  longTest('a statement that is too slow is given up, and its connection serves on', async () => {
    // longer than the limit of any statement: the server itself has to end it
    const error = await sql`select pg_sleep(20)`.execute(db.reads).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(DatabaseUnavailable)
    expect((error as Error).cause).toMatchObject({ code: '57014' })
    expect(
      await value(
        sql`select count(*) from pg_stat_activity where query like '%pg_sleep(20)' and state = 'active'`,
      ),
    ).toBe(0)
  })

  longTest(
    'when all connections are taken one waits a moment, is refused, and is served again later',
    async () => {
      const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
      const holders = Array.from({ length: poolSize }, () => db.transaction(() => released))
      await expect(db.ping()).rejects.toBeInstanceOf(DatabaseUnavailable)
      const waiting = db.ping()
      release(undefined)
      await waiting
      await Promise.all(holders)
      await db.ping()
    },
  )

  test('idle connections that are lost are replaced', async () => {
    await Promise.all(Array.from({ length: poolSize }, () => db.ping()))
    await terminateAll()
    // a connection that has not noticed the loss may be handed out once
    for (let turn = 0; turn < poolSize; turn += 1) await db.ping().catch(() => undefined)
    for (let turn = 0; turn < 2 * poolSize; turn += 1) await db.ping()
    await eventually('word of the loss', () => idleErrors.length > 0 || undefined)
  })

  test('a connection that is lost in the middle of a transaction fails it, and is not used again', async () => {
    const lost = db.transaction(async (tx) => {
      await add(tx.db, 'a')
      await terminateAll()
      await add(tx.db, 'a')
    })
    await expect(lost).rejects.toBeInstanceOf(DatabaseUnavailable)
    for (let turn = 0; turn < poolSize; turn += 1) await db.ping().catch(() => undefined)
    await db.transaction((tx) => add(tx.db, 'b'))
    const rows = await readRows(database.url, 'select name, value from counters order by name')
    expect(rows).toEqual([
      { name: 'a', value: 0 },
      { name: 'b', value: 1 },
    ])
  })

  longTest(
    'a farewell that the database does not answer leaves no socket that keeps the process',
    async () => {
      const proxy = await startProxy(database.url)
      const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
      const other = (await openPostgres({ urls: [proxy.url], poolSize, fraction: Math.random })).db
      await Promise.all(Array.from({ length: poolSize }, () => other.ping()))
      const before = sockets()
      proxy.set('hang')
      await other.close()
      await eventually('the end of the sockets', () => sockets() <= before - poolSize || undefined)
      await proxy.close()
    },
  )

  test('instants are fixed-width UTC text, whatever the zone of the database', async () => {
    const zone = `alter database ${new URL(database.url).pathname.slice(1)} set timezone to 'Asia/Kolkata'`
    await sql.raw(zone).execute(db.reads)
    const options = { urls: [database.url], poolSize, fraction: Math.random }
    const other = (await openPostgres(options)).db
    const read = async (text: string) =>
      (await sql<{ at: string }>`select ${text}::timestamptz as at`.execute(other.reads)).rows[0]?.at
    expect(await read('2026-12-01T10:00:00+01:00')).toBe('2026-12-01T09:00:00.000Z')
    expect(await read('2026-12-01T09:00:00.123456Z')).toBe('2026-12-01T09:00:00.123Z')
    expect(await read('1970-01-01T00:00:00Z')).toBe('1970-01-01T00:00:00.000Z')
    expect(await read('9999-12-31T23:59:59.999Z')).toBe('9999-12-31T23:59:59.999Z')
    const instant = instantFromMs(1_764_579_600_001)
    expect(await read(instant)).toBe(instant)
    await other.close()
  })

  test('counts are numbers and JSON is text, as on SQLite', async () => {
    expect(await value(sql`select count(*) from counters`)).toBe(2)
    expect(await value(sql`select ${'{"a":1}'}::jsonb`)).toBe('{"a": 1}')
  })

  async function terminateAll(): Promise<void> {
    await readRows(
      database.url,
      `select pg_terminate_backend(pid, 2000) from pg_stat_activity
        where datname = current_database() and application_name = 'holdfast'`,
    )
  }
})

function fail(queries: Database['reads'], code: string): Promise<unknown> {
  return sql.raw(`do $$ begin raise exception 'as if' using errcode = '${code}'; end $$`).execute(queries)
}

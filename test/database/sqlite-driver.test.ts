import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { type Database, DatabaseUnavailable } from '../../src/database/database.ts'
import { openSqlite } from '../../src/database/sqlite.ts'
import { longTest } from '../support/long.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

let files: TestDatabase
let db: Database
beforeEach(async () => {
  files = await createTestDatabase('sqlite')
  const file = files.url.slice('sqlite:'.length)
  db = openSqlite({ file, clock: systemClock, fraction: () => 0 })
  await db.transaction((tx) => sql`create table notes (text) `.execute(tx.db))
})
afterEach(async () => {
  await db.close()
  await files.drop()
})

async function notes(): Promise<unknown[]> {
  const { rows } = await sql<{ text: unknown }>`select text from notes order by rowid`.execute(db.reads)
  return rows.map(({ text }) => text)
}

function write(value: unknown): Promise<unknown> {
  return db.transaction((tx) => sql`insert into notes values (${value})`.execute(tx.db))
}

describe('what cannot be stored faithfully is refused before it reaches the file', () => {
  test.each([
    ['a Date', new Date(0)],
    ['true', true],
    ['false', false],
    ['an object', { a: 1 }],
    ['an array', [1]],
    ['undefined', undefined],
    ['a big integer', 1n],
    ['bytes', Buffer.from('x')],
  ])('%s', async (_name, value) => {
    await expect(write(value)).rejects.toThrow(TypeError)
    expect(await notes()).toEqual([])
  })
})

test('text, numbers and null come back as they were', async () => {
  for (const value of ['text', '', 12, 1.5, null]) await write(value)
  expect(await notes()).toEqual(['text', '', 12, 1.5, null])
})

test.each([0, 30])(
  'each value comes under its name when the columns of a prepared statement have changed (%i more columns)',
  async (more) => {
    await write('text')
    const [file] = (await sql<{ file: string }>`pragma database_list`.execute(db.reads)).rows
    const others = Object.fromEntries(Array.from({ length: more }, (_, index) => [`other${index}`, index]))
    const columns = Object.entries(others).map(([name, value]) => `, ${value} as ${name}`)
    const read = async () =>
      (await sql.raw(`select notes.*, 'last' as last ${columns.join('')} from notes`).execute(db.reads)).rows
    expect(await read()).toMatchObject([{ text: 'text', last: 'last', ...others }])
    using other = new DatabaseSync(file?.file ?? '')
    other.exec(`alter table notes add column late text default 'late'`)
    expect(await read()).toMatchObject([{ text: 'text', late: 'late', last: 'last', ...others }])
    other.exec('alter table notes rename column text to words')
    const [row] = await read()
    expect(row).toMatchObject({ words: 'text', late: 'late', last: 'last', ...others })
    expect(row).not.toHaveProperty('text')
  },
)

test('the file is durable: write-ahead log, full synchronisation, foreign keys', async () => {
  const pragma = async (name: string) =>
    db.transaction(
      async (tx) => Object.values((await sql.raw(`pragma ${name}`).execute(tx.db)).rows[0] ?? {})[0],
    )
  expect(await pragma('journal_mode')).toBe('wal')
  expect(await pragma('synchronous')).toBe(2)
  expect(await pragma('temp_store')).toBe(2) // memory: there may be no room for temporary files
  expect(await pragma('foreign_keys')).toBe(1)
})

test('reads outside a transaction cannot write', async () => {
  await expect(sql`insert into notes values ('x')`.execute(db.reads)).rejects.toThrow()
  expect(await notes()).toEqual([])
})

test('transactions run one after the other, in the order in which they were asked for', async () => {
  const log: string[] = []
  await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      db.transaction(async (tx) => {
        log.push(`${name} begins`)
        for (let turn = 0; turn < 3; turn += 1) await sql`insert into notes values (${name})`.execute(tx.db)
        log.push(`${name} ends`)
      }),
    ),
  )
  expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  expect(await notes()).toEqual(['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'c'])
})

test('reads see what was committed last while a transaction is under way', async () => {
  await write('before')
  await db.transaction(async (tx) => {
    await sql`insert into notes values ('within')`.execute(tx.db)
    expect(await notes()).toEqual(['before'])
  })
  expect(await notes()).toEqual(['before', 'within'])
})

test('a transaction that fails leaves nothing, and the next one runs', async () => {
  const failed = db.transaction(async (tx) => {
    await sql`insert into notes values ('lost')`.execute(tx.db)
    throw new RangeError('changed my mind')
  })
  const next = write('kept')
  await expect(failed).rejects.toThrow(RangeError)
  await next
  expect(await notes()).toEqual(['kept'])
})

longTest('who waits four seconds for a turn is refused, and those behind are not', async () => {
  // real time is the subject
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
  const holder = db.transaction(() => released)
  const startedMs = performance.now()
  const refused = await write('too late').catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(DatabaseUnavailable)
  expect(performance.now() - startedMs).toBeGreaterThan(3_900)
  const behind = write('in time')
  release(undefined)
  await Promise.all([holder, behind])
  expect(await notes()).toEqual(['in time'])
})

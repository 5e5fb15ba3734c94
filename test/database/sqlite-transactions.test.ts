import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import type { Database, Transaction } from '../../src/database/database.ts'
import { openSqlite } from '../../src/database/sqlite.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

const execute = DatabaseSync.prototype.exec

let files: TestDatabase
let db: Database
/** Reads the contents of the disk, synchronously. */
let onlooker: DatabaseSync
/** Observes the beginnings and ends of transactions. */
let exec: MockInstance<DatabaseSync['exec']>
beforeEach(async () => {
  files = await createTestDatabase('sqlite')
  db = open()
  await db.transaction(async (tx) => {
    await sql`create table notes (text unique)`.execute(tx.db)
    await sql`create trigger undoing before insert on notes when new.text = 'undo all'
              begin select raise(rollback, 'undone'); end`.execute(tx.db)
  })
  onlooker = new DatabaseSync(fileName(), { readOnly: true })
  exec = vi.spyOn(DatabaseSync.prototype, 'exec')
})
afterEach(async () => {
  exec.mockRestore()
  onlooker.close()
  await db.close()
  await files.drop()
})

function fileName(): string {
  return files.url.slice('sqlite:'.length)
}

function open(): Database {
  return openSqlite({ file: fileName(), clock: systemClock, fraction: () => 0 })
}

function onDisk(): unknown[] {
  return onlooker
    .prepare('select text from notes order by rowid')
    .all()
    .map(({ text }) => text)
}

function insert(tx: Transaction, text: string): Promise<unknown> {
  return sql`insert into notes values (${text})`.execute(tx.db)
}

function write(text: string): Promise<string> {
  return db.transaction(async (tx) => {
    await insert(tx, text)
    return text
  })
}

/** Returns results, and the names of errors. */
async function outcomes(promises: Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(promises)
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).name))
}

test('transactions come one after the other, and each has its own outcome', async () => {
  const changeItsMind = () =>
    db.transaction(async (tx) => {
      await insert(tx, 'lost')
      throw new RangeError('changed my mind')
    })
  const all = [write('a'), changeItsMind(), write('b'), write('a'), write('c')]
  expect(await outcomes(all)).toEqual(['a', 'RangeError', 'b', 'Error', 'c'])
  expect(onDisk()).toEqual(['a', 'b', 'c'])
})

test('a first transaction that fails takes nothing of the others along', async () => {
  await write('there')
  expect(await outcomes([write('there'), write('a'), write('b')])).toEqual(['Error', 'a', 'b'])
  expect(onDisk()).toEqual(['there', 'a', 'b'])
})

test('nobody is told of a success, and nothing is done after it, before the commit', async () => {
  const log: string[] = []
  const writeAndTell = async (text: string) => {
    await db.transaction(async (tx) => {
      tx.onCommit(() => log.push(`${text} after the commit: ${onDisk().join()}`))
      await insert(tx, text)
      log.push(`${text} ends: ${onDisk().join()}`)
    })
    log.push(`${text} is told: ${onDisk().join()}`)
  }
  await Promise.all([writeAndTell('a'), writeAndTell('b')])
  expect(log.filter((line) => !line.includes('told'))).toEqual([
    'a ends: ',
    'a after the commit: a',
    'b ends: a',
    'b after the commit: a,b',
  ])
  expect(log.filter((line) => line.includes('told'))).toEqual([
    expect.stringMatching(/^a is told: a/),
    'b is told: a,b',
  ])
})

test('whoever is refused for what another did sees it afterwards', async () => {
  const taken = write('a')
  const refused = write('a').catch(() => onDisk())
  expect(await refused).toEqual(['a'])
  await taken
})

test('a commit that fails fails all that wait for one', async () => {
  exec.mockImplementation(function (this: DatabaseSync, text: string) {
    if (text === 'commit') throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
    execute.call(this, text)
  })
  expect(await outcomes([write('a'), write('a')])).toEqual(['DatabaseUnavailable', 'DatabaseUnavailable'])
  expect(onDisk()).toEqual([])
})

test('a commit that fails fails its transaction, and leaves nothing of it', async () => {
  exec.mockImplementation(function (this: DatabaseSync, text: string) {
    if (text !== 'commit') {
      execute.call(this, text)
      return
    }
    throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
  })
  const done: string[] = []
  const all = ['a', 'b', 'c'].map((text) =>
    db.transaction(async (tx) => {
      tx.onCommit(() => done.push(text))
      await insert(tx, text)
    }),
  )
  expect(await outcomes(all)).toEqual(Array(3).fill('DatabaseUnavailable'))
  expect(done).toEqual([])
  expect(onDisk()).toEqual([])
  exec.mockRestore()
  expect(await write('later')).toBe('later')
  expect(onDisk()).toEqual(['later'])
})

test('an error that undoes the whole transaction fails it alone', async () => {
  const all = [write('a'), write('undo all'), write('b')]
  expect(await outcomes(all)).toEqual(['a', 'Error', 'b'])
  expect(onDisk()).toEqual(['a', 'b'])
})

test('who goes on after such an error is stopped, and writes nothing outside a transaction', async () => {
  const ignoreError = (goOn: boolean) =>
    db.transaction(async (tx) => {
      await insert(tx, 'undo all').catch(() => undefined)
      if (goOn) await insert(tx, 'on its own')
    })
  const all = [write('a'), ignoreError(true), write('b'), ignoreError(false), write('c')]
  expect(await outcomes(all)).toEqual(['a', 'DatabaseUnavailable', 'b', 'DatabaseUnavailable', 'c'])
  expect(onDisk()).toEqual(['a', 'b', 'c'])
})

test('another process gets its turn at the file although somebody always waits here', async () => {
  let goOn = true
  let written = 0
  const load = Array.from({ length: 20 }, async () => {
    while (goOn) await write(`note ${(written += 1)}`)
  })
  const other = open() // it waits for the file, like a command next to a running server
  await other.transaction((tx) => insert(tx, 'from beside'))
  goOn = false
  await Promise.all(load)
  await other.close()
  expect(onDisk()).toContain('from beside')
  expect(onDisk()).toHaveLength(written + 1)
})

test('closing commits what has ended', async () => {
  const { promise: isWritten, resolve: tell } = Promise.withResolvers<undefined>()
  const ended = db.transaction(async (tx) => {
    await insert(tx, 'a')
    tell(undefined)
  })
  await isWritten
  await db.close()
  await ended
  expect(onDisk()).toEqual(['a'])
})

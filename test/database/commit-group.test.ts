import { sql } from 'kysely'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test, vi, type MockInstance } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { Database, Transaction } from '../../src/database/database.ts'
import { openSqlite } from '../../src/database/sqlite.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

const execute = DatabaseSync.prototype.exec

let files: TestDatabase
let db: Database
/** Sees what is on the disk, at once and not by promises. */
let onlooker: DatabaseSync
/** Where transactions begin and end. */
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

/** What became of them: their results, and the names of their errors. */
async function outcomes(promises: Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(promises)
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).name))
}

function commits(): number {
  return exec.mock.calls.filter(([text]) => text === 'commit').length
}

test('transactions that wait for each other share one commit, and each has its own outcome', async () => {
  const changeItsMind = () =>
    db.transaction(async (tx) => {
      await insert(tx, 'lost')
      throw new RangeError('changed my mind')
    })
  const all = [write('a'), changeItsMind(), write('b'), write('a'), write('c')]
  expect(await outcomes(all)).toEqual(['a', 'RangeError', 'b', 'Error', 'c'])
  expect(onDisk()).toEqual(['a', 'b', 'c'])
  expect(commits()).toBe(1)
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
  expect(log.toSorted()).toEqual([
    'a after the commit: a,b',
    'a ends: ',
    'a is told: a,b',
    'b after the commit: a,b',
    'b ends: ',
    'b is told: a,b',
  ])
  expect(log.filter((line) => line.includes('told'))).toEqual(['a is told: a,b', 'b is told: a,b'])
})

test('whoever is refused for what another did sees it afterwards', async () => {
  const taken = write('a')
  const refused = write('a').catch(() => onDisk())
  expect(await refused).toEqual(['a'])
  await taken
})

test('a commit that fails fails those too that were refused for what it would have kept', async () => {
  exec.mockImplementation(function (this: DatabaseSync, text: string) {
    if (text === 'commit') throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
    execute.call(this, text)
  })
  expect(await outcomes([write('a'), write('a')])).toEqual(['DatabaseUnavailable', 'DatabaseUnavailable'])
  expect(onDisk()).toEqual([])
})

test('a commit that fails fails all, and leaves nothing of any', async () => {
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

test('an error that undoes the whole transaction fails all that had ended, and nobody after it', async () => {
  const all = [write('a'), write('b'), write('undo all'), write('c')]
  expect(await outcomes(all)).toEqual(['DatabaseUnavailable', 'DatabaseUnavailable', 'Error', 'c'])
  expect(onDisk()).toEqual(['c'])
})

test('who goes on after such an error is stopped, and writes nothing outside a transaction', async () => {
  const ignoreError = (goOn: boolean) =>
    db.transaction(async (tx) => {
      await insert(tx, 'undo all').catch(() => undefined)
      if (goOn) await insert(tx, 'on its own')
    })
  const all = [write('a'), ignoreError(true), write('b'), ignoreError(false), write('c')]
  expect(await outcomes(all)).toEqual([...Array<unknown>(4).fill('DatabaseUnavailable'), 'c'])
  expect(onDisk()).toEqual(['c'])
})

test('a group is bounded, and all in it keep their order', async () => {
  const texts = Array.from({ length: 250 }, (_, index) => `note ${index}`)
  expect(await Promise.all(texts.map(write))).toEqual(texts)
  expect(onDisk()).toEqual(texts)
  expect(commits()).toBeGreaterThanOrEqual(3)
  expect(commits()).toBeLessThan(50)
})

test('another process gets its turn at the file although somebody always waits here', async () => {
  let goOn = true
  let written = 0
  const load = Array.from({ length: 20 }, async () => {
    while (goOn) await write(`note ${(written += 1)}`)
  })
  const other = open() // it waits for the file as a command beside the server does
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

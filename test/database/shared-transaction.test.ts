import { sql } from 'kysely'
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import {
  type Database,
  type Queries,
  RetryTransaction,
  type Transaction,
} from '../../src/database/database.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { sharedStatement } from '../../src/database/shared-transaction.ts'
import { openSqlite } from '../../src/database/sqlite.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { onEachEngine } from '../support/test-service.ts'

onEachEngine('a shared transaction', (engine) => {
  let database: TestDatabase
  let db: Database
  let statements: string[]
  /** The members of a failed group run again in separate transactions. */
  let transactions: MockInstance
  beforeEach(async () => {
    statements = []
    database = await createTestDatabase(engine)
    const options = { fraction: () => 0, onStatement: (text: string) => void statements.push(text) }
    db =
      engine === 'sqlite'
        ? openSqlite({ ...options, file: database.url.slice('sqlite:'.length), clock: systemClock })
        : (await openPostgres({ ...options, urls: [database.url], poolSize: 3 })).db
    await db.transaction(async (tx) => {
      await sql`create table notes (name text primary key, taker integer not null)`.execute(tx.db)
    })
    statements.length = 0
    transactions = vi.spyOn(db, 'transaction')
  })
  afterEach(async () => {
    await db.close()
    await database.drop()
  })

  const share = <T>(work: (tx: Transaction) => Promise<T>, owner = 'a') =>
    db.sharedTransaction(work, { owner })

  const rowsFor = (members: readonly { name: string; taker: number }[]) =>
    sql.join(members.map(({ name, taker }) => sql`(${sql.lit(name)}, ${sql.lit(taker)})`))

  /** Writes a name and returns the number of simultaneous members. */
  const insertNote = sharedStatement({
    writes: true,
    run: async (queries: Queries, members: readonly { name: string; taker: number }[]) => {
      await sql`insert into notes (name, taker) values ${rowsFor(members)}`.execute(queries)
      return members.map(() => members.length)
    },
  })

  /** Like `insertNote`, but leaves an existing name alone. Returns true if it was inserted. */
  const insertNew = sharedStatement({
    writes: (isInserted: boolean) => isInserted,
    run: async (queries: Queries, members: readonly { name: string; taker: number }[]) => {
      const { rows } = await sql<{ name: string }>`
        insert into notes (name, taker) values ${rowsFor(members)} on conflict do nothing returning name`.execute(
        queries,
      )
      return members.map(({ name }) => rows.some((row) => row.name === name))
    },
  })

  /** Counts the notes of this transaction. */
  const countNotes = sharedStatement({
    writes: false,
    run: async (queries: Queries, members: readonly string[]) => {
      const { rows } = await sql<{ count: number }>`select count(*) as count from notes`.execute(queries)
      return members.map((name) => `${name} sees ${Number(rows[0]?.count)}`)
    },
  })

  /** Locks a name, as a row would be locked. */
  const lockNote = sharedStatement({
    writes: false,
    locks: (name: string) => name,
    run: (_queries: Queries, members: readonly string[]) => Promise.resolve(members.map(() => undefined)),
  })

  const names = async () => {
    const { rows } = await sql<{ name: string }>`select name from notes order by name`.execute(db.reads)
    return rows.map(({ name }) => name)
  }
  const ofKind = (kind: RegExp) => statements.filter((text) => kind.test(text))

  test('the members of a large group ask for their next statement together', async () => {
    const members = Array.from({ length: 11 }, (_, taker) => ({ name: `n${taker}`, taker }))
    const asked = await Promise.all(
      members.map((member) =>
        share(async (tx) => {
          await countNotes(tx, member.name)
          return insertNote(tx, member)
        }),
      ),
    )
    expect(asked).toEqual(members.map(() => members.length))
  })

  test('of those who wait at the same time is one: what they ask at once is one statement', async () => {
    const results = await Promise.all(
      ['a', 'b', 'c'].map((name, taker) =>
        share(async (tx) => {
          const before = await countNotes(tx, name)
          const together = await insertNote(tx, { name, taker })
          return [before, together, await countNotes(tx, name)]
        }),
      ),
    )
    expect(results).toEqual([
      ['a sees 0', 3, 'a sees 3'],
      ['b sees 0', 3, 'b sees 3'],
      ['c sees 0', 3, 'c sees 3'],
    ])
    expect(ofKind(/^\s*insert/)).toHaveLength(1)
    expect(ofKind(/^\s*select count/)).toHaveLength(2)
    expect(transactions).toHaveBeenCalledTimes(1)
  })

  test('of one alone is a transaction like any other', async () => {
    expect(await share((tx) => insertNote(tx, { name: 'a', taker: 0 }))).toBe(1)
    await expect(
      share(async (tx) => {
        await insertNote(tx, { name: 'b', taker: 0 })
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    expect(await names()).toEqual(['a'])
  })

  test('has one time, which all of its members see', async () => {
    const [one, two] = await Promise.all([share(async (tx) => tx.now), share(async (tx) => tx.now)])
    expect(one).toBe(two)
  })

  test('is left by a member that fails before it wrote: it fails nobody', async () => {
    const settled = await Promise.allSettled([
      share((tx) => insertNote(tx, { name: 'a', taker: 0 })),
      share(async (tx) => {
        await countNotes(tx, 'b')
        throw new Error('refused')
      }),
      share(async (tx) => {
        await insertNew(tx, { name: 'c', taker: 2 })
        return 'c'
      }),
    ])
    expect(settled).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { message: 'refused' } },
      { status: 'fulfilled', value: 'c' },
    ])
    expect(await names()).toEqual(['a', 'c'])
    expect(transactions).toHaveBeenCalledTimes(1)
  })

  test('counts a write that changed nothing as none', async () => {
    await share((tx) => insertNote(tx, { name: 'a', taker: 0 }))
    statements.length = 0
    const settled = await Promise.allSettled([
      share((tx) => insertNote(tx, { name: 'b', taker: 0 })),
      share(async (tx) => {
        if (!(await insertNew(tx, { name: 'a', taker: 1 }))) throw new Error('taken')
      }),
    ])
    expect(settled).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { message: 'taken' } },
    ])
    expect(await names()).toEqual(['a', 'b'])
    expect(transactions).toHaveBeenCalledTimes(2)
  })

  test.each([
    ['by a shared statement', (tx: Transaction) => insertNote(tx, { name: 'bad', taker: 1 })],
    ['by itself', (tx: Transaction) => sql`insert into notes (name, taker) values ('bad', 1)`.execute(tx.db)],
  ])('rolls back a member that fails after it wrote %s, and commits the others', async (_how, write) => {
    const failed = new Error('too late')
    const settled = await Promise.allSettled([
      share((tx) => insertNote(tx, { name: 'a', taker: 0 })),
      share(async (tx) => {
        await write(tx)
        throw failed
      }),
      share((tx) => insertNote(tx, { name: 'c', taker: 2 })),
    ])
    expect(settled).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected' }, { status: 'fulfilled' }])
    expect((settled[1] as PromiseRejectedResult).reason).toBe(failed)
    expect(await names()).toEqual(['a', 'c'])
  })

  test('fails, for a statement that fails, its member alone in the end', async () => {
    await share((tx) => insertNote(tx, { name: 'there', taker: 0 }))
    const settled = await Promise.allSettled(
      ['a', 'there', 'c'].map((name, taker) => share((tx) => insertNote(tx, { name, taker }))),
    )
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((settled[1] as PromiseRejectedResult).reason).toMatchObject({
      message: expect.stringMatching(/unique/i),
    })
    expect(await names()).toEqual(['a', 'c', 'there'])
  })

  test('keeps what a member does after a failed statement from counting, although it went on', async () => {
    await share((tx) => insertNote(tx, { name: 'there', taker: 0 }))
    const swallow = async (tx: Transaction) => {
      await insertNote(tx, { name: 'there', taker: 1 }).catch(() => undefined)
      return 'went on'
    }
    const settled = await Promise.allSettled([
      share((tx) => insertNote(tx, { name: 'a', taker: 0 })),
      share(swallow),
      share((tx) => insertNote(tx, { name: 'c', taker: 2 })),
    ])
    // on PostgreSQL a failure undoes the whole transaction, on SQLite only the failed statement
    expect(settled[1]).toMatchObject(
      engine === 'postgres'
        ? { status: 'rejected', reason: { name: 'RolledBack' } }
        : { status: 'fulfilled', value: 'went on' },
    )
    expect([settled[0].status, settled[2].status]).toEqual(['fulfilled', 'fulfilled'])
    expect(await names()).toEqual(['a', 'c', 'there'])
  })

  test('does after its commit what its members have asked for, but not those that failed', async () => {
    const done: string[] = []
    const noting = (name: string, failure?: Error) =>
      share(async (tx) => {
        tx.onCommit(() => void done.push(name))
        await countNotes(tx, name)
        if (failure) throw failure
        await insertNote(tx, { name, taker: 0 })
        expect(done).toEqual([])
      })
    await Promise.allSettled([noting('a'), noting('b', new Error('no')), noting('c')])
    expect(done).toEqual(['a', 'c'])
    expect(transactions).toHaveBeenCalledTimes(1)
  })

  test('drops what was to follow a commit when it is rolled back, and does it once when its members are tried again', async () => {
    const done: string[] = []
    const noting = (name: string, failure?: Error) =>
      share(async (tx) => {
        await insertNote(tx, { name, taker: 0 })
        tx.onCommit(() => void done.push(name))
        if (failure) throw failure
      })
    await Promise.allSettled([noting('a'), noting('b', new Error('no')), noting('c')])
    expect(done).toEqual(['a', 'c'])
    expect(await names()).toEqual(['a', 'c'])
  })

  test('is tried again by a member that lost a race before it wrote, and commits the others meanwhile', async () => {
    const seen: string[] = []
    await Promise.all([
      share((tx) => insertNote(tx, { name: 'a', taker: 0 })),
      share(async (tx) => {
        seen.push(await countNotes(tx, 'b'))
        if (seen.length < 3) throw new RetryTransaction('lost a race')
      }),
    ])
    expect(seen).toHaveLength(3)
    expect(await names()).toEqual(['a'])
  })

  test('is tried again by a member that wrote before it lost a race, and has what it wrote once', async () => {
    let tries = 0
    await Promise.all([
      share((tx) => insertNote(tx, { name: 'a', taker: 0 })),
      share(async (tx) => {
        await insertNote(tx, { name: 'b', taker: 1 })
        tries += 1
        if (tries < 3) throw new RetryTransaction('lost a race')
      }),
    ])
    expect(tries).toBe(3)
    expect(await names()).toEqual(['a', 'b'])
  })

  test('lets those who lock one row go one after the other, each with what came before', async () => {
    const ends: string[] = []
    const change = (name: string, failure?: Error) =>
      share(async (tx) => {
        await lockNote(tx, 'row')
        await lockNote(tx, 'row') // its turn lasts until the end
        const seen = await countNotes(tx, name)
        if (failure) throw failure
        await insertNote(tx, { name, taker: 0 })
        ends.push(name)
        return seen
      })
    const settled = await Promise.allSettled([
      change('a'),
      change('b'),
      change('c', new Error('refused')),
      change('d'),
      share(async (tx) => {
        await lockNote(tx, 'another row')
        return countNotes(tx, 'e')
      }),
    ])
    expect(
      settled.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).message)),
    ).toEqual([...['a sees 0', 'b sees 1', 'refused', 'd sees 2', 'e sees 0']])
    expect(ends).toEqual(['a', 'b', 'd'])
    expect(transactions).toHaveBeenCalledTimes(1)
  })

  test('takes in nobody whose client has gone while it waited', async () => {
    const gone = vi.fn(() => Promise.resolve())
    const settled = await Promise.allSettled([
      share((tx) => insertNote(tx, { name: 'a', taker: 0 })),
      db.sharedTransaction(gone, { owner: 'a', isGone: () => true }),
    ])
    expect(settled).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { name: 'MemberGone' } },
    ])
    expect(gone).not.toHaveBeenCalled()
  })
})

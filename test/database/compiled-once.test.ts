import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createContext } from '../../src/create-context.ts'
import { compiledOnce, type Given } from '../../src/database/compiled-once.ts'
import type { Database, Engine } from '../../src/database/database.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { engines, onEachEngine } from '../support/test-service.ts'

/** What a booth sells. */
interface Ware {
  name: string
  price: number | null
}

/** A database with a table of wares. */
async function open(engine: Engine, onStatement: (text: string) => void = () => undefined) {
  const database = await createTestDatabase(engine)
  const config = readConfig({ NODE_ENV: 'test', DATABASE_URL: database.url, LOG_LEVEL: 'error' })
  const { db } = await createContext(config, { onStatement })
  await db.transaction(async (tx) => {
    await sql`create table wares (name text, price integer)`.execute(tx.db)
  })
  const close = async () => {
    await db.close()
    await database.drop()
  }
  return { db, close }
}

onEachEngine('a query that is compiled once', (engine) => {
  let opened: { db: Database; close: () => Promise<void> }
  let db: Database
  let sent: string[]
  beforeEach(async () => {
    sent = []
    opened = await open(engine, (text) => sent.push(text))
    db = opened.db
  })
  afterEach(() => opened.close())

  /** Adds a ware. Tells how often its query was built. */
  function counted() {
    const built = { times: 0 }
    const add = compiledOnce((_db, { ware }: Given<{ ware: Ware }>) => {
      built.times += 1
      const price = ware.price === null ? sql`null` : sql`cast(${ware.price} as integer) + ${1}`
      return sql<Ware>`insert into wares values (${ware.name}, ${price}) returning name, price`
    })
    return { built, add }
  }

  const write = <T>(work: (queries: Database['reads']) => Promise<T>) => db.transaction((tx) => work(tx.db))
  const wares = () => sql<Ware>`select name, price from wares order by price`.execute(db.reads)

  test('is built for the first values and executed with those of each call', async () => {
    const { built, add } = counted()
    for (const name of ['apple', `o'pear`, '?', '']) {
      const { rows } = await write((queries) => add(queries, { ware: { name, price: name.length } }))
      expect(rows).toEqual([{ name, price: name.length + 1 }])
    }
    expect(built.times).toBe(1)
  })

  test('sends the text that it has when it is built each time', async () => {
    const given = { names: ['a', 'b'], price: 3 }
    const build = (_db: unknown, { names, price }: Given<typeof given> | typeof given) =>
      sql`select name from wares where name in (${sql.join([...names])}) and price > ${price} and name <> ${'c'}`
    await build(undefined, given).execute(db.reads)
    await compiledOnce((queries, parts: Given<typeof given>) => build(queries, parts))(db.reads, given)
    expect(sent.at(-1)).toContain('in (')
    expect(sent.at(-1)).toBe(sent.at(-2))
  })

  test('has a text of its own where a value is null', async () => {
    const { built, add } = counted()
    for (const price of [1, null, 2, null]) {
      await write((queries) => add(queries, { ware: { name: 'plum', price } }))
    }
    expect(built.times).toBe(2)
    expect((await wares()).rows.map(({ price }) => price).filter((price) => price !== null)).toEqual([2, 3])
  })

  test('has a text of its own for each length of a list, even for more than it keeps', async () => {
    const { add } = counted()
    for (const price of [1, 2, 3]) await write((queries) => add(queries, { ware: { name: 'fig', price } }))
    const priced = compiledOnce(
      (_db, { prices }: Given<{ prices: number[] }>) =>
        sql<{ found: number }>`select count(*) as found from wares where price in (${sql.join(prices)})`,
    )
    for (let length = 1; length <= 60; length += 1) {
      const prices = Array.from({ length }, (_, index) => index + 1)
      const { rows } = await priced(db.reads, { prices })
      expect(rows[0]?.found).toBe(Math.min(length - 1, 3)) // a ware costs one more than it was given
    }
  })

  test('tells one part from another by its name, in whatever order they are given', async () => {
    const between = compiledOnce(
      (_db, { from, to }: Given<{ from: number; to: number }>) =>
        sql<{
          yes: number
        }>`select case when cast(${from} as integer) < cast(${to} as integer) then 1 else 0 end as yes`,
    )
    expect((await between(db.reads, { from: 1, to: 2 })).rows).toEqual([{ yes: 1 }])
    expect((await between(db.reads, { to: 2, from: 1 })).rows).toEqual([{ yes: 1 }])
  })

  test('belongs to the transaction in which it is executed, and is undone with it', async () => {
    const { add } = counted()
    const undone = db.transaction(async (tx) => {
      await add(tx.db, { ware: { name: 'lime', price: 4 } })
      throw new Error('no sale')
    })
    await expect(undone).rejects.toThrow('no sale')
    expect((await wares()).rows).toEqual([])
  })

  test('serves several databases of a process, of either engine', async () => {
    const { add } = counted()
    await write((queries) => add(queries, { ware: { name: 'kiwi', price: 5 } }))
    for (const other of engines) {
      const second = await open(other)
      const { rows } = await second.db.transaction((tx) => add(tx.db, { ware: { name: 'kiwi', price: 6 } }))
      expect(rows).toEqual([{ name: 'kiwi', price: 7 }])
      await second.close()
    }
    expect((await wares()).rows).toEqual([{ name: 'kiwi', price: 6 }])
  })
})

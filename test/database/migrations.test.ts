import { DatabaseSync } from 'node:sqlite'
import { Kysely, SqliteAdapter, SqliteDialect } from 'kysely'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/base/config.ts'
import type { Context } from '../../src/bookings/context.ts'
import { migrate, migrator } from '../../src/database/migrate.ts'
import type { Tables } from '../../src/database/tables.ts'
import { createContext } from '../../src/operate/open.ts'
import { readRows } from '../support/checker.ts'
import { isWhole } from '../support/long.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { onEachEngine } from '../support/test-service.ts'

class Interruption extends Error {}

/** Runs all migrations in one transaction, as the service does. */
class OneTransaction extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

const schemaQueries = {
  sqlite: 'select type, name, tbl_name, sql from sqlite_schema order by type, name',
  postgres: `
    select 'column' as kind, table_name || '.' || column_name as name, data_type || is_nullable as definition
      from information_schema.columns where table_schema = 'public'
    union all select 'index', indexname, indexdef from pg_indexes where schemaname = 'public'
    union all select 'constraint', conname || conrelid::regclass, pg_get_constraintdef(oid)
      from pg_constraint where connamespace = 'public'::regnamespace
    order by 1, 2, 3`,
}

onEachEngine('migrations', (engine) => {
  /** Opens a database that reports every statement before it runs. */
  function open(url: string, onStatement: (sql: string) => void): Promise<Context> {
    return createContext(readConfig({ DATABASE_URL: url, LOG_LEVEL: 'silent' }), { onStatement })
  }

  test('that are interrupted at any statement converge when they run again', async () => {
    const whole = await createTestDatabase(engine)
    const statements: string[] = []
    const context = await open(whole.url, (sql) => statements.push(sql))
    statements.length = 0
    await context.db.migrate()
    await context.db.close()
    expect(statements.length).toBeGreaterThan(30)
    const schema = await readRows(whole.url, schemaQueries[engine])
    expect(schema.length).toBeGreaterThan(30)

    // one database is interrupted at its first statement, then at a later one, until none is left to interrupt
    const broken = await createTestDatabase(engine)
    let interruptions = 0
    let runs = 0
    for (let wasInterrupted = true; wasInterrupted; interruptions += isWhole ? 1 : 11) {
      runs += 1
      let left = Infinity
      const interrupted = await open(broken.url, () => {
        left -= 1
        if (left < 0) throw new Interruption()
      })
      left = interruptions
      const outcome = await interrupted.db.migrate().catch((error: unknown) => error)
      wasInterrupted = outcome instanceof Interruption
      if (!wasInterrupted) expect(outcome).toEqual(expect.any(Array))
      await interrupted.db.close()
    }
    // statements for the migrator's own tables run only the first times
    expect(interruptions).toBeGreaterThan(statements.length - 12)
    expect(runs).toBeGreaterThan(5)
    const again = await open(broken.url, () => undefined)
    expect(await again.db.migrate()).toEqual([])
    expect(await again.db.pendingMigrations()).toEqual([])
    await again.db.close()
    expect(await readRows(broken.url, schemaQueries[engine])).toEqual(schema)
    await whole.drop()
    await broken.drop()
  })
})

onEachEngine('the columns', (engine) => {
  test('are no booleans: what can be off has the instant at which it went off', async () => {
    const database = await createTestDatabase(engine)
    const context = await createContext(readConfig({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' }))
    await context.db.migrate()
    await context.db.close()
    const booleans = await readRows(
      database.url,
      engine === 'postgres'
        ? `select table_name || '.' || column_name as name from information_schema.columns
            where table_schema = 'public' and data_type = 'boolean'`
        : `select t.name || '.' || c.name as name from sqlite_schema t, pragma_table_info(t.name) c
            where c.type like 'bool%'`,
    )
    expect(booleans.map(({ name }) => name)).toEqual([])
    await database.drop()
  })
})

test('a payment that a booking names outlives the replacement of its table (sqlite)', async () => {
  const file = new DatabaseSync(':memory:')
  const prepare = (text: string) => {
    const statement = file.prepare(text)
    return {
      reader: statement.columns().length > 0,
      all: (values: readonly string[]) => statement.all(...values),
      run: (values: readonly string[]) => statement.run(...values),
      iterate: (values: readonly string[]) => statement.iterate(...values),
    }
  }
  const dialect = new SqliteDialect({ database: { prepare, close: () => file.close() } })
  const db = new Kysely<Tables>({
    dialect: Object.assign(dialect, { createAdapter: () => new OneTransaction() }),
  })
  const migrations = migrator(db, 'sqlite')
  await migrations.migrateTo('0045-refunds')
  file.exec('pragma foreign_keys = off; pragma ignore_check_constraints = on')
  const insert = (table: string, values: Record<string, string>) => {
    const columns = file.prepare(
      'select name, type, "notnull" as needed, dflt_value from pragma_table_info(?)',
    )
    const needed = columns
      .all(table)
      .filter(({ needed: isNeeded, dflt_value: usual }) => isNeeded === 1 && usual === null)
      .map(({ name, type }) => [String(name), type === 'INTEGER' ? 1 : 'x'] as const)
    const row = { ...Object.fromEntries(needed), ...values }
    const names = Object.keys(row)
    file
      .prepare(`insert into ${table} (${names.join()}) values (${names.map(() => '?').join()})`)
      .run(...Object.values(row))
  }
  insert('payments', { id: 'paid', booking_id: 'booked' })
  insert('bookings', { id: 'booked', payment_id: 'paid' })
  insert('sandbox_checkouts', { reference: 'secret', payment_id: 'paid' })
  file.exec('pragma foreign_keys = on')
  expect(await migrate(migrations)).toContain('0046-cards-and-fees')
  expect(file.prepare('select id, booking_id, saves_card from payments').all()).toEqual([
    { id: 'paid', booking_id: 'booked', saves_card: 0 },
  ])
  const broken = file.prepare('pragma foreign_key_check').all()
  expect(broken.filter(({ parent }) => parent === 'payments')).toEqual([])
  await db.destroy()
})

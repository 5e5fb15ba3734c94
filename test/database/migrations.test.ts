import { expect, test } from 'vitest'
import { readConfig } from '../../src/base/config.ts'
import type { Context } from '../../src/bookings/context.ts'
import { createContext } from '../../src/operate/open.ts'
import { readRows } from '../support/checker.ts'
import { isLong } from '../support/long.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { onEachEngine } from '../support/test-service.ts'

class Interruption extends Error {}

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
    for (let wasInterrupted = true; wasInterrupted; interruptions += isLong ? 1 : 11) {
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

import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createContext } from '../../src/create-context.ts'
import { readConfig } from '../../src/config.ts'
import type { Context } from '../../src/context.ts'
import { readRows } from '../support/checker.ts'
import { bookSlot } from '../support/client.ts'
import { rowOf } from '../support/records.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { onEachEngine, startTestService } from '../support/test-service.ts'
import { makeShop } from '../support/webhooks.ts'

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
  /** A database on which every statement is told before it runs. */
  function open(url: string, onStatement: (sql: string) => void): Promise<Context> {
    return createContext(readConfig({ DATABASE_URL: url, LOG_LEVEL: 'silent' }), { onStatement })
  }

  test(
    'that are interrupted at any statement converge when they run again',
    { timeout: 120_000 },
    async () => {
      const whole = await createTestDatabase(engine)
      const statements: string[] = []
      const context = await open(whole.url, (sql) => statements.push(sql))
      statements.length = 0
      await context.db.migrate()
      await context.db.close()
      expect(statements.length).toBeGreaterThan(30)
      const schema = await readRows(whole.url, schemaQueries[engine])
      expect(schema.length).toBeGreaterThan(30)

      // one database is interrupted at its first statement, then at its second, until none is left to interrupt
      const broken = await createTestDatabase(engine)
      let interruptions = 0
      for (let wasInterrupted = true; wasInterrupted; interruptions += 1) {
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
      // those that make the migrator's own tables are met in the first runs only
      expect(interruptions).toBeGreaterThan(statements.length - 12)
      const again = await open(broken.url, () => undefined)
      expect(await again.db.migrate()).toEqual([])
      expect(await again.db.pendingMigrations()).toEqual([])
      await again.db.close()
      expect(await readRows(broken.url, schemaQueries[engine])).toEqual(schema)
      await whole.drop()
      await broken.drop()
    },
  )

  test('fill what is searched of the bookings that are there, and spell their zones as the tz database does', async () => {
    const service = await startTestService(engine)
    const shop = await makeShop(service)
    const client = { first_name: 'ZOË', last_name: 'Ärmel', email: 'Z@example.com', phone: '+49 30' }
    const { id } = await bookSlot(shop.client, shop.offer, '2026-12-01T10:00:00Z', { book: { client } })
    const written = await rowOf(service, 'bookings', String(id))
    await service.context.db.transaction(async ({ db }) => {
      for (const statement of [
        `alter table bookings drop column client_search`,
        `alter table bookings drop column no_show_at`,
        `delete from kysely_migration where name = '0008-bookings-found'`,
        `update locations set timezone = 'europe/BERLIN'`,
      ]) {
        await sql.raw(statement).execute(db)
      }
    })
    expect(await service.context.db.migrate()).toEqual(['0008-bookings-found'])
    expect(await rowOf(service, 'bookings', String(id))).toEqual(written)
    const zones = (await service.rows('locations')).map(({ timezone }) => timezone)
    expect(new Set(zones)).toEqual(new Set(['Europe/Berlin']))
    await service.stop()
  })
})

onEachEngine('the columns', (engine) => {
  test('are no booleans but one: what can be off has the instant at which it went off', async () => {
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
    expect(booleans.map(({ name }) => name)).toEqual(engine === 'postgres' ? ['rate_limits.counted'] : [])
    await database.drop()
  })
})

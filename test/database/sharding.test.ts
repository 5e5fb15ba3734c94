import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from 'kysely'
import { documentAt, tableUnder } from '../docs/documents.ts'
import { onEachEngine, startTestService, type TestService } from '../support/test-service.ts'

onEachEngine('how the schema divides by business', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  /** The tables with a column `business_id`, and whether it may be null; undefined for those without. */
  async function columns(): Promise<Map<string, boolean | undefined>> {
    const read =
      engine === 'sqlite'
        ? sql<{ name: string; nullable: number | null }>`
            select t.name, (select 1 - c."notnull" from pragma_table_info(t.name) as c where c.name = 'business_id') as nullable
              from sqlite_schema as t where t.type = 'table'`
        : sql<{ name: string; nullable: number | null }>`
            select t.relname as name, (select case when c.attnotnull then 0 else 1 end from pg_attribute as c
                     where c.attrelid = t.oid and c.attname = 'business_id' and not c.attisdropped) as nullable
              from pg_class as t where t.relkind = 'r' and t.relnamespace = current_schema()::regnamespace`
    const { rows } = await read.execute(service.context.db.reads)
    return new Map(
      rows.map(({ name, nullable }) => [name, nullable === null ? undefined : nullable === 1] as const),
    )
  }

  test('every table names the business of a row, but for those that docs/guides/scaling.md lists with a reason', async () => {
    const excepted = new Set(
      tableUnder(documentAt('docs/guides/scaling.md'), '### What has no `business_id`').flatMap(
        ([names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
      ),
    )
    const others = [...(await columns())].filter(([, nullable]) => nullable !== false)
    const unexplained = others.map(([name]) => name).filter((name) => !excepted.has(name))
    expect(unexplained).toEqual([])
    for (const name of ['claims', 'bookings', 'events', 'services', 'sessions', 'payments']) {
      expect(excepted, name).not.toContain(name)
      expect((await columns()).get(name), name).toBe(false)
    }
  })
})

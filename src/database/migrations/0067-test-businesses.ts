import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * Businesses for tests, and the time at which their clocks stand. A server of the previous release takes them for usual
 * businesses and sends their messages. No test business should be created while one runs.
 */
export async function testBusinesses(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { instant } = columnTypes(engine)
  const statements = [
    `alter table businesses add column is_test integer not null default 0 check (is_test in (0, 1))`,
    `alter table businesses add column ${instant('test_now')}`,
    // sweeps leave these businesses out
    `create index businesses_with_clock on businesses (id) where test_now is not null`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

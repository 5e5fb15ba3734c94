import { type RawBuilder, sql } from 'kysely'
import { testTime } from '../base/clock.ts'
import type { Reads } from './database.ts'

/**
 * Limits a sweep of due rows by the column with their business. In the time of a test business, only its rows match. In
 * real time, rows of businesses whose clocks stand still do not match.
 */
export function isSwept(column: string): RawBuilder<boolean> {
  const time = testTime()
  if (time) return sql<boolean>`${sql.ref(column)} = ${time.businessId}`
  return sql<boolean>`not exists (
    select 1 from businesses as standing where standing.id = ${sql.ref(column)} and standing.test_now is not null)`
}

/** Limits a sweep whose rows belong to no business, and are due in real time. */
export function isSweptInRealTime(): RawBuilder<boolean> {
  return testTime() ? sql<boolean>`1 = 0` : sql<boolean>`1 = 1`
}

/** Returns true for a test business, whose messages and charges reach nobody. This never changes. */
export async function isTestBusiness(db: Reads, id: string): Promise<boolean> {
  const row = await db.selectFrom('businesses').select('is_test').where('id', '=', id).executeTakeFirst()
  return row?.is_test === 1
}

import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'

/** Moves the clock of a test business forward. Returns false if it shows a later time, or there is no such business. */
export async function moveClock(
  db: Queries,
  { businessId, now }: { businessId: string; now: Instant },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('businesses')
    .set({ test_now: now })
    .where('id', '=', businessId)
    .where('is_test', '=', 1)
    .where(({ eb, or }) => or([eb('test_now', 'is', null), eb('test_now', '<=', now)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Lists businesses whose clocks stand still after an ID, in the order of IDs. */
export async function findStandingClocks(
  db: Reads,
  { after, max }: { after: string; max: number },
): Promise<{ id: string; test_now: Instant }[]> {
  const rows = await db
    .selectFrom('businesses as standing_clocks')
    .select(['id', 'test_now'])
    .where('test_now', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(max)
    .execute()
  return rows.flatMap(({ id, test_now }) => (test_now === null ? [] : { id, test_now }))
}

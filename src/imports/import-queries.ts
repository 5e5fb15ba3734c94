import type { Queries, Reads } from '../database/database.ts'

/** Finds the items that earlier imports of a business have matched by name. */
export async function findMatches(db: Reads, businessId: string): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('import_matches')
    .select(['source_id', 'item_id'])
    .where('business_id', '=', businessId)
    .execute()
  return new Map(rows.map(({ source_id, item_id }) => [source_id, item_id]))
}

const maxRows = 1_000

/** Stores matches of a business. Known ones are replaced, because their item may be gone. */
export async function storeMatches(
  db: Queries,
  business_id: string,
  matches: ReadonlyMap<string, string>,
): Promise<void> {
  const rows = [...matches].map(([source_id, item_id]) => ({ business_id, source_id, item_id }))
  for (let at = 0; at < rows.length; at += maxRows)
    await db
      .insertInto('import_matches')
      .values(rows.slice(at, at + maxRows))
      .onConflict((conflict) =>
        conflict
          .columns(['business_id', 'source_id'])
          .doUpdateSet(({ ref }) => ({ item_id: ref('excluded.item_id') })),
      )
      .execute()
}

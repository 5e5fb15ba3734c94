import { type RawBuilder, sql } from 'kysely'
import type { Reads } from './database.ts'
import { inScope, type TenantScope } from './tenant-scope.ts'

/** An entry of metadata. */
export interface MetadataEntry {
  name: string
  value: string
}

/** Maximum number of bookings or clients that are looked up by their metadata. */
const few = 1_000

/**
 * Finds the bookings and clients that have all of some entries. Returns undefined if very many do: those are better found
 * by reading a list in its order (see `hasEntries`).
 */
export async function findByMetadata(
  db: Reads,
  scope: TenantScope,
  metadata: Record<string, string>,
): Promise<string[] | undefined> {
  let found: Set<string> | undefined
  for (const [name, value] of Object.entries(metadata)) {
    const rows = await db
      .selectFrom('metadata_values as m')
      .select('m.subject_id')
      .where('m.name', '=', name)
      .where('m.value', '=', value)
      .where(inScope('m.business_id', scope))
      .limit(few + 1)
      .execute()
    if (rows.length > few) continue
    const ids = new Set(rows.map(({ subject_id }) => subject_id))
    found = found ? found.intersection(ids) : ids
  }
  return found && [...found]
}

/** Compares the metadata of an aliased booking or client. */
export function hasEntries(
  alias: 'b' | 'c',
  entries: readonly Record<keyof MetadataEntry, unknown>[],
): RawBuilder<boolean>[] {
  const of = (name: string) => sql.ref(`${alias}.${name}`)
  return entries.map(
    ({ name, value }) => sql<boolean>`exists (
      select 1 from metadata_values as m
       where m.business_id = ${of('business_id')} and m.name = ${name} and m.value = ${value} and m.subject_id = ${of('id')})`,
  )
}

import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import { auditText, insertOfAudit, type NewAuditEntry } from '../database/audit-entries.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { AuditEntriesTable } from '../database/tables.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'

const insertQuery = cachedQuery((db: Queries, { entries }: Params<{ entries: string }>) =>
  insertOfAudit(db, entries),
)

export async function insertAudit(db: Queries, entries: readonly NewAuditEntry[]): Promise<void> {
  await insertQuery(db, { entries: auditText(db, entries) })
}

export interface AuditFilter {
  businessId: string | undefined
  from: Instant | undefined
  /** Exclusive. */
  to: Instant | undefined
  actorId: string | undefined
  subjectId: string | undefined
  /** The last row of the previous page. */
  after: readonly [at: Instant, id: string] | undefined
  rows: number
}

/** An entry with the present label of the acting key and the zone of its business. */
export interface AuditRow extends AuditEntriesTable {
  label: string | null
  timezone: string | null
}

/** Lists entries, the newest first. */
export async function findAudit(
  db: Reads,
  scope: TenantScope,
  { businessId, from, to, actorId, subjectId, after, rows }: AuditFilter,
): Promise<AuditRow[]> {
  let query = db
    .selectFrom('audit_entries as a')
    .leftJoin('businesses as b', 'b.id', 'a.business_id')
    .leftJoin('api_keys as k', 'k.id', 'a.actor_id')
    .selectAll('a')
    .select(['k.label', 'b.timezone'])
  if (!('everything' in scope)) {
    const ofBusinesses = inScope('a.business_id', scope)
    query = query.where(
      'hubId' in scope ? sql<boolean>`(${ofBusinesses} or a.hub_id = ${scope.hubId})` : ofBusinesses,
    )
  }
  if (businessId) query = query.where('a.business_id', '=', businessId)
  if (from) query = query.where('a.at', '>=', from)
  if (to) query = query.where('a.at', '<', to)
  if (actorId) {
    query = query
      .where('a.actor_id', '=', actorId)
      .where(sql<boolean>`a.actor_type not in ('session', 'manage_link')`)
  }
  if (subjectId) query = query.where('a.subject_id', '=', subjectId)
  if (after) query = query.where(sql<boolean>`(a.at, a.id) < (${after[0]}, ${after[1]})`)
  return query.orderBy('a.at', 'desc').orderBy('a.id', 'desc').limit(rows).execute()
}

/** Deletes up to `max` entries older than an instant and returns their number. */
export async function deleteOldAudit(db: Queries, before: Instant, max: number): Promise<number> {
  const old = db.selectFrom('audit_entries').select('id').where('at', '<', before).limit(max)
  const { numDeletedRows } = await db.deleteFrom('audit_entries').where('id', 'in', old).executeTakeFirst()
  return Number(numDeletedRows)
}

import type { Queries } from '../database/database.ts'
import type { ApiKeysTable } from '../database/tables.ts'
import type { Instant } from '../instants.ts'

/** Whose keys: of a hub, of a business, or all. */
export interface KeyFilter {
  hubId: string | undefined
  businessId: string | undefined
}

/** What people may know of a key: everything but its digest. */
export type KeyRow = Omit<ApiKeysTable, 'digest'>

const shownColumns = [
  'id',
  'type',
  'hub_id',
  'business_id',
  'last_four',
  'allowed_origins_json',
  'created_at',
  'revoked_at',
] as const

/** Keys, the newest first, at most `most` of them. */
export function findKeys(db: Queries, { hubId, businessId }: KeyFilter, most: number): Promise<KeyRow[]> {
  let query = db.selectFrom('api_keys').select(shownColumns)
  if (hubId !== undefined) query = query.where('hub_id', '=', hubId)
  if (businessId !== undefined) query = query.where('business_id', '=', businessId)
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(most).execute()
}

/** Revokes a key; one that is revoked already keeps its time. Undefined when there is no such key. */
export async function setRevoked(db: Queries, id: string, now: Instant): Promise<KeyRow | undefined> {
  await db
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
  return db.selectFrom('api_keys').select(shownColumns).where('id', '=', id).executeTakeFirst()
}

/** A publishable key of a business that is in force. */
export async function findPublishableKey(db: Queries, businessId: string): Promise<KeyRow | undefined> {
  return db
    .selectFrom('api_keys')
    .select(shownColumns)
    .where('business_id', '=', businessId)
    .where('type', '=', 'publishable')
    .where('revoked_at', 'is', null)
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
}

/** Keys of a business, the newest first, at most `rows` of them, after the creation and id of the page before. */
export function findKeysOfBusiness(
  db: Queries,
  businessId: string,
  { after, rows }: { after: readonly [createdAt: Instant, id: string] | undefined; rows: number },
): Promise<KeyRow[]> {
  let query = db.selectFrom('api_keys').select(shownColumns).where('business_id', '=', businessId)
  if (after) {
    const [createdAt, id] = after
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'id'), '<', tuple(createdAt, id)),
    )
  }
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(rows).execute()
}

/** The digest of a key of a business, by which it is remembered; undefined when it has no such key. */
export async function findKeyDigest(
  db: Queries,
  businessId: string,
  id: string,
): Promise<string | undefined> {
  const key = await db
    .selectFrom('api_keys')
    .select('digest')
    .where('business_id', '=', businessId)
    .where('id', '=', id)
    .executeTakeFirst()
  return key?.digest
}

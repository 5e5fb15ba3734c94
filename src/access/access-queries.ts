import { sql } from 'kysely'
import { type Instant, plusMinutes } from '../base/instants.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import type { Database, Queries, Reads } from '../database/database.ts'
import { groupedLookup } from '../database/grouped.ts'
import { isAmong, isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import { sharedStatement } from '../database/shared-transaction.ts'
import type { ApiKeysTable, KeyRequestsTable, ServerSecretsTable, SessionsTable } from '../database/tables.ts'

/** Without either, matches all keys. */
export interface KeyFilter {
  hubId: string | undefined
  businessId: string | undefined
}

/** A key without its digest, for display. */
export type KeyRow = Omit<ApiKeysTable, 'digest'>

/** An expired session can pass its holds and bookings to a new one for this long. */
const previousSessionMinutes = 15

const keyColumns = [
  'id',
  'type',
  'hub_id',
  'business_id',
  'last_four',
  'label',
  'allowed_origins_json',
  'allow_frames',
  'created_at',
  'revoked_at',
  'scopes_json',
  'expires_at',
  'last_used_at',
] as const

const sessionColumns = {
  id: 'uuid',
  business_id: 'uuid',
  api_key_id: 'uuid',
  owner_id: 'uuid',
  digest: 'text',
  last_four: 'text',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
  ended_at: 'timestamptz',
} as const

const apiKeysByDigest = cachedQuery((db, { digests }: Params<{ digests: string }>) =>
  db
    .selectFrom('api_keys as k')
    .leftJoin('businesses as b', 'b.id', 'k.business_id')
    .leftJoin('hubs as h', (join) => join.on((on) => on('h.id', '=', on.fn.coalesce('k.hub_id', 'b.hub_id'))))
    .where(isAmong(db, [['k.digest', 'text']], digests))
    .select([
      'k.digest',
      'k.id',
      'k.type',
      'k.hub_id',
      'k.business_id',
      'k.last_four',
      'k.allowed_origins_json',
      'k.allow_frames',
      'k.revoked_at',
      'k.scopes_json',
      'k.expires_at',
      'b.plan as business_plan',
      'b.is_test',
      'b.limit_per_minute',
      'b.limit_per_hour',
      'h.plan as hub_plan',
    ]),
)

/** Finds a key by digest, with the plans of its business and hub. */
export const findApiKey = groupedLookup(
  async ({ reads }: Database, digests) => (await apiKeysByDigest(reads, { digests })).rows,
  { keyOf: ({ digest }) => [digest] as const, ownerOf: () => '' },
)

const sessionsByDigest = cachedQuery((db, { digests }: Params<{ digests: string }>) =>
  db
    .selectFrom('sessions as s')
    .innerJoin('api_keys as k', 'k.id', 's.api_key_id')
    .innerJoin('businesses as b', 'b.id', 's.business_id')
    .leftJoin('hubs as h', 'h.id', 'b.hub_id')
    .where(isAmong(db, [['s.digest', 'text']], digests))
    .select([
      's.digest',
      's.id',
      's.owner_id',
      's.business_id',
      's.expires_at',
      's.ended_at',
      's.last_four',
      'k.allowed_origins_json',
      'k.revoked_at',
      'b.plan as business_plan',
      'b.is_test',
      'b.limit_per_minute',
      'b.limit_per_hour',
      'b.trusted_networks_json',
      'h.plan as hub_plan',
    ]),
)

/** Finds a session by digest, with its publishable key, business and plans. */
export const findSession = groupedLookup(
  async ({ reads }: Database, digests) => (await sessionsByDigest(reads, { digests })).rows,
  { keyOf: ({ digest }) => [digest] as const, ownerOf: () => '' },
)

const bookingsByDigest = cachedQuery((db, { digests }: Params<{ digests: string }>) =>
  db
    .selectFrom('bookings as k')
    .innerJoin('businesses as b', 'b.id', 'k.business_id')
    .leftJoin('hubs as h', 'h.id', 'b.hub_id')
    .where(isAmong(db, [['k.manage_digest', 'text']], digests))
    .select([
      'k.manage_digest',
      'k.id',
      'k.business_id',
      'k.ends_at',
      'b.plan as business_plan',
      'b.is_test',
      'b.limit_per_minute',
      'b.limit_per_hour',
      'h.plan as hub_plan',
    ]),
)

/** Finds a booking by the digest of its manage token, with the plans of its business and hub. */
export const findManagedBooking = groupedLookup(
  async ({ reads }: Database, digests) => (await bookingsByDigest(reads, { digests })).rows,
  { keyOf: ({ manage_digest }) => [manage_digest] as const, ownerOf: () => '' },
)

const brandsByIds = cachedQuery((db, { ids }: Params<{ ids: string }>) =>
  db
    .selectFrom('businesses')
    .where(isAmong(db, [['id', 'uuid']], ids))
    .select([
      'id',
      'name',
      'timezone',
      'brand_name',
      'brand_color',
      'brand_logo_url',
      'reply_to_email',
      'locale',
      'phone',
    ]),
)

/** Finds a business with its brand and contact details. */
export const findBrandedBusiness = sharedStatement({
  writes: false,
  run: async (db, ids: readonly string[]) => {
    const found = await findBrands(db, ids)
    return ids.map((id) => found.get(id))
  },
})

/** Maps IDs to businesses with their brands. */
export async function findBrands(db: Reads, ids: readonly string[]) {
  const { rows } = await brandsByIds(db, { ids: JSON.stringify([...new Set(ids)].map((id) => [id])) })
  return new Map(rows.map((business) => [business.id, business]))
}

/** Finds what pages of a business show in addition to its brand. */
export function findPageDetails(db: Reads, businessId: string) {
  return db
    .selectFrom('businesses')
    .where('id', '=', businessId)
    .select(['cover_url', 'imprint_url', 'privacy_url', 'terms', 'terms_language', 'text_kinds_json'])
    .executeTakeFirst()
}

export function findPlans(db: Reads, businessId: string) {
  return db
    .selectFrom('businesses as b')
    .leftJoin('hubs as h', 'h.id', 'b.hub_id')
    .where('b.id', '=', businessId)
    .select(['b.plan as own', 'h.plan as hub'])
    .executeTakeFirstOrThrow()
}

interface PreviousSession {
  digest: string
  apiKeyId: string
  now: Instant
}

const previousColumns = {
  digest: 'text',
  api_key_id: 'uuid',
  now: 'timestamptz',
  since: 'timestamptz',
} as const

const endSessions = cachedQuery(
  (db: Queries, { rows }: Params<{ rows: string }>) => sql<{ digest: string; owner_id: string }>`
    with w as materialized (select * from ${rowsOf(db, previousColumns, rows)} as r)
    update sessions
       set ended_at = w.now
      from w
     where sessions.digest ${isPostgres(db) ? sql`= any (array(select digest from w))` : sql`in (select digest from w)`}
       and sessions.digest = w.digest and sessions.api_key_id = w.api_key_id
       and sessions.ended_at is null and sessions.expires_at >= w.since
    returning sessions.digest, sessions.owner_id`,
)

/** Ends the session that a new one replaces and returns its owner ID, or undefined if it cannot be replaced. */
export const endPreviousSession = sharedStatement({
  writes: true,
  run: async (db, members: readonly PreviousSession[]): Promise<(string | undefined)[]> => {
    const previous = new Map(members.map((member) => [member.digest, member])) // a session ends once
    const rows = [...previous.values()]
      .toSorted((one, other) => (one.digest < other.digest ? -1 : 1)) // locked in a fixed order
      .map(({ digest, apiKeyId, now }) => ({
        digest,
        api_key_id: apiKeyId,
        now,
        since: plusMinutes(now, -previousSessionMinutes),
      }))
    const ended = (await endSessions(db, { rows: rowsText(db, previousColumns, rows) })).rows
    const owners = new Map(ended.map(({ digest, owner_id }) => [digest, owner_id]))
    return members.map((member) =>
      previous.get(member.digest) === member ? owners.get(member.digest) : undefined,
    )
  },
})

const insertSessions = cachedQuery((db: Queries, { rows }: Params<{ rows: string }>) => {
  const names = sql.join(Object.keys(sessionColumns).map((name) => sql.ref(name)))
  return sql`insert into sessions (${names}) select ${names} from ${rowsOf(db, sessionColumns, rows)} as w`
})

export const insertSession = sharedStatement({
  writes: true,
  run: async (db, sessions: readonly SessionsTable[]): Promise<undefined[]> => {
    await insertSessions(db, { rows: rowsText(db, sessionColumns, sessions) })
    return sessions.map(() => undefined)
  },
})

/** Returns the number of deleted sessions. */
export async function deleteOldSessions(db: Queries, before: Instant, max: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('id', 'in', (old) =>
      old.selectFrom('sessions').select('id').where('expires_at', '<', before).limit(max),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export async function insertApiKey(db: Queries, key: ApiKeysTable): Promise<void> {
  await db.insertInto('api_keys').values(key).execute()
}

/** Leaves an existing key with the same digest unchanged. Returns true if it was missing. */
export async function insertMissingApiKey(db: Queries, key: ApiKeysTable): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('api_keys')
    .values(key)
    .onConflict((conflict) => conflict.column('digest').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** Returns how often the booking page of a business was reopened. */
export async function findPageKeyGeneration(db: Reads, businessId: string): Promise<number> {
  const { page_key_generation } = await pageKeyGenerations(db, businessId).executeTakeFirstOrThrow()
  return page_key_generation
}

/** Blocks others who open the page at the same time. */
export async function lockPageKeyGeneration(db: Queries, businessId: string): Promise<number> {
  const { page_key_generation } = await pageKeyGenerations(db, businessId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return page_key_generation
}

function pageKeyGenerations(db: Reads, businessId: string) {
  return db.selectFrom('businesses').where('id', '=', businessId).select('page_key_generation')
}

export async function setPageKeyGeneration(
  db: Queries,
  businessId: string,
  page_key_generation: number,
): Promise<void> {
  await db.updateTable('businesses').set({ page_key_generation }).where('id', '=', businessId).execute()
}

export async function isRevokedKey(db: Reads, digest: string): Promise<boolean> {
  const row = await db
    .selectFrom('api_keys')
    .select('revoked_at')
    .where('digest', '=', digest)
    .executeTakeFirst()
  return row !== undefined && row.revoked_at !== null
}

export async function findServerSecret(db: Reads, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('server_secrets')
    .select('secret')
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.secret
}

/** Leaves an existing secret with the same name unchanged. */
export async function insertServerSecret(db: Queries, secret: ServerSecretsTable): Promise<void> {
  await db
    .insertInto('server_secrets')
    .values(secret)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Newest first. */
export function findKeys(db: Reads, { hubId, businessId }: KeyFilter, max: number): Promise<KeyRow[]> {
  let query = db.selectFrom('api_keys').select(keyColumns)
  if (hubId !== undefined) query = query.where('hub_id', '=', hubId)
  if (businessId !== undefined) query = query.where('business_id', '=', businessId)
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(max).execute()
}

/** Revokes a key. An earlier revocation keeps its time. Returns undefined for an unknown ID. */
export async function setRevoked(db: Queries, id: string, now: Instant): Promise<KeyRow | undefined> {
  await db
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
  return findKey(db, id)
}

/** Sets the hour of the last use of keys, unless a later one is stored. */
export async function setLastUsed(db: Queries, ids: readonly string[], last_used_at: Instant): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at })
    .where(isAmong(db, [['id', 'uuid']], sql.val(JSON.stringify(ids.map((id) => [id])))))
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<', last_used_at)]))
    .execute()
}

/** Locks an active publishable key until the transaction ends. Returns undefined if no key has this ID. */
export function lockPublishableKey(db: Queries, businessId: string, id: string) {
  return db
    .selectFrom('api_keys')
    .select(['id', 'allowed_origins_json'])
    .where('business_id', '=', businessId)
    .where('id', '=', id)
    .where('type', '=', 'publishable')
    .where('revoked_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

/** Sets the websites that may use a key. */
export function setOrigins(db: Queries, id: string, allowed_origins_json: string | null): Promise<KeyRow> {
  return db
    .updateTable('api_keys')
    .set({ allowed_origins_json })
    .where('id', '=', id)
    .returning(keyColumns)
    .executeTakeFirstOrThrow()
}

/** Finds the newest active publishable key of a business. */
export async function findPublishableKey(
  db: Reads,
  businessId: string,
  now: Instant,
): Promise<KeyRow | undefined> {
  return db
    .selectFrom('api_keys')
    .select(keyColumns)
    .where('business_id', '=', businessId)
    .where('type', '=', 'publishable')
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
}

/** Returns a page of keys, newest first. `after` is the last key of the previous page. */
export function findKeysOfBusiness(
  db: Reads,
  businessId: string,
  { after, rows }: { after: readonly [createdAt: Instant, id: string] | undefined; rows: number },
): Promise<KeyRow[]> {
  let query = db.selectFrom('api_keys').select(keyColumns).where('business_id', '=', businessId)
  if (after) {
    const [createdAt, id] = after
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'id'), '<', tuple(createdAt, id)),
    )
  }
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(rows).execute()
}

/** Finds a key of a business, or of any business or hub if none is given. */
export function findKey(db: Reads, id: string, businessId?: string): Promise<KeyRow | undefined> {
  const query = db.selectFrom('api_keys').select(keyColumns).where('id', '=', id)
  return (businessId === undefined ? query : query.where('business_id', '=', businessId)).executeTakeFirst()
}

/** The digest is the cache key of the caller. */
export async function findKeyDigest(db: Reads, businessId: string, id: string): Promise<string | undefined> {
  const key = await db
    .selectFrom('api_keys')
    .select('digest')
    .where('business_id', '=', businessId)
    .where('id', '=', id)
    .executeTakeFirst()
  return key?.digest
}

const requestColumns = {
  api_key_id: 'uuid',
  id: 'uuid',
  at: 'timestamptz',
  method: 'text',
  path: 'text',
  status: 'integer',
  code: 'text',
  milliseconds: 'integer',
} as const

const insertedRequests = cachedQuery((db: Queries, { rows }: Params<{ rows: string }>) => {
  const names = sql.join(Object.keys(requestColumns).map((name) => sql.ref(name)))
  return sql`insert into key_requests (${names}) select ${names} from ${rowsOf(db, requestColumns, rows)} as w`
})

export async function insertKeyRequests(db: Queries, requests: readonly KeyRequestsTable[]): Promise<void> {
  await insertedRequests(db, { rows: rowsText(db, requestColumns, requests) })
}

/** Deletes all but the newest `kept` requests of each of these keys. */
export async function deleteEarlierKeyRequests(
  db: Queries,
  keyIds: readonly string[],
  kept: number,
): Promise<void> {
  await db
    .deleteFrom('key_requests as r')
    .where(isAmong(db, [['r.api_key_id', 'uuid']], sql.val(JSON.stringify(keyIds.map((id) => [id])))))
    .where('r.id', '<=', (eb) =>
      eb
        .selectFrom('key_requests as later')
        .whereRef('later.api_key_id', '=', 'r.api_key_id')
        .select('later.id')
        .orderBy('later.id', 'desc')
        .limit(1)
        .offset(kept),
    )
    .execute()
}

/** Newest first. */
export function findKeyRequests(db: Reads, keyId: string, max: number): Promise<KeyRequestsTable[]> {
  return db
    .selectFrom('key_requests')
    .selectAll()
    .where('api_key_id', '=', keyId)
    .orderBy('id', 'desc')
    .limit(max)
    .execute()
}

/** Finds the time at which the clock of a test business stands. Undefined if the business is in real time. */
export async function findTestNow(db: Reads, businessId: string): Promise<Instant | undefined> {
  const row = await db
    .selectFrom('businesses')
    .select('test_now')
    .where('id', '=', businessId)
    .where('test_now', 'is not', null)
    .executeTakeFirst()
  return row?.test_now ?? undefined
}

import { compiledOnce, type Given } from '../database/compiled-once.ts'
import type { Queries } from '../database/database.ts'
import type { ApiKeysTable, ServerSecretsTable, SessionsTable } from '../database/tables.ts'
import { plusMinutes, type Instant } from '../instants.ts'

/** How long after its end a session token still vouches for the holds of its successor, in minutes. */
const previousSessionMinutes = 15

const apiKeyByDigest = compiledOnce((db, { digest }: Given<{ digest: string }>) =>
  db
    .selectFrom('api_keys as k')
    .leftJoin('businesses as b', 'b.id', 'k.business_id')
    .leftJoin('hubs as h', (join) => join.on((on) => on('h.id', '=', on.fn.coalesce('k.hub_id', 'b.hub_id'))))
    .where('k.digest', '=', digest)
    .select([
      'k.id',
      'k.type',
      'k.hub_id',
      'k.business_id',
      'k.last_four',
      'k.allowed_origins_json',
      'k.revoked_at',
      'b.plan as business_plan',
      'b.limit_per_minute',
      'b.limit_per_hour',
      'h.plan as hub_plan',
    ]),
)

/** The API key with this digest and the plans that decide what it may do. */
export async function findApiKey(db: Queries, digest: string) {
  const { rows } = await apiKeyByDigest(db, { digest })
  return rows[0]
}

const sessionByDigest = compiledOnce((db, { digest }: Given<{ digest: string }>) =>
  db
    .selectFrom('sessions as s')
    .innerJoin('api_keys as k', 'k.id', 's.api_key_id')
    .innerJoin('businesses as b', 'b.id', 's.business_id')
    .leftJoin('hubs as h', 'h.id', 'b.hub_id')
    .where('s.digest', '=', digest)
    .select([
      's.id',
      's.owner_id',
      's.business_id',
      's.expires_at',
      's.ended_at',
      's.last_four',
      'k.allowed_origins_json',
      'k.revoked_at',
      'b.plan as business_plan',
      'b.limit_per_minute',
      'b.limit_per_hour',
      'b.trusted_networks_json',
      'h.plan as hub_plan',
    ]),
)

/** The session with this digest, with what its publishable key and its business say of it. */
export async function findSession(db: Queries, digest: string) {
  const { rows } = await sessionByDigest(db, { digest })
  return rows[0]
}

const businessById = compiledOnce((db, { businessId }: Given<{ businessId: string }>) =>
  db
    .selectFrom('businesses')
    .where('id', '=', businessId)
    .select(['id', 'name', 'timezone', 'brand_name', 'brand_color', 'brand_logo_url']),
)

/** The business that a new session is for, with its brand. */
export async function findBusiness(db: Queries, businessId: string) {
  const [business] = (await businessById(db, { businessId })).rows
  if (!business) throw new Error('a key belongs to a business that is gone') // foreign keys forbid it
  return business
}

/** The plan of a business and that of its hub. */
export function findPlans(db: Queries, businessId: string) {
  return db
    .selectFrom('businesses as b')
    .leftJoin('hubs as h', 'h.id', 'b.hub_id')
    .where('b.id', '=', businessId)
    .select(['b.plan as own', 'h.plan as hub'])
    .executeTakeFirstOrThrow()
}

/** Ends the session that a new one follows and tells its owner; undefined when it may not be followed. */
export async function endPreviousSession(
  db: Queries,
  previous: { digest: string; apiKeyId: string; now: Instant },
): Promise<string | undefined> {
  const ended = await db
    .updateTable('sessions')
    .set({ ended_at: previous.now })
    .where('digest', '=', previous.digest)
    .where('api_key_id', '=', previous.apiKeyId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>=', plusMinutes(previous.now, -previousSessionMinutes))
    .returning('owner_id')
    .executeTakeFirst()
  return ended?.owner_id
}

const addition = compiledOnce((db, session: Given<SessionsTable>) =>
  db.insertInto('sessions').values(session),
)

/** Adds a session. */
export async function insertSession(db: Queries, session: SessionsTable): Promise<void> {
  await addition(db, session)
}

/** Deletes up to `most` sessions that expired before an instant. Tells how many. */
export async function deleteOldSessions(db: Queries, before: Instant, most: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('id', 'in', (old) =>
      old.selectFrom('sessions').select('id').where('expires_at', '<', before).limit(most),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Adds an API key. */
export async function insertApiKey(db: Queries, key: ApiKeysTable): Promise<void> {
  await db.insertInto('api_keys').values(key).execute()
}

/** A secret that the server itself keeps. */
export async function findServerSecret(db: Queries, name: string): Promise<string | undefined> {
  const kept = await db
    .selectFrom('server_secrets')
    .select('secret')
    .where('name', '=', name)
    .executeTakeFirst()
  return kept?.secret
}

/** Keeps a secret of the server, unless there is one of this name. */
export async function insertServerSecret(db: Queries, secret: ServerSecretsTable): Promise<void> {
  await db
    .insertInto('server_secrets')
    .values(secret)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

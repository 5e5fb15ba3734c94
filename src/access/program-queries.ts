import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { ProgramGrantsTable, ProgramsTable, ProgramTokensTable } from '../database/tables.ts'

export async function insertProgram(db: Queries, program: ProgramsTable): Promise<void> {
  await db.insertInto('programs').values(program).execute()
}

export function findProgram(db: Reads, id: string): Promise<ProgramsTable | undefined> {
  return db.selectFrom('programs').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Notes the use of a program, which keeps it. Returns false if it was deleted. */
export async function useProgram(db: Queries, id: string, now: Instant): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('programs')
    .set({ used_at: now })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes up to `max` programs that nobody has allowed, or that have no grant and no use since. Returns their number. */
export async function deleteOldPrograms(
  db: Queries,
  { unusedBefore, usedBefore }: { unusedBefore: Instant; usedBefore: Instant },
  max: number,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('programs')
    .where('id', 'in', (old) =>
      old
        .selectFrom('programs as p')
        .select('p.id')
        .where(({ and, eb, or }) =>
          or([
            and([eb('p.used_at', 'is', null), eb('p.created_at', '<', unusedBefore)]),
            eb('p.used_at', '<', usedBefore),
          ]),
        )
        .where(({ exists, not, selectFrom }) =>
          not(exists(selectFrom('program_grants as g').select('g.id').whereRef('g.program_id', '=', 'p.id'))),
        )
        .limit(max),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export async function insertGrant(
  db: Queries,
  grant: ProgramGrantsTable,
  code: { digest: string; redirect_uri: string; challenge: string },
): Promise<void> {
  await db.insertInto('program_grants').values(grant).execute()
  const { id: grant_id, business_id, expires_at } = grant
  await db
    .insertInto('program_codes')
    .values({ ...code, business_id, grant_id, expires_at, used_at: null })
    .execute()
}

/** Uses up a code. If two requests try at once, one gets it. */
export function takeCode(db: Queries, digest: string, now: Instant) {
  return db
    .updateTable('program_codes')
    .set({ used_at: now })
    .where('digest', '=', digest)
    .where('used_at', 'is', null)
    .returning(['grant_id', 'redirect_uri', 'challenge', 'expires_at'])
    .executeTakeFirst()
}

/** Returns the grant of a code, even of a used one. */
export async function findGrantOfCode(db: Reads, digest: string): Promise<string | undefined> {
  const code = await db
    .selectFrom('program_codes')
    .select('grant_id')
    .where('digest', '=', digest)
    .executeTakeFirst()
  return code?.grant_id
}

/** Marks a refresh token as replaced and keeps it until `keptUntil`. If two requests try at once, one gets it. */
export function takeRefreshToken(
  db: Queries,
  digest: string,
  { now, keptUntil }: { now: Instant; keptUntil: Instant },
) {
  return db
    .updateTable('program_tokens')
    .set({ replaced_at: now, expires_at: keptUntil })
    .where('digest', '=', digest)
    .where('kind', '=', 'refresh')
    .where('replaced_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(['grant_id'])
    .executeTakeFirst()
}

export function findToken(db: Reads, digest: string) {
  return db
    .selectFrom('program_tokens as t')
    .innerJoin('program_grants as g', 'g.id', 't.grant_id')
    .select(['t.grant_id', 't.kind', 't.replaced_at', 'g.program_id', 'g.scope'])
    .where('t.digest', '=', digest)
    .executeTakeFirst()
}

export async function insertTokens(db: Queries, tokens: ProgramTokensTable[]): Promise<void> {
  await db.insertInto('program_tokens').values(tokens).execute()
}

export async function deleteToken(db: Queries, digest: string): Promise<void> {
  await db.deleteFrom('program_tokens').where('digest', '=', digest).execute()
}

/** Selects grants whose person may still enter the business. */
function liveGrants(db: Reads) {
  return db
    .selectFrom('program_grants as g')
    .innerJoin('programs as a', 'a.id', 'g.program_id')
    .innerJoin('users as u', 'u.id', 'g.user_id')
    .innerJoin('user_places as p', 'p.id', 'g.place_id')
    .innerJoin('businesses as b', 'b.id', 'g.business_id')
    .leftJoin('hubs as h', 'h.id', 'b.hub_id')
    .where('u.disabled_at', 'is', null)
    .where('p.disabled_at', 'is', null)
    .whereRef('p.user_id', '=', 'g.user_id')
    .where(({ eb, or, ref }) =>
      or([eb('p.business_id', '=', ref('g.business_id')), eb('p.hub_id', '=', ref('b.hub_id'))]),
    )
}

/** Finds the person, business and rights of an access token. */
export function findGranted(db: Reads, digest: string, now: Instant) {
  return liveGrants(db)
    .innerJoin('program_tokens as t', 't.grant_id', 'g.id')
    .where('t.digest', '=', digest)
    .where('t.kind', '=', 'access')
    .where('t.expires_at', '>', now)
    .select(['g.id', 'g.business_id', 'g.last_used_at', 't.scope', 'a.name as program'])
    .select(['u.id as user_id', 'u.name', 'u.email', 'p.role', 'p.staff_id'])
    .select(['b.plan as business_plan', 'h.plan as hub_plan'])
    .executeTakeFirst()
}

/** Finds a grant whose person may still enter the business. */
export function findLiveGrant(db: Reads, id: string) {
  return liveGrants(db)
    .where('g.id', '=', id)
    .select(['g.id', 'g.program_id', 'g.user_id', 'g.business_id', 'g.scope'])
    .executeTakeFirst()
}

/** Finds the grants of a person, or those in a business, the newest first. */
export function findGrants(
  db: Reads,
  { userId, businessId }: Pick<GrantFilter, 'userId' | 'businessId'>,
  { now, max }: { now: Instant; max: number },
) {
  let query = liveGrants(db)
    .where('g.expires_at', '>', now)
    .select(['g.id', 'g.scope', 'g.created_at', 'g.last_used_at', 'a.name as program'])
    .select(['b.id as business_id', 'b.name as business', 'u.id as user_id', 'u.name as person', 'u.email'])
  if (userId !== undefined) query = query.where('g.user_id', '=', userId)
  if (businessId !== undefined) query = query.where('g.business_id', '=', businessId)
  return query.orderBy('g.created_at', 'desc').orderBy('g.id', 'desc').limit(max).execute()
}

export async function updateGrant(
  db: Queries,
  id: string,
  columns: Partial<Pick<ProgramGrantsTable, 'last_used_at' | 'expires_at'>>,
): Promise<void> {
  await db.updateTable('program_grants').set(columns).where('id', '=', id).execute()
}

/** Which grants to delete. */
interface GrantFilter {
  id?: string | undefined
  programId?: string | undefined
  userId?: string | undefined
  placeId?: string | undefined
  businessId?: string | undefined
  /** A grant to keep. */
  except?: string | undefined
}

/** Deletes the grants of a filter with their codes and tokens, and returns them. */
export function deleteGrants(
  db: Queries,
  { id, programId, userId, placeId, businessId, except }: GrantFilter,
): Promise<{ id: string; business_id: string }[]> {
  if ([id, programId, userId, placeId, businessId].every((one) => one === undefined))
    throw new Error('which grants are to end is missing')
  let query = db.deleteFrom('program_grants').returning(['id', 'business_id'])
  if (id !== undefined) query = query.where('id', '=', id)
  if (programId !== undefined) query = query.where('program_id', '=', programId)
  if (userId !== undefined) query = query.where('user_id', '=', userId)
  if (placeId !== undefined) query = query.where('place_id', '=', placeId)
  if (businessId !== undefined) query = query.where('business_id', '=', businessId)
  if (except !== undefined) query = query.where('id', '!=', except)
  return query.execute()
}

/** Deletes up to `max` expired grants with their codes and tokens, and returns their number. */
export async function deleteOldGrants(db: Queries, now: Instant, max: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('program_grants')
    .where('id', 'in', (old) =>
      old.selectFrom('program_grants').select('id').where('expires_at', '<', now).limit(max),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes up to `max` expired tokens, and returns their number. */
export async function deleteOldTokens(db: Queries, now: Instant, max: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('program_tokens')
    .where('digest', 'in', (old) =>
      old.selectFrom('program_tokens').select('digest').where('expires_at', '<', now).limit(max),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

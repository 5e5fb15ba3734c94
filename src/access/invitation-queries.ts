import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'
import type { UserEmailChangesTable, UserInvitationsTable } from '../database/tables.ts'

/** An invitation with the names to display. */
export type InvitationRow = Awaited<ReturnType<typeof findInvitations>>[number]

function invitationsWithNames(db: Reads) {
  return db
    .selectFrom('user_invitations as i')
    .leftJoin('businesses as b', 'b.id', 'i.business_id')
    .leftJoin('hubs as h', 'h.id', 'i.hub_id')
    .leftJoin('users as u', 'u.id', 'i.invited_by')
    .leftJoin('staff as s', (join) =>
      join.onRef('s.id', '=', 'i.staff_id').onRef('s.business_id', '=', 'i.business_id'),
    )
    .selectAll('i')
    .select(['b.name as business_name', 'h.name as hub_name', 'u.name as inviter_name'])
    .select(['s.name as staff_name', 'b.timezone'])
}

/** The row before the first one of a page of invitations. */
type AfterInvitation = readonly [createdAt: Instant, id: string]

/** Finds the invitations to the places of a scope, the newest first. `email` narrows them to one address. */
export function findInvitations(
  db: Reads,
  {
    scope,
    id,
    email,
    expiresAfter,
    after,
    max,
  }: {
    scope: TenantScope
    id?: string | undefined
    email?: string | undefined
    expiresAfter?: Instant | undefined
    after?: AfterInvitation | undefined
    max: number
  },
) {
  let query = invitationsWithNames(db)
  if ('businessId' in scope) query = query.where('i.business_id', '=', scope.businessId)
  if ('hubId' in scope)
    query = query.where((on) => on.or([on('i.hub_id', '=', scope.hubId), inScope('i.business_id', scope)]))
  if (id !== undefined) query = query.where('i.id', '=', id)
  if (email !== undefined) query = query.where('i.email', '=', email)
  if (expiresAfter !== undefined) query = query.where('i.expires_at', '>', expiresAfter)
  if (after) query = query.where(sql<boolean>`(i.created_at, i.id) < (${after[0]}, ${after[1]})`)
  return query.orderBy('i.created_at', 'desc').orderBy('i.id', 'desc').limit(max).execute()
}

/** Stores an invitation. If the address already has one to the same place, updates that. Returns its ID. */
export async function putInvitation(db: Queries, invitation: UserInvitationsTable): Promise<string> {
  const { id: _id, email: _email, business_id, hub_id: _hub, ...changes } = invitation
  const { id } = await db
    .insertInto('user_invitations')
    .values(invitation)
    .onConflict((conflict) =>
      (business_id === null
        ? conflict.columns(['hub_id', 'email']).where('hub_id', 'is not', null)
        : conflict.columns(['business_id', 'email']).where('business_id', 'is not', null)
      ).doUpdateSet(changes),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Removes an invitation. If two callers try at once, one gets it. */
export async function takeInvitation(
  db: Queries,
  { id, email }: { id: string; email?: string | undefined },
): Promise<UserInvitationsTable | undefined> {
  let query = db.deleteFrom('user_invitations').where('id', '=', id)
  if (email !== undefined) query = query.where('email', '=', email)
  return query.returningAll().executeTakeFirst()
}

/** Renews an invitation in the name of the caller. Returns false if it is gone. */
export async function renewInvitation(
  db: Queries,
  id: string,
  columns: Pick<UserInvitationsTable, 'invited_by' | 'expires_at'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('user_invitations')
    .set(columns)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Expires the invitations to an address that no longer belongs to anyone. Owners see that they have expired and invite
 * the person again.
 */
export async function expireInvitations(db: Queries, email: string, now: Instant): Promise<void> {
  await db
    .updateTable('user_invitations')
    .set({ expires_at: now })
    .where('email', '=', email)
    .where('expires_at', '>', now)
    .execute()
}

/** Deletes the invitation of an address to a place, because the person was added again. */
export async function deleteInvitation(
  db: Queries,
  { email, business_id, hub_id }: Pick<UserInvitationsTable, 'email' | 'business_id' | 'hub_id'>,
): Promise<void> {
  await db
    .deleteFrom('user_invitations')
    .where('email', '=', email)
    .where('business_id', business_id === null ? 'is' : '=', business_id)
    .where('hub_id', hub_id === null ? 'is' : '=', hub_id)
    .execute()
}

/** True if the inviter still owns the place of the invitation and may invite people. */
export async function mayInvite(
  db: Reads,
  userId: string,
  { business_id, hub_id }: Pick<UserInvitationsTable, 'business_id' | 'hub_id'>,
): Promise<boolean> {
  const found = await db
    .selectFrom('user_places as p')
    .innerJoin('users as u', 'u.id', 'p.user_id')
    .where('p.user_id', '=', userId)
    .where('p.role', '=', 'owner')
    .where('p.disabled_at', 'is', null)
    .where('u.disabled_at', 'is', null)
    .where((on) =>
      business_id === null
        ? on('p.hub_id', '=', hub_id)
        : on.or([
            on('p.business_id', '=', business_id),
            on('p.hub_id', '=', on.selectFrom('businesses').select('hub_id').where('id', '=', business_id)),
          ]),
    )
    .select('p.id')
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Returns the number of deleted invitations. */
export async function deleteOldInvitations(db: Queries, before: Instant, max: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('user_invitations')
    .where('id', 'in', (old) =>
      old.selectFrom('user_invitations').select('id').where('expires_at', '<', before).limit(max),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Stores a new address to be proved, which replaces an earlier one. */
export async function putEmailChange(db: Queries, change: UserEmailChangesTable): Promise<void> {
  const { user_id: _user, ...columns } = change
  await db
    .insertInto('user_email_changes')
    .values(change)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(columns))
    .execute()
}

/** Finds the address that a person still has to prove. */
export function findEmailChange(
  db: Reads,
  userId: string,
  now: Instant,
): Promise<UserEmailChangesTable | undefined> {
  return db
    .selectFrom('user_email_changes')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Uses up the link of a new address, if it belongs to this person. */
export function takeEmailChange(
  db: Queries,
  { userId, digest, now }: { userId: string; digest: string; now: Instant },
): Promise<UserEmailChangesTable | undefined> {
  return db
    .deleteFrom('user_email_changes')
    .where('user_id', '=', userId)
    .where('digest', '=', digest)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}

export async function deleteEmailChangeOf(db: Queries, userId: string): Promise<void> {
  await db.deleteFrom('user_email_changes').where('user_id', '=', userId).execute()
}

/** Returns the number of deleted addresses. */
export async function deleteOldEmailChanges(db: Queries, before: Instant, max: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('user_email_changes')
    .where('id', 'in', (old) =>
      old.selectFrom('user_email_changes').select('id').where('expires_at', '<', before).limit(max),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

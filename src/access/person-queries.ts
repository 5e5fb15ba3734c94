import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import { isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'
import type {
  UserLinksTable,
  UserLoginsTable,
  UserPlacesTable,
  UserRecoveryCodesTable,
  UsersTable,
} from '../database/tables.ts'

/** A person with one membership, for display. */
export type PersonRow = Awaited<ReturnType<typeof findPeople>>[number]

function placesWithNames(db: Reads) {
  return db
    .selectFrom('user_places as p')
    .innerJoin('users as u', 'u.id', 'p.user_id')
    .leftJoin('businesses as b', 'b.id', 'p.business_id')
    .leftJoin('hubs as h', 'h.id', 'p.hub_id')
    .leftJoin('staff as s', (join) =>
      join.onRef('s.id', '=', 'p.staff_id').onRef('s.business_id', '=', 'p.business_id'),
    )
    .select(['s.name as staff_name'])
    .select(['p.id', 'p.user_id', 'p.business_id', 'p.hub_id', 'p.role', 'p.staff_id'])
    .select(['p.created_at', 'p.disabled_at', 'u.email', 'u.name', 'u.disabled_at as person_disabled_at'])
    .select(['u.password_set_at', 'u.totp_since', 'b.name as business_name', 'h.name as hub_name'])
    .select(['u.email_proved_at', 'p.hub_disabled_at'])
    .select(['b.timezone', 'b.hub_id as business_hub_id'])
}

/** Finds an open, completed log-in by digest, with the person, the place and its plans. */
export function findLogIn(db: Reads, digest: string) {
  return db
    .selectFrom('user_logins as l')
    .innerJoin('users as u', 'u.id', 'l.user_id')
    .innerJoin('user_places as p', 'p.id', 'l.place_id')
    .leftJoin('businesses as b', 'b.id', 'p.business_id')
    .leftJoin('hubs as h', (join) => join.on((on) => on('h.id', '=', on.fn.coalesce('p.hub_id', 'b.hub_id'))))
    .where('l.digest', '=', digest)
    .where('l.ended_at', 'is', null)
    .where('l.confirmed_at', 'is not', null)
    .where('u.disabled_at', 'is', null)
    .select(['l.id', 'l.user_id', 'l.place_id', 'l.last_seen_at', 'l.expires_at', 'u.email', 'u.name'])
    .select(['p.role', 'p.business_id', 'p.hub_id', 'p.staff_id', 'p.disabled_at as place_disabled_at'])
    .select(['b.plan as business_plan', 'h.plan as hub_plan', 'b.is_test'])
    .executeTakeFirst()
}

/** Finds the enabled places of a person: hubs, then businesses, the oldest first. */
export function findActivePlaces(db: Reads, userId: string) {
  return placesWithNames(db)
    .where('p.user_id', '=', userId)
    .where('p.disabled_at', 'is', null)
    .orderBy((on) => on('p.hub_id', 'is', null))
    .orderBy('p.created_at')
    .orderBy('p.id')
    .execute()
}

/** The row before the first one of a page of people. */
type AfterPerson = readonly [email: string, createdAt: Instant, id: string]

/** Finds people in a scope, or all people, ordered by email. */
export function findPeople(
  db: Reads,
  {
    scope,
    userId,
    after,
    max,
  }: { scope: TenantScope; userId?: string | undefined; after?: AfterPerson | undefined; max: number },
) {
  let query = placesWithNames(db).select((on) =>
    // log-ins are kept for a month after their end
    on
      .selectFrom('user_logins as l')
      .whereRef('l.user_id', '=', 'p.user_id')
      .where('l.confirmed_at', 'is not', null)
      .orderBy('l.created_at', 'desc')
      .limit(1)
      .select('l.created_at')
      .as('last_log_in_at'),
  )
  // the people of a hub are those of the hub itself and of its businesses
  if ('businessId' in scope) query = query.where('p.business_id', '=', scope.businessId)
  if ('hubId' in scope)
    query = query.where((on) => on.or([on('p.hub_id', '=', scope.hubId), inScope('p.business_id', scope)]))
  if (userId !== undefined) query = query.where('p.user_id', '=', userId)
  if (after) {
    const [email, createdAt, id] = after
    query = query.where(sql<boolean>`(u.email, p.created_at, p.id) > (${email}, ${createdAt}, ${id})`)
  }
  return query.orderBy('u.email').orderBy('p.created_at').orderBy('p.id').limit(max).execute()
}

export function findUserByEmail(db: Reads, email: string): Promise<UsersTable | undefined> {
  return db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
}

/**
 * Locks the person of an address until the transaction ends. Returns undefined for nobody, and for a person with
 * neither a place nor an invitation.
 */
export function findUserWhoMayLogIn(
  db: Queries,
  email: string,
  now: Instant,
): Promise<UsersTable | undefined> {
  return db
    .selectFrom('users as u')
    .selectAll('u')
    .where('u.email', '=', email)
    .where('u.disabled_at', 'is', null)
    .where((on) =>
      on.or([
        on.exists(
          on
            .selectFrom('user_places as p')
            .select('p.id')
            .whereRef('p.user_id', '=', 'u.id')
            .where('p.disabled_at', 'is', null),
        ),
        on.exists(
          on
            .selectFrom('user_invitations as i')
            .select('i.id')
            .whereRef('i.email', '=', 'u.email')
            .where('i.expires_at', '>', now),
        ),
      ]),
    )
    .forUpdate('u')
    .executeTakeFirst()
}

/** Locks the person of an address until the transaction ends. */
export function lockUserByEmail(db: Queries, email: string): Promise<UsersTable | undefined> {
  return db.selectFrom('users').selectAll().where('email', '=', email).forUpdate().executeTakeFirst()
}

/** Finds the oldest place of a person, including one where they are disabled. A log-in needs one. */
export function findAnyPlace(db: Reads, userId: string): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('user_places')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** Finds the person of a log-in like `findLogIn`, even without access to any place. */
export function findUserOfLogIn(db: Reads, digest: string) {
  return db
    .selectFrom('user_logins as l')
    .innerJoin('users as u', 'u.id', 'l.user_id')
    .where('l.digest', '=', digest)
    .where('l.ended_at', 'is', null)
    .where('l.confirmed_at', 'is not', null)
    .where('u.disabled_at', 'is', null)
    .select(['l.id', 'l.user_id', 'l.last_seen_at', 'l.expires_at', 'u.email', 'u.name', 'u.email_proved_at'])
    .executeTakeFirst()
}

/** True until the log-in ends. */
export async function isLogInOpen(db: Reads, id: string): Promise<boolean> {
  const found = await db
    .selectFrom('user_logins')
    .select('id')
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return found !== undefined
}

export function findUser(db: Reads, id: string): Promise<UsersTable | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function hasUsers(db: Reads): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Finds a person by their place within a scope. Returns undefined for a place outside it. */
export async function findPlace(db: Reads, scope: TenantScope, id: string): Promise<PersonRow | undefined> {
  const place = await db.selectFrom('user_places').select('user_id').where('id', '=', id).executeTakeFirst()
  if (!place) return undefined
  const people = await findPeople(db, { scope, userId: place.user_id, max: 1_000 })
  return people.find((one) => one.id === id)
}

type OwnedPlace = Pick<PersonRow, 'business_id' | 'hub_id' | 'business_hub_id'>

/** Locks the owners of a business and of its hub, or of a hub, until the transaction ends. */
export async function lockOwners(db: Queries, place: OwnedPlace): Promise<void> {
  await ownersOf(db, place).select('p.id').orderBy('p.id').forUpdate().execute()
}

function ownersOf(db: Reads, { business_id, hub_id, business_hub_id }: OwnedPlace) {
  return db
    .selectFrom('user_places as p')
    .where('p.role', '=', 'owner')
    .where('p.disabled_at', 'is', null)
    .where((on) =>
      on.or([on('p.business_id', '=', business_id), on('p.hub_id', '=', hub_id ?? business_hub_id)]),
    )
}

/** True if another owner of the same business or hub can log in. */
export async function hasOtherOwner(db: Reads, place: OwnedPlace & { id: string }): Promise<boolean> {
  const other = await ownersOf(db, place)
    .innerJoin('users as u', 'u.id', 'p.user_id')
    .where('u.disabled_at', 'is', null)
    .where('p.id', '<>', place.id)
    .select('p.id')
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

export async function updatePlace(
  db: Queries,
  id: string,
  columns: Partial<Pick<UserPlacesTable, 'role' | 'staff_id' | 'disabled_at' | 'hub_disabled_at'>>,
): Promise<void> {
  await db.updateTable('user_places').set(columns).where('id', '=', id).execute()
}

/** Returns true if the email is new. Leaves a person who has it unchanged. */
export async function insertUser(db: Queries, user: UsersTable): Promise<boolean> {
  const inserted = await db
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Returns false if the person already has that business or hub. */
export async function insertPlace(db: Queries, place: UserPlacesTable): Promise<boolean> {
  const inserted = await db
    .insertInto('user_places')
    .values(place)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/**
 * Makes the first owner of a business receive emails about bookings, unless the business has already chosen recipients.
 */
export async function startNotifying(
  db: Queries,
  { businessId, userId }: { businessId: string; userId: string },
): Promise<void> {
  const emails = isPostgres(db) ? sql`jsonb_build_array(u.email)` : sql`json_array(u.email)`
  await sql`
    update businesses set notify_emails_json = (select ${emails} from users as u where u.id = ${userId})
     where id = ${businessId} and notify_emails_json is null
       and not exists (select 1 from user_places as p
                        where p.business_id = ${businessId} and p.role = 'owner' and p.user_id <> ${userId})`.execute(
    db,
  )
}

export async function isBusinessIn(db: Reads, scope: TenantScope, id: string): Promise<boolean> {
  const found = await db
    .selectFrom('businesses')
    .select('id')
    .where('id', '=', id)
    .where(inScope('id', scope))
    .executeTakeFirst()
  return found !== undefined
}

/** True if the business has this staff member. Staff are never deleted. */
export async function hasStaff(db: Reads, businessId: string, staffId: string): Promise<boolean> {
  const found = await db
    .selectFrom('staff')
    .select('id')
    .where('business_id', '=', businessId)
    .where('id', '=', staffId)
    .executeTakeFirst()
  return found !== undefined
}

/** Finds hubs and businesses without a hub, up to `max` of each. */
export async function findRoots(db: Reads, max: number) {
  const hubs = await db.selectFrom('hubs').select('id').orderBy('created_at').limit(max).execute()
  const businesses = await db
    .selectFrom('businesses')
    .select(['id', 'hub_id'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(max)
    .execute()
  return { hubs, businesses }
}

export async function updateUser(
  db: Queries,
  id: string,
  columns: Partial<Omit<UsersTable, 'id'>>,
): Promise<void> {
  await db.updateTable('users').set(columns).where('id', '=', id).execute()
}

export async function insertLogIn(db: Queries, logIn: UserLoginsTable): Promise<void> {
  await db.insertInto('user_logins').values(logIn).execute()
}

/** True if the person of an address has logged in completely from this network since then. */
export async function isKnownNetwork(
  db: Reads,
  email: string,
  { network, since }: { network: string; since: Instant },
): Promise<boolean> {
  const found = await db
    .selectFrom('user_logins as l')
    .innerJoin('users as u', 'u.id', 'l.user_id')
    .select('l.id')
    .where('u.email', '=', email)
    .where('l.created_at', '>=', since)
    .where('l.network', '=', network)
    .where('l.confirmed_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

export async function updateLogIn(
  db: Queries,
  id: string,
  columns: Partial<Pick<UserLoginsTable, 'last_seen_at' | 'place_id'>>,
): Promise<void> {
  await db.updateTable('user_logins').set(columns).where('id', '=', id).execute()
}

/** Finds a log-in by digest whose second step is due. */
export function findPendingLogIn(db: Reads, digest: string, now: Instant) {
  return db
    .selectFrom('user_logins as l')
    .innerJoin('users as u', 'u.id', 'l.user_id')
    .where('l.digest', '=', digest)
    .where('l.confirmed_at', 'is', null)
    .where('l.ended_at', 'is', null)
    .where('l.expires_at', '>', now)
    .select(['l.id', 'l.user_id', 'u.email'])
    .executeTakeFirst()
}

/** Completes a log-in whose second step is due. If two requests try at once, one succeeds. */
export async function confirmPendingLogIn(
  db: Queries,
  id: string,
  { digest, now, expiresAt }: { digest: string; now: Instant; expiresAt: Instant },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('user_logins')
    .set({ digest, confirmed_at: now, last_seen_at: now, expires_at: expiresAt })
    .where('id', '=', id)
    .where('confirmed_at', 'is', null)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Finds the open log-ins of a person, the latest first. */
export function findLogInsOf(db: Reads, userId: string, { now, max }: { now: Instant; max: number }) {
  return db
    .selectFrom('user_logins')
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('confirmed_at', 'is not', null)
    .where('expires_at', '>', now)
    .select(['id', 'device', 'address', 'created_at', 'last_seen_at'])
    .orderBy('created_at', 'desc')
    .limit(max)
    .execute()
}

/** Locks a person until the transaction ends. */
export function lockUser(db: Queries, id: string): Promise<UsersTable | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Uses up a code of the authenticator. Returns false if it was already used. */
export async function takeTotpStep(db: Queries, userId: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ totp_step: step })
    .where('id', '=', userId)
    .where('totp_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function insertRecoveryCodes(db: Queries, codes: UserRecoveryCodesTable[]): Promise<void> {
  await db.insertInto('user_recovery_codes').values(codes).execute()
}

export async function deleteRecoveryCodes(db: Queries, userId: string): Promise<void> {
  await db.deleteFrom('user_recovery_codes').where('user_id', '=', userId).execute()
}

/** Removes the authenticator of a person and its recovery codes. */
export async function removeSecondStep(db: Queries, userId: string): Promise<void> {
  await updateUser(db, userId, { totp_secret: null, totp_since: null, totp_step: 0 })
  await deleteRecoveryCodes(db, userId)
}

/** Uses up a recovery code. Returns false if it does not exist or was already used. */
export async function takeRecoveryCode(
  db: Queries,
  userId: string,
  { digest, now }: { digest: string; now: Instant },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('user_recovery_codes')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('digest', '=', digest)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Ends the log-in of a digest, if it is open. Its browser receives no more notifications. */
export async function endLogIn(db: Queries, digest: string, now: Instant): Promise<void> {
  const ended = await db
    .updateTable('user_logins')
    .set({ ended_at: now })
    .where('digest', '=', digest)
    .where('ended_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (ended) await db.deleteFrom('push_devices').where('log_in_id', '=', ended.id).execute()
}

/** Ends the log-ins of a person except one, with the notifications of their browsers, and returns their number. */
export async function endLogInsOf(
  db: Queries,
  userId: string,
  { now, but }: { now: Instant; but?: string },
): Promise<number> {
  let query = db
    .updateTable('user_logins')
    .set({ ended_at: now })
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
  let devices = db.deleteFrom('push_devices').where('user_id', '=', userId)
  if (but !== undefined) {
    query = query.where('id', '<>', but)
    devices = devices.where('log_in_id', '<>', but)
  }
  await devices.execute()
  const { numUpdatedRows } = await query.executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Replaces the link of the first owner, unless it was used. */
export async function putFirstOwnerLink(db: Queries, link: UserLinksTable): Promise<void> {
  const { digest, created_at, expires_at } = link
  await db
    .insertInto('user_links')
    .values(link)
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ digest, created_at, expires_at })
        .where('user_links.used_at', 'is', null),
    )
    .execute()
}

const linkColumns = {
  id: 'uuid',
  user_id: 'uuid',
  proves_address: 'integer',
  digest: 'text',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
  used_at: 'timestamptz',
} as const

/** Runs the same statement for an empty list. */
export async function insertLinks(db: Queries, links: readonly UserLinksTable[]): Promise<void> {
  const rows = sql<string>`${rowsText(db, linkColumns, links)}`
  await sql`
    insert into user_links (id, user_id, proves_address, digest, created_at, expires_at, used_at)
    select * from ${rowsOf(db, linkColumns, rows)} as r`.execute(db)
}

/** Finds a valid link. */
export function findLink(db: Reads, digest: string, now: Instant): Promise<UserLinksTable | undefined> {
  return db
    .selectFrom('user_links')
    .selectAll()
    .where('digest', '=', digest)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Uses up a link. If two requests try at once, one gets it. */
export function takeLink(db: Queries, digest: string, now: Instant) {
  return db
    .updateTable('user_links')
    .set({ used_at: now })
    .where('digest', '=', digest)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(['id', 'user_id', 'proves_address'])
    .executeTakeFirst()
}

/** Deletes the links of a person. */
export async function deleteLinksOf(db: Queries, userId: string): Promise<void> {
  await db.deleteFrom('user_links').where('user_id', '=', userId).execute()
}

/** Returns the number of deleted log-ins. */
export async function deleteOldLogIns(db: Queries, before: Instant, max: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('user_logins')
    .where('id', 'in', (old) =>
      old.selectFrom('user_logins').select('id').where('expires_at', '<', before).limit(max),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes expired links, except the first owner's, which can be used only once ever. Returns their number. */
export async function deleteOldLinks(db: Queries, before: Instant, max: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('user_links')
    .where('id', 'in', (old) =>
      old
        .selectFrom('user_links')
        .select('id')
        .where('expires_at', '<', before)
        .where('user_id', 'is not', null)
        .limit(max),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { NoticeColumns, UserMailsTable } from '../database/tables.ts'

/** Inserts an email to be sent. Its recipient is the person of the link. */
export async function insertLinkMail(
  db: Queries,
  mail: Omit<UserMailsTable, keyof NoticeColumns | 'user_id' | 'to_email'> & { created_at: Instant },
): Promise<void> {
  await db
    .insertInto('user_mails')
    .values({ ...mail, attempts: 0, next_attempt_at: mail.created_at, user_id: personOf(mail.link_id) })
    .execute()
}

function personOf(linkId: string | null) {
  return sql<string | null>`(select user_id from user_links where id = ${linkId})`
}

/** Finds the person and the link of an email. Returns undefined if the link has no person or has expired. */
export function findMailedLink(db: Reads, linkId: string, now: Instant) {
  return db
    .selectFrom('user_links as l')
    .innerJoin('users as u', 'u.id', 'l.user_id')
    .innerJoin('user_places as p', 'p.user_id', 'u.id')
    .leftJoin('businesses as b', 'b.id', 'p.business_id')
    .leftJoin('hubs as h', 'h.id', 'p.hub_id')
    .where('l.id', '=', linkId)
    .where('l.used_at', 'is', null)
    .where('l.expires_at', '>', now)
    .where('u.disabled_at', 'is', null)
    .select(['l.id', 'l.digest', 'u.email', 'u.name', 'u.password_set_at'])
    .select(['b.id as business_id', 'b.name as business_name', 'h.name as hub_name'])
    .orderBy((on) => on('p.disabled_at', 'is not', null))
    .orderBy((on) => on('p.hub_id', 'is', null)) // the place where they log in
    .orderBy('p.created_at')
    .orderBy('p.id')
    .limit(1)
    .executeTakeFirst()
}

/** Finds the invitation of an email. Returns undefined if it was accepted or withdrawn, or has expired. */
export function findMailedInvitation(db: Reads, id: string, now: Instant) {
  return db
    .selectFrom('user_invitations as i')
    .leftJoin('businesses as b', 'b.id', 'i.business_id')
    .leftJoin('hubs as h', 'h.id', 'i.hub_id')
    .where('i.id', '=', id)
    .where('i.expires_at', '>', now)
    .select(['i.email', 'i.expires_at', 'i.business_id', 'b.name as business_name', 'h.name as hub_name'])
    .select('b.timezone')
    .executeTakeFirst()
}

/** Finds the new address of an email. Returns undefined if it was proved or replaced, or has expired. */
export function findMailedEmailChange(db: Reads, id: string, now: Instant) {
  return db
    .selectFrom('user_email_changes as c')
    .innerJoin('users as u', 'u.id', 'c.user_id')
    .where('c.id', '=', id)
    .where('c.expires_at', '>', now)
    .where('u.disabled_at', 'is', null)
    .select(['c.email', 'c.digest'])
    .executeTakeFirst()
}

/** Uses up the address of a password request while the lease holds. Of two servers, only one makes the link. */
export async function takeWish(
  db: Queries,
  { id, next_attempt_at }: Pick<UserMailsTable, 'id' | 'next_attempt_at'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('user_mails')
    .set({ wished_email: null })
    .where('id', '=', id)
    .where('next_attempt_at', '=', next_attempt_at)
    .where('wished_email', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function setLinkOfMail(db: Queries, id: string, linkId: string): Promise<void> {
  await db
    .updateTable('user_mails')
    .set({ link_id: linkId, user_id: personOf(linkId) })
    .where('id', '=', id)
    .execute()
}

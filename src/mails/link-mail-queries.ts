import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries } from '../database/database.ts'
import { isPostgres } from '../database/json-rows.ts'
import type { UserMailsTable } from '../database/tables.ts'

/** A mail that this server alone may send until `next_attempt_at`. */
export type LeasedLinkMail = UserMailsTable

export async function insertLinkMail(db: Queries, mail: UserMailsTable): Promise<void> {
  await db.insertInto('user_mails').values(mail).execute()
}

/** Whether anything can be leased. */
export async function isAnyLinkMailDue(db: Queries, now: Instant): Promise<boolean> {
  const row = await db
    .selectFrom('user_mails')
    .select('id')
    .where('next_attempt_at', '<=', now)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Leases up to `max` due mails. */
export async function leaseLinkMails(
  db: Queries,
  { max, now, until }: { max: number; now: Instant; until: Instant },
): Promise<LeasedLinkMail[]> {
  const { rows } = await sql<LeasedLinkMail>`
    update user_mails
       set next_attempt_at = ${until}
     where id in (select id from user_mails
                   where next_attempt_at <= ${now}
                   order by next_attempt_at, id
                   limit ${max} ${isPostgres(db) ? sql`for update skip locked` : sql``})
    returning *`.execute(db)
  return rows
}

/** The person and the link of a mail; undefined where nobody has the link, or it has ended. */
export function findMailedLink(db: Queries, linkId: string, now: Instant) {
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
    .where('p.disabled_at', 'is', null)
    .select(['l.id', 'l.digest', 'u.email', 'u.name', 'u.password_set_at'])
    .select(['b.name as business_name', 'h.name as hub_name'])
    .orderBy((on) => on('p.hub_id', 'is', null)) // the place where they log in
    .orderBy('p.created_at')
    .orderBy('p.id')
    .limit(1)
    .executeTakeFirst()
}

/** Ends a mail, where the lease still holds. */
export async function deleteLinkMail(
  db: Queries,
  { id, next_attempt_at }: Pick<LeasedLinkMail, 'id' | 'next_attempt_at'>,
): Promise<void> {
  await db
    .deleteFrom('user_mails')
    .where('id', '=', id)
    .where('next_attempt_at', '=', next_attempt_at)
    .execute()
}

/** Postpones a mail, where the lease still holds. */
export async function postponeLinkMail(
  db: Queries,
  { id, next_attempt_at, attempts }: Pick<LeasedLinkMail, 'id' | 'next_attempt_at' | 'attempts'>,
  until: Instant,
): Promise<void> {
  await db
    .updateTable('user_mails')
    .set({ next_attempt_at: until, attempts: attempts + 1 })
    .where('id', '=', id)
    .where('next_attempt_at', '=', next_attempt_at)
    .execute()
}

import type { Instant } from '../base/instants.ts'
import type { Queries } from '../database/database.ts'
import type { UserMailsTable } from '../database/tables.ts'

export async function insertLinkMail(db: Queries, mail: UserMailsTable): Promise<void> {
  await db.insertInto('user_mails').values(mail).execute()
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

import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries } from '../database/database.ts'
import { isPostgres } from '../database/json-rows.ts'
import type { Tables } from '../database/tables.ts'

/*
 * Notices: mails about no booking, in tables of their own. A row is deleted once its mail is sent, was refused, or has
 * nothing to say any more. Its lease is its `next_attempt_at`.
 */

/** The tables of notices. */
export type NoticeTable = 'user_mails' | 'calendar_mails'

/** A notice that this server alone may send until `next_attempt_at`. */
export interface LeasedNotice {
  id: string
  attempts: number
  next_attempt_at: Instant
}

/** Whether anything can be leased. */
export async function isAnyNoticeDue(db: Queries, table: NoticeTable, now: Instant): Promise<boolean> {
  const row = await db
    .selectFrom(table)
    .select('id')
    .where('next_attempt_at', '<=', now)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Leases up to `max` due notices. */
export async function leaseNotices<Table extends NoticeTable>(
  db: Queries,
  table: Table,
  { max, now, until }: { max: number; now: Instant; until: Instant },
): Promise<Tables[Table][]> {
  const { rows } = await sql<Tables[Table]>`
    update ${sql.table(table)}
       set next_attempt_at = ${until}
     where id in (select id from ${sql.table(table)}
                   where next_attempt_at <= ${now}
                   order by next_attempt_at, id
                   limit ${max} ${isPostgres(db) ? sql`for update skip locked` : sql``})
    returning *`.execute(db)
  return rows
}

/** Ends a notice, where the lease still holds. */
export async function deleteNotice(
  db: Queries,
  table: NoticeTable,
  { id, next_attempt_at }: LeasedNotice,
): Promise<void> {
  await db.deleteFrom(table).where('id', '=', id).where('next_attempt_at', '=', next_attempt_at).execute()
}

/** Postpones a notice, where the lease still holds. */
export async function postponeNotice(
  db: Queries,
  table: NoticeTable,
  { notice, until }: { notice: LeasedNotice; until: Instant },
): Promise<void> {
  await db
    .updateTable(table)
    .set({ next_attempt_at: until, attempts: notice.attempts + 1 })
    .where('id', '=', notice.id)
    .where('next_attempt_at', '=', notice.next_attempt_at)
    .execute()
}

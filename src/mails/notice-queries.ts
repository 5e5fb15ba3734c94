import { type RawBuilder, type Selectable, sql } from 'kysely'
import { type Instant, plusSeconds } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import { isPostgres } from '../database/json-rows.ts'
import type { CalendarMailsTable, MailStatus, Tables } from '../database/tables.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'
import { leaseSeconds, type NoticeKind } from './mail-rules.ts'
import { isSwept, isSweptInRealTime } from '../database/test-time.ts'
import { isShownAs, type ShownStatus } from './mail-queries.ts'

/*
 * Notices are emails about no booking, in separate tables. A row is deleted once it is pointless. Its lease is its
 * `next_attempt_at`, which is far in the future after the email was sent or refused. Then no server leases it.
 */

/** The `next_attempt_at` of a notice that must not be sent. */
const never = '9999-12-31T00:00:00.000Z' as Instant

/** The tables of notices, all of which lists show. True for text messages. */
export const noticeTables = {
  user_mails: false,
  calendar_mails: false,
  webhook_mails: false,
  client_links: false,
  client_text_links: true,
  waitlist_mails: false,
  waitlist_texts: true,
} as const

export type NoticeTable = keyof typeof noticeTables

/** The tables of notices to a business or its clients. The others are about the log-in of people. */
const ofBusiness = Object.keys(noticeTables).filter((table) => table !== 'user_mails') as NoticeTable[]

/** A notice that only this server may send until `next_attempt_at`. */
export interface LeasedNotice {
  id: string
  attempts: number
  next_attempt_at: Instant
  last_error: string | null
  to_email: string | null
}

/** A row in a table of notices. */
export type NoticeOf<Table extends NoticeTable> = Selectable<Tables[Table]>

/** Limits a sweep. Only notices of the waiting list follow the clock of a test business. */
function isTableSwept(table: NoticeTable) {
  return table === 'waitlist_mails' || table === 'waitlist_texts'
    ? isSwept('business_id')
    : isSweptInRealTime()
}

/** Reports if anything can be leased. */
export async function isAnyNoticeDue(db: Reads, table: NoticeTable, now: Instant): Promise<boolean> {
  const row = await db
    .selectFrom(table)
    .select('id')
    .where('next_attempt_at', '<=', now)
    .where(isTableSwept(table))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Leases up to `max` due notices. */
export async function leaseNotices<Table extends NoticeTable>(
  db: Queries,
  table: Table,
  { max, now, until }: { max: number; now: Instant; until: Instant },
): Promise<NoticeOf<Table>[]> {
  const { rows } = await sql<NoticeOf<Table>>`
    update ${sql.table(table)}
       set next_attempt_at = ${until}
     where id in (select id from ${sql.table(table)}
                   where next_attempt_at <= ${now} and ${isTableSwept(table)}
                   order by next_attempt_at, id
                   limit ${max} ${isPostgres(db) ? sql`for update skip locked` : sql``})
    returning *`.execute(db)
  return rows
}

/** Deletes a notice while the lease holds. */
export async function deleteNotice(
  db: Queries,
  table: NoticeTable,
  { id, next_attempt_at }: LeasedNotice,
): Promise<void> {
  await db.deleteFrom(table).where('id', '=', id).where('next_attempt_at', '=', next_attempt_at).execute()
}

/** The outcome of an attempt to send a notice. */
interface NoticeResult {
  status: 'queued' | 'sent' | 'failed'
  attempts: number
  /** Time of the next attempt of a queued notice. */
  until?: Instant
  sent_at: Instant | null
  last_error: string | null
  to_email: string | null
}

/** Writes the outcome of a notice while the lease holds. */
export async function writeNoticeResult(
  db: Queries,
  table: NoticeTable,
  { notice, result: { until = never, ...result } }: { notice: LeasedNotice; result: NoticeResult },
): Promise<void> {
  await db
    .updateTable(table)
    .set({ ...result, to_email: result.to_email ?? '', next_attempt_at: until })
    .where('id', '=', notice.id)
    .where('next_attempt_at', '=', notice.next_attempt_at)
    .execute()
}

/** A notice as lists show it. */
export type NoticeRow = Pick<
  CalendarMailsTable,
  'id' | 'to_email' | 'attempts' | 'last_error' | 'next_attempt_at' | 'created_at' | 'sent_at' | 'seen_at'
> & {
  kind: NoticeKind
  /** The number of a text message. Null for an email. */
  to_phone: string | null
  status: MailStatus
  booking_id: null
  /** The entry of the waiting list that it is about. */
  waitlist_entry_id: string | null
  /** Null for a link to a person. */
  business_id: string | null
  waits_for: null
  earlier_attempt_at: null
  timezone: string
  /** 1 for a test business. */
  is_test: 0 | 1
}

interface NoticeFilter {
  id?: string
  status?: ShownStatus | undefined
  businessId?: string | undefined
  after?: readonly [createdAt: Instant, id: string] | undefined
  rows: number
}

/** The columns in which notices of a business differ. */
const ownColumns: Record<Exclude<NoticeTable, 'user_mails'>, RawBuilder<unknown>> = {
  calendar_mails: sql`m.to_email, null as to_phone, 'calendar' as kind, null as waitlist_entry_id`,
  webhook_mails: sql`m.to_email, null as to_phone, 'webhook' as kind, null as waitlist_entry_id`,
  client_links: sql`m.email as to_email, null as to_phone, 'client_link' as kind, null as waitlist_entry_id`,
  client_text_links: sql`'' as to_email, m.phone as to_phone, 'client_link' as kind, null as waitlist_entry_id`,
  waitlist_mails: ofWaitlist(sql`coalesce(nullif(m.to_email, ''), m.email) as to_email, null as to_phone`),
  waitlist_texts: ofWaitlist(sql`'' as to_email, m.phone as to_phone`),
}

function ofWaitlist(recipient: RawBuilder<unknown>) {
  return sql`${recipient}, m.entry_id as waitlist_entry_id,
             case m.kind when 'offered' then m.kind else 'waitlist_' || m.kind end as kind`
}

/**
 * Lists the notices of a scope, the newest first: links of its people, notices to its businesses, and those to their
 * clients. The address or number that asks for a link to a client's page may be unknown. Such a link is listed from the
 * first attempt to send on.
 */
export async function findNotices(
  db: Reads,
  table: NoticeTable,
  { scope, ...filter }: NoticeFilter & { scope: TenantScope },
): Promise<NoticeRow[]> {
  const { id, status, businessId, after, rows } = filter
  const columns = sql`m.id, m.status, m.attempts, m.last_error, m.next_attempt_at, m.created_at, m.sent_at, m.seen_at,
                    null as booking_id, null as waits_for, null as earlier_attempt_at`
  const conditions = [
    id === undefined ? sql`true` : sql`m.id = ${id}`,
    status === undefined
      ? sql`true`
      : table !== 'user_mails'
        ? isShownAs(status)
        : status === 'kept'
          ? sql`1 = 0`
          : sql`m.status = ${status}`,
    after === undefined ? sql`true` : sql`(m.created_at, m.id) < (${after[0]}, ${after[1]})`,
    table === 'client_links' || table === 'client_text_links' ? sql`m.attempts > 0` : sql`true`,
  ]
  const from =
    table === 'user_mails'
      ? sql`${columns}, 0 as is_test, null as business_id, coalesce(nullif(m.to_email, ''), u.email, v.email) as to_email,
                 null as to_phone, 'link' as kind, null as waitlist_entry_id,
                 coalesce((select i.timezone from user_places as p join businesses as i on i.id = p.business_id
                            where p.user_id = m.user_id and ${inScope('p.business_id', scope)}
                            order by p.created_at, p.id limit 1), w.timezone, 'UTC') as timezone
            from user_mails as m
                 left join users as u on u.id = m.user_id
                 left join user_invitations as v on v.id = m.invitation_id
                 left join businesses as w on w.id = v.business_id
           where ${ofPeople(scope, businessId)}`
      : sql`${columns}, i.is_test, m.business_id, ${ownColumns[table]}, i.timezone
            from ${sql.table(table)} as m join businesses as i on i.id = m.business_id
           where ${inScope('m.business_id', scope)}
             and ${businessId === undefined ? sql`true` : sql`m.business_id = ${businessId}`}`
  const { rows: found } = await sql<NoticeRow>`
    select ${from} and ${sql.join(conditions, sql` and `)}
     order by m.created_at desc, m.id desc limit ${rows}`.execute(db)
  return found
}

/** True if the person of an email is a member or invited within a scope. Emails to nobody match no scope. */
function ofPeople(scope: TenantScope, businessId?: string) {
  const within = (name: 'p' | 'v') => {
    const column = `${name}.business_id`
    if (businessId !== undefined) return sql`${sql.ref(column)} = ${businessId} and ${inScope(column, scope)}`
    if ('everything' in scope) return sql`true`
    const inHub = 'hubId' in scope ? sql`${sql.ref(`${name}.hub_id`)} = ${scope.hubId} or` : sql``
    return sql`(${inHub} ${inScope(column, scope)})`
  }
  return sql<boolean>`(
    exists (select 1 from user_places as p where p.user_id = m.user_id and ${within('p')})
    or exists (select 1 from user_invitations as v where v.id = m.invitation_id and ${within('v')}))`
}

/** Counts failed notices of a business that nobody has seen. */
export async function countUnseenNotices(db: Reads, businessId: string): Promise<number> {
  const counts = ofBusiness.map(
    (table) => sql`(select count(*) from ${sql.table(table)} as m
             where m.business_id = ${businessId} and m.status = 'failed' and m.seen_at is null)`,
  )
  const { rows } = await sql<{ count: number }>`
    select ${sql.join(counts, sql` + `)}
         + (select count(*) from user_mails as m
             where m.status = 'failed' and m.seen_at is null and ${ofPeople({ businessId })}) as count`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** Marks the failed notices of a business as seen. */
export async function markNoticesSeen(db: Queries, businessId: string, now: Instant): Promise<void> {
  for (const table of ofBusiness)
    await sql`update ${sql.table(table)} as m set seen_at = ${now}
               where m.business_id = ${businessId} and m.status = 'failed' and m.seen_at is null`.execute(db)
  await sql`update user_mails as m set seen_at = ${now}
             where m.status = 'failed' and m.seen_at is null and ${ofPeople({ businessId })}`.execute(db)
}

/** Makes a failed or waiting notice due at once, with as many attempts as a new one. Returns true if it is due now. */
export async function requeueNotice(
  db: Queries,
  table: NoticeTable,
  { id, now }: { id: string; now: Instant },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable(table)
    .set({ status: 'queued', attempts: 0, next_attempt_at: now, seen_at: null })
    .where('id', '=', id)
    .where((of) =>
      of.or([
        of('status', '=', 'failed'),
        // a notice in transit has its lease
        of.and([of('status', '=', 'queued'), of('next_attempt_at', '>', plusSeconds(now, leaseSeconds))]),
      ]),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes up to `max` notices older than an instant and returns their number. */
export async function deleteOldNotices(
  db: Queries,
  table: NoticeTable,
  { before, max }: { before: Instant; max: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where id in (
      select id from ${sql.table(table)} where created_at < ${before} order by created_at limit ${max})`.execute(
    db,
  )
  return Number(numAffectedRows)
}

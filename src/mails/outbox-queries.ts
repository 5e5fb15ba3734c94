import { type RawBuilder, sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import type { Queries } from '../database/database.ts'
import { isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import type { MailKind } from '../database/tables.ts'
import { maxAttempts } from './mail-rules.ts'

/** The emails about one change. */
export interface NewMails {
  /** ID of the email to the client. The IDs of the others are derived from it. */
  id: string
  business_id: string
  booking_id: string
  occasion: string
  /** Null: no email to the client. */
  client_kind: MailKind | null
  business_kind: MailKind | null
  to_email: string
  recipient: string
  /** Null: no text message to the client. */
  text_kind: MailKind | null
  /** The number of the text message (E.164). Otherwise empty. */
  to_phone: string
  /**
   * Email of the person who made the change, in lower case, because nobody receives emails about their own changes.
   * Empty if the author is not a person.
   */
  by_email: string
  /** `business` if a key or a person of the business caused the email to the client. Otherwise empty. */
  caused_by: 'business' | ''
  created_at: Instant
  /** Earliest time of sending. */
  due_at: Instant
}

const columns = {
  id: 'uuid',
  business_id: 'uuid',
  booking_id: 'uuid',
  occasion: 'text',
  client_kind: 'text',
  business_kind: 'text',
  to_email: 'text',
  recipient: 'text',
  text_kind: 'text',
  to_phone: 'text',
  by_email: 'text',
  caused_by: 'text',
  created_at: 'timestamptz',
  due_at: 'timestamptz',
} as const

const insertQuery = cachedQuery((db: Queries, { rows }: Params<{ rows: string }>) => {
  const notified = isPostgres(db)
    ? sql`cross join lateral jsonb_array_elements_text(coalesce(b.notify_emails_json, '[]'))
               with ordinality as n (email, place)`
    : sql`cross join (select value as email, key + 1 as place, i.id as of_business
                        from businesses as i, json_each(i.notify_emails_json)
                       where i.id in (select business_id from w)) as n on n.of_business = b.id`
  const seed = sql`cast(w.id as text)`
  const derived = (place: RawBuilder<unknown>) => {
    const id = sql`substr(${seed}, 1, 14) || '8' || substr(${seed}, 16, 20) || ${place}`
    return isPostgres(db) ? sql`cast(${id} as uuid)` : id
  }
  return sql`
    with w as materialized (select * from ${rowsOf(db, columns, rows)} as r)
    insert into mails (id, business_id, booking_id, audience, kind, occasion, to_email, recipient, status,
                       attempts_left, next_attempt_at, created_at, caused_by, to_phone)
    select w.id, w.business_id, w.booking_id, 'client', w.client_kind, w.occasion, w.to_email, w.recipient,
           'queued', ${sql.lit(maxAttempts)}, w.due_at, w.created_at, nullif(w.caused_by, ''), null
      from w
     where w.client_kind is not null
    union all
    select ${derived(sql`'0'`)}, w.business_id, w.booking_id, 'client', w.text_kind, w.occasion, '', w.to_phone,
           'queued', ${sql.lit(maxAttempts)}, w.due_at, w.created_at, nullif(w.caused_by, ''), w.to_phone
      from w
     where w.text_kind is not null
    union all
    select ${derived(sql`n.place`)}, w.business_id, w.booking_id, 'business',
           w.business_kind, w.occasion, n.email, lower(n.email), 'queued', ${sql.lit(maxAttempts)},
           w.due_at, w.created_at, null, null
      from w
      join businesses as b on b.id = w.business_id
      ${notified}
     where w.business_kind is not null and lower(n.email) <> w.by_email
    on conflict do nothing`
})

/** Writes emails of any businesses and leaves existing ones unchanged. Returns their number. */
export async function insertMails(db: Queries, mails: readonly NewMails[]): Promise<number> {
  const { numAffectedRows = 0n } = await insertQuery(db, { rows: rowsText(db, columns, mails) })
  for (const mail of mails) {
    const isChange = mail.client_kind === 'changed' || mail.business_kind === 'changed'
    if (isChange && mail.due_at > mail.created_at) await waitTogether(db, mail)
  }
  return Number(numAffectedRows)
}

/** Makes waiting emails about a booking wait for its latest change, so that one email reports all of them. */
async function waitTogether(db: Queries, { business_id, booking_id, due_at }: NewMails): Promise<void> {
  await db
    .updateTable('mails')
    .set({ next_attempt_at: due_at })
    .where('business_id', '=', business_id)
    .where('booking_id', '=', booking_id)
    .where('kind', '=', 'changed')
    .where('status', '=', sql.lit('queued'))
    // an email in transit has a lease that ends later
    .where('next_attempt_at', '<', due_at)
    .execute()
}

type Cancelled = Pick<NewMails, 'business_id' | 'booking_id'>

/** Has the emails about a cancellation, written at this moment, wait for the outcome of its charge. */
export async function waitForCharge(
  db: Queries,
  { business_id, booking_id }: Cancelled,
  { now, until }: { now: Instant; until: Instant },
): Promise<void> {
  await db
    .updateTable('mails')
    .set({ next_attempt_at: until, waits_for: 'charge' })
    .where('business_id', '=', business_id)
    .where('booking_id', '=', booking_id)
    .where('kind', '=', 'cancelled')
    .where('status', '=', sql.lit('queued'))
    .where('to_phone', 'is', null)
    .where('created_at', '=', now)
    .execute()
}

/** Ends that wait. Returns true if an email waited. */
export async function endWaitForCharge(
  db: Queries,
  { business_id, booking_id }: Cancelled,
  now: Instant,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('mails')
    .set({ next_attempt_at: now, waits_for: null })
    .where('business_id', '=', business_id)
    .where('booking_id', '=', booking_id)
    .where('status', '=', sql.lit('queued'))
    .where('waits_for', '=', 'charge') // a lease clears it
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** A change of a booking that is reported to its client. */
export interface ToldChange {
  business_id: string
  booking_id: string
  /** The version after the change. */
  version: number
}

function mailOfChange(db: Queries, { business_id, booking_id, version }: ToldChange) {
  return db
    .updateTable('mails')
    .where('business_id', '=', business_id)
    .where('booking_id', '=', booking_id)
    .where('audience', '=', 'client')
    .where('kind', '=', 'changed')
    .where('occasion', 'like', `${version}/%`)
}

/** Withdraws the email to the client about a change if it has not been sent yet. Returns true if it did. */
export async function withdrawMailOf(
  db: Queries,
  change: ToldChange,
  { now, until }: { now: Instant; until: Instant },
): Promise<boolean> {
  const { numUpdatedRows } = await mailOfChange(db, change)
    .set({ status: 'superseded', next_attempt_at: null })
    .where('status', '=', sql.lit('queued'))
    .where('attempts', '=', 0)
    // an email in transit has a lease that ends later
    .where('next_attempt_at', '>', now)
    .where('next_attempt_at', '<=', until)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Restores a withdrawn email. Returns true if it existed. */
export async function restoreMailOf(db: Queries, change: ToldChange, due: Instant): Promise<boolean> {
  const { numUpdatedRows } = await mailOfChange(db, change)
    .set({ status: 'queued', next_attempt_at: due })
    .where('status', '=', sql.lit('superseded'))
    .where('attempts', '=', 0)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

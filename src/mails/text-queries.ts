import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { TextKind } from '../catalogue/mail-settings-rules.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { MailsTable } from '../database/tables.ts'

/** Returns the messages that a business also sends as a text. */
export async function findTextKinds(db: Reads, businessId: string): Promise<TextKind[]> {
  const row = await db
    .selectFrom('businesses')
    .select('text_kinds_json')
    .where('id', '=', businessId)
    .executeTakeFirst()
  return JSON.parse(row?.text_kinds_json ?? '[]') as TextKind[] // only `mailColumns` writes it
}

/** Counts segments of a month unless they exceed the allowance. Returns false if they do. */
export async function countSegments(
  db: Queries,
  { businessId, month, segments, allowed }: Record<'businessId' | 'month', string> & SegmentCount,
): Promise<boolean> {
  if (segments > allowed) return false
  const { numAffectedRows = 0n } = await sql`
    insert into text_counts (business_id, month, segments) values (${businessId}, ${month}, ${segments})
    on conflict (business_id, month) do update set segments = text_counts.segments + excluded.segments
     where text_counts.segments + excluded.segments <= ${allowed}`.execute(db)
  return numAffectedRows > 0n
}

interface SegmentCount {
  segments: number
  /** In the whole month. */
  allowed: number
}

/** Returns the segments that a business has sent in a month. */
export async function findSegments(
  db: Reads,
  { businessId, month }: Record<'businessId' | 'month', string>,
): Promise<number> {
  const row = await db
    .selectFrom('text_counts')
    .select('segments')
    .where('business_id', '=', businessId)
    .where('month', '=', month)
    .executeTakeFirst()
  return row?.segments ?? 0
}

/** Returns true if a number has answered STOP. */
export async function hasStopped(db: Reads, digest: string): Promise<boolean> {
  const row = await db
    .selectFrom('text_opt_outs')
    .select('digest')
    .where('digest', '=', digest)
    .executeTakeFirst()
  return row !== undefined
}

/** Ends text messages to a number, including those that wait. */
export async function insertStop(
  db: Queries,
  { phone, digest }: { phone: string; digest: string },
  now: Instant,
): Promise<void> {
  await db
    .insertInto('text_opt_outs')
    .values({ digest, opted_out_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await db
    .updateTable('mails')
    .set({ status: 'superseded', next_attempt_at: null })
    .where('to_phone', '=', phone)
    .where('status', '=', sql.lit('queued'))
    .execute()
}

/** A text message that was sent, and its client. */
interface SentText {
  sent_at: Instant | null
  client_id: string | null
}

/** Finds the messages sent to a number of a business since an instant, the oldest first, at most `max`. */
export async function textsSince(
  db: Reads,
  { business_id, recipient }: Pick<MailsTable, 'business_id' | 'recipient'>,
  { since, max }: { since: Instant; max: number },
): Promise<SentText[]> {
  const rows = await db
    .selectFrom('mails as m')
    .innerJoin('bookings as b', 'b.id', 'm.booking_id')
    .select(['m.sent_at', 'b.client_id'])
    .where('m.status', '=', sql.lit('sent'))
    .where('m.sent_with', 'is', null)
    .where('m.business_id', '=', business_id)
    .where('b.business_id', '=', business_id)
    .where('m.audience', '=', 'client')
    .where('m.recipient', '=', recipient)
    .where('m.sent_at', '>', since)
    .orderBy('m.sent_at', 'desc')
    .limit(max)
    .execute()
  return rows.toReversed()
}

/** Allows text messages to a number again. */
export async function deleteStop(db: Queries, digest: string): Promise<void> {
  await db.deleteFrom('text_opt_outs').where('digest', '=', digest).execute()
}

/** A client of a business, and the digest of their number. */
export interface StoppedClient {
  businessId: string
  clientId: string
  digest: string
}

/** The client agreed to text messages of this business, so a STOP for others stays unknown to it. */
function hasAgreed({ businessId, clientId }: StoppedClient) {
  return sql<boolean>`exists (select 1 from bookings where business_id = ${businessId} and client_id = ${clientId}
                               and text_agreed_at is not null)`
}

/** Returns when a client answered STOP. Undefined if they did not, or never agreed to messages of this business. */
export async function findStop(db: Reads, client: StoppedClient): Promise<Instant | undefined> {
  const row = await db
    .selectFrom('text_opt_outs')
    .select('opted_out_at')
    .where('digest', '=', client.digest)
    .where(hasAgreed(client))
    .executeTakeFirst()
  return row?.opted_out_at
}

/** Maximum number of a client's bookings in which an agreement is searched. */
const maxAgreements = 20

/** Returns the numbers in a client's last bookings, the newest first, each with the client's agreement to texts. */
export function findAgreements(
  db: Reads,
  { businessId, clientId }: Omit<StoppedClient, 'digest'>,
): Promise<{ client_phone: string | null; text_agreed_at: Instant | null }[]> {
  return db
    .selectFrom('bookings')
    .select(['client_phone', 'text_agreed_at'])
    .where('business_id', '=', businessId)
    .where('client_id', '=', clientId)
    .orderBy('created_at', 'desc')
    .limit(maxAgreements)
    .execute()
}

/** Allows text messages to a client again. Returns false if `findStop` finds nothing. */
export async function deleteStopOf(db: Queries, client: StoppedClient): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('text_opt_outs')
    .where('digest', '=', client.digest)
    .where(hasAgreed(client))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Writes what the provider reports about a sent text message. */
export async function writeDelivery(
  db: Queries,
  { id, error, now }: { id: string; error: string | null; now: Instant },
): Promise<void> {
  const changes =
    error === null
      ? { delivered_at: now }
      : { status: 'failed' as const, sent_at: null, last_error: error.slice(0, 300) }
  await db
    .updateTable('mails')
    .set(changes)
    .where('id', '=', id)
    .where('to_phone', 'is not', null)
    .where('status', '=', sql.lit('sent'))
    .where('delivered_at', 'is', null)
    .execute()
}

/** Deletes up to `max` counts of months before one, and returns their number. */
export async function deleteOldCounts(db: Queries, month: string, max: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from text_counts where (business_id, month) in (
      select business_id, month from text_counts where month < ${month} limit ${max})`.execute(db)
  return Number(numAffectedRows)
}

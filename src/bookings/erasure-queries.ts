import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import { erasedName } from '../base/contact-formats.ts'
import type { Queries, Reads } from '../database/database.ts'
import { isAmong, isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import type { BookingsTable, ClaimsTable, PaymentsTable } from '../database/tables.ts'
import { storedForms } from './client-text-queries.ts'

/** A booking whose client is to be erased. */
export type ErasableBooking = Pick<BookingsTable, 'id' | 'business_id' | 'created_at' | 'manage_digest'>

const columns = ['id', 'business_id', 'created_at', 'manage_digest'] as const

/** Clients to erase, and an address whose bookings are theirs, too. */
export interface ErasedClients {
  businessId: string
  ids: readonly string[]
  email: string | undefined
}

/** Locks up to `max` bookings of clients until the transaction ends. */
export async function lockBookingsOf(
  db: Queries,
  { businessId, ids, email, max }: ErasedClients & { max: number },
): Promise<ErasableBooking[]> {
  const theirs = await bookingsOf(db, { businessId, ids, email })
  if (!theirs) return []
  return db
    .selectFrom('bookings')
    .select(columns)
    .where('business_id', '=', businessId)
    .where(theirs)
    .orderBy('id')
    .limit(max)
    .forUpdate()
    .execute()
}

/** Returns the numbers in the bookings of clients, as they were typed, at most `max`. */
export async function findNumbersOf(
  db: Reads,
  { businessId, max, ...clients }: ErasedClients & { max: number },
): Promise<string[]> {
  const theirs = await bookingsOf(db, { businessId, ...clients })
  if (!theirs) return []
  const rows = await db
    .selectFrom('bookings')
    .select('client_phone')
    .distinct()
    .where('business_id', '=', businessId)
    .where(theirs)
    .limit(max)
    .execute()
  return rows.flatMap(({ client_phone }) => client_phone ?? [])
}

/** Returns the condition for the bookings of clients. Undefined if it names nobody. */
async function bookingsOf(
  db: Reads,
  { businessId, ids, email }: ErasedClients,
): Promise<RawBuilder<boolean> | undefined> {
  const forms = email === undefined ? [] : await storedForms(db, { businessId }, email)
  const theirs = [
    ...(ids.length > 0 ? [sql<boolean>`client_id in (${sql.join(ids)})`] : []),
    ...(forms.length > 0 ? [sql<boolean>`lower(client_email) in (${sql.join(forms)})`] : []),
  ]
  return theirs.length === 0 ? undefined : sql<boolean>`(${sql.join(theirs, sql` or `)})`
}

/**
 * Locks up to `max` bookings that ended before their business's retention period. `today` is the beginning of
 * the day, so that each booking is searched once a day.
 */
export async function lockOldBookings(
  db: Queries,
  { today, max }: { today: Instant; max: number },
): Promise<ErasableBooking[]> {
  const old = sql`b.business_id = i.id and b.erased_at is null and b.ends_at < ${keptSince(db, today)}`
  const ofBusinesses = isPostgres(db)
    ? sql`cross join lateral (select id from bookings as b where ${old} order by ends_at, id limit ${max}) as b`
    : sql`cross join bookings as b on ${old}`
  const { rows } = await sql<{ business_id: string; id: string }>`
    select i.id as business_id, b.id from businesses as i ${ofBusinesses}
     where i.retention_days is not null
     limit ${max}`.execute(db)
  if (rows.length === 0) return []
  const keys = JSON.stringify(rows.map(({ business_id, id }) => [business_id, id]))
  return db
    .selectFrom('bookings')
    .select(columns)
    .where(isAmong(db, keyColumns, sql<string>`${keys}`))
    .where('erased_at', 'is', null) // another server may have been faster
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Deletes up to `max` clients without bookings that were added before their business's retention period. */
export async function deleteOldClients(
  db: Queries,
  { today, max }: { today: Instant; max: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from clients where id in (
      select c.id from clients as c join businesses as i on i.id = c.business_id
       where i.retention_days is not null and c.is_kept = 1 and c.booking_count = 0
         and c.created_at < ${keptSince(db, today)}
         and not exists (select 1 from bookings as b where b.client_id = c.id)
       limit ${max})`.execute(db)
  return Number(numAffectedRows)
}

const keyColumns = [
  ['business_id', 'uuid'],
  ['id', 'uuid'],
] as const

function keptSince(db: Reads, today: Instant): RawBuilder<Instant> {
  return isPostgres(db)
    ? sql<Instant>`${today}::timestamptz - i.retention_days * interval '1 day'`
    : sql<Instant>`strftime('%Y-%m-%dT%H:%M:%fZ', ${today}, '-' || i.retention_days || ' days')`
}

const erasedColumns = { id: 'uuid', business_id: 'uuid' } as const

type ErasedBooking = Pick<BookingsTable, keyof typeof erasedColumns>

/**
 * Erases clients from locked bookings, and gives each booking the next version. Also ends its manage link: no
 * token matches the new digest, until the business creates a new link. Returns when their holds were placed.
 */
export async function eraseBookings(
  db: Queries,
  { bookings, now }: { bookings: readonly ErasedBooking[]; now: Instant },
): Promise<Pick<ClaimsTable, 'id' | 'created_at'>[]> {
  const rows = sql<string>`${rowsText(db, erasedColumns, bookings)}`
  const noAnswers = isPostgres(db) ? sql`'[]'::jsonb` : sql`'[]'`
  await sql`
    update bookings
       set client_first_name = ${erasedName}, client_last_name = ${erasedName}, client_email = '',
           client_phone = null, client_search = '', client_id = null, counted_client = null, custom_field_values_json = ${noAnswers},
           notes = null, locale = null, time_zone = null, text_consent = null, text_agreed_at = null,
           fee_consent = null, fee_agreed_at = null, cancel_reason = null, metadata_json = null, manage_digest = 'erased ' || bookings.id,
           erased_at = ${now}, updated_at = ${now}, version = version + 1
      from ${rowsOf(db, erasedColumns, rows)} as w
     where bookings.business_id = w.business_id and bookings.id = w.id`.execute(db)
  // no event announces the erasure, and feeds may contain the client's name
  await sql`
    update feeds set revision = revision + 1
     where business_id in (select w.business_id from ${rowsOf(db, erasedColumns, rows)} as w)`.execute(db)
  const keys = sql<string>`${JSON.stringify(bookings.map(({ id }) => [id]))}`
  const { rows: holds } = await sql<Pick<ClaimsTable, 'id' | 'created_at'>>`
    update claims set client_network = null, client_wider_network = null
     where ${isAmong(db, [['id', 'uuid']], keys)}
    returning id, created_at`.execute(db)
  // it is a digest of the order with the client's address; a repeated order counts as new
  await sql`
    update payments set order_digest = '' where ${isAmong(db, [['booking_id', 'uuid']], keys)}`.execute(db)
  // a saved card is the client's, too
  await sql`
    update payments set card_removal_requested_at = ${now}, next_check_at = ${now}, checks = 0
     where ${isAmong(db, [['booking_id', 'uuid']], keys)} and saves_card = 1 and paid_at is not null
       and card_removal_requested_at is null`.execute(db)
  return holds
}

export type PaymentRow = Selectable<PaymentsTable>

/** The payments of bookings, oldest first. */
export function findPaymentsOf(db: Reads, bookingIds: readonly string[]): Promise<PaymentRow[]> {
  const keys = sql<string>`${JSON.stringify(bookingIds.map((id) => [id]))}`
  return db
    .selectFrom('payments')
    .selectAll()
    .where(isAmong(db, [['booking_id', 'uuid']], keys))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

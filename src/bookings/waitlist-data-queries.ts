import { sql } from 'kysely'
import { daySeconds, type Instant, plusSeconds } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import { isPostgres } from '../database/json-rows.ts'
import { type EntryRow, erasedEntry } from './waitlist-rules.ts'

/** Clients of a business, by ID or by address. */
interface EntriesOf {
  businessId: string
  ids: readonly string[]
  /** In lower case. */
  emails: readonly string[]
}

/** Finds the entries of clients. An erased one has none. */
export async function findEntriesOf(db: Reads, { businessId, ids, emails }: EntriesOf): Promise<EntryRow[]> {
  const theirs = [
    ...(ids.length > 0 ? [sql<boolean>`client_id in (${sql.join(ids)})`] : []),
    ...(emails.length > 0 ? [sql<boolean>`lower(email) in (${sql.join(emails)})`] : []),
  ]
  if (theirs.length === 0) return []
  return db
    .selectFrom('waitlist_entries')
    .selectAll()
    .where('business_id', '=', businessId)
    .where(sql<boolean>`(${sql.join(theirs, sql` or `)})`)
    .orderBy('id')
    .execute()
}

/** Removes all data of the client from entries. */
export async function eraseEntryRows(db: Queries, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('waitlist_entries')
    .set({ ...erasedEntry, counted_client: null, ordinal: null })
    .where('id', 'in', ids)
    .execute()
}

/** Deletes clients that have neither bookings nor entries, and that the business has not added itself. */
export async function deleteIdleClients(db: Queries, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .deleteFrom('clients')
    .where('id', 'in', ids)
    .where('is_kept', '=', 0)
    .where('booking_count', '=', 0)
    .where(sql<boolean>`not exists (select 1 from bookings as b where b.client_id = clients.id)`)
    .where(sql<boolean>`not exists (select 1 from waitlist_entries as e where e.client_id = clients.id)`)
    .execute()
}

/** Gives the entries of a client to another one. */
export async function moveEntries(
  db: Queries,
  { business_id, from, to }: { business_id: string; from: string; to: string },
): Promise<void> {
  await db
    .updateTable('waitlist_entries')
    .set({ client_id: to })
    .where('business_id', '=', business_id)
    .where('client_id', '=', from)
    .execute()
}

/** Days after which an entry that is over is deleted if its business keeps clients for ever. */
const keptDays = 400

/** Deletes up to `max` entries that are over for longer than their business keeps clients, with their offers. */
export async function deleteOldEntries(
  db: Queries,
  { now, max }: { now: Instant; max: number },
): Promise<{ id: string; client_id: string | null }[]> {
  const days = sql`case when i.retention_days < ${sql.lit(keptDays)} then i.retention_days else ${sql.lit(keptDays)} end`
  const since = isPostgres(db)
    ? sql`${now}::timestamptz - (${days}) * interval '1 day'`
    : sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${now}, '-' || (${days}) || ' days')`
  const { rows } = await sql<{ id: string; client_id: string | null }>`
    delete from waitlist_entries where id in (
      select e.id from waitlist_entries as e join businesses as i on i.id = e.business_id
       where e.ended_at is not null and e.ended_at < ${plusSeconds(now, -daySeconds)} and e.ended_at < ${since}
       limit ${max})
    returning id, client_id`.execute(db)
  if (rows.length > 0) {
    // a taken offer has no data of the client, and reports count it
    await db
      .deleteFrom('waitlist_offers')
      .where(
        'entry_id',
        'in',
        rows.map(({ id }) => id),
      )
      .where('status', '<>', 'taken')
      .execute()
  }
  return rows
}

import { type Insertable, sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type {
  BusinessesTable,
  HubsTable,
  WaitlistEntriesTable,
  WaitlistMailsTable,
  WaitlistOffersTable,
  WaitlistTextsTable,
} from '../database/tables.ts'

export async function insertWaitlistMail(db: Queries, mail: Insertable<WaitlistMailsTable>): Promise<void> {
  await db.insertInto('waitlist_mails').values(mail).execute()
}

export async function insertWaitlistText(db: Queries, text: Insertable<WaitlistTextsTable>): Promise<void> {
  await db.insertInto('waitlist_texts').values(text).execute()
}

/** Counts the emails about the waiting list to an address at a business since an instant. */
export async function countWaitlistMails(
  db: Reads,
  { businessId, email, since }: { businessId: string; email: string; since: Instant },
): Promise<number> {
  const { count } = await db
    .selectFrom('waitlist_mails')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('business_id', '=', businessId)
    .where('email', '=', email)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow()
  return count
}

/** An entry with its offer, as messages show it. */
export type ToldEntry = WaitlistEntriesTable &
  Pick<BusinessesTable, 'quiet_hours_json' | 'plan'> & {
    hub_plan: HubsTable['plan'] | null
    business_locale: string
    timezone: string
    online_url: string | null
    location_name: string
    /** The status of the offer that the message brings. Null without one. */
    offer_status: WaitlistOffersTable['status'] | null
    offer_starts_at: Instant | null
    offer_expires_at: Instant | null
    offer_staff_name: string | null
  }

/** Finds the entry that a message is about. Undefined if it was deleted. */
export async function findToldEntry(
  db: Reads,
  { entry_id, offer_id }: Pick<WaitlistMailsTable, 'entry_id' | 'offer_id'>,
): Promise<ToldEntry | undefined> {
  const offered = offer_id === null ? sql`o.id is null and false` : sql`o.id = ${offer_id}`
  const { rows } = await sql<ToldEntry>`
    select e.*, i.quiet_hours_json, i.plan, i.locale as business_locale, h.plan as hub_plan, l.timezone, l.online_url,
           l.name as location_name, o.status as offer_status, o.starts_at as offer_starts_at,
           o.expires_at as offer_expires_at, p.name as offer_staff_name
      from waitlist_entries as e
           join businesses as i on i.id = e.business_id
           left join hubs as h on h.id = i.hub_id
           join locations as l on l.id = e.location_id and l.business_id = e.business_id
           left join waitlist_offers as o on o.entry_id = e.id and ${offered}
           left join staff as p on p.id = o.staff_id and p.business_id = e.business_id
     where e.id = ${entry_id}`.execute(db)
  return rows[0]
}

/** Returns the active entry whose offer became a booking. Undefined for a client who does not wait again. */
export async function findEntryAgain(
  db: Reads,
  { id, business_id }: { id: string; business_id: string },
): Promise<string | undefined> {
  const entry = await db
    .selectFrom('waitlist_offers as o')
    .innerJoin('waitlist_entries as e', 'e.id', 'o.entry_id')
    .select('e.id')
    .where('o.id', '=', id)
    .where('o.business_id', '=', business_id)
    .where('e.ended_at', 'is', null)
    .executeTakeFirst()
  return entry?.id
}

/** Returns the names of services by ID. */
export async function findServiceNames(db: Reads, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.selectFrom('services').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Deletes the messages of entries. Returns the emails among them. */
export async function deleteMessagesOf(
  db: Queries,
  entryIds: readonly string[],
): Promise<Pick<WaitlistMailsTable, 'id' | 'kind'>[]> {
  if (entryIds.length === 0) return []
  await db.deleteFrom('waitlist_texts').where('entry_id', 'in', entryIds).execute()
  return db.deleteFrom('waitlist_mails').where('entry_id', 'in', entryIds).returning(['id', 'kind']).execute()
}

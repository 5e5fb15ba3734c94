import type { Insertable } from 'kysely'
import type { Queries, Reads } from '../database/database.ts'
import type { CalendarMailsTable } from '../database/tables.ts'

/** So many calendars one mail names at most. */
const maxNamed = 20

/** The addresses that a business names to be told. */
export async function findNotifyEmails(db: Queries, businessId: string): Promise<string[]> {
  const row = await db
    .selectFrom('businesses')
    .select('notify_emails_json')
    .where('id', '=', businessId)
    .executeTakeFirst()
  return JSON.parse(row?.notify_emails_json ?? '[]') as string[]
}

export async function insertCalendarMails(
  db: Queries,
  mails: readonly Insertable<CalendarMailsTable>[],
): Promise<void> {
  await db.insertInto('calendar_mails').values(mails).execute()
}

/**
 * The calendars of a business that it is told of and that still fail, the longest first: whose each is, and of what
 * business. None of people who left.
 */
export function findFailingCalendars(db: Reads, businessId: string) {
  return db
    .selectFrom('busy_calendars as c')
    .innerJoin('staff as s', 's.id', 'c.staff_id')
    .innerJoin('businesses as b', 'b.id', 'c.business_id')
    .select(['c.url', 'c.failing_since', 's.name as staff_name'])
    .select(['b.name as business_name', 'b.locale', 'b.timezone'])
    .where('c.business_id', '=', businessId)
    .where('c.told_at', 'is not', null)
    .where('s.deactivated_at', 'is', null)
    .orderBy('c.failing_since')
    .orderBy('c.id')
    .limit(maxNamed)
    .execute()
}

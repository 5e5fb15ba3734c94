import type { Insertable } from 'kysely'
import type { Queries, Reads } from '../database/database.ts'
import type { CalendarMailsTable } from '../database/tables.ts'

/** An email names at most this many calendars. */
const maxNamed = 20

/** Returns the addresses at which a business receives notices. */
export async function findNotifyEmails(db: Reads, businessId: string): Promise<string[]> {
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
 * Finds the calendars of a business that were reported as failing and still fail, the longest first. Returns the staff
 * member and the business of each. Ignores staff who have left.
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

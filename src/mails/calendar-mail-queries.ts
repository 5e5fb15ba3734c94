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

/** People who get a notice of an account that has stopped working. */
const maxPeople = 20

/** Returns the addresses of a business's owners, and of the people whose calendar is that of a staff member. */
export async function findAccountEmails(
  db: Reads,
  { business_id, staff_id }: { business_id: string; staff_id: string },
): Promise<string[]> {
  const rows = await db
    .selectFrom('user_places as p')
    .innerJoin('users as u', 'u.id', 'p.user_id')
    .select('u.email')
    .where('p.business_id', '=', business_id)
    .where((is) => is.or([is('p.role', '=', 'owner'), is('p.staff_id', '=', staff_id)]))
    .where('p.disabled_at', 'is', null)
    .where('p.hub_disabled_at', 'is', null)
    .where('u.disabled_at', 'is', null)
    .where('u.password_set_at', 'is not', null)
    .orderBy('p.created_at')
    .orderBy('p.id')
    .limit(maxPeople)
    .execute()
  return rows.map(({ email }) => email)
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
    .select(['c.url', 'c.failing_since', 'c.account_id', 's.name as staff_name'])
    .select(['b.name as business_name', 'b.locale', 'b.timezone'])
    .where('c.business_id', '=', businessId)
    .where('c.told_at', 'is not', null)
    .where('s.deactivated_at', 'is', null)
    .orderBy('c.failing_since')
    .orderBy('c.id')
    .limit(maxNamed)
    .execute()
}

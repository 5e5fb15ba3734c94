import type { Queries } from '../database/database.ts'
import type { CalendarMailsTable } from '../database/tables.ts'

/** The addresses that a business names to be told. */
export async function findNotifyEmails(db: Queries, businessId: string): Promise<string[]> {
  const row = await db
    .selectFrom('businesses')
    .select('notify_emails_json')
    .where('id', '=', businessId)
    .executeTakeFirst()
  return JSON.parse(row?.notify_emails_json ?? '[]') as string[]
}

export async function insertCalendarMails(db: Queries, mails: readonly CalendarMailsTable[]): Promise<void> {
  await db.insertInto('calendar_mails').values(mails).execute()
}

/** The calendar of a mail, whose it is, and of what business; undefined where it is read again, or gone. */
export function findFailingCalendar(db: Queries, id: string) {
  return db
    .selectFrom('busy_calendars as c')
    .innerJoin('staff as s', 's.id', 'c.staff_id')
    .innerJoin('businesses as b', 'b.id', 'c.business_id')
    .select(['c.url', 'c.failing_since', 's.name as staff_name'])
    .select(['b.name as business_name', 'b.locale', 'b.timezone'])
    .where('c.id', '=', id)
    .where('c.told_at', 'is not', null)
    .where('s.deactivated_at', 'is', null)
    .executeTakeFirst()
}

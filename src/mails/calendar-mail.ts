import { publicUrl } from '../base/public-url.ts'
import type { Transaction } from '../database/database.ts'
import type { CalendarMailsTable } from '../database/tables.ts'
import { findFailingCalendar, findNotifyEmails, insertCalendarMails } from './calendar-mail-queries.ts'
import type { Context } from './context.ts'
import { type Block, htmlOf, textOf } from './layout.ts'
import { sendNotice } from './notice.ts'
import { mailRoute } from './outbox.ts'
import { fill, momentOf, oneLine, type RenderedMail } from './render.ts'
import type { MailSender } from './send.ts'
import { mailLanguage } from './texts/languages.ts'

/*
 * Mails to those whom a business names, about a busy calendar that cannot be read. They are written with the failure, one
 * for each address, and not sent where the calendar is read again by then.
 */

/** Records in the transaction of a failure that the business is to be told. */
export async function writeCalendarMails(
  { config, ids, dueMails }: Pick<Context, 'config' | 'ids' | 'dueMails'>,
  tx: Transaction,
  { id, business_id }: { id: string; business_id: string },
): Promise<void> {
  if (mailRoute(config) === 'off') return
  const emails = await findNotifyEmails(tx.db, business_id)
  if (emails.length === 0) return
  const mails = emails.map((to_email) => ({
    ...{ id: ids.next(), business_id, busy_calendar_id: id, to_email },
    ...{ attempts: 0, next_attempt_at: tx.now, created_at: tx.now },
  }))
  await insertCalendarMails(tx.db, mails)
  tx.onCommit(() => dueMails.raise())
}

/** Sends a leased mail, and writes what came of it. */
export async function sendCalendarMail(
  context: Context,
  sender: Pick<MailSender, 'send'>,
  notice: CalendarMailsTable,
): Promise<void> {
  const failing = await findFailingCalendar(context.db.reads, notice.busy_calendar_id)
  const mail = failing && {
    ...{ id: notice.id, kind: 'calendar', to: notice.to_email, at: context.clock.now() },
    ...{ senderName: failing.business_name, replyTo: null, offUrl: null },
    content: renderCalendarMail(failing, `${publicUrl(context.config)}/console/calendars`),
  }
  await sendNotice(context, sender, { table: 'calendar_mails', notice, mail })
}

type FailingCalendar = NonNullable<Awaited<ReturnType<typeof findFailingCalendar>>>

/** Says whose calendar it is, where, and what to do; of the address, which is secret, the host alone. */
function renderCalendarMail(failing: FailingCalendar, consoleUrl: string): RenderedMail {
  const language = mailLanguage(failing.locale)
  const { direction, locale } = language
  const texts = language.texts.calendarFails
  const { failing_since, timezone } = failing
  const values = {
    ...{ name: failing.staff_name, business: failing.business_name, host: new URL(failing.url).host },
    time: failing_since === null ? '' : momentOf(failing_since, timezone, language),
  }
  const subject = oneLine(fill(texts.subject, values))
  const page = { title: subject, locale, direction, business: { name: values.business, color: null } }
  const blocks: Block[] = [
    { type: 'paragraph', text: fill(texts.since, values) },
    { type: 'paragraph', text: texts.stays },
    { type: 'paragraph', text: texts.look },
    { type: 'button', label: texts.open, url: consoleUrl },
  ]
  return { subject, text: textOf(page, blocks), html: htmlOf(page, blocks), calendar: null }
}

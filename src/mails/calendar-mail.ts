import { languageFor } from '../base/languages.ts'
import { publicUrl } from '../base/public-url.ts'
import type { Transaction } from '../database/database.ts'
import {
  findAccountEmails,
  findFailingCalendars,
  findNotifyEmails,
  insertCalendarMails,
} from './calendar-mail-queries.ts'
import { brandOf } from './brand.ts'
import type { Context } from './context.ts'
import { type Block, htmlOf, textOf } from './layout.ts'
import type { NoticeOf } from './notice-queries.ts'
import { sendNotice } from './notice.ts'
import { mailRouteOf } from './mail-route.ts'
import { oneLine, type RenderedMail } from './render.ts'
import { momentOf } from './times-and-money.ts'
import type { MailSender } from './send.ts'
import { realNow } from '../base/clock.ts'

/*
 * Emails to a business's recipients about busy calendars that cannot be read. One for each address is written when a
 * calendar fails. It names all calendars that fail at the time of sending, and is not sent if none does.
 */

/** Records the notice to the business in the transaction of the failure. */
export async function writeCalendarMails(
  { config, cache, ids, dueMails }: Pick<Context, 'config' | 'cache' | 'ids' | 'dueMails'>,
  tx: Transaction,
  calendar: { id: string; business_id: string; staff_id: string; account_id: string | null },
): Promise<void> {
  const { id, business_id, account_id } = calendar
  if ((await mailRouteOf({ config, cache }, tx.db, business_id)) === 'off') return
  const notified = await findNotifyEmails(tx.db, business_id)
  // only they can connect an account again
  const people = account_id === null ? [] : await findAccountEmails(tx.db, calendar)
  const emails = [...new Set([...notified, ...people])]
  if (emails.length === 0) return
  const mails = emails.map((to_email) => ({
    ...{ id: ids.next(), business_id, busy_calendar_id: id, to_email },
    ...{ attempts: 0, next_attempt_at: realNow(tx.now), created_at: tx.now },
  }))
  await insertCalendarMails(tx.db, mails)
  tx.onCommit(() => dueMails.raise())
}

/** Sends a leased email and writes its outcome. */
export async function sendCalendarMail(
  context: Context,
  sender: Pick<MailSender, 'send'>,
  notice: NoticeOf<'calendar_mails'>,
): Promise<void> {
  const failing = await findFailingCalendars(context.db.reads, notice.business_id)
  const [first] = failing
  const mail = first && {
    ...{ id: notice.id, kind: 'calendar', to: notice.to_email, at: context.clock.now() },
    ...{ senderName: first.business_name, replyTo: null, offUrl: null },
    content: renderCalendarMail(
      [first, ...failing.slice(1)],
      await brandOf(context, notice.business_id),
      `${publicUrl(context.config)}/console/calendars`,
    ),
  }
  await sendNotice(context, sender, { table: 'calendar_mails', notice, mail })
}

type FailingCalendar = Awaited<ReturnType<typeof findFailingCalendars>>[number]

/**
 * Names the owners of the calendars, their hosts and the remedy. Shows only the host of a URL, because the URL is
 * secret.
 */
function renderCalendarMail(
  failing: [FailingCalendar, ...FailingCalendar[]],
  brand: Awaited<ReturnType<typeof brandOf>>,
  consoleUrl: string,
): RenderedMail {
  const [{ business_name: business, locale: wanted, timezone }] = failing
  const language = languageFor(wanted)
  const { direction, locale, say } = language
  const people = [...new Set(failing.map(({ staff_name }) => staff_name))]
  const name = new Intl.ListFormat(locale).format(people)
  const subject = oneLine(say('mail.calendarFails.subject', { name, business }))
  const page = { title: subject, locale, direction, business: { name: business, ...brand } }
  const blocks: Block[] = [
    ...failing.map(({ url, failing_since: since, staff_name }): Block => {
      const time = since === null ? '' : momentOf(since, timezone, language)
      return {
        type: 'paragraph',
        text: say('mail.calendarFails.since', { name: staff_name, host: new URL(url).host, time }),
      }
    }),
    { type: 'paragraph', text: say('mail.calendarFails.stays') },
    ...(failing.some(({ account_id }) => account_id !== null)
      ? [{ type: 'paragraph', text: say('mail.calendarFails.again') } as const]
      : []),
    ...(failing.some(({ account_id }) => account_id === null)
      ? [{ type: 'paragraph', text: say('mail.calendarFails.look') } as const]
      : []),
    { type: 'button', label: say('mail.calendarFails.open'), url: consoleUrl },
  ]
  return { subject, text: textOf(page, blocks), html: htmlOf(page, blocks), calendar: null }
}

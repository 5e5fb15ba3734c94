import { clientEmailOf, hasEmail } from '../base/contact-formats.ts'
import { type Instant, nearestInstant, toMs } from '../base/instants.ts'
import { type QuietHours, quietHoursIn, type TextKind } from '../catalogue/mail-settings-rules.ts'
import type { Context } from './context.ts'
import {
  findReminded,
  findRemindingBusinesses,
  type ReminderPlace,
  type ReminderWindow,
  type RemindingBusiness,
} from './mail-queries.ts'
import { isCausedByBusiness, quietSpanSeconds, reminderDueAt, reminderOccasion } from './mail-rules.ts'
import { insertMails, type NewMails } from './outbox-queries.ts'
import { isAmong, textNumberOf } from './text-route.ts'

/*
 * Reminders are found when they are due, from the bookings at that time. Nothing is planned ahead. Every server checks
 * each minute, and the unique key of an email decides between two servers.
 */

const businessesAtOnce = 100
const bookingsAtOnce = 500
const firstId = '00000000-0000-0000-0000-000000000000'

/** Queues the reminders of future bookings that became due since an instant. Returns their number. */
export async function queueReminders(context: Context, since: Instant): Promise<number> {
  let queued = 0
  for (let after = firstId; ;) {
    const businesses = await findRemindingBusinesses(context.db.reads, after, businessesAtOnce)
    queued += await remindClientsOf(context, businesses, since)
    const last = businesses.at(-1)
    if (!last || businesses.length < businessesAtOnce) break
    after = last.id
  }
  if (queued > 0) {
    context.dueMails.raise()
    context.dueTexts.raise()
  }
  return queued
}

interface Rule {
  texts: TextKind[]
  hours: number
  quiet: QuietHours | null
}

async function remindClientsOf(
  context: Context,
  businesses: RemindingBusiness[],
  since: Instant,
): Promise<number> {
  const now = context.clock.now()
  const rules: Rule[] = []
  const windows: ReminderWindow[] = []
  for (const business of businesses) {
    const quiet = quietHoursIn(business.quiet_hours_json)
    const texts = JSON.parse(business.text_kinds_json) as TextKind[]
    for (const hours of JSON.parse(business.reminder_hours_json) as number[]) {
      const from = Math.max(toMs(since) + hours * 3_600_000, toMs(now))
      const until = toMs(now) + (hours * 3_600 + quietSpanSeconds(quiet)) * 1_000
      windows.push({
        place: rules.length,
        business_id: business.id,
        starts_after: nearestInstant(from),
        starts_until: nearestInstant(until),
      })
      rules.push({ hours, quiet, texts })
    }
  }
  let queued = 0
  let after: ReminderPlace | undefined
  for (;;) {
    const found = await findReminded(context.db.reads, windows, { after, max: bookingsAtOnce })
    const mails = found.flatMap((booking): NewMails[] => {
      const rule = rules[booking.place]
      if (!rule) return []
      const isMailed = hasEmail(booking.client_email)
      const phone = isAmong(rule.texts, 'reminder') ? textNumberOf(booking, context.config) : undefined
      if (!isMailed && phone === undefined) return []
      const due = reminderDueAt(booking, rule.hours, rule.quiet)
      // the client has just received an email about the booking, move or confirmation
      if (due > now || booking.scheduled_at > due) return []
      return [
        {
          id: context.ids.next(),
          business_id: booking.business_id,
          booking_id: booking.id,
          occasion: reminderOccasion(booking.starts_at, rule.hours),
          client_kind: isMailed ? 'reminder' : null,
          business_kind: null,
          to_email: booking.client_email,
          recipient: clientEmailOf(booking.client_email),
          text_kind: phone === undefined ? null : 'reminder',
          to_phone: phone ?? '',
          by_email: '',
          caused_by: isCausedByBusiness(booking) ? 'business' : '',
          created_at: now,
          due_at: now,
        },
      ]
    })
    if (mails.length > 0) queued += await context.db.transaction((tx) => insertMails(tx.db, mails))
    const last = found.at(-1)
    if (!last || found.length < bookingsAtOnce) return queued
    after = [last.place, last.starts_at, last.id]
  }
}

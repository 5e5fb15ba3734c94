import { type Instant, instantFromMs, plusSeconds, toMs } from '../base/instants.ts'
import type { QuietHours } from '../catalogue/mail-settings-rules.ts'
import type { BookingStatus, MailKind } from '../database/tables.ts'

/** Attempts until a day has passed: pauses of 30, 60, … seconds up to an hour. */
export const maxAttempts = 31
const firstPauseSeconds = 30
const longestPauseSeconds = 3_600

/** Of one mail: longer than an attempt takes, and writing its result. */
export const leaseSeconds = 60

/** The pause after a failed attempt, by how many there were. */
export function pauseSeconds(attempts: number): number {
  return Math.min(firstPauseSeconds * 2 ** Math.min(attempts - 1, 10), longestPauseSeconds)
}

/** Mails to one client from one business within an hour. */
export const maxToClientPerHour = 5
/** Mails to one of those whom a business names within an hour; beyond it one mail tells of many bookings. */
export const maxToBusinessPerHour = 20
export const limitSeconds = 3_600

/** A booking as mails look at it. */
export interface MailSubject {
  status: BookingStatus
  starts_at: Instant
  ends_at: Instant
  staff_id: string | null
  confirmed_at: Instant | null
}

/** Who is told what. */
interface Tidings {
  client: MailKind | undefined
  business: MailKind | undefined
}

/** What a change of a booking tells; `before` is undefined for a new one. */
export function tidingsOf(before: MailSubject | undefined, after: MailSubject): Tidings {
  const nothing = { client: undefined, business: undefined }
  if (after.status === 'completed') return nothing
  if (after.status === 'cancelled') {
    if (!before || before.status === 'cancelled') return nothing
    return { client: 'cancelled', business: before.confirmed_at === null ? undefined : 'cancelled' }
  }
  const moved = !before || differs(before, after)
  if (after.confirmed_at === null) return moved ? { client: 'deposit_due', business: undefined } : nothing
  const isNew = !before || before.confirmed_at === null || before.status === 'cancelled'
  if (isNew) return { client: 'confirmed', business: 'booked' }
  return moved ? { client: 'changed', business: 'changed' } : nothing
}

function differs(one: MailSubject, other: MailSubject): boolean {
  return one.starts_at !== other.starts_at || one.ends_at !== other.ends_at || one.staff_id !== other.staff_id
}

/** A mail that waits. */
interface WaitingMail {
  id: string
  booking_id: string
  kind: MailKind
  /** Of a change: version, and the start before it; of a reminder: start and hours. */
  occasion: string
}

/** What makes the mail about a change unique, with the start that it replaces. */
export function changeOccasion(version: number, before: Pick<MailSubject, 'starts_at'> | undefined): string {
  return before ? `${version}/${before.starts_at}` : String(version)
}

/** The start that the recipient of a mail about a change knows: that before the first change it has not heard of. */
export function knownStart(
  kind: MailKind,
  waiting: readonly Pick<WaitingMail, 'kind' | 'occasion'>[],
): Instant | null {
  if (kind !== 'changed') return null
  const [, start] = waiting.find((mail) => mail.kind === 'changed')?.occasion.split('/') ?? []
  return start === undefined ? null : (start as Instant)
}

/** What makes a reminder unique. */
export function reminderOccasion(startsAt: Instant, hours: number): string {
  return `${startsAt}/${hours}`
}

/**
 * Of the waiting mails to a client about one booking, in their order, the one that still has something to say. The others
 * are superseded: what is sent shows the booking as it is.
 */
export function mailToSend(
  waiting: readonly WaitingMail[],
  booking: (MailSubject & { isDue: boolean }) | undefined,
  now: Instant,
): WaitingMail | undefined {
  if (!booking || booking.ends_at <= now) return undefined
  const last = (kind: MailKind) => waiting.findLast((mail) => mail.kind === kind)
  if (booking.status === 'cancelled') return last('cancelled')
  if (booking.confirmed_at === null) return booking.isDue ? last('deposit_due') : undefined
  const told = last('confirmed') ?? last('changed')
  if (told || booking.status !== 'confirmed' || booking.starts_at <= now) return told
  return waiting.findLast(
    ({ kind, occasion }) => kind === 'reminder' && occasion.startsWith(`${booking.starts_at}/`),
  )
}

/** The same for those whom a business names: what was booked and is cancelled since is told once. */
export function noticeToSend(
  waiting: readonly WaitingMail[],
  booking: Pick<MailSubject, 'status'> | undefined,
): WaitingMail | undefined {
  const last = (kind: MailKind) => waiting.findLast((mail) => mail.kind === kind)
  if (!booking) return undefined
  return booking.status === 'cancelled' ? last('cancelled') : (last('booked') ?? last('changed'))
}

interface Appointment {
  starts_at: Instant
  /** Of the location. */
  timezone: string
}

/** When to remind: so many hours before the start, or before the quiet hours in which that lies. */
export function reminderDueAt(
  { starts_at, timezone }: Appointment,
  hours: number,
  quiet: QuietHours | null,
): Instant {
  const due = plusSeconds(starts_at, -hours * 3_600)
  if (!quiet) return due
  const local = Temporal.Instant.fromEpochMilliseconds(toMs(due)).toZonedDateTimeISO(timezone)
  const time = local.toPlainTime().toString({ smallestUnit: 'minute' })
  const overMidnight = quiet.to < quiet.from
  const isQuiet = overMidnight ? time >= quiet.from || time < quiet.to : time >= quiet.from && time < quiet.to
  if (!isQuiet) return due
  const day = local.toPlainDate().subtract({ days: overMidnight && time < quiet.to ? 1 : 0 })
  const begins = day.toPlainDateTime(quiet.from).toZonedDateTime(timezone, { disambiguation: 'earlier' })
  // a minute before: quiet hours are quiet from their first minute on
  const before = instantFromMs(Math.max(begins.epochMilliseconds - 60_000, 0))
  return before < due ? before : due
}

/** The longest that quiet hours bring a reminder forward, in seconds, with a clock change. */
export function quietSpanSeconds(quiet: QuietHours | null): number {
  if (!quiet) return 0
  const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
  const span = (minutes(quiet.to) - minutes(quiet.from) + 1440) % 1440
  return (span + 61) * 60
}

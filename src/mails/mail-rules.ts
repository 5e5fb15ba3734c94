import { type Instant, instantFromMs, plusSeconds, toMs } from '../base/instants.ts'
import type { QuietHours } from '../catalogue/mail-settings-rules.ts'
import type { BookingStatus, MailKind, PaymentsTable } from '../database/tables.ts'

/** Attempts until a day has passed: pauses of 30, 60, … seconds up to an hour. */
export const maxAttempts = 31
const firstPauseSeconds = 30
const longestPauseSeconds = 3_600

/** Of one mail: longer than an attempt takes, and writing its result. */
export const leaseSeconds = 60

/** How long a mail about a change may wait for one that takes it back. Less than the rest of a lease after an attempt. */
export const maxDelaySeconds = 15

/** The pause after a failed attempt, by how many there were. */
export function pauseSeconds(attempts: number): number {
  return Math.min(firstPauseSeconds * 2 ** Math.min(attempts - 1, 10), longestPauseSeconds)
}

/** Mails to one client from one business within an hour. */
export const maxToClientPerHour = 5
/** Mails to one of those whom a business names within an hour; beyond it one mail tells of many bookings. */
export const maxToBusinessPerHour = 20
export const limitSeconds = 3_600

/** From the booking to the mail that asks for its deposit: most clients pay at once. */
export const depositDueSeconds = 300

/** A booking as mails look at it. */
export interface MailSubject {
  status: BookingStatus
  starts_at: Instant
  ends_at: Instant
  staff_id: string | null
  confirmed_at: Instant | null
  payment_id: string | null
  payment_status: PaymentsTable['status'] | null
}

/** Who is told what. */
interface Tidings {
  client: MailKind | undefined
  business: MailKind | undefined
  /** Whether the client is also asked for a deposit, later. */
  deposit: boolean
}

/** What a change of a booking tells; `before` is undefined for a new one. */
export function tidingsOf(before: MailSubject | undefined, after: MailSubject): Tidings {
  const nothing = { client: undefined, business: undefined, deposit: false }
  if (after.status === 'completed') return nothing
  if (after.status === 'cancelled') {
    if (!before || before.status === 'cancelled') return nothing
    return {
      ...nothing,
      client: 'cancelled',
      business: before.confirmed_at === null ? undefined : 'cancelled',
    }
  }
  const moved = !before || differs(before, after)
  const isOther = before?.payment_id !== after.payment_id
  const isPending = after.confirmed_at === null
  const deposit = after.payment_status === 'due' && (isOther || (isPending && moved))
  if (isPending) return { ...nothing, deposit }
  const isNew = !before || before.confirmed_at === null || before.status === 'cancelled'
  if (isNew) return { client: 'confirmed', business: 'booked', deposit }
  return moved ? { client: 'changed', business: 'changed', deposit } : { ...nothing, deposit }
}

function differs(one: Known, other: Known): boolean {
  return one.starts_at !== other.starts_at || one.ends_at !== other.ends_at || one.staff_id !== other.staff_id
}

/** A mail that waits. */
interface WaitingMail {
  id: string
  booking_id: string
  kind: MailKind
  /** Of a change: version, and what was before it; of a reminder: start and hours. */
  occasion: string
}

/** When, how long and with whom an appointment is. */
export type Known = Pick<MailSubject, 'starts_at' | 'ends_at' | 'staff_id'>

/** What makes the mail about a change unique, with what it replaces. */
export function changeOccasion(version: number, before: Known | undefined): string {
  return before
    ? [version, before.starts_at, before.ends_at, before.staff_id ?? ''].join('/')
    : String(version)
}

/** What the recipient of mails about a change knows: how it was before the first change it has not heard of. */
export function knownBefore(
  waiting: readonly Pick<WaitingMail, 'kind' | 'occasion'>[],
): Partial<Known> | undefined {
  const first = waiting.find((mail) => mail.kind === 'changed')
  const [, start, end, staff] = first?.occasion.split('/') ?? []
  if (start === undefined) return undefined
  return {
    starts_at: start as Instant,
    // mails of an earlier release name the start alone
    ...(end !== undefined && { ends_at: end as Instant, staff_id: staff === '' ? null : (staff ?? null) }),
  }
}

/** Whether changes that were not told yet have been taken back. */
function isBack(waiting: readonly WaitingMail[], booking: Known): boolean {
  const known = knownBefore(waiting)
  return known?.ends_at !== undefined && !differs({ ...booking, ...known }, booking)
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
  booking: MailSubject | undefined,
  now: Instant,
): WaitingMail | undefined {
  if (!booking || booking.ends_at <= now) return undefined
  const last = (kind: MailKind) => waiting.findLast((mail) => mail.kind === kind)
  if (booking.status === 'cancelled') return last('cancelled')
  const asked = booking.payment_status === 'due' ? last('deposit_due') : undefined
  if (booking.confirmed_at === null) return asked
  const told = last('confirmed') ?? (isBack(waiting, booking) ? undefined : last('changed')) ?? asked
  if (told || booking.status !== 'confirmed' || booking.starts_at <= now) return told
  return waiting.findLast(
    ({ kind, occasion }) => kind === 'reminder' && occasion.startsWith(`${booking.starts_at}/`),
  )
}

/**
 * Of the waiting mails about one booking, those that a sent one supersedes: all, but for the one that asks for a deposit
 * which is still due.
 */
export function supersededBy<Mail extends WaitingMail>(
  sent: Mail,
  waiting: readonly Mail[],
  { payment_status, status }: Pick<MailSubject, 'payment_status' | 'status'>,
): Mail[] {
  const isDue = payment_status === 'due' && status !== 'cancelled'
  const stays = (mail: Mail) => isDue && mail.kind === 'deposit_due' && sent.kind !== 'deposit_due'
  return waiting.filter((mail) => mail !== sent && !stays(mail))
}

/** The same for those whom a business names: what was booked and is cancelled since is told once. */
export function noticeToSend(
  waiting: readonly WaitingMail[],
  booking: (Known & Pick<MailSubject, 'status'>) | undefined,
): WaitingMail | undefined {
  const last = (kind: MailKind) => waiting.findLast((mail) => mail.kind === kind)
  if (!booking) return undefined
  if (booking.status === 'cancelled') return last('cancelled')
  return last('booked') ?? (isBack(waiting, booking) ? undefined : last('changed'))
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

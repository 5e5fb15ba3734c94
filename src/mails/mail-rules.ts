import { type Instant, instantFromMs, plusSeconds, toMs } from '../base/instants.ts'
import type { QuietHours } from '../catalogue/mail-settings-rules.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import { type ItemColumns, itemsOf } from '../database/shown-item-rules.ts'
import type { MailKind, MailStatus, PaymentsTable, PostponedFor } from '../database/tables.ts'

interface KindRules {
  /** Clients may unsubscribe, and each email has a link for that. */
  isOptional: boolean
  /** Emails to clients bring their calendar up to date. */
  hasCalendar: boolean
}

/** Properties of each kind of email, in the order of their previews. */
export const mailKinds: Readonly<Record<MailKind, KindRules>> = {
  confirmed: { isOptional: false, hasCalendar: true },
  changed: { isOptional: false, hasCalendar: true },
  cancelled: { isOptional: false, hasCalendar: true },
  reminder: { isOptional: true, hasCalendar: false },
  deposit_due: { isOptional: false, hasCalendar: false },
  refunded: { isOptional: false, hasCalendar: false },
  fee_paid: { isOptional: false, hasCalendar: false },
  fee_due: { isOptional: false, hasCalendar: false },
  fee_waived: { isOptional: false, hasCalendar: false },
  booked: { isOptional: false, hasCalendar: true },
  requested: { isOptional: false, hasCalendar: false },
  declined: { isOptional: false, hasCalendar: false },
  unanswered: { isOptional: false, hasCalendar: false },
  answer_due: { isOptional: false, hasCalendar: false },
  charge_failed: { isOptional: false, hasCalendar: false },
  disputed: { isOptional: false, hasCalendar: false },
}

/** Attempts within a day: pauses of 30, 60, … seconds up to an hour. */
export const maxAttempts = 31
const firstPauseSeconds = 30
const longestPauseSeconds = 3_600

/** Lease of one email. Longer than an attempt and the write of its result. */
export const leaseSeconds = 60

/**
 * Maximum delay of an email about a change that may still be undone. Less than the rest of a lease after an attempt.
 */
export const maxDelaySeconds = 15

/** Returns the pause after a failed attempt, depending on their number. */
export function pauseSeconds(attempts: number): number {
  return Math.min(firstPauseSeconds * 2 ** Math.min(attempts - 1, 10), longestPauseSeconds)
}

/** Emails to one client from one business within an hour. */
export const maxToClientPerHour = 5
/** Text messages to one number from one business within an hour. A family may share it, and each gets its own limit. */
export const maxToNumberPerHour = 15
/** Emails to one recipient of a business within an hour. Beyond this, one email reports many bookings. */
export const maxToBusinessPerHour = 20
/** The same when one of them is about a request, whose deadline would pass while it waits. It is sent before others. */
export const maxWithRequestsPerHour = 60
export const limitSeconds = 3_600

/** Emails that ask the business for an answer before a deadline. */
export const kindsToAnswer: readonly MailKind[] = ['requested', 'answer_due']

/** Time from the booking to the email that requests its deposit. Most clients pay at once. */
export const depositDueSeconds = 300

/** Emails about a late cancellation wait this long for the outcome of its charge, which they then report. */
export const chargeWaitSeconds = 30

/** Age at which emails are deleted. */
export const retentionSeconds = 31 * 86_400

/** The fields of a booking that decide about emails. */
export type MailSubject = ItemColumns &
  Pick<BookingRow, 'status' | 'confirmed_at' | 'respond_by' | 'payment_id' | 'payment_status'>

/** The fields of a booking that tell who caused it. */
export type Caused = Pick<BookingRow, 'caused_by' | 'counted_client'>

/** True if no cap of visitors counts the booking. Earlier releases marked none, but counted only sessions by client. */
export function isCausedByBusiness({ caused_by, counted_client }: Caused): boolean {
  return caused_by === 'business' || counted_client === null
}

/** The emails to write. */
interface Tidings {
  client: MailKind | undefined
  business: MailKind | undefined
  /** True if the client gets a deposit request, later. Emails about a confirmed booking include it. */
  deposit: boolean
}

/** A request is ended by the business, its client, or time. */
export type RequestEnd = 'business' | 'client' | 'time'

/**
 * Returns the emails that report a change of a booking. `before` is undefined for a new one. `endedBy` says who ended a
 * request.
 */
export function tidingsOf(before: MailSubject | undefined, after: MailSubject, endedBy: RequestEnd): Tidings {
  const nothing = { client: undefined, business: undefined, deposit: false }
  if (after.status === 'completed') return nothing
  if (after.status === 'cancelled') {
    if (!before || before.status === 'cancelled') return nothing
    if (before.respond_by !== null) return { ...nothing, ...requestEnds[endedBy] }
    return {
      ...nothing,
      client: 'cancelled',
      business: before.confirmed_at === null ? undefined : 'cancelled',
    }
  }
  const moved = !before || differs(before, after) || !haveSameItems(knownItems(before), knownItems(after))
  const isOther = before?.payment_id !== after.payment_id
  const isPending = after.confirmed_at === null
  const deposit = after.payment_status === 'due' && (isOther || (isPending && moved))
  if (after.respond_by !== null && moved)
    return { ...nothing, client: 'requested', business: before ? undefined : 'requested' }
  if (isPending) return { ...nothing, deposit }
  const isNew = !before || before.confirmed_at === null || before.status === 'cancelled'
  if (isNew) return { ...nothing, client: 'confirmed', business: 'booked' }
  return moved ? { ...nothing, client: 'changed', business: 'changed' } : { ...nothing, deposit }
}

const requestEnds: Record<RequestEnd, { client: MailKind; business: MailKind }> = {
  business: { client: 'declined', business: 'cancelled' },
  client: { client: 'cancelled', business: 'cancelled' },
  time: { client: 'unanswered', business: 'unanswered' },
}

function differs(one: KnownTimes, other: KnownTimes): boolean {
  return one.starts_at !== other.starts_at || one.ends_at !== other.ends_at || one.staff_id !== other.staff_id
}

/** A waiting email. */
interface WaitingMail {
  id: string
  booking_id: string
  kind: MailKind
  /** For a change: the version and the previous times. For a reminder: the start and the hours before. */
  occasion: string
}

/** The start, the end and the first staff member of an appointment. */
type KnownTimes = Pick<MailSubject, 'starts_at' | 'ends_at' | 'staff_id'>

/** One service of an appointment as a recipient knows it. */
export interface KnownItem {
  id: string
  service_id: string
  staff_id: string | null
  starts_at: Instant
  ends_at: Instant
}

/** An appointment as a recipient knows it. Without `items`, it had one service. */
export type Known = KnownTimes & { items?: KnownItem[] }

function knownItems(booking: ItemColumns): KnownItem[] {
  return itemsOf(booking).map(({ id, service, staff, starts_at, ends_at }) => ({
    ...{ id, service_id: service.id, staff_id: staff?.id ?? null, starts_at, ends_at },
  }))
}

function haveSameItems(some: readonly KnownItem[], others: readonly KnownItem[]): boolean {
  return writeItems(some) === writeItems(others)
}

/** Times are epoch milliseconds, because the occasion is part of an index. */
function writeItems(items: readonly KnownItem[]): string {
  const fields = ({ id, service_id, staff_id, starts_at, ends_at }: KnownItem) =>
    [id, service_id, staff_id ?? '', toMs(starts_at), toMs(ends_at)].join(',')
  return items.map(fields).join(';')
}

function readItems(text: string): KnownItem[] {
  return text.split(';').map((item) => {
    const [id = '', service_id = '', staff = '', from, to] = item.split(',')
    return {
      ...{ id, service_id, staff_id: staff === '' ? null : staff },
      ...{ starts_at: instantFromMs(Number(from)), ends_at: instantFromMs(Number(to)) },
    }
  })
}

/** Makes the email about a change unique and includes the previous state, with the items of a visit. */
export function changeOccasion(
  version: number,
  before: ItemColumns | undefined,
  after: Pick<ItemColumns, 'items_json'>,
): string {
  if (!before) return String(version)
  const isVisit = before.items_json !== null || after.items_json !== null
  const { starts_at, ends_at, staff_id } = before
  const times = [version, starts_at, ends_at, staff_id ?? '']
  return [...times, ...(isVisit ? [writeItems(knownItems(before))] : [])].join('/')
}

/** Returns the state that the recipient of emails about a change knows: the one before the first unreported change. */
export function knownBefore(
  waiting: readonly Pick<WaitingMail, 'kind' | 'occasion'>[],
): Partial<Known> | undefined {
  return knownIn(waiting.find((mail) => mail.kind === 'changed')?.occasion)
}

/** Returns the state before the change in an occasion. */
function knownIn(occasion: string | undefined): Partial<Known> | undefined {
  const [, start, end, staff, items] = occasion?.split('/') ?? []
  if (start === undefined) return undefined
  return {
    starts_at: start as Instant,
    // emails of an earlier release contain only the start
    ...(end !== undefined && { ends_at: end as Instant, staff_id: staff === '' ? null : (staff ?? null) }),
    ...(items !== undefined && { items: readItems(items) }),
  }
}

/** True if unreported changes have been undone. */
function isBack(known: Partial<Known> | undefined, booking: ItemColumns): boolean {
  if (known?.ends_at === undefined || differs({ ...booking, ...known }, booking)) return false
  return known.items ? haveSameItems(known.items, knownItems(booking)) : booking.items_json === null
}

/** Leaves out cancellations that were undone before their email was sent, with the confirmations after them. */
function withoutUndone(
  waiting: readonly WaitingMail[],
  booking: ItemColumns & Pick<MailSubject, 'status'>,
): readonly WaitingMail[] {
  const at = waiting.findLastIndex(({ kind }) => kind === 'cancelled')
  const isUndone = booking.status !== 'cancelled' && isBack(knownIn(waiting[at]?.occasion), booking)
  if (!isUndone) return waiting
  const isAgain = ({ kind, occasion }: WaitingMail) =>
    (kind === 'confirmed' || kind === 'booked') && /^\d/.test(occasion) // not about a payment or a lost email
  const rest = [...waiting.slice(0, at), ...waiting.slice(at + 1).filter((mail) => !isAgain(mail))]
  return withoutUndone(rest, booking)
}

const paidPrefix = 'paid/'

/** Makes unique the `confirmed` email about the payment of a deposit that was due after the confirmation. */
export function paidOccasion(paymentId: string): string {
  return `${paidPrefix}${paymentId}`
}

const feePrefix = 'fee/'

/** Makes unique the email about a fee. That about a waived fee names the amount that the client need not pay. */
export function feeOccasion(paymentId: string, waived?: number): string {
  return `${feePrefix}${paymentId}${waived === undefined ? '' : `/${waived}`}`
}

const disputePrefix = 'dispute/'

type Dispute = NonNullable<PaymentsTable['dispute']>

/** Makes unique the email to the business about a state of a disputed payment. */
export function disputeOccasion(paymentId: string, dispute: Dispute): string {
  return `${disputePrefix}${paymentId}/${dispute}`
}

/** Returns the state of the dispute that an email is about. Undefined for any other. */
export function disputeOfOccasion({
  kind,
  occasion,
}: Pick<WaitingMail, 'kind' | 'occasion'>): Dispute | undefined {
  return kind === 'disputed' ? (occasion.split('/')[2] as Dispute | undefined) : undefined
}

/** Returns the ID of the fee, or of the disputed payment, that an email is about. Undefined for any other. */
export function feeOfOccasion({
  kind,
  occasion,
}: Pick<WaitingMail, 'kind' | 'occasion'>): string | undefined {
  return isAboutFee(kind) || isOfTeamsMoney(kind) ? occasion.split('/')[1] : undefined
}

/** Returns the amount that the client of a waived fee need not pay, in minor units. */
export function waivedOfOccasion({ occasion }: Pick<WaitingMail, 'occasion'>): number | undefined {
  const amount = occasion.split('/')[2]
  return amount === undefined ? undefined : Number(amount)
}

/** Returns the payment and the number of the refund that an email is about. Undefined for any other. */
export function refundOfOccasion({
  kind,
  occasion,
}: Pick<WaitingMail, 'kind' | 'occasion'>): { paymentId: string; number: number } | undefined {
  const [, paymentId, number] = /^refund\/([^/]+)\/(\d+)$/.exec(kind === 'refunded' ? occasion : '') ?? []
  return paymentId === undefined ? undefined : { paymentId, number: Number(number) }
}

/** Names the subject of a message. Each fee, refund and dispute has its own messages. */
export function subjectOf({ kind, occasion, booking_id }: Omit<WaitingMail, 'id'>): string {
  const money = kind === 'refunded' ? occasion : (feeOfOccasion({ kind, occasion }) ?? '')
  return `${booking_id} ${money}`
}

/** True for an email whose contents an email about a late cancellation can include. */
export function isOutcomeOfCharge(kind: MailKind): boolean {
  return kind === 'fee_paid' || kind === 'fee_due' || kind === 'charge_failed'
}

/** True for an email with an occasion of `paidOccasion`. */
export function reportsPayment({ occasion }: Pick<WaitingMail, 'occasion'>): boolean {
  return occasion.startsWith(paidPrefix)
}

/** True for the kinds of messages about one fee. */
export function isAboutFee(kind: MailKind): boolean {
  return kind === 'fee_paid' || kind === 'fee_due' || kind === 'fee_waived'
}

/** True for the kinds of emails that warn the business about one payment. */
function isOfTeamsMoney(kind: MailKind): boolean {
  return kind === 'charge_failed' || kind === 'disputed'
}

/** Makes a reminder unique. */
export function reminderOccasion(startsAt: Instant, hours: number): string {
  return `${startsAt}/${hours}`
}

/**
 * Returns the waiting email to a client about one booking that is still relevant. The others are superseded, because
 * the sent email shows the booking as it is now. The emails are in order.
 */
export function mailToSend(
  all: readonly WaitingMail[],
  booking: MailSubject | undefined,
  now: Instant,
): WaitingMail | undefined {
  const other = booking && booking.ends_at > now ? newsToSend(all, booking, now) : undefined
  // money goes back also after the appointment, and other emails show it
  return other ?? (booking && all.findLast(({ kind }) => kind === 'refunded' || isAboutFee(kind)))
}

function newsToSend(
  all: readonly WaitingMail[],
  booking: MailSubject,
  now: Instant,
): WaitingMail | undefined {
  const waiting = withoutUndone(all, booking)
  const last = (kind: MailKind) => waiting.findLast((mail) => mail.kind === kind)
  if (booking.status === 'cancelled') return lastEnd(waiting)
  if (booking.respond_by !== null) return last('requested')
  const asked = booking.payment_status === 'due' ? last('deposit_due') : undefined
  if (booking.confirmed_at === null) return asked
  const told =
    last('confirmed') ?? (isBack(knownBefore(waiting), booking) ? undefined : last('changed')) ?? asked
  if (told || booking.status !== 'confirmed' || booking.starts_at <= now) return told
  return waiting.findLast(
    ({ kind, occasion }) => kind === 'reminder' && occasion.startsWith(`${booking.starts_at}/`),
  )
}

/** Returns the last email about the end of a booking. */
function lastEnd(waiting: readonly WaitingMail[]): WaitingMail | undefined {
  return waiting.findLast(({ kind }) => kind === 'cancelled' || kind === 'declined' || kind === 'unanswered')
}

/**
 * Does the same for the business's recipients and emails about one subject. A booking that was cancelled in the
 * meantime produces one notice.
 */
export function noticeToSend(
  all: readonly WaitingMail[],
  booking: (ItemColumns & Pick<MailSubject, 'status' | 'respond_by'>) | undefined,
): WaitingMail | undefined {
  if (!booking) return undefined
  const waiting = withoutUndone(all, booking)
  const money = all.findLast(({ kind }) => isOfTeamsMoney(kind))
  if (money) return booking.status === 'cancelled' ? (lastEnd(waiting) ?? money) : money
  const last = (kind: MailKind) => waiting.findLast((mail) => mail.kind === kind)
  if (booking.status === 'cancelled') return lastEnd(waiting)
  if (booking.respond_by !== null) return last('requested') ?? last('answer_due')
  return last('booked') ?? (isBack(knownBefore(waiting), booking) ? undefined : last('changed'))
}

/** Why an email waits, beyond the reasons for postponing it. */
export const waitReasons = [
  'setup',
  'turn',
  'retry',
  'charge',
  'recipient_limit',
  'business_limit',
  'server_limit',
  'quiet_hours',
  'deposit',
] as const

/** Why an email waits, and until when. Null: until emails are set up, or until it is its turn. */
interface MailWait {
  reason: (typeof waitReasons)[number]
  until: Instant | null
}

/** The kinds of messages about no booking. */
export const noticeKinds = [
  ...(['link', 'client_link', 'calendar', 'webhook'] as const),
  ...(['waitlist_joined', 'offered', 'waitlist_ended'] as const),
] as const

export type NoticeKind = (typeof noticeKinds)[number]

interface Waiting {
  kind: MailKind | NoticeKind
  status: MailStatus
  attempts: number
  last_error: string | null
  next_attempt_at: Instant | null
  waits_for: PostponedFor | null
  earlier_attempt_at: Instant | null
}

/** Returns why an email waits. Undefined if it does not wait or is being sent. `isOn`: the server sends emails. */
export function waitOf(mail: Waiting, { now, isOn }: { now: Instant; isOn: boolean }): MailWait | undefined {
  const { kind, status, attempts, last_error, next_attempt_at: until, waits_for } = mail
  const { earlier_attempt_at: earlier } = mail
  if (status !== 'queued') return undefined
  if (!isOn) return { reason: 'setup', until: null }
  if (until === null || until <= now)
    return { reason: 'turn', until: earlier !== null && earlier > now ? earlier : null }
  if (waits_for !== null && waits_for !== 'retry') return { reason: waits_for, until }
  if (last_error !== null) return { reason: 'retry', until }
  if (waits_for === 'retry') return { reason: 'turn', until } // after another email to the same recipient
  return kind === 'deposit_due' && attempts === 0 ? { reason: 'deposit', until } : undefined
}

interface Appointment {
  starts_at: Instant
  /** Time zone of the location. */
  timezone: string
}

/**
 * Returns the time of a reminder: the given hours before the start, or before the quiet hours that contain that time.
 */
export function reminderDueAt(
  { starts_at, timezone }: Appointment,
  hours: number,
  quiet: QuietHours | null,
): Instant {
  const due = plusSeconds(starts_at, -hours * 3_600)
  if (!quiet) return due
  const { day, time, isQuiet, overMidnight } = quietAt(due, timezone, quiet)
  if (!isQuiet) return due
  const first = day.subtract({ days: overMidnight && time < quiet.to ? 1 : 0 })
  const begins = first.toPlainDateTime(quiet.from).toZonedDateTime(timezone, { disambiguation: 'earlier' })
  // a minute earlier, because quiet hours include their first minute
  const before = instantFromMs(Math.max(begins.epochMilliseconds - 60_000, 0))
  return before < due ? before : due
}

function quietAt(instant: Instant, timezone: string, quiet: QuietHours) {
  const local = Temporal.Instant.fromEpochMilliseconds(toMs(instant)).toZonedDateTimeISO(timezone)
  const time = local.toPlainTime().toString({ smallestUnit: 'minute' })
  const overMidnight = quiet.to < quiet.from
  const isQuiet = overMidnight ? time >= quiet.from || time < quiet.to : time >= quiet.from && time < quiet.to
  return { day: local.toPlainDate(), time, isQuiet, overMidnight }
}

/** Returns the end of the quiet hours that contain an instant. Undefined outside of them. */
export function quietUntil(now: Instant, timezone: string, quiet: QuietHours | null): Instant | undefined {
  if (!quiet) return undefined
  const { day, time, isQuiet, overMidnight } = quietAt(now, timezone, quiet)
  if (!isQuiet) return undefined
  const last = day.add({ days: overMidnight && time >= quiet.from ? 1 : 0 })
  return instantFromMs(last.toPlainDateTime(quiet.to).toZonedDateTime(timezone).epochMilliseconds)
}

/** Returns the longest time by which quiet hours bring a reminder forward, in seconds, including a clock change. */
export function quietSpanSeconds(quiet: QuietHours | null): number {
  if (!quiet) return 0
  const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
  const span = (minutes(quiet.to) - minutes(quiet.from) + 1440) % 1440
  return (span + 61) * 60
}

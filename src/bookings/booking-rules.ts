import type { AuditAction } from '../access/audit-types.ts'
import { notOfferedThen } from '../availability/offer-rules.ts'
import type { Span } from '../availability/resource-rules.ts'
import { shownEmail } from '../base/contact-formats.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import { type Instant, plusSeconds, toMs } from '../base/instants.ts'
import { searchText } from '../base/search-text.ts'
import { type ChangePolicy, type ChangeRefusal, policyOf } from '../catalogue/change-policy-rules.ts'
import type { CustomField } from '../catalogue/catalogue-types.ts'
import type { BookingsTable, BookingStatus } from '../database/tables.ts'
import type { EventSubject, EventType } from '../webhooks/event-payload.ts'
import type { BookingRow, ChangedColumns, ClientColumns } from './booking-queries.ts'
import type { PaymentPart } from './checkouts.ts'
import { customFieldErrors, type FieldAnswer } from './custom-field-rules.ts'

const maxBookingMs = 24 * 3_600_000

/** The requested changes; what is absent stays. */
export interface WantedChange {
  startsAt?: Instant
  endsAt?: Instant
  partySize?: number
  status?: BookingStatus
  notes?: string | null
  /** All answers to custom fields. */
  answers?: FieldAnswer[]
  client?: Partial<ClientInput>
  /** Digest of the new e-mail, for bookings of sessions: caps count by it. */
  countedClient?: string
  noShow?: boolean
  /** By the client itself: the rules of the service for that bind it. */
  byClient?: true
  /** What the client or the business says when cancelling. */
  cancelReason?: string
  /** The staff member changes. */
  reassigned?: boolean
}

export interface ChangePlan {
  /** Columns that differ, without the staff member: taking the slot decides it. */
  columns: ChangedColumns
  events: EventType[]
  /** What the audit log calls it. */
  action: AuditAction
  /** Ends the claim on the old time. */
  leavesSlot: boolean
  /** Needs a claim on the new time. */
  takesSlot: boolean
  /** Moves a cancelled booking that stays cancelled. */
  movesCancelled: boolean
  /** Undefined: the deposit stays as it is. */
  deposit: 'confirmed' | 'cancelled' | undefined
}

/** Plans a change; undefined when nothing differs. Throws validation_failed or slot_not_offered. */
export function planChange(
  booking: BookingsTable,
  wanted: WantedChange,
  now: Instant,
): ChangePlan | undefined {
  const span = newSpan(booking, wanted, now)
  const status = newStatus(booking, wanted)
  const notes = wanted.notes === undefined ? booking.notes : wanted.notes
  const noShowAt = newNoShow(booking, { wanted, status, startsAt: span.starts_at, now })
  const moved = span.starts_at !== booking.starts_at || span.ends_at !== booking.ends_at
  const partySize = wanted.partySize ?? booking.party_size
  const resized = partySize !== booking.party_size
  const statusChanged = status !== booking.status
  const marked = noShowAt !== booking.no_show_at
  const columns = {
    ...(moved && span),
    ...(resized && { party_size: partySize }),
    ...(notes !== booking.notes && { notes }),
    ...changedAnswers(booking, wanted),
    ...changedClient(booking, wanted),
  }
  const tellsOfClient = [wanted.client, wanted.notes, wanted.cancelReason].some((part) => part !== undefined)
  const isKnownAgain = booking.erased_at !== null && tellsOfClient
  const reassigned = wanted.reassigned === true
  // the no-show mark is part of a status change
  const otherChanged = Object.keys(columns).length > 0 || reassigned || (marked && !statusChanged)
  if (!statusChanged && !otherChanged) return undefined
  const otherSeats = moved || resized || reassigned
  const wasTaken = booking.status !== 'cancelled'
  const isTaken = status !== 'cancelled'
  const cancelReason = isTaken ? null : (wanted.cancelReason ?? booking.cancel_reason)
  const isKnown = booking.confirmed_at !== null
  const isFirstConfirmation = !isKnown && isTaken && status !== 'pending'
  return {
    columns: {
      ...columns,
      ...(isKnownAgain && { erased_at: null }),
      ...(statusChanged && { status, cancelled_at: isTaken ? null : now }),
      ...(marked && { no_show_at: noShowAt }),
      ...((moved || isFirstConfirmation || (isTaken && !wasTaken)) && { scheduled_at: now }),
      ...(moved && wanted.byClient && { client_reschedules: booking.client_reschedules + 1 }),
      ...(cancelReason !== booking.cancel_reason && { cancel_reason: cancelReason }),
      ...(isFirstConfirmation && { confirmed_at: now }),
    },
    action: isFirstConfirmation ? 'booking.confirmed' : actionOf(statusChanged ? status : undefined),
    events: isKnown ? eventsOf({ status, statusChanged, otherChanged }) : eventsOfUnconfirmed(status),
    leavesSlot: wasTaken && (otherSeats || !isTaken),
    takesSlot: isTaken && (otherSeats || !wasTaken),
    movesCancelled: moved && !wasTaken && !isTaken,
    deposit: statusChanged && !isTaken ? 'cancelled' : isFirstConfirmation ? 'confirmed' : undefined,
  }
}

function actionOf(newStatus: BookingsTable['status'] | undefined): AuditAction {
  if (newStatus === 'cancelled' || newStatus === 'completed') return `booking.${newStatus}`
  return 'booking.updated'
}

/** Throws change_not_allowed for a move of a cancelled booking, which takes no time, unless it comes back. */
export function assertTakesTime({ movesCancelled }: ChangePlan): void {
  if (!movesCancelled) return
  const detail = 'The booking is cancelled and takes no time; change its status as well to book it again.'
  throw new Problem('change_not_allowed', detail, { extensions: { reason: 'not_allowed' } })
}

/** Throws change_not_allowed unless its client may change the booking so. Returns what becomes of a paid deposit. */
export function assertClientMay(
  booking: BookingRow,
  wanted: WantedChange,
  now: Instant,
): ChangePolicy['refund'] {
  const policy = policyOf(booking, booking, now)
  const isCancelled = wanted.status === 'cancelled'
  const reason = isCancelled ? policy.cancelRefusal : policy.rescheduleRefusal
  if (reason === null) return isCancelled ? policy.refund : 'none'
  const verb = isCancelled ? 'cancel' : 'move'
  const details: Record<ChangeRefusal, string> = {
    too_late: `It is too late to ${verb} this booking.`,
    too_many: 'This booking has been moved as often as the service allows.',
    not_allowed: `Only the business can ${verb} this booking.`,
  }
  throw new Problem('change_not_allowed', details[reason], { extensions: { reason } })
}

/** The status after a change: a no-show completes the booking. Throws validation_failed. */
export function newStatus(
  booking: BookingsTable,
  { status, noShow = false, cancelReason }: WantedChange,
): BookingStatus {
  if (cancelReason !== undefined && status !== 'cancelled') {
    const detail = 'goes with status cancelled only'
    throw validationProblem([{ pointer: '/cancel_reason', code: 'not_allowed', detail }])
  }
  if (!noShow) return status ?? booking.status
  if (status === undefined || status === 'completed') return 'completed'
  const detail = 'must be completed, or left out, with no_show true'
  throw validationProblem([{ pointer: '/status', code: 'not_allowed', detail }])
}

/** Only a completed booking that has begun can have the mark. */
function newNoShow(
  booking: BookingsTable,
  change: { wanted: WantedChange; status: BookingStatus; startsAt: Instant; now: Instant },
): Instant | null {
  const { status, startsAt, now } = change
  const { noShow } = change.wanted
  const hasBegun = startsAt <= now
  if (noShow && !hasBegun) {
    const detail = 'can be true only once the booking has begun'
    throw validationProblem([{ pointer: '/no_show', code: 'not_allowed', detail }])
  }
  const isMarked = noShow ?? booking.no_show_at !== null
  return isMarked && status === 'completed' && hasBegun ? (booking.no_show_at ?? now) : null
}

interface ClientInput {
  first_name: string
  last_name: string
  email: string
  phone?: string | null
}

/** The client's columns; `client_search` joins all that a search matches. */
export function clientColumns({ first_name, last_name, email, phone }: ClientInput): ClientColumns {
  const digits = (phone ?? '').replace(/\D/g, '')
  return {
    client_first_name: first_name,
    client_last_name: last_name,
    client_email: email,
    client_phone: phone || null,
    client_search: searchText(
      [`${first_name} ${last_name}`, shownEmail(email), phone ?? '', digits].join('\n'),
    ),
  }
}

/** All client columns when any differs, else none. */
function changedClient(
  booking: BookingsTable,
  { client: wanted = {}, countedClient }: WantedChange,
): ChangedColumns {
  const { client_search, ...shown } = clientColumns({
    first_name: booking.client_first_name,
    last_name: booking.client_last_name,
    email: booking.client_email,
    phone: booking.client_phone,
    ...wanted,
  })
  const names = Object.keys(shown) as (keyof typeof shown)[]
  if (names.every((name) => shown[name] === booking[name])) return {}
  const isCounted = booking.counted_client !== null && countedClient !== undefined
  return { ...shown, client_search, ...(isCounted && { counted_client: countedClient }) }
}

function changedAnswers(booking: BookingsTable, { answers }: WantedChange): ChangedColumns {
  if (!answers) return {}
  const given = answers.filter(({ value }) => value !== undefined).map(answerText)
  const present = answersOf(booking).map(answerText)
  if (given.join() === present.join()) return {}
  return { custom_field_values_json: `[${given.join(',')}]` }
}

/** Of the same text where equal: a database may have written its JSON anew. */
function answerText({ field_id, value }: FieldAnswer): string {
  return JSON.stringify({ field_id, value })
}

/** The answers of a booking to custom fields. */
export function answersOf({ custom_field_values_json }: BookingsTable): Required<FieldAnswer>[] {
  return JSON.parse(custom_field_values_json) as Required<FieldAnswer>[] // only checked ones are written
}

/**
 * Throws validation_failed unless new answers fit the custom fields as they are now. One that stays as it was always fits:
 * its field may have changed since.
 */
export function assertAnswersFit(
  booking: BookingsTable,
  fields: CustomField[],
  answers: FieldAnswer[],
): void {
  const present = new Set(answersOf(booking).map(answerText))
  const isKept = (index: string | undefined) => {
    const answer = index === undefined ? undefined : answers[Number(index)]
    return answer !== undefined && present.has(answerText(answer))
  }
  const fieldErrors = customFieldErrors(fields, answers).filter(
    ({ pointer, code }) => code === 'repeated' || !isKept(pointer.split('/')[2]),
  )
  if (fieldErrors.length > 0) throw validationProblem(fieldErrors)
}

/** A booking is announced, as created, when it is confirmed for the first time. */
function eventsOfUnconfirmed(status: BookingStatus): EventType[] {
  if (status === 'pending' || status === 'cancelled') return []
  return status === 'completed' ? ['booking.created', 'booking.completed'] : ['booking.created']
}

function eventsOf(change: {
  status: BookingStatus
  statusChanged: boolean
  otherChanged: boolean
}): EventType[] {
  if (change.statusChanged && change.status === 'cancelled') return ['booking.cancelled']
  if (change.statusChanged && change.status === 'completed') {
    return change.otherChanged ? ['booking.updated', 'booking.completed'] : ['booking.completed']
  }
  return ['booking.updated']
}

/** The time after a change. Throws validation_failed or slot_not_offered. */
export function newSpan(booking: BookingsTable, wanted: WantedChange, now: Instant): Span {
  const span = spanOf(booking, wanted)
  assertLength(span.starts_at, span.ends_at, wanted.endsAt === undefined ? '/starts_at' : '/ends_at')
  if (span.starts_at !== booking.starts_at && span.starts_at <= now) throw notOfferedThen('in_the_past')
  return span
}

/** The time after a change: the length stays unless an end is given. */
export function spanOf(booking: BookingsTable, { startsAt = booking.starts_at, endsAt }: WantedChange): Span {
  return { starts_at: startsAt, ends_at: endsAt ?? shiftedEnd(booking, startsAt) }
}

/** Throws validation_failed unless the end is at most 24 hours after the start. */
export function assertLength(startsAt: Instant, endsAt: Instant, pointer: string): void {
  const lengthMs = toMs(endsAt) - toMs(startsAt)
  if (lengthMs > 0 && lengthMs <= maxBookingMs) return
  const detail = 'must make ends_at later than starts_at by at most 24 hours'
  throw validationProblem([{ pointer, code: 'wrong_length', detail }])
}

function shiftedEnd(booking: BookingsTable, startsAt: Instant): Instant {
  try {
    return plusSeconds(startsAt, (toMs(booking.ends_at) - toMs(booking.starts_at)) / 1000)
  } catch {
    const detail = 'must end before the year 10000'
    throw validationProblem([{ pointer: '/starts_at', code: 'out_of_range', detail }])
  }
}

/** The booking's version as an entity tag (RFC 9110, section 8.8.3). */
export function etagOf(booking: Pick<BookingsTable, 'version'>): string {
  return `"${booking.version}"`
}

/** Throws version_conflict when `If-Match` names other versions only (RFC 9110, section 13.1.1). */
export function assertMatches(booking: Pick<BookingsTable, 'version'>, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const current = etagOf(booking)
  if (ifMatch.split(',').some((tag) => tag.trim() === current)) return
  const detail = `The booking is at version ${current}; read it again before changing it.`
  throw new Problem('version_conflict', detail, { extensions: { current_etag: current } })
}

/** A booking's payment as columns; all null without one. */
export function paymentColumns(payment: PaymentPart | undefined) {
  return {
    payment_status: payment?.status ?? null,
    payment_amount: payment?.amount ?? null,
    payment_currency: payment?.currency ?? null,
    payment_provider: payment?.provider ?? null,
    payment_paid_at: payment?.paid_at ?? null,
    payment_refunded_at: payment?.refunded_at ?? null,
  }
}

export function eventSubject(booking: BookingRow): EventSubject {
  return {
    ...booking,
    service: { id: booking.service_id, name: booking.service_name },
    location: { id: booking.location_id, name: booking.location_name, timezone: booking.timezone },
  }
}

import type { AuditAction } from '../access/audit-types.ts'
import { notOfferedThen } from '../availability/offer-rules.ts'
import type { Span } from '../availability/resource-rules.ts'
import { hasEmail, standInEmail } from '../base/contact-formats.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import { type Instant, plusMinutes, plusSeconds, toMs } from '../base/instants.ts'
import { metadataOf, metadataText } from '../base/metadata-rules.ts'
import { type ChangePolicy, type ChangeRefusal, policyOf } from '../catalogue/change-policy-rules.ts'
import type { CustomField } from '../catalogue/catalogue-types.ts'
import { answeredBeforeMinutes } from '../catalogue/request-rules.ts'
import { maxMinorUnits } from '../catalogue/service-rules.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import { changeRulesOf } from '../database/shown-item-rules.ts'
import type { BookingsTable, BookingStatus } from '../database/tables.ts'
import type { BookingEventType } from '../webhooks/event-payload.ts'
import type { ChangedColumns, ClientColumns } from './booking-queries.ts'
import { clientSearch } from './client-rules.ts'
import { customFieldErrors, type FieldAnswer, type KeptAnswer, keptAnswers } from './custom-field-rules.ts'

const maxBookingMs = 24 * 3_600_000

/** The requested changes. Absent members stay unchanged. */
export interface WantedChange {
  startsAt?: Instant
  endsAt?: Instant
  partySize?: number
  status?: BookingStatus
  notes?: string | null
  /** All answers to custom fields. */
  answers?: FieldAnswer[]
  /** The current custom fields of the service, with `answers`. */
  fields?: CustomField[]
  client?: ClientChange
  /** Digest of the new email address for bookings by sessions, because caps count by it. */
  countedClient?: string
  noShow?: boolean
  /** True for a change by the client, which must follow the service's rules for clients. */
  byClient?: true
  metadata?: Record<string, string>
  /** The reason that the client or the business gives for cancelling. */
  cancelReason?: string
  /** True if the staff member changes. */
  reassigned?: boolean
}

export interface ChangePlan {
  /** Changed columns, without the staff member, which depends on taking the slot. */
  columns: ChangedColumns
  events: BookingEventType[]
  /** True if it declines or withdraws a request, which only receivers of `booking.requested` know. */
  endsRequest: boolean
  /** Name of the change in the audit log. */
  action: AuditAction
  /** Ends the claim on the old time. */
  leavesSlot: boolean
  /** Needs a claim on the new time. */
  takesSlot: boolean
  /** Moves a cancelled booking that stays cancelled. */
  movesCancelled: boolean
  /** Undefined if the deposit stays unchanged. */
  deposit: 'confirmed' | 'cancelled' | undefined
}

/** Plans a change; undefined if nothing differs. Throws validation_failed or slot_not_offered. */
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
    ...changedMetadata(booking, wanted),
    ...changedAnswers(booking, wanted, now),
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
  const isRequest = booking.respond_by !== null
  const ends = isRequest && status !== 'pending' && { respond_by: null, request_check_at: null }
  const isRescheduled = isKnown && moved && wasTaken && isTaken
  return {
    columns: {
      ...columns,
      ...(isKnownAgain && { erased_at: null }),
      ...(statusChanged && { status, cancelled_at: isTaken ? null : now }),
      ...(marked && { no_show_at: noShowAt }),
      ...((moved || isFirstConfirmation || (isTaken && !wasTaken)) && { scheduled_at: now }),
      ...(moved && wanted.byClient && movedByClient(booking, span)),
      ...(cancelReason !== booking.cancel_reason && { cancel_reason: cancelReason }),
      ...(isFirstConfirmation && { confirmed_at: now }),
      ...ends,
      ...(isRequest && !ends && moved && answerAfterMove(booking, span, now)),
    },
    action: actionOf({
      isFirstConfirmation,
      marked,
      noShowAt,
      newStatus: statusChanged ? status : undefined,
    }),
    events: [
      ...(isKnown ? eventsOf({ status, statusChanged, otherChanged }) : eventsOfUnconfirmed(status)),
      ...(isRescheduled ? (['booking.rescheduled'] as const) : []),
      ...(marked && noShowAt !== null ? (['booking.no_show'] as const) : []),
    ],
    endsRequest: isRequest && !isTaken,
    leavesSlot: wasTaken && (otherSeats || !isTaken),
    takesSlot: isTaken && (otherSeats || !wasTaken),
    movesCancelled: moved && !wasTaken && !isTaken,
    deposit: depositAfter({
      ...{ isFirstConfirmation, isRequest },
      status: statusChanged ? status : undefined,
    }),
  }
}

function changedMetadata(booking: BookingsTable, { metadata }: WantedChange): ChangedColumns {
  const text = metadata && metadataText(metadata)
  return text === undefined || text === metadataText(metadataOf(booking)) ? {} : { metadata_json: text }
}

/** Counts the move, and records the start to which the client has agreed. */
function movedByClient(
  { client_reschedules, agreed_starts_at }: BookingsTable,
  { starts_at }: Span,
): ChangedColumns {
  return {
    client_reschedules: client_reschedules + 1,
    ...(agreed_starts_at !== null && { agreed_starts_at: starts_at }),
  }
}

/** Returns the deadline of a request that the business moves: never later than an hour before the start. */
function answerAfterMove(
  { respond_by, request_check_at }: BookingsTable,
  { starts_at }: Span,
  now: Instant,
): ChangedColumns {
  const latest = plusMinutes(starts_at, -answeredBeforeMinutes)
  if (respond_by === null || request_check_at === null || respond_by <= latest) return {}
  const until = latest > now ? latest : now
  return { respond_by: until, request_check_at: request_check_at < until ? request_check_at : until }
}

/** Settles the deposit of a booking that is cancelled, confirmed without it, or over. */
function depositAfter(change: {
  isFirstConfirmation: boolean
  isRequest: boolean
  status: BookingStatus | undefined
}): ChangePlan['deposit'] {
  if (change.status === 'cancelled') return 'cancelled'
  if (change.status === 'completed' && change.isRequest) return 'cancelled' // it has not become due
  return change.isFirstConfirmation || change.status === 'completed' ? 'confirmed' : undefined
}

/**
 * Returns the amount of a deposit that replaces the present one; undefined if none does. A party of a
 * different size needs a new deposit. So does a booking that was never confirmed and waits for its deposit
 * again. Throws validation_failed for an amount that nobody can charge.
 */
export function renewedDeposit(booking: BookingRow, { columns, deposit }: ChangePlan): number | undefined {
  const { payment_amount: amount, payment_status, party_size, confirmed_at } = booking
  if (amount === null || payment_status === null) return undefined
  const people = columns.party_size ?? party_size
  const isOpen = payment_status === 'due' || payment_status === 'preparing'
  const isResized = people !== party_size && isOpen && deposit === undefined && amount > 0
  const waitsAgain = columns.status === 'pending' && booking.status === 'cancelled' && confirmed_at === null
  if (!isResized && !waitsAgain) return undefined
  const renewed = Math.ceil(amount / party_size) * people
  if (renewed <= maxMinorUnits) return renewed
  const detail = 'is so many people that their deposits cannot be charged at once'
  throw validationProblem([{ pointer: '/party_size', code: 'out_of_range', detail }])
}

interface Done {
  isFirstConfirmation: boolean
  /** True if the no-show mark changes, with the time at which it was set. */
  marked: boolean
  noShowAt: Instant | null
  newStatus: BookingStatus | undefined
}

/** Returns the action as people would name it: a no-show is more specific than "completed". */
function actionOf({ isFirstConfirmation, marked, noShowAt, newStatus }: Done): AuditAction {
  if (marked && noShowAt !== null) return 'booking.no_show'
  if (isFirstConfirmation) return 'booking.confirmed'
  if (marked && newStatus === undefined) return 'booking.no_show_removed'
  if (newStatus === 'cancelled' || newStatus === 'completed') return `booking.${newStatus}`
  return 'booking.updated'
}

/** Throws change_not_allowed for moving a cancelled booking, which takes no time unless it is restored. */
export function assertTakesTime({ movesCancelled }: ChangePlan): void {
  if (!movesCancelled) return
  const detail = 'The booking is cancelled and takes no time; change its status as well to book it again.'
  throw new Problem('change_not_allowed', detail, { extensions: { reason: 'not_allowed' } })
}

/**
 * Throws change_not_allowed unless the client may make this change. Returns the outcome for a paid deposit, and the fee.
 */
export function assertClientMay(
  booking: BookingRow,
  wanted: WantedChange,
  now: Instant,
): Pick<ChangePolicy, 'refund' | 'fee'> {
  const policy = policyOf(changeRulesOf(booking), booking, now)
  const isCancelled = wanted.status === 'cancelled'
  const reason = isCancelled ? policy.cancelRefusal : policy.rescheduleRefusal
  if (reason === null) return isCancelled ? policy : { refund: 'none', fee: null }
  const verb = isCancelled ? 'cancel' : 'move'
  const details: Record<ChangeRefusal, string> = {
    too_late: `It is too late to ${verb} this booking.`,
    too_many: 'This booking has been moved as often as the service allows.',
    not_allowed: `Only the business can ${verb} this booking.`,
  }
  throw new Problem('change_not_allowed', details[reason], { extensions: { reason } })
}

/** Returns the status after a change. A no-show completes the booking. Throws validation_failed. */
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

/** Returns the no-show mark, which only a completed booking that has begun can have. */
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
  /** A stand-in for clients without an address. */
  email: string
  phone?: string | null
}

/** Changes of a client. Null removes a value. */
type ClientChange = { [Name in keyof ClientInput]?: ClientInput[Name] | null }

/**
 * Returns the address that identifies a client after a change. A client without an address keeps their
 * identity unless a new phone number changes it.
 */
export function changedEmail(
  booking: Pick<BookingRow, 'id' | 'client_email' | 'client_phone' | 'timezone'>,
  { email, phone = booking.client_phone }: ClientChange,
): string {
  if (email) return email
  const { id: known, client_email: present, timezone } = booking
  const stays = hasEmail(present) ? email === undefined : !phone || phone === booking.client_phone
  return stays ? present : standInEmail(phone ?? '', { known, timezone })
}

/** Returns the client's columns. `client_search` joins all searchable texts. */
export function clientColumns({ first_name, last_name, email, phone }: ClientInput): ClientColumns {
  return {
    client_first_name: first_name,
    client_last_name: last_name,
    client_email: email,
    client_phone: phone || null,
    client_search: clientSearch({ first_name, last_name, email, phone: phone || null }),
  }
}

/** Returns all client columns if any differs, otherwise none. */
function changedClient(
  booking: BookingsTable,
  { client: wanted = {}, countedClient }: WantedChange,
): ChangedColumns {
  const { client_search, ...shown } = clientColumns({
    first_name: wanted.first_name ?? booking.client_first_name,
    last_name: wanted.last_name === undefined ? booking.client_last_name : (wanted.last_name ?? ''),
    email: wanted.email ?? booking.client_email,
    phone: wanted.phone === undefined ? booking.client_phone : wanted.phone,
  })
  const names = Object.keys(shown) as (keyof typeof shown)[]
  if (names.every((name) => shown[name] === booking[name])) return {}
  const isCounted = booking.counted_client !== null && countedClient !== undefined
  return { ...shown, client_search, ...(isCounted && { counted_client: countedClient }) }
}

function changedAnswers(
  booking: BookingsTable,
  { answers, fields = [] }: WantedChange,
  now: Instant,
): ChangedColumns {
  if (!answers) return {}
  const before = answersOf(booking)
  const isAgreed = ({ field_id }: FieldAnswer) => field_id === booking.business_id
  const given = [
    ...keptAnswers(fields, answers, { now, before }).filter((one) => !isAgreed(one)),
    ...before.filter(isAgreed), // the consent to the terms stays
  ]
  if (given.map(answerText).join() === before.map(answerText).join()) return {}
  return { custom_field_values_json: JSON.stringify(given) }
}

/** Returns equal texts for equal answers, because a database may reformat its JSON. */
function answerText({ field_id, value }: FieldAnswer): string {
  return JSON.stringify({ field_id, value })
}

/** Returns the answers of a booking to custom fields. */
export function answersOf({ custom_field_values_json }: BookingsTable): KeptAnswer[] {
  return JSON.parse(custom_field_values_json) as KeptAnswer[] // only validated answers are written
}

/**
 * Throws validation_failed unless new answers fit the current custom fields. An unchanged answer always fits,
 * even a missing one, because its field may have changed since. `added` has the IDs of fields that the booking
 * has not asked before.
 */
export function assertAnswersFit(
  booking: BookingsTable,
  { fields, added }: { fields: CustomField[]; added: ReadonlySet<string> },
  answers: FieldAnswer[],
): void {
  const before = answersOf(booking)
  const present = new Set(before.map(answerText))
  const asked = fields.map((field) => {
    const isGiven = [...before, ...answers].some(({ field_id }) => field_id === field.id)
    return isGiven || added.has(field.id) ? field : { ...field, required: false }
  })
  const isKept = (index: string | undefined) => {
    const answer = index === undefined ? undefined : answers[Number(index)]
    return answer !== undefined && present.has(answerText(answer))
  }
  const fieldErrors = customFieldErrors(asked, answers).filter(
    ({ pointer, code }) => code === 'repeated' || !isKept(pointer.split('/')[2]),
  )
  if (fieldErrors.length > 0) throw validationProblem(fieldErrors)
}

/**
 * Returns the events of an unconfirmed booking. It is announced as created when it is confirmed for the first
 * time.
 */
export function eventsOfUnconfirmed(status: BookingStatus): BookingEventType[] {
  if (status === 'pending' || status === 'cancelled') return []
  return status === 'completed' ? ['booking.created', 'booking.completed'] : ['booking.created']
}

function eventsOf(change: {
  status: BookingStatus
  statusChanged: boolean
  otherChanged: boolean
}): BookingEventType[] {
  if (change.statusChanged && change.status === 'cancelled') return ['booking.cancelled']
  if (change.statusChanged && change.status === 'completed') {
    return change.otherChanged ? ['booking.updated', 'booking.completed'] : ['booking.completed']
  }
  return ['booking.updated']
}

/** Returns the time after a change. Throws validation_failed or slot_not_offered. */
export function newSpan(booking: BookingsTable, wanted: WantedChange, now: Instant): Span {
  const span = spanOf(booking, wanted)
  assertLength(span.starts_at, span.ends_at, wanted.endsAt === undefined ? '/starts_at' : '/ends_at')
  if (span.starts_at !== booking.starts_at && span.starts_at <= now) throw notOfferedThen('in_the_past')
  return span
}

/** Returns the time after a change. Without a given end, the duration stays the same. */
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

/** Returns the booking's version as an entity tag (RFC 9110, section 8.8.3). */
export function etagOf(booking: Pick<BookingsTable, 'version'>): string {
  return `"${booking.version}"`
}

/**
 * Reads the versions in `If-Match` (RFC 9110, section 13.1.1). Undefined accepts any version. Skips tags that
 * etagOf does not write.
 */
export function readIfMatch(header: string | undefined): number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  return header.split(',').flatMap((tag) => {
    const digits = /^"([1-9]\d{0,14})"$/.exec(tag.trim())?.[1]
    return digits === undefined ? [] : [Number(digits)]
  })
}

/** Throws version_conflict unless the booking has one of the accepted versions. Undefined accepts any. */
export function assertVersion(
  booking: Pick<BookingsTable, 'version'>,
  accepted: readonly number[] | undefined,
): void {
  if (!accepted || accepted.includes(booking.version)) return
  const current = etagOf(booking)
  const detail = `The booking is at version ${current}; read it again before changing it.`
  throw new Problem('version_conflict', detail, { extensions: { current_etag: current } })
}

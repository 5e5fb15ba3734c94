import type { Static } from 'typebox'
import { type Actor, assertOwnCalendar, assertRole, isStaff, type ManageActor } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { withAlternatives } from '../availability/availability.ts'
import { isSlotUnavailable } from '../availability/offer-rules.ts'
import { eligibleStaff, type Span } from '../availability/resource-rules.ts'
import { invalidCursor, Problem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { formatInstant, type Instant, isInstant, readInstant, toMs } from '../base/instants.ts'
import { searchText } from '../base/search-text.ts'
import { findOffering, forgetOffering } from '../catalogue/offering.ts'
import { allOf, type Transaction } from '../database/database.ts'
import { scopeKey } from '../database/tenant-scope.ts'
import { decodeCursor, encodeCursor, readLimit } from '../base/wire.ts'
import type { Context } from './context.ts'
import type { BookingOutcome } from '../watch/metrics.ts'
import type { EventType } from '../webhooks/event-payload.ts'
import { recordChange } from '../webhooks/event.ts'
import { recordMails } from '../mails/outbox.ts'
import {
  type BookingPlace,
  type BookingRow,
  findBooking,
  findBookings,
  lockBooking,
  searchBookings,
  updateBooking,
} from './booking-queries.ts'
import {
  answersOf,
  assertAnswersFit,
  assertClientMay,
  assertLength,
  assertMatches,
  assertTakesTime,
  type ChangePlan,
  eventSubject,
  newSpan,
  newStatus,
  paymentColumns,
  planChange,
  spanOf,
  type WantedChange,
} from './booking-rules.ts'
import type { BookingsQuery, ChangeBooking, Payment } from './booking-schemas.ts'
import { endBookingClaim } from './claim-queries.ts'
import { type Assignees, chosenStaff, findAssignees, findOffered, retakeSlot } from './claim.ts'
import { digestClient } from './strangers.ts'

/** The booking to change. */
interface BookingTarget {
  id: string
  /** Versions that the caller accepts. */
  ifMatch: string | undefined
}

/** Reads a booking in the caller's scope. Throws not_found. */
export function showBooking(context: Context, actor: Actor, id: string): Promise<BookingRow> {
  return known(id, (uuid) => findBooking(context.db, actor.scope, uuid))
}

/** Bookings that a search reads for one page: bounds its cost however much was ever booked. */
const maxSearched = 10_000

type Sort = NonNullable<Static<typeof BookingsQuery>['sort']>

interface BookingList {
  rows: BookingRow[]
  /** Null on the last page. */
  nextCursor: string | null
}

/**
 * Lists bookings in the caller's scope. A search may return a short or empty page although more follow. Staff search among
 * their own appointments: of others' clients they see no more than what masks them. `noShow` leaves those who did not come.
 */
export async function listBookings(
  context: Context,
  actor: Actor,
  query: Static<typeof BookingsQuery> & { noShow?: boolean },
): Promise<BookingList> {
  const limit = readLimit(query.limit)
  const sort = query.sort ?? '-created_at'
  const isSearch = query.q !== undefined || query.email !== undefined
  const only = isSearch && isStaff(actor) ? actor.staffId : query.staff_id
  if (query.staff_id !== undefined && query.staff_id !== only) return { rows: [], nextCursor: null }
  const byStart = sort.endsWith('starts_at')
  const filter = {
    conditions: {
      status: query.status,
      noShow: query.noShow === true,
      from: query.from === undefined ? undefined : readInstant(query.from),
      to: query.to === undefined ? undefined : readInstant(query.to),
      serviceId: query.service_id,
      locationId: query.location_id,
      staffId: only,
      email: query.email,
      businessId: query.business_id,
    },
    byStart,
    ascending: !sort.startsWith('-'),
    after: query.cursor === undefined ? undefined : parseCursor(query.cursor, sort),
  }
  const page = { filter, rows: limit + 1 }
  const text = query.q === undefined ? undefined : searchText(query.q)
  const found =
    text === undefined
      ? { rows: await findBookings(context.db.reads, actor.scope, page), until: undefined }
      : await searchBookings(context.db.reads, actor.scope, { ...page, text, searched: maxSearched })
  const rows = found.rows.slice(0, limit)
  const last = found.rows.length > limit ? rows.at(-1) : undefined
  const place = last ? ([byStart ? last.starts_at : last.created_at, last.id] as const) : found.until
  return { rows, nextCursor: place ? encodeCursor(['booking', sort, ...place]) : null }
}

/**
 * Reschedules or reassigns a booking, or changes its party, status, client or notes, and records its events. A conflict changes
 * nothing. Throws not_found, version_conflict, change_not_allowed, validation_failed, slot_not_offered, slot_held or slot_booked.
 */
export async function changeBooking(
  context: Context,
  actor: Actor,
  { target, change: { notify, ...change } }: { target: BookingTarget; change: Static<typeof ChangeBooking> },
): Promise<BookingRow> {
  const wanted: WantedChange = {
    ...(change.starts_at !== undefined && { startsAt: readInstant(change.starts_at) }),
    ...(change.ends_at !== undefined && { endsAt: readInstant(change.ends_at) }),
    ...(change.party_size !== undefined && { partySize: change.party_size }),
    ...(change.status !== undefined && { status: change.status }),
    ...(change.notes !== undefined && { notes: change.notes }),
    ...(change.client !== undefined && { client: change.client }),
    ...(change.client?.email !== undefined && {
      countedClient: await digestClient(context, change.client.email),
    }),
    ...(change.no_show !== undefined && { noShow: change.no_show }),
    ...(change.custom_field_values !== undefined && { answers: change.custom_field_values }),
    ...(change.cancel_reason !== undefined && { cancelReason: change.cancel_reason }),
  }
  if (wanted.startsAt && wanted.endsAt) assertLength(wanted.startsAt, wanted.endsAt, '/ends_at')
  if (change.staff_id !== undefined) assertOwnCalendar(actor, change.staff_id)
  return applyChange(context, actor, { target, wanted, staffId: change.staff_id, notify })
}

/**
 * Cancels a booking and frees its slot; a cancelled one stays as it is. With `refund`, the deposit goes back, even if the
 * booking was cancelled before; validation_failed when none was paid. Of people, only owners may do that.
 */
export async function cancelBooking(
  context: Context,
  actor: Actor,
  { refund = false, notify, reason, ...target }: BookingTarget & Cancellation,
): Promise<BookingRow> {
  if (refund) assertRole(actor, 'owner')
  const wanted: WantedChange = { status: 'cancelled', ...(reason && { cancelReason: reason }) }
  return applyChange(context, actor, { target, wanted, refund, notify })
}

interface Cancellation {
  refund?: boolean
  notify?: boolean
  reason?: string
}

/**
 * Moves a booking as its client may, or cancels it; the deposit of one cancelled in time goes back. Throws
 * version_conflict, change_not_allowed, slot_not_offered, slot_held or slot_booked.
 */
export function changeByClient(
  context: Context,
  actor: ManageActor,
  { ifMatch, ...change }: { ifMatch: string | undefined } & ({ startsAt: Instant } | { reason?: string }),
): Promise<BookingRow> {
  const wanted: WantedChange =
    'startsAt' in change
      ? change
      : { status: 'cancelled', ...(change.reason && { cancelReason: change.reason }) }
  const target = { id: actor.bookingId, ifMatch }
  return applyChange(context, actor, { target, wanted: { ...wanted, byClient: true } })
}

/** Presents a booking as the caller may see it, with times in its location's zone. */
export function presentBooking(booking: BookingRow, actor: Actor) {
  const time = (instant: BookingRow['starts_at']) => formatInstant(instant, booking.timezone)
  const shape = {
    id: booking.id,
    status: booking.status,
    starts_at: time(booking.starts_at),
    ends_at: time(booking.ends_at),
    party_size: booking.party_size,
    cancelled_at: booking.cancelled_at && time(booking.cancelled_at),
    service: {
      id: booking.service_id,
      name: booking.service_name,
      duration_minutes: booking.duration_minutes,
      price: priceOf(booking),
    },
    location: {
      id: booking.location_id,
      name: booking.location_name,
      address: booking.location_address,
      timezone: booking.timezone,
      online_url: maySeeClient(booking, actor) ? booking.online_url : null,
    },
    staff: booking.staff_id === null ? null : { id: booking.staff_id, name: booking.staff_name ?? '' },
    business_id: booking.business_id,
    created_at: time(booking.created_at),
    updated_at: time(booking.updated_at),
  }
  return maySeeClient(booking, actor)
    ? { ...shape, ...clientPart(booking), ...businessPart(booking, actor) }
    : { ...shape, ...maskedClientPart(booking), redacted: true as const }
}

function priceOf({ price_amount: amount, price_currency: currency }: BookingRow) {
  return amount === null || currency === null ? null : { amount, currency }
}

const outcomes: Record<EventType, BookingOutcome> = {
  'booking.created': 'created',
  'booking.updated': 'updated',
  'booking.cancelled': 'cancelled',
  'booking.completed': 'completed',
}

interface Change {
  target: BookingTarget
  wanted: WantedChange
  /** The staff member to assign: null for anyone; undefined for the present one. */
  staffId?: string | null | undefined
  /** Whether to refund a paid deposit. */
  refund?: boolean
  /** False: the client gets no mail. */
  notify?: boolean | undefined
}

async function applyChange(context: Context, actor: Actor, change: Change): Promise<BookingRow> {
  let found: BookingRow | undefined
  try {
    const work = async (tx: Transaction) => {
      found = await known(change.target.id, async (id) => {
        const locked = await lockBooking(tx, { scope: actor.scope, id })
        return locked && isChangeable(locked, actor) ? locked : undefined
      })
      return changeIn(context, tx, { ...change, by: actor, booking: found })
    }
    const isParty = (change.wanted.partySize ?? 1) > 1 // as for its hold, a transaction of its own
    const { changed, events } = isParty
      ? await context.db.transaction(work)
      : await context.db.sharedTransaction(work, { owner: scopeKey(actor.scope) })
    for (const event of events) context.metrics.booking(outcomes[event])
    return changed
  } catch (error) {
    if (!found || !isSlotUnavailable(error)) throw error
    throw await suggestOtherTimes(context, error, {
      actor,
      booking: found,
      slot: spanOf(found, change.wanted),
      partySize: change.wanted.partySize ?? found.party_size,
      staffId: change.wanted.byClient ? (chosenStaff(found) ?? null) : change.staffId,
    })
  }
}

async function known(id: string, find: (id: string) => Promise<BookingRow | undefined>): Promise<BookingRow> {
  const booking = isUuid(id) ? await find(id.toLowerCase()) : undefined
  if (!booking) throw noSuchBooking()
  return booking
}

/** Out of reach, as if it did not exist. */
export function noSuchBooking(): Problem {
  return new Problem('not_found', 'There is no booking with this id.')
}

/** Whether the caller, in whose scope the booking lies, may change it: staff their own appointments only. */
export function isChangeable(booking: Pick<BookingRow, 'staff_id'>, actor: Actor): boolean {
  return !isStaff(actor) || actor.staffId === booking.staff_id
}

async function changeIn(
  context: Context,
  tx: Transaction,
  change: Change & { by: Actor; booking: BookingRow },
): Promise<{ changed: BookingRow; events: EventType[] }> {
  const { booking: found, by, target, wanted, notify = true } = change
  // 0. a client changes the version that it saw, by the rules for clients
  if (wanted.byClient) assertMatches(found, target.ifMatch)
  const refund = wanted.byClient ? assertClientMay(found, wanted, tx.now) === 'full' : change.refund === true
  const assignees = await assigneesOf(context, tx, change)
  if (wanted.answers) assertAnswersFit(found, await fieldsOf(context, tx, found), wanted.answers)
  // 1. an invalid request is refused before a failed precondition
  const plan = planChange(found, { ...wanted, reassigned: assignees?.reassigns ?? false }, tx.now)
  assertMatches(found, target.ifMatch)
  if (plan) assertTakesTime(plan)
  // 2. settle the deposit, even when nothing else changes
  const booking = await withSettledDeposit(context, tx, {
    booking: found,
    by,
    becomes: plan?.deposit,
    refund,
  })
  if (!plan) return { changed: booking, events: [] }
  const columns = { ...plan.columns, updated_at: tx.now }
  const changed = { ...booking, ...columns, version: booking.version + 1 }
  // 3. leave the old slot and take the new one
  if (plan.leavesSlot && !plan.takesSlot)
    await endBookingClaim(tx, { id: booking.id, business_id: booking.business_id, at: tx.now })
  const staffId = plan.takesSlot
    ? await retakeSlot(context, tx, changed, assignees)
    : assignees?.reassigns
      ? (assignees.resources[0]?.staffId ?? null) // a cancelled booking goes to the named one
      : booking.staff_id
  const staff = staffId === booking.staff_id ? undefined : staffColumns(staffId, assignees)
  // 4. write the booking, its events and mails
  const result = { ...changed, ...staff }
  await allOf([
    updateBooking(tx, booking, { ...columns, ...(staff && { staff_id: staff.staff_id }) }),
    recordChange(context, tx, {
      types: plan.events,
      booking: eventSubject(result),
      by,
      action: plan.action,
    }),
    recordMails(context, tx, { before: booking, after: result, notify }),
  ])
  return { changed: result, events: plan.events }
}

/** Staff who can take the booking, if the change asks for that. It is reassigned when its own is not among them. */
async function assigneesOf(
  context: Context,
  tx: Transaction,
  { booking, wanted, staffId }: Change & { booking: BookingRow },
): Promise<(Assignees & { reassigns: boolean }) | undefined> {
  if (wanted.byClient) return offeredTo(context, tx, { booking, wanted })
  if (staffId === undefined || staffId === booking.staff_id) return undefined
  const span = newSpan(booking, wanted, tx.now)
  if (staffId === null && newStatus(booking, wanted) === 'cancelled') return undefined // needs nobody
  return withReassignment(booking, await findAssignees(context, tx, { booking, staffId, span }))
}

/** The custom fields of its service, as the database has them now. */
async function fieldsOf(context: Context, tx: Transaction, booking: BookingRow) {
  const scope = { businessId: booking.business_id }
  const ids = { serviceId: booking.service_id, locationId: booking.location_id }
  forgetOffering(context, scope, ids)
  const { service } = await findOffering(context, scope, ids, tx.reads)
  return service?.custom_fields ?? []
}

async function offeredTo(
  context: Context,
  tx: Transaction,
  { booking, wanted }: Pick<Change, 'wanted'> & { booking: BookingRow },
) {
  const span = newSpan(booking, wanted, tx.now)
  if (span.starts_at === booking.starts_at) return undefined // cancels it, or changes nothing
  return withReassignment(booking, await findOffered(context, tx, { booking, span }))
}

function withReassignment(booking: BookingRow, assignees: Assignees) {
  const reassigns = assignees.resources.every((resource) => resource.staffId !== booking.staff_id)
  return { ...assignees, reassigns }
}

function staffColumns(staffId: string | null, assignees: Assignees | undefined) {
  const member = assignees?.staff.find(({ id }) => id === staffId)
  return { staff_id: staffId, staff_name: member?.name ?? null }
}

interface SettledChange {
  booking: BookingRow
  by: Actor
  becomes: ChangePlan['deposit']
  refund: boolean
}

/** Settles the deposit as the change requires. Locks the payment after its booking, as everywhere. */
async function withSettledDeposit(
  context: Context,
  tx: Transaction,
  { booking, by, becomes, refund }: SettledChange,
): Promise<BookingRow> {
  if (becomes === undefined && !refund) return booking
  if (booking.payment_id === null && !refund) return booking
  const change = { paymentId: booking.payment_id, booking: becomes, refund }
  const payment = await context.checkouts.settle(tx, change)
  if (payment?.refundBegins) {
    const { id: subjectId, business_id: businessId } = booking
    await recordAudit(context, tx, { by, action: 'booking.refunded', subjectId, businessId })
  }
  return { ...booking, ...paymentColumns(payment) }
}

/** Checks what it decodes: the database would fail on a malformed instant or id. */
function parseCursor(cursor: string, wanted: Sort): BookingPlace {
  const [list, sort, instant, id] = decodeCursor(cursor, 4) ?? []
  if (list !== 'booking' || sort !== wanted || instant === undefined || !isInstant(instant)) {
    throw invalidCursor()
  }
  if (id === undefined || !isUuid(id)) throw invalidCursor()
  return [instant, id]
}

type ShownPayment = Static<typeof Payment>

/** What a session sees only the payment of: business and hub keys see all, the client all but the no-show mark. */
function businessPart(
  booking: BookingRow,
  actor: Actor,
): { no_show?: boolean; cancel_reason?: string; payment?: ShownPayment } {
  if (actor.type === 'session') return paymentPart(booking)
  return {
    ...(actor.type !== 'manage' && { no_show: booking.no_show_at !== null }),
    ...(booking.cancel_reason !== null && { cancel_reason: booking.cancel_reason }),
    ...paymentPart(booking),
  }
}

function paymentPart(booking: BookingRow): { payment?: ShownPayment } {
  const {
    payment_status: status,
    payment_amount: amount,
    payment_currency: currency,
    payment_provider: provider,
  } = booking
  if (status === null || status === 'preparing' || amount === null || currency === null || !provider)
    return {}
  const time = (instant: Instant | null) => instant && formatInstant(instant, booking.timezone)
  return {
    payment: {
      status,
      amount,
      currency,
      provider,
      paid_at: time(booking.payment_paid_at),
      refunded_at: time(booking.payment_refunded_at),
    },
  }
}

function maySeeClient(booking: BookingRow, actor: Actor): boolean {
  switch (actor.type) {
    case 'business':
    case 'hub':
    case 'operator':
      return true
    case 'session':
      return actor.ownerId === booking.owner_id
    case 'manage':
      return actor.bookingId === booking.id
    case 'publishable':
      return false
    case 'person':
      return isChangeable(booking, actor)
  }
}

function clientPart(booking: BookingRow) {
  return {
    client: {
      first_name: booking.client_first_name,
      last_name: booking.client_last_name,
      email: booking.client_email,
      phone: booking.client_phone,
    },
    notes: booking.notes,
    custom_field_values: answersOf(booking),
  }
}

function maskedClientPart(booking: BookingRow) {
  return { client: maskedClient(booking), notes: null, custom_field_values: [] }
}

/** A client as those see them who may not: whom they meet, not how to reach them. */
export function maskedClient(
  booking: Pick<BookingRow, 'client_first_name' | 'client_last_name' | 'client_email'>,
) {
  const [initial = ''] = booking.client_last_name
  const [firstOfEmail = ''] = booking.client_email
  return {
    first_name: booking.client_first_name,
    last_name: `${initial}.`,
    email: `${firstOfEmail}•••${booking.client_email.slice(booking.client_email.indexOf('@'))}`,
    phone: null,
  }
}

interface RefusedMove {
  actor: Actor
  booking: BookingRow
  slot: Span
  partySize: number
  /** Null: anyone; undefined: the present one. */
  staffId: string | null | undefined
}

/** Adds to a refused move the nearest possible times of the same length; none when the offering is inactive. */
async function suggestOtherTimes(
  context: Context,
  refusal: unknown,
  { actor, booking, slot, partySize, staffId }: RefusedMove,
): Promise<unknown> {
  const ids = { serviceId: booking.service_id, locationId: booking.location_id }
  const found = await findOffering(context, { businessId: booking.business_id }, ids)
  const { service, location, version } = found
  if (!service?.active || !location?.active || !service.location_ids.includes(location.id)) return refusal
  const wanted = staffId === undefined ? booking.staff_id : (staffId ?? 'anyone')
  const staff =
    wanted === null ? [] : eligibleStaff({ ...found, location }, wanted === 'anyone' ? undefined : wanted)
  if (service.staff_ids.length > 0 && staff.length === 0) return refusal
  const startsAtMs = toMs(slot.starts_at)
  const duration_minutes = (toMs(slot.ends_at) - startsAtMs) / 60_000
  return withAlternatives(context, refusal, {
    offer: { service: { ...service, duration_minutes }, location, staff, version },
    startsAtMs,
    viewer: { actor, nowMs: toMs(context.clock.now()), partySize, exceptBookingId: booking.id },
  })
}

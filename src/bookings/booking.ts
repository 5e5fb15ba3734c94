import type { Static } from 'typebox'
import { type Actor, assertOwnCalendar, assertRole, isStaff, type ManageActor } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { withAlternatives } from '../availability/availability.ts'
import { visitAlternatives } from '../availability/versioned-visit.ts'
import type { VisitOffer } from '../availability/visit-rules.ts'
import { isSlotUnavailable } from '../availability/offer-rules.ts'
import { eligibleStaff, type Span } from '../availability/resource-rules.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { type Instant, plusSeconds, toMs, type WithInstants } from '../base/instants.ts'
import { searchTerm } from '../base/search-text.ts'
import type { CustomField } from '../catalogue/catalogue-types.ts'
import { findOffering, forgetOffering } from '../catalogue/offering.ts'
import { withLength } from '../catalogue/service-rules.ts'
import type { Service } from '../catalogue/service-schemas.ts'
import { allOf, type Transaction } from '../database/database.ts'
import { requireOwnTransaction } from '../database/shared-transaction.ts'
import { findByMetadata } from '../database/metadata-values.ts'
import { type BookingRow, shownOf } from '../database/shown-booking.ts'
import { itemsOf } from '../database/shown-item-rules.ts'
import { scopeKey } from '../database/tenant-scope.ts'
import { type Page, pageRows, timeCursorOf } from '../base/paging.ts'
import type { Context } from './context.ts'
import { assertCouponLeft } from './coupon.ts'
import type { BookingOutcome } from '../watch/metrics.ts'
import { type BookingEventType, eventSubject } from '../webhooks/event-payload.ts'
import { recordChange } from '../webhooks/event.ts'
import { endedBy } from '../mails/outbox.ts'
import { recordNotices } from '../push/outbox.ts'
import {
  type ChangedColumns,
  findBooking,
  findBookings,
  lockBooking,
  updateBooking,
} from './booking-queries.ts'
import {
  assertAnswersFit,
  assertClientMay,
  assertLength,
  assertTakesTime,
  assertVersion,
  changedEmail,
  type ChangePlan,
  newSpan,
  newStatus,
  planChange,
  renewedDeposit,
  spanOf,
  type WantedChange,
} from './booking-rules.ts'
import type { BookingsQuery, ChangeBooking } from './booking-schemas.ts'
import { settleFees } from './fee-change.ts'
import { isChangeable } from './presented-booking.ts'
import { clientFieldErrors, strictestFields } from './custom-field-rules.ts'
import { endBookingClaim } from './claim-queries.ts'
import { correctClient } from './client-match-queries.ts'
import { storedForms } from './client-text-queries.ts'
import { type Assignees, chosenStaff, findAssignees, findOffered, retakeSlot } from './claim.ts'
import { assertChangesVisit, retakeServices, type RetakenVisit } from './visit-change.ts'
import { digestClient } from './strangers.ts'
import { returnToList } from './waitlist-return.ts'

/** The changes of a request. */
export type BookingChange = WithInstants<Static<typeof ChangeBooking>, 'starts_at' | 'ends_at'>

/** The booking to change. */
export interface BookingTarget {
  id: string
  /** Versions that the caller accepts; any if absent. */
  versions?: readonly number[] | undefined
}

/** Reads a booking in the caller's scope. Throws not_found. */
export function showBooking(context: Context, actor: Actor, id: string): Promise<BookingRow> {
  return known(id, (uuid) => findBooking(context.db, actor.scope, uuid))
}

/**
 * Maximum number of bookings that a search reads for one page. It bounds the cost, however many bookings
 * exist.
 */
const maxSearched = 10_000

interface Contacts {
  emails: string[]
  phones: string[]
}

/**
 * Lists bookings in the caller's scope. A search, also for changes or metadata, may return a short or empty page although
 * more follow. Staff search only their own appointments, because they see other clients masked. `noShow` keeps only no-shows, `contacts`
 * those with one of the addresses and one of the numbers, as they are stored. `endsAfter` leaves out those that are
 * over.
 */
export async function listBookings(
  context: Context,
  actor: Actor,
  query: Static<typeof BookingsQuery> & { noShow?: boolean; contacts?: Contacts; endsAfter?: Instant },
): Promise<Page<BookingRow>> {
  const sort = query.sort ?? '-created_at'
  const isSearch = [query.q, query.email, query.client_id].some((one) => one !== undefined)
  const only = isSearch && isStaff(actor) ? actor.staffId : query.staff_id
  if (query.staff_id !== undefined && query.staff_id !== only) return { data: [], next_cursor: null }
  const byStart = sort.endsWith('starts_at')
  const cursor = timeCursorOf(['booking', sort])
  const page = pageRows(query, cursor)
  const byMetadata = query.metadata && (await findByMetadata(context.db.reads, actor.scope, query.metadata))
  const filter = {
    conditions: {
      statuses: query.status,
      noShow: query.noShow === true,
      from: query.from,
      to: query.to,
      endsAfter: query.endsAfter,
      updatedSince: query.updated_since,
      serviceId: query.service_id,
      locationId: query.location_id,
      staffId: only,
      emails:
        query.email === undefined
          ? query.contacts?.emails
          : await storedForms(context.db.reads, actor.scope, query.email),
      phones: query.contacts?.phones,
      clientId: query.client_id,
      seriesId: query.series_id,
      couponId: query.coupon_id,
      businessId: query.business_id,
      metadata: query.metadata && Object.entries(query.metadata).map(([name, value]) => ({ name, value })),
    },
    byStart,
    ascending: !sort.startsWith('-'),
    after: page.after,
  }
  const found = await findBookings(context.db.reads, actor.scope, {
    ...{ filter, rows: page.rows, searched: maxSearched },
    ids:
      query.ids && byMetadata ? query.ids.filter((id) => byMetadata.includes(id)) : (query.ids ?? byMetadata),
    text: query.q === undefined ? undefined : searchTerm(query.q),
  })
  const data = found.rows.slice(0, page.rows - 1)
  const last = found.rows.length > data.length ? data.at(-1) : undefined
  const place = last ? ([byStart ? last.starts_at : last.created_at, last.id] as const) : found.until
  return { data, next_cursor: place ? cursor.write(place) : null }
}

/**
 * Reschedules or reassigns a booking, or changes its party, status, client or notes. Records its events. A
 * conflict changes nothing. Throws not_found, version_conflict, change_not_allowed, validation_failed,
 * slot_not_offered, slot_held or slot_booked.
 */
export async function changeBooking(
  context: Context,
  actor: Actor,
  { target, change }: { target: BookingTarget; change: BookingChange },
): Promise<BookingRow> {
  return applyChange(context, actor, { target, ...(await readChange(context, actor, change)) })
}

/** Returns the change of a request. Throws validation_failed, or key_type_not_allowed for another staff member. */
export async function readChange(
  context: Context,
  actor: Actor,
  { notify, notify_after_seconds: delaySeconds, ...change }: BookingChange,
): Promise<Omit<Change, 'target'>> {
  const wanted: WantedChange = {
    ...(change.starts_at !== undefined && { startsAt: change.starts_at }),
    ...(change.ends_at !== undefined && { endsAt: change.ends_at }),
    ...(change.party_size !== undefined && { partySize: change.party_size }),
    ...(change.status !== undefined && { status: change.status }),
    ...(change.notes !== undefined && { notes: change.notes }),
    ...(change.client !== undefined && { client: change.client }),
    ...(change.client?.email && {
      countedClient: await digestClient(context, change.client.email),
    }),
    ...(change.no_show !== undefined && { noShow: change.no_show }),
    ...(change.custom_field_values !== undefined && { answers: change.custom_field_values }),
    ...(change.cancel_reason !== undefined && { cancelReason: change.cancel_reason }),
    ...(change.metadata !== undefined && { metadata: change.metadata }),
    ...(change.items && { reassigned: true }),
  }
  if (wanted.startsAt && wanted.endsAt) assertLength(wanted.startsAt, wanted.endsAt, '/ends_at')
  if (change.staff_id !== undefined) assertOwnCalendar(actor, change.staff_id)
  const { staff_id: staffId, items, no_show_fee: chargesNoShow } = change
  if (chargesNoShow !== undefined && change.no_show !== true) throw noFeeWithoutNoShow()
  return { wanted, staffId, items, notify, delaySeconds, chargesNoShow }
}

function noFeeWithoutNoShow(): Problem {
  const detail = 'is only allowed with no_show true'
  return validationProblem([{ pointer: '/no_show_fee', code: 'not_allowed', detail }])
}

/**
 * Cancels a booking and frees its slot. A cancelled booking stays unchanged. With `refund`, refunds the
 * deposit, even if the booking was cancelled earlier. Throws validation_failed if none was paid. Among
 * people, only owners may refund.
 */
export async function cancelBooking(
  context: Context,
  actor: Actor,
  { refund = false, notify, delaySeconds, reason, ...target }: BookingTarget & Cancellation,
): Promise<BookingRow> {
  if (refund) assertRole(actor, 'owner')
  const wanted: WantedChange = { status: 'cancelled', ...(reason && { cancelReason: reason }) }
  return applyChange(context, actor, { target, wanted, refund, notify, delaySeconds })
}

/** The answer of a business to a request. */
export interface RequestAnswer {
  id: string
  confirms: boolean
  reason?: string | undefined
  notify?: boolean
}

/**
 * Confirms or declines a request. Of two answers at the same moment one wins. Throws not_found, or change_not_allowed if
 * it was answered, withdrawn or ended before.
 */
export function answerRequest(
  context: Context,
  actor: Actor,
  { id, confirms, reason, notify }: RequestAnswer,
): Promise<BookingRow> {
  return applyChange(context, actor, {
    target: { id },
    wanted: answerOf(confirms, reason),
    answers: true,
    notify,
  })
}

/** Returns the change that confirms or declines a request. */
export function answerOf(confirms: boolean, reason: string | undefined): WantedChange {
  return confirms ? { status: 'confirmed' } : { status: 'cancelled', ...(reason && { cancelReason: reason }) }
}

/** Returns the refusal of an answer that comes too late. */
export function alreadyAnswered(): Problem {
  const detail = 'The request has been answered, withdrawn or cancelled in the meantime.'
  return new Problem('change_not_allowed', detail, { extensions: { reason: 'not_allowed' } })
}

export interface Cancellation {
  refund?: boolean
  notify?: boolean
  /** Delay of the emails in seconds, so that they can still be withdrawn by restoring the booking. */
  delaySeconds?: number
  reason?: string
}

/**
 * Moves or cancels a booking by the rules for clients. Refunds the deposit if it is cancelled in time. Throws
 * version_conflict, change_not_allowed, slot_not_offered, slot_held or slot_booked.
 */
export function changeByClient(
  context: Context,
  actor: ManageActor,
  { versions, ...change }: Pick<BookingTarget, 'versions'> & ({ startsAt: Instant } | { reason?: string }),
): Promise<BookingRow> {
  const wanted: WantedChange =
    'startsAt' in change
      ? change
      : { status: 'cancelled', ...(change.reason && { cancelReason: change.reason }) }
  const target = { id: actor.bookingId, versions }
  return applyChange(context, actor, { target, wanted: { ...wanted, byClient: true } })
}

/** The outcome that metrics count for an event. */
const outcomes: Partial<Record<BookingEventType, BookingOutcome>> = {
  'booking.created': 'created',
  'booking.updated': 'updated',
  'booking.cancelled': 'cancelled',
  'booking.completed': 'completed',
}

/** Counts the events of a committed change. */
export function countOutcomes(
  { metrics }: Pick<Context, 'metrics'>,
  events: readonly BookingEventType[],
): void {
  for (const event of events) {
    const outcome = outcomes[event]
    if (outcome !== undefined) metrics.booking(outcome)
  }
}

export interface Change {
  target: BookingTarget
  wanted: WantedChange
  /** The staff member to assign. Null means anyone, undefined the present one. */
  staffId?: string | null | undefined
  /** The services to have in place of the present ones. */
  items?: BookingChange['items']
  /** True to answer a request, which must still be open. */
  answers?: boolean
  /** True to refund a paid deposit. */
  refund?: boolean
  /** False to send the client no email. */
  notify?: boolean | undefined
  /** Delay of the emails in seconds, so that a further change can withdraw them. */
  delaySeconds?: number | undefined
  /** False if the emails about another booking of its series report the change. */
  isTold?: boolean
  /** False to mark a no-show without its fee. */
  chargesNoShow?: boolean | undefined
}

async function applyChange(context: Context, actor: Actor, change: Change): Promise<BookingRow> {
  let found: BookingRow | undefined
  const tried: { offer?: VisitOffer } = {}
  try {
    const work = async (tx: Transaction) => {
      found = await known(change.target.id, async (id) => {
        const locked = await lockBooking(tx, { scope: actor.scope, id })
        return locked && isChangeable(locked, actor) ? locked : undefined
      })
      return changeIn(context, tx, { ...change, by: actor, booking: found, tried })
    }
    const isParty = (change.wanted.partySize ?? 1) > 1 || change.items !== undefined // runs in a separate transaction, as for its hold
    const { changed, events } = isParty
      ? await context.db.transaction(work)
      : await context.db.sharedTransaction(work, { owner: scopeKey(actor.scope) })
    countOutcomes(context, events)
    return changed
  } catch (error) {
    if (!found || !isSlotUnavailable(error)) throw error
    throw await withOtherTimes(context, error, { ...change, by: actor, booking: found, tried })
  }
}

/** Adds other times to the refusal of a change. */
export async function withOtherTimes(
  context: Context,
  refusal: unknown,
  { by: actor, booking, wanted, staffId, tried }: Omit<Change, 'target'> & Changing,
): Promise<unknown> {
  if (tried.offer) {
    const startsAtMs = toMs(wanted.startsAt ?? booking.starts_at)
    const viewer = { actor, nowMs: toMs(context.clock.now()), exceptBookingId: booking.id }
    return visitAlternatives(context, refusal, { offer: tried.offer, startsAtMs, viewer })
  }
  return suggestOtherTimes(context, refusal, {
    ...{ actor, booking, slot: spanOf(booking, wanted) },
    partySize: wanted.partySize ?? booking.party_size,
    staffId: wanted.byClient ? (chosenStaff(booking) ?? null) : staffId,
  })
}

/** A booking that is being changed. `tried` receives what was looked for. */
interface Changing {
  by: Actor
  booking: BookingRow
  tried: { offer?: VisitOffer }
}

async function known(id: string, find: (id: string) => Promise<BookingRow | undefined>): Promise<BookingRow> {
  const booking = isUuid(id) ? await find(id.toLowerCase()) : undefined
  if (!booking) throw noSuchBooking()
  return booking
}

/** Returns the error for a booking out of scope, as if it did not exist. */
export function noSuchBooking(): Problem {
  return new Problem('not_found', 'There is no booking with this id.')
}

/** Changes a locked booking in a transaction, with its events and emails. */
export async function changeIn(
  context: Context,
  tx: Transaction,
  change: Change & Changing,
): Promise<{ changed: BookingRow; events: BookingEventType[] }> {
  const { by, target, wanted } = change
  // 0. re-read after waiting for the lock, because the payment may have arrived meanwhile. A client changes
  // the version that they saw, by the rules for clients
  const found = await withPayment(context, tx, change.booking)
  if (wanted.byClient) assertVersion(found, target.versions)
  if (change.answers && found.respond_by === null) throw alreadyAnswered()
  const policy = wanted.byClient ? assertClientMay(found, wanted, tx.now) : undefined
  const refund = policy ? policy.refund !== 'none' : change.refund === true
  const fee = policy?.fee ?? null
  const isVisit = found.item_count !== null || change.items !== undefined
  if (isVisit) assertChangesVisit(change)
  const assignees = isVisit ? undefined : await assigneesOf(context, tx, change)
  const asked = await askedOf(context, tx, change)
  assertMayReaddress(by, found, asked.client)
  if (wanted.answers) assertAnswersFit(found, asked, wanted.answers)
  // 1. an invalid request is refused before a failed precondition
  const reassigned = assignees?.reassigns ?? change.items !== undefined
  const plan = planChange(found, { ...wanted, ...asked, reassigned }, tx.now)
  assertVersion(found, target.versions)
  if (plan) assertTakesTime(plan)
  if (plan?.columns.cancelled_at === null) await assertCouponLeft(tx, found)
  const retakesVisit = isVisit && plan?.takesSlot === true
  if (retakesVisit) requireOwnTransaction(tx) // before anything is written
  // 2. settle the deposit, even if nothing else changes
  const booking = await withSettledDeposit(context, tx, {
    ...{ booking: found, by, plan, refund },
    ...(policy?.refund === 'part' && { refundAmount: fee?.refunded }),
  })
  if (!plan) return { changed: booking, events: [] }
  const { payment_id } = booking
  const columns = {
    ...plan.columns,
    ...(payment_id !== found.payment_id && { payment_id }),
    updated_at: tx.now,
  }
  const changed = { ...booking, ...columns, version: booking.version + 1 }
  // 3. leave the old slot and take the new one
  if (plan.leavesSlot && !plan.takesSlot)
    await endBookingClaim(tx, { id: booking.id, business_id: booking.business_id, at: tx.now })
  const visit = retakesVisit ? await retakeServices(context, tx, { ...change, booking: changed }) : undefined
  if (visit) {
    const written = { ...columns, ...(await newClient(context, tx, { plan, changed })) }
    const after = await writeVisit(context, tx, { change, found, plan, booking, columns: written, visit })
    const { chargesNoShow } = change
    await settleFees(context, tx, { before: found, after, fee, chargesNoShow, at: tx.now })
    return { changed: after, events: plan.events }
  }
  const staffId = plan.takesSlot
    ? await retakeSlot(context, tx, changed, assignees)
    : assignees?.reassigns
      ? (assignees.resources[0]?.staffId ?? null) // a cancelled booking goes to the named staff member
      : booking.staff_id
  const staff = staffId === booking.staff_id ? undefined : staffColumns(staffId, assignees)
  // 4. write the booking, its events and emails
  const client = await newClient(context, tx, { plan, changed })
  const result = { ...changed, ...staff, ...client }
  await allOf([
    updateBooking(tx, booking, { ...columns, ...client, ...(staff && { staff_id: staff.staff_id }) }),
    ...told(context, tx, { change, plan, before: found, after: result }),
  ])
  await settleFees(context, tx, {
    ...{ before: found, after: result, fee, chargesNoShow: change.chargesNoShow },
    at: plusSeconds(tx.now, change.delaySeconds ?? 0),
  })
  if (plan.endsRequest && endedBy(by) === 'business') await returnToList(context, tx, result)
  return { changed: result, events: plan.events }
}

/** Returns the client of a booking after a change of name or contact. Empty if those stay the same. */
async function newClient(
  context: Context,
  tx: Transaction,
  { plan, changed }: { plan: ChangePlan; changed: BookingRow },
): Promise<{ client_id?: string }> {
  if (plan.columns.client_search === undefined || changed.client_email === '') return {}
  return { client_id: await correctClient(tx, { ...changed, client_id: context.ids.next() }) }
}

interface Told {
  change: Change & { by: Actor }
  plan: ChangePlan
  before: BookingRow
  after: BookingRow
}

/** Writes the events and emails of a change. */
function told(
  context: Context,
  tx: Transaction,
  { change: { by, notify = true, delaySeconds = 0, isTold = true }, plan, before, after }: Told,
): Promise<unknown>[] {
  return [
    recordChange(context, tx, {
      types: plan.endsRequest ? ['booking.cancelled'] : plan.events,
      booking: eventSubject(after),
      details: { previous: { starts_at: before.starts_at, ends_at: before.ends_at } },
      ofRequest: plan.endsRequest,
      by,
      action: plan.action,
    }),
    ...(isTold ? [recordNotices(context, tx, { before, after, notify, by, delaySeconds })] : []),
  ]
}

interface WrittenVisit {
  change: Change & { by: Actor }
  found: BookingRow
  plan: ChangePlan
  booking: BookingRow
  columns: ChangedColumns & { updated_at: Instant }
  visit: RetakenVisit
}

/** Writes a booking of several services, its events and emails. Returns it as it is now. */
async function writeVisit(
  context: Context,
  tx: Transaction,
  { change, found, plan, booking, columns, visit }: WrittenVisit,
): Promise<BookingRow> {
  const moved = visit.columns.starts_at !== found.starts_at || visit.columns.ends_at !== found.ends_at
  const { payment_id: paymentId, payment_status, payment_amount } = booking
  const { deposit } = visit
  const isOtherDeposit = change.items !== undefined && deposit && deposit.amount !== payment_amount
  const renewed =
    deposit &&
    isOtherDeposit &&
    (payment_status === 'due' || payment_status === 'preparing') &&
    paymentId !== null
      ? await context.checkouts.renew(tx, {
          ...{ paymentId, amount: deposit.amount, kind: deposit.kind },
          lapses: booking.confirmed_at === null,
        })
      : undefined
  await updateBooking(tx, booking, {
    ...columns,
    ...visit.columns,
    ...(moved && { scheduled_at: tx.now }),
    ...(moved &&
      change.wanted.byClient &&
      found.agreed_starts_at !== null && { agreed_starts_at: visit.columns.starts_at }),
    ...(renewed && { payment_id: renewed.id }),
  })
  const { id, business_id: businessId } = booking
  const result = await lockBooking(tx, { scope: { businessId }, id })
  if (!result) throw new Error('a booking is gone under its lock')
  await allOf(told(context, tx, { change, plan, before: found, after: result }))
  return result
}

/**
 * Returns the staff who can take the booking, if the change requires that. The booking is reassigned if its
 * own staff member is not among them.
 */
async function assigneesOf(
  context: Context,
  tx: Transaction,
  { booking, wanted, staffId }: Change & { booking: BookingRow },
): Promise<(Assignees & { reassigns: boolean }) | undefined> {
  if (wanted.byClient) return offeredTo(context, tx, { booking, wanted })
  if (staffId === undefined || staffId === booking.staff_id) return undefined
  const span = newSpan(booking, wanted, tx.now)
  if (staffId === null && newStatus(booking, wanted) === 'cancelled') return undefined // needs no staff member
  return withReassignment(booking, await findAssignees(context, tx, { booking, staffId, span }))
}

/**
 * Anyone with the client's link can get the deposit refunded. Throws key_type_not_allowed if a person below
 * owner would send the link to another address.
 */
function assertMayReaddress(
  by: Actor,
  { payment_status, client_email }: BookingRow,
  client: { email?: string | null } | undefined,
): void {
  const hasDeposit = payment_status === 'due' || payment_status === 'paid'
  if (hasDeposit && client?.email !== undefined && client.email !== client_email) assertRole(by, 'owner')
}

/**
 * Reads the current services from the database, against which new answers and a changed client are checked.
 * Throws validation_failed if the change removes a detail that one of them requires.
 */
async function askedOf(
  context: Context,
  tx: Transaction,
  { booking, items = [], wanted: { answers, client } }: Change & { booking: BookingRow },
): Promise<Pick<WantedChange, 'client'> & { fields: CustomField[]; added: ReadonlySet<string> }> {
  const taken = client?.last_name === null || client?.phone === null
  const scope = { businessId: booking.business_id }
  const services: Service[] = []
  const present = new Set(itemsOf(booking).map((item) => item.service.id))
  const all = present.union(new Set(items.flatMap(({ service_id }) => service_id ?? [])))
  for (const serviceId of answers || taken ? all : []) {
    const ids = { serviceId, locationId: booking.location_id }
    forgetOffering(context, scope, ids)
    const { service } = await findOffering(context, scope, ids, tx.reads)
    if (service) services.push(service)
  }
  if (services.length > 0 && taken) {
    const asked = strictestFields(services.map(({ client_fields }) => client_fields))
    const fieldErrors = clientFieldErrors(asked, { last_name: '-', phone: '-', ...client })
    if (fieldErrors.length > 0) throw validationProblem(fieldErrors)
  }
  const fieldsOf = (some: Service[]) => some.flatMap(({ custom_fields }) => custom_fields)
  return {
    fields: fieldsOf(services),
    added: new Set(fieldsOf(services.filter(({ id }) => !present.has(id))).map(({ id }) => id)),
    ...(client && { client: { ...client, email: changedEmail(booking, client) } }),
  }
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
  return { staff_id: staffId, ...shownOf('staff', member) }
}

interface SettledChange {
  booking: BookingRow
  by: Actor
  plan: ChangePlan | undefined
  refund: boolean
  /** In minor units. All of it if absent. */
  refundAmount?: number | undefined
}

/**
 * Adds the payment to a locked booking. Locks the payment after the booking, as everywhere, because
 * PostgreSQL reads joined rows before it waits.
 */
async function withPayment(context: Context, tx: Transaction, booking: BookingRow): Promise<BookingRow> {
  if (booking.payment_id === null) return booking
  return { ...booking, ...shownOf('payment', await context.checkouts.lock(tx, booking.payment_id)) }
}

/** Settles the deposit as the change requires, or replaces it. */
async function withSettledDeposit(
  context: Context,
  tx: Transaction,
  { booking, by, plan, refund, refundAmount }: SettledChange,
): Promise<BookingRow> {
  const { payment_id: paymentId } = booking
  const amount = plan && renewedDeposit(booking, plan)
  if (amount !== undefined && paymentId !== null) {
    const lapses = booking.confirmed_at === null
    const { id, ...payment } = await context.checkouts.renew(tx, { paymentId, amount, lapses })
    return { ...booking, payment_id: id, ...shownOf('payment', payment) }
  }
  const becomes = plan?.deposit
  if (!refund && (becomes === undefined || paymentId === null)) return booking
  const change = { paymentId, booking: becomes, refund, ...(refundAmount !== undefined && { refundAmount }) }
  const payment = await context.checkouts.settle(tx, change)
  if (payment?.refundBegins) {
    const { id: subjectId, business_id: businessId } = booking
    await recordAudit(context, tx, { by, action: 'booking.refunded', subjectId, businessId })
  }
  return { ...booking, ...shownOf('payment', payment) }
}

interface RefusedMove {
  actor: Actor
  booking: BookingRow
  slot: Span
  partySize: number
  /** Null means anyone, undefined the present staff member. */
  staffId: string | null | undefined
}

/**
 * Adds the nearest possible times of the same duration to a refused move. Adds none if the offering is
 * inactive.
 */
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
  const minutes = (toMs(slot.ends_at) - startsAtMs) / 60_000
  return withAlternatives(context, refusal, {
    offer: { service: withLength(service, minutes), location, staff, version },
    startsAtMs,
    viewer: { actor, nowMs: toMs(context.clock.now()), partySize, exceptBookingId: booking.id },
  })
}

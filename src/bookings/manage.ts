import { recordAudit } from '../access/audit.ts'
import type { Static } from 'typebox'
import { type Actor, assertRole, isSession, type ManageActor, type WidgetActor } from '../access/actor.ts'
import {
  bookingIdOfCode,
  firstGeneration,
  isCodeOf,
  type ManageTokens,
  manageTokens,
  manageUrl,
  manageUrlOf,
} from '../access/manage-link.ts'
import { bookingPageKey } from '../access/page-key.ts'
import { findShownBusiness } from '../access/session.ts'
import { tokenDigest } from '../access/token.ts'
import { availabilityText, showAvailability } from '../availability/availability.ts'
import type { AvailabilityQuery, DatesQuery } from '../availability/availability-schemas.ts'
import { itemsQuery } from '../availability/visit-query-rules.ts'
import { Problem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { formatInstant, type Instant, toMs } from '../base/instants.ts'
import { publicUrl } from '../base/public-url.ts'
import { feeTermsOf } from '../catalogue/booking-fee-rules.ts'
import { policyOf } from '../catalogue/change-policy-rules.ts'
import type { Transaction } from '../database/database.ts'
import { findSeriesDates } from '../database/series.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import { changeRulesOf } from '../database/shown-item-rules.ts'
import { clientCalendarFile } from '../mails/client-calendar.ts'
import { recordMailAgain } from '../mails/outbox.ts'
import { findBooking, findLinkedBooking, lockBooking, renewManageLink } from './booking-queries.ts'
import { isChangeable, presentBooking } from './presented-booking.ts'
import { noSuchBooking, showBooking } from './booking.ts'
import { checkoutAddress } from './checkouts.ts'
import { listClientCards, listClientFees } from './client-fees.ts'
import { chosenStaff } from './claim.ts'
import type { Context } from './context.ts'
import { findPaymentsOf } from './payment-list-queries.ts'
import { lockSeries } from './series-change.ts'
import { presentPayment, type ShownPayment } from './shown-payment.ts'
import { findVisitItems } from './visit-queries.ts'

/*
 * The manage link, with which a client sees and changes one booking by the rules of the service.
 * `changeByClient` in booking.ts moves and cancels it.
 */

/** Returns the URL to which a short link leads. Undefined for an unknown or ended link. */
export async function manageUrlOfCode(context: Context, code: string): Promise<string | undefined> {
  const id = bookingIdOfCode(code)
  const booking = id === undefined ? undefined : await findLinkedBooking(context.db.reads, id)
  return booking && (await isCodeOf(context, booking, code)) ? manageUrl(context, booking) : undefined
}

/** Returns the booking of a manage link, the changes that its client may make, and its business. */
export async function showManaged(context: Context, actor: ManageActor) {
  const booking = await showBooking(context, actor, actor.bookingId)
  const { business_id: businessId } = booking
  const business = await findShownBusiness(context.db.reads, { businessId, plan: actor.plan })
  const key = await bookingPageKey(context, businessId)
  const booking_url = key === undefined ? null : `${publicUrl(context.config)}/book/${key}`
  const shown = presentBooking(booking, actor)
  const fees = await listClientFees(context, [booking])
  const cards = await listClientCards(context, [booking], fees)
  return {
    booking,
    body: {
      booking: shown,
      policy: presentPolicy(context, booking),
      pay_url: payUrl(context, booking),
      ...{ fees: fees.get(booking.id) ?? [], card: cards.get(booking.id) ?? null },
      ...(await seriesPart(context, booking)),
      business: { ...business, booking_url },
    },
  }
}

/** Returns the dates of the series that belong to the same client. Empty for a booking that stands alone. */
async function seriesPart(context: Context, booking: BookingRow) {
  const { business_id, series_id, client_id, timezone } = booking
  if (series_id === null) return {}
  const dates = await findSeriesDates(context.db.reads, { business_id, series_id })
  const own = dates.filter((date) => date.client_id === client_id)
  const series = own.map(async (date) => {
    const { id, status } = date
    const manage_url = await manageUrl(context, date)
    return {
      ...{ id, status },
      starts_at: formatInstant(date.starts_at, timezone),
      ends_at: formatInstant(date.ends_at, timezone),
      ...(manage_url !== undefined && { manage_url }),
    }
  })
  return { series: await Promise.all(series) }
}

/** Returns the URL for paying a due deposit; null if none is due or nobody can take it. */
export function payUrl(
  { config }: Pick<Context, 'config'>,
  booking: Pick<BookingRow, 'payment_id' | 'payment_status' | 'payment_provider'>,
): string | null {
  const { payment_id: id, payment_status, payment_provider } = booking
  const isDue = payment_status === 'due' && payment_provider !== null
  return isDue && id !== null ? checkoutAddress(config, id) : null
}

/**
 * Returns true if the caller may see the link of a booking. With it, a client gets a paid deposit back, and
 * among people only owners may refund.
 */
export function maySeeLink(actor: Actor, hasDeposit: boolean): boolean {
  return !hasDeposit || actor.type !== 'person' || actor.role === 'owner'
}

/** Returns the link for paying a due deposit, for all callers but sessions. */
export function payPart(context: Context, actor: Actor, booking: BookingRow): { pay_url?: string } {
  const pay_url = isSession(actor) ? null : payUrl(context, booking)
  return pay_url === null ? {} : { pay_url }
}

/** Lists the slots to which the client can move the booking, as JSON. Throws as `showAvailability` does. */
export async function showMoves(
  context: Context,
  actor: ManageActor,
  query: Static<typeof DatesQuery>,
): Promise<string> {
  const booking = await showBooking(context, actor, actor.bookingId)
  const { location_id } = booking
  const wanted = { ...query, location_id, ...(await offerToMove(context, booking)) }
  const durationMinutes = (toMs(booking.ends_at) - toMs(booking.starts_at)) / 60_000
  return availabilityText(
    await showAvailability(context, actor, wanted, { bookingId: booking.id, durationMinutes }),
  )
}

/** Returns the services of a booking as a query, with the people whom the client chose. */
export async function offerToMove(
  context: Context,
  booking: BookingRow,
): Promise<Pick<Static<typeof AvailabilityQuery>, 'service_id' | 'staff_id' | 'party_size' | 'items'>> {
  if (booking.item_count === null) {
    const { service_id, party_size } = booking
    const staff_id = chosenStaff(booking)
    return { service_id, party_size, ...(staff_id !== undefined && { staff_id }) }
  }
  const items = await findVisitItems(context.db.reads, booking)
  return {
    items: itemsQuery(
      items.map(({ service_id, chosen_staff_id, party_size, starts_with }) => ({
        service_id,
        ...(chosen_staff_id !== null && { staff_id: chosen_staff_id }),
        party_size,
        starts: starts_with === 1 ? 'with' : 'after',
      })),
    ),
  }
}

/** Returns the calendar file of a booking for its client, with the manage link. */
export async function showCalendarFile(context: Context, actor: ManageActor): Promise<string> {
  const booking = await showBooking(context, actor, actor.bookingId)
  return clientCalendarFile(context, booking, await managedBy(context, booking))
}

/**
 * Creates a new link to a booking and ends the previous one. In a series, the client's other links end too, because each
 * page leads to all dates. Throws not_found, or key_type_not_allowed for callers who may not see the link.
 */
export async function renewLink(context: Context, actor: Actor, id: string): Promise<{ manage_url: string }> {
  const tokens = await manageTokens(context)
  const named = isUuid(id) ? await findBooking(context.db, actor.scope, id.toLowerCase()) : undefined
  if (!named) throw noSuchBooking()
  const renewed = await context.db.transaction(async (tx) => {
    const locked = await lockWithSeries(tx, actor, named)
    const booking = locked.find((one) => one.id === named.id)
    if (!booking || !isChangeable(booking, actor)) throw noSuchBooking()
    if (!maySeeLink(actor, booking.payment_id !== null)) assertRole(actor, 'owner')
    const own = locked.filter(({ client_id }) => client_id === booking.client_id)
    for (const one of own) await renewOne(context, tx, { actor, tokens, booking: one })
    return { booking, ended: own.map(({ manage_digest }) => manage_digest) }
  })
  for (const digest of renewed.ended) context.cache.forget(`token:${digest}`)
  return { manage_url: manageUrlOf(context, tokens(nextLink(renewed.booking))) }
}

/** Locks a booking and the others of its series. */
async function lockWithSeries(
  tx: Transaction,
  { scope }: Actor,
  { id, business_id, series_id }: BookingRow,
): Promise<BookingRow[]> {
  if (series_id !== null) return lockSeries(tx, scope, { business_id, series_id })
  const locked = await lockBooking(tx, { scope, id })
  return locked ? [locked] : []
}

function nextLink({ id, manage_generation }: Pick<BookingRow, 'id' | 'manage_generation'>) {
  return { id, manage_generation: manage_generation + 1 }
}

async function renewOne(
  context: Context,
  tx: Transaction,
  { actor, tokens, booking }: { actor: Actor; tokens: ManageTokens; booking: BookingRow },
): Promise<void> {
  const { id: subjectId, business_id, business_id: businessId } = booking
  const link = nextLink(booking)
  await renewManageLink(tx.db, { ...link, business_id, manage_digest: tokenDigest(tokens(link)) })
  await recordAudit(context, tx, { by: actor, action: 'booking.link_renewed', subjectId, businessId })
}

/**
 * Returns the manage token of a booking that the session made. With it, a visitor's agent changes the booking
 * by the rules for clients. Throws not_found for any other booking, or change_not_allowed if the client no
 * longer has a link.
 */
export async function ownManageToken(context: Context, actor: WidgetActor, id: string): Promise<string> {
  const booking = await showBooking(context, actor, id)
  if (booking.owner_id !== actor.ownerId) throw noSuchBooking()
  const token = (await manageTokens(context))(booking)
  if (tokenDigest(token) !== booking.manage_digest)
    throw notByClient('Only the business can change this booking.')
  return token
}

/** Returns the refusal of a change that only the business can make. */
function notByClient(detail: string): Problem {
  return new Problem('change_not_allowed', detail, { extensions: { reason: 'not_allowed' } })
}

/**
 * Emails the link of a booking to its client, together with the booking's current state. Returns false if the
 * client gets no email, or the booking is over or cancelled. Throws not_found.
 */
export function mailLink(context: Context, actor: Actor, id: string): Promise<boolean> {
  return context.db.transaction(async (tx) => {
    const booking = isUuid(id)
      ? await lockBooking(tx, { scope: actor.scope, id: id.toLowerCase() })
      : undefined
    if (!booking || !isChangeable(booking, actor)) throw noSuchBooking()
    return recordMailAgain(context, tx, { booking, by: actor })
  })
}

/** Lists what is due or was paid for a booking, and its fees. */
export async function listPayments(
  { db }: Pick<Context, 'db'>,
  booking: Parameters<typeof findPaymentsOf>[1] & { timezone: string },
): Promise<ShownPayment[]> {
  return (await findPaymentsOf(db.reads, booking)).map((one) => presentPayment(one, booking))
}

/** Adds links and payments to a booking that the caller sees completely. */
export async function withLinks<Shown extends object>(
  context: Context,
  { actor, booking }: { actor: Actor; booking: BookingRow },
  shown: Shown,
): Promise<Shown & { manage_url?: string; pay_url?: string; payments?: ShownPayment[] }> {
  if ('redacted' in shown) return shown
  const maySee = maySeeLink(actor, booking.payment_id !== null)
  const manage_url = maySee ? await manageUrl(context, booking) : undefined
  return {
    ...shown,
    ...payPart(context, actor, booking),
    ...((booking.payment_id !== null || booking.fee_rules_json !== null) &&
      !isSession(actor) && { payments: await listPayments(context, booking) }),
    ...(manage_url !== undefined && { manage_url }),
  }
}

/**
 * Adds the link to a new booking, or to the repeated response of its creation, whose record contains no
 * token.
 */
export async function withNewLink(
  context: Context,
  actor: Actor,
  { shown, replayed }: { shown: object; replayed: boolean },
): Promise<object> {
  const { id } = shown as { id: string } // the response of a creation
  if (!maySeeLink(actor, 'payment' in shown)) return shown
  if (!replayed) {
    const token = (await manageTokens(context))({ id, manage_generation: firstGeneration })
    return { ...shown, manage_url: manageUrlOf(context, token) }
  }
  const booking = await findBooking(context.db, actor.scope, id)
  const manage_url = booking && !('redacted' in shown) ? await manageUrl(context, booking) : undefined
  return { ...shown, ...(manage_url !== undefined && { manage_url }) }
}

/** Returns the texts about the manage link for emails. */
export async function managedBy(
  context: Context,
  booking: BookingRow,
): Promise<{ manageUrl: string | null; cancelUntil: Instant | null; moveUntil: Instant | null }> {
  const url = await manageUrl(context, booking)
  const policy = policyOf(changeRulesOf(booking), booking, context.clock.now())
  const isAlways = booking.status === 'pending' // a pending booking can always be cancelled
  return {
    manageUrl: url ?? null,
    cancelUntil: policy.cancelRefusal === null && !isAlways ? policy.cancelUntil : null,
    moveUntil: policy.rescheduleRefusal === null ? policy.rescheduleUntil : null,
  }
}

function presentPolicy(context: Context, booking: BookingRow) {
  const policy = policyOf(changeRulesOf(booking), booking, context.clock.now())
  const time = (instant: Instant | null) => instant && formatInstant(instant, booking.timezone)
  return {
    can_cancel: policy.cancelRefusal === null,
    cancel_until: time(policy.cancelUntil),
    can_reschedule: policy.rescheduleRefusal === null,
    reschedule_until: time(policy.rescheduleUntil),
    reschedules_left: policy.reschedulesLeft,
    refund: policy.refund,
    fee: policy.fee,
    ...termsOf(booking),
  }
}

/** Returns the fees that the client has agreed to. A time that the business chose is never late. */
function termsOf(booking: BookingRow) {
  if (booking.fee_agreed_at === null) return { late_fees: [], no_show_fee: null }
  const { late, missed } = feeTermsOf(booking)
  const isOthersTime = booking.agreed_starts_at !== booking.starts_at
  return { late_fees: isOthersTime ? [] : late, no_show_fee: missed }
}

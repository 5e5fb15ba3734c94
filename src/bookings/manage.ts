import { recordAudit } from '../access/audit.ts'
import type { Static } from 'typebox'
import type { Actor, ManageActor } from '../access/actor.ts'
import { firstGeneration, manageTokens, manageUrl, manageUrlOf } from '../access/manage-link.ts'
import { bookingPageKey } from '../access/page-key.ts'
import { findShownBusiness } from '../access/session.ts'
import { tokenDigest } from '../access/token.ts'
import { availabilityText, showAvailability } from '../availability/availability.ts'
import type { DatesQuery } from '../availability/availability-schemas.ts'
import { isUuid } from '../base/ids.ts'
import { formatInstant, type Instant, toMs } from '../base/instants.ts'
import { publicUrl } from '../base/public-url.ts'
import { policyOf } from '../catalogue/change-policy-rules.ts'
import { calendarFile } from '../mails/calendar.ts'
import { type BookingRow, findBooking, lockBooking, renewManageLink } from './booking-queries.ts'
import { isChangeable, noSuchBooking, presentBooking, showBooking } from './booking.ts'
import { checkoutAddress } from './checkouts.ts'
import { chosenStaff } from './claim.ts'
import type { Context } from './context.ts'

/*
 * The manage link: with it, the client of one booking sees it and changes it by the rules of the service. What moves and
 * cancels it is in booking.ts (`changeByClient`).
 */

/** The booking of a manage link, what its client may do with it, and whose it is. */
export async function showManaged(context: Context, actor: ManageActor) {
  const booking = await showBooking(context, actor, actor.bookingId)
  const { business_id: businessId } = booking
  const business = await findShownBusiness(context.db.reads, { businessId, plan: actor.plan })
  const key = await bookingPageKey(context, businessId)
  const booking_url = key === undefined ? null : `${publicUrl(context.config)}/book/${key}`
  const shown = presentBooking(booking, actor)
  return {
    booking,
    body: {
      booking: shown,
      policy: presentPolicy(context, booking),
      pay_url: payUrl(context, booking),
      business: { ...business, booking_url },
    },
  }
}

/** Where the client of a pending booking goes on to pay its deposit; null where none is due. */
function payUrl({ config }: Context, { status, payment_id, payment_status }: BookingRow): string | null {
  const isDue = status === 'pending' && payment_status === 'due'
  return isDue && payment_id !== null ? checkoutAddress(config, payment_id) : null
}

/** Lists the slots to which the client can move the booking, as JSON. Throws as `showAvailability` does. */
export async function showMoves(
  context: Context,
  actor: ManageActor,
  query: Static<typeof DatesQuery>,
): Promise<string> {
  const booking = await showBooking(context, actor, actor.bookingId)
  const staff_id = chosenStaff(booking)
  const { service_id, location_id } = booking
  const party = { party_size: String(booking.party_size) }
  const place = { service_id, location_id, ...(staff_id !== undefined && { staff_id }) }
  const wanted = { ...query, ...place, ...party }
  const durationMinutes = (toMs(booking.ends_at) - toMs(booking.starts_at)) / 60_000
  return availabilityText(
    await showAvailability(context, actor, wanted, { bookingId: booking.id, durationMinutes }),
  )
}

/** The calendar file of a booking. It names no link: others may see a calendar. */
export async function showCalendarFile(context: Context, actor: ManageActor): Promise<string> {
  const booking = await showBooking(context, actor, actor.bookingId)
  const { location_name, location_address, service_name, party_size } = booking
  const { business_id: businessId } = booking
  const business = await findShownBusiness(context.db.reads, { businessId, plan: actor.plan })
  const service = party_size > 1 ? `${service_name} × ${party_size}` : service_name
  return calendarFile({
    id: booking.id,
    version: booking.version,
    title: `${service} – ${business.brand_name ?? business.name}`, // as in mails
    place: [location_name, location_address].filter(Boolean).join(', '),
    description: booking.staff_name ?? '',
    startsAt: booking.starts_at,
    endsAt: booking.ends_at,
    writtenAt: context.clock.now(),
    isCancelled: booking.status === 'cancelled',
    url: booking.online_url,
  })
}

/** Makes a new link to a booking; the one before ends. Throws not_found. */
export async function renewLink(context: Context, actor: Actor, id: string): Promise<{ manage_url: string }> {
  const tokens = await manageTokens(context)
  const renewed = await context.db.transaction(async (tx) => {
    const booking = isUuid(id)
      ? await lockBooking(tx, { scope: actor.scope, id: id.toLowerCase() })
      : undefined
    if (!booking || !isChangeable(booking, actor)) throw noSuchBooking()
    const link = { id: booking.id, manage_generation: booking.manage_generation + 1 }
    const { business_id, manage_digest: before } = booking
    await renewManageLink(tx.db, { ...link, business_id, manage_digest: tokenDigest(tokens(link)) })
    const { id: subjectId } = link
    await recordAudit(context, tx, {
      by: actor,
      action: 'booking.link_renewed',
      subjectId,
      businessId: business_id,
    })
    return { link, before }
  })
  context.cache.forget(`token:${renewed.before}`)
  return { manage_url: manageUrlOf(context, tokens(renewed.link)) }
}

/** Adds the link to a booking that the caller sees whole. */
export async function withLink<Shown extends object>(
  context: Context,
  booking: BookingRow,
  shown: Shown,
): Promise<Shown & { manage_url?: string }> {
  if ('redacted' in shown) return shown
  const manage_url = await manageUrl(context, booking)
  return { ...shown, ...(manage_url !== undefined && { manage_url }) }
}

/** Adds the link to a new booking, or to the repeated response of its creation: the record of that holds no token. */
export async function withNewLink(
  context: Context,
  actor: Actor,
  { shown, replayed }: { shown: object; replayed: boolean },
): Promise<object> {
  const { id } = shown as { id: string } // the response of a creation
  if (!replayed) {
    const token = (await manageTokens(context))({ id, manage_generation: firstGeneration })
    return { ...shown, manage_url: manageUrlOf(context, token) }
  }
  const booking = await findBooking(context.db, actor.scope, id)
  return booking ? withLink(context, booking, shown) : shown
}

/** What mails say of the link to a booking. */
export async function managedBy(
  context: Context,
  booking: Parameters<typeof manageUrl>[1] & Parameters<typeof policyOf>[0] & Parameters<typeof policyOf>[1],
): Promise<{ manageUrl: string | null; cancelUntil: Instant | null; moveUntil: Instant | null }> {
  const url = await manageUrl(context, booking)
  const policy = policyOf(booking, booking, context.clock.now())
  const isAlways = booking.status === 'pending' // then it can always be cancelled
  return {
    manageUrl: url ?? null,
    cancelUntil: policy.cancelRefusal === null && !isAlways ? policy.cancelUntil : null,
    moveUntil: policy.rescheduleRefusal === null ? policy.rescheduleUntil : null,
  }
}

function presentPolicy(context: Context, booking: BookingRow) {
  const policy = policyOf(booking, booking, context.clock.now())
  const time = (instant: Instant | null) => instant && formatInstant(instant, booking.timezone)
  return {
    can_cancel: policy.cancelRefusal === null,
    cancel_until: time(policy.cancelUntil),
    can_reschedule: policy.rescheduleRefusal === null,
    reschedule_until: time(policy.rescheduleUntil),
    reschedules_left: policy.reschedulesLeft,
    refund: policy.refund,
  }
}

import type { Static } from 'typebox'
import { type Actor, isStaff } from '../access/actor.ts'
import { shownEmail } from '../base/contact-formats.ts'
import { formatInstant, type Instant } from '../base/instants.ts'
import { metadataOf } from '../base/metadata-rules.ts'
import { type BookingRow, serviceAndLocation, staffShown } from '../database/shown-booking.ts'
import {
  isGivenBy,
  itemsOf,
  shownDiscountOf,
  type ShownItem,
  totalPriceOf,
} from '../database/shown-item-rules.ts'
import { answersOf } from './booking-rules.ts'
import type { Booking } from './booking-schemas.ts'
import type { Payment } from './payment-schemas.ts'

/* The parts of a booking that a caller may see, and whether they may change it. */

/** Returns a booking as the caller may see it, with times in its location's zone. */
export function presentBooking(booking: BookingRow, actor: Actor) {
  const time = (instant: BookingRow['starts_at']) => formatInstant(instant, booking.timezone)
  const { service, location } = serviceAndLocation(booking)
  const shape = {
    id: booking.id,
    status: booking.status,
    starts_at: time(booking.starts_at),
    ends_at: time(booking.ends_at),
    party_size: booking.party_size,
    cancelled_at: booking.cancelled_at && time(booking.cancelled_at),
    ...(booking.respond_by !== null && { respond_by: time(booking.respond_by) }),
    service: {
      ...service,
      duration_minutes: booking.duration_minutes,
      price: priceOf(booking),
    },
    location: {
      ...location,
      address: booking.location_address,
      timezone: booking.timezone,
      online_url: maySeeClient(booking, actor) ? booking.online_url : null,
    },
    staff: staffShown(booking),
    items: itemsOf(booking).map((item) => presentItem(item, { booking, actor })),
    business_id: booking.business_id,
    created_at: time(booking.created_at),
    updated_at: time(booking.updated_at),
    ...(booking.series_id !== null && { series_id: booking.series_id }),
  }
  return maySeeClient(booking, actor)
    ? { ...shape, ...clientPart(booking, actor), ...businessPart(booking, actor) }
    : { ...shape, ...maskedClientPart(booking), redacted: true as const }
}

function priceOf({ price_amount: amount, price_currency: currency }: BookingRow) {
  return amount === null || currency === null ? null : { amount, currency }
}

/** Returns a service of a booking. Only keys and people see its rooms and equipment. */
function presentItem(item: ShownItem, { booking, actor }: { booking: BookingRow; actor: Actor }) {
  const { id, name, duration_minutes } = item.service
  const seesResources = actor.type !== 'session' && actor.type !== 'manage' && maySeeClient(booking, actor)
  return {
    id: item.id,
    service: { id, name, duration_minutes },
    staff: item.staff,
    starts_at: formatInstant(item.starts_at, booking.timezone),
    ends_at: formatInstant(item.ends_at, booking.timezone),
    party_size: item.party_size,
    price: item.price && { ...item.price, amount: item.price.amount * item.party_size },
    ...(seesResources && { resources: item.resources }),
  }
}

/**
 * Returns true if the caller may change a booking in their scope. Staff may change only bookings in which they give a
 * service.
 */
export function isChangeable(booking: Pick<BookingRow, 'staff_id' | 'items_json'>, actor: Actor): boolean {
  return !isStaff(actor) || isGivenBy(booking, actor.staffId)
}

type ShownPayment = Static<typeof Payment>

/**
 * Returns the fields for the business. Sessions see only the payment, clients all but the no-show mark,
 * business and hub keys everything.
 */
function businessPart(
  booking: BookingRow,
  actor: Actor,
): Pick<
  Static<typeof Booking>,
  'no_show' | 'time_zone' | 'text_consent' | 'fee_consent' | 'cancel_reason' | 'metadata' | 'payment'
> {
  if (actor.type === 'session') return paymentPart(booking)
  return {
    ...(actor.type !== 'manage' && { no_show: booking.no_show_at !== null }),
    ...(booking.time_zone !== null && { time_zone: booking.time_zone }),
    ...consentParts(booking),
    ...(booking.cancel_reason !== null && { cancel_reason: booking.cancel_reason }),
    ...(actor.type !== 'manage' && booking.metadata_json !== null && { metadata: metadataOf(booking) }),
    ...paymentPart(booking),
  }
}

/** Returns the sentences to which the client agreed, with their times. */
function consentParts({
  text_consent,
  text_agreed_at,
  fee_consent,
  fee_agreed_at,
  timezone,
}: BookingRow): Pick<Static<typeof Booking>, 'text_consent' | 'fee_consent'> {
  const consent = (text: string | null, at: Instant | null) =>
    text !== null && at !== null && { text, agreed_at: formatInstant(at, timezone) }
  const [texts, fees] = [consent(text_consent, text_agreed_at), consent(fee_consent, fee_agreed_at)]
  return { ...(texts && { text_consent: texts }), ...(fees && { fee_consent: fees }) }
}

function paymentPart(booking: BookingRow): { payment?: ShownPayment } {
  const {
    payment_kind: kind,
    payment_status: status,
    payment_amount: amount,
    payment_currency: currency,
    payment_provider: provider,
  } = booking
  if (
    kind === null ||
    status === null ||
    kind === 'fee' || // no fee is the payment in advance
    status === 'preparing' ||
    status === 'charging' ||
    status === 'waived' ||
    amount === null ||
    currency === null ||
    !provider
  )
    return {}
  const time = (instant: Instant | null) => instant && formatInstant(instant, booking.timezone)
  return {
    payment: {
      kind,
      status,
      amount,
      currency,
      provider,
      paid_at: time(booking.payment_paid_at),
      refunded_at: time(booking.payment_refunded_at),
      refunded_amount: (status === 'refunded' ? amount : booking.payment_refunded_amount) ?? 0,
    },
  }
}

/** Returns true if the caller may see the client's name and contact details. */
export function maySeeClient(booking: BookingRow, actor: Actor): boolean {
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

function clientPart(booking: BookingRow, actor: Actor) {
  const { client_id } = booking
  const discount = shownDiscountOf(booking)
  const seesRow = client_id !== null && actor.type !== 'session' && actor.type !== 'manage'
  return {
    client: {
      ...(seesRow && { id: client_id }),
      first_name: booking.client_first_name,
      last_name: booking.client_last_name,
      email: shownEmail(booking.client_email),
      phone: booking.client_phone,
    },
    notes: booking.notes,
    custom_field_values: answersOf(booking).map(({ agreed_at, ...answer }) => ({
      ...answer,
      ...(agreed_at && { agreed_at: formatInstant(agreed_at, booking.timezone) }),
    })),
    price: totalPriceOf(booking),
    ...(discount && { discount }),
  }
}

function maskedClientPart(booking: BookingRow) {
  return { client: maskedClient(booking), notes: null, custom_field_values: [] }
}

/**
 * Returns a client as masked for callers who may not see them. They see whom they meet, but not how to reach
 * them.
 */
export function maskedClient(
  booking: Pick<BookingRow, 'client_first_name' | 'client_last_name' | 'client_email'>,
) {
  const [initial] = booking.client_last_name
  const email = shownEmail(booking.client_email)
  const [firstOfEmail = ''] = email
  return {
    first_name: booking.client_first_name,
    last_name: initial === undefined ? '' : `${initial}.`,
    email: email && `${firstOfEmail}•••${email.slice(email.indexOf('@'))}`,
    phone: null,
  }
}

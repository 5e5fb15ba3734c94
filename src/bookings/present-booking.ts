import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { formatInstant, type Instant } from '../instants.ts'
import type { BookingRow } from './booking-queries.ts'
import type { Payment } from './booking-schemas.ts'
import type { FieldValue } from './custom-field-rules.ts'

/** A booking as the caller may see it, its times in the zone of its location. */
export function presentBooking(booking: BookingRow, actor: Actor) {
  const time = (instant: BookingRow['starts_at']) => formatInstant(instant, booking.timezone)
  const shape = {
    id: booking.id,
    status: booking.status,
    starts_at: time(booking.starts_at),
    ends_at: time(booking.ends_at),
    cancelled_at: booking.cancelled_at === null ? null : time(booking.cancelled_at),
    service: {
      id: booking.service_id,
      name: booking.service_name,
      duration_minutes: booking.duration_minutes,
    },
    location: { id: booking.location_id, name: booking.location_name, timezone: booking.timezone },
    staff: booking.staff_id === null ? null : { id: booking.staff_id, name: booking.staff_name ?? '' },
    business_id: booking.business_id,
    created_at: time(booking.created_at),
    updated_at: time(booking.updated_at),
  }
  return maySeeClient(booking, actor)
    ? { ...shape, ...clientPart(booking), ...businessPart(booking, actor) }
    : { ...shape, ...maskedClientPart(booking), redacted: true as const }
}

type ShownPayment = Static<typeof Payment>

/** Business and hub keys see whether the client came and how the deposit stands; a session does not (contract: Deposits). */
function businessPart(booking: BookingRow, actor: Actor): { no_show?: boolean; payment?: ShownPayment } {
  if (actor.type === 'session' || actor.type === 'publishable') return {}
  return { no_show: booking.no_show_at !== null, ...paymentPart(booking) }
}

function paymentPart(booking: BookingRow): { payment?: ShownPayment } {
  const {
    payment_status: status,
    payment_amount: amount,
    payment_currency: currency,
    payment_provider: provider,
  } = booking
  if (status === null || status === 'preparing' || amount === null || currency === null || provider === null)
    return {}
  const time = (instant: Instant | null) =>
    instant === null ? null : formatInstant(instant, booking.timezone)
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

/** The session that made a booking, and business and hub keys, see all of it (contract: Keys, sessions, plans). */
function maySeeClient(booking: BookingRow, actor: Actor): boolean {
  switch (actor.type) {
    case 'business':
    case 'hub':
    case 'operator':
      return true
    case 'session':
      return actor.ownerId === booking.owner_id
    case 'publishable':
      return false
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
    // only convert-hold writes it
    custom_field_values: JSON.parse(booking.custom_field_values_json) as {
      field_id: string
      value: FieldValue
    }[],
  }
}

function maskedClientPart(booking: BookingRow) {
  const [initial = ''] = booking.client_last_name
  const [firstOfEmail = ''] = booking.client_email
  return {
    client: {
      first_name: booking.client_first_name,
      last_name: `${initial}.`,
      email: `${firstOfEmail}•••${booking.client_email.slice(booking.client_email.indexOf('@'))}`,
      phone: null,
    },
    notes: null,
    custom_field_values: [],
  }
}

import { effectivePlan } from '../access/actor.ts'
import { shownEmail } from '../base/contact-formats.ts'
import type { Instant } from '../base/instants.ts'
import type { MailsTable } from '../database/tables.ts'
import type { ShownBooking } from './mail-queries.ts'
import type { MailView } from './render.ts'

/** Addresses that a mail names. */
export interface MailAddresses {
  manageUrl: string | null
  /** Until when the client may cancel; null: not at all, or always. */
  cancelUntil: Instant | null
  /** Until when the client may move it; null: not at all. */
  moveUntil: Instant | null
  /** Of the checkout. */
  payUrl: string | null
  offUrl: string | null
}

/** Of a mail that names none. */
export const noAddresses: MailAddresses = {
  manageUrl: null,
  cancelUntil: null,
  moveUntil: null,
  payUrl: null,
  offUrl: null,
}

/** A booking as a mail shows it: with the name and colour that its plan allows. */
export function mailViewOf(
  { kind, audience }: Pick<MailsTable, 'kind' | 'audience'>,
  booking: ShownBooking,
  {
    addresses,
    knownStart,
    now,
    from,
  }: { addresses: MailAddresses; knownStart: Instant | null; now: Instant; from: string },
): MailView {
  return {
    kind,
    audience,
    locales: audience === 'client' ? [booking.locale, booking.business_locale] : [booking.business_locale],
    business: businessOf(booking),
    booking: {
      id: booking.id,
      version: booking.version,
      serviceName: booking.service_name + (booking.party_size > 1 ? ` × ${booking.party_size}` : ''),
      locationName: booking.location_name,
      address: booking.address,
      onlineUrl: booking.online_url,
      staffName: booking.staff_name,
      startsAt: booking.starts_at,
      startedAt: knownStart === booking.starts_at ? null : knownStart,
      endsAt: booking.ends_at,
      timezone: booking.timezone,
      price: moneyOf(
        booking.price_amount === null ? null : booking.price_amount * booking.party_size,
        booking.price_currency,
      ),
      deposit: depositOf(booking),
      client: {
        firstName: booking.client_first_name,
        lastName: booking.client_last_name,
        email: shownEmail(booking.client_email),
        phone: booking.client_phone,
      },
      notes: booking.notes,
    },
    ...addresses,
    now,
    from: { address: from },
  }
}

function businessOf(booking: ShownBooking): MailView['business'] {
  const hasBrand = effectivePlan(booking.plan, booking.hub_plan) === 'enterprise'
  return {
    name: (hasBrand ? booking.brand_name : null) ?? booking.business_name,
    color: hasBrand ? booking.brand_color : null,
    replyTo: booking.reply_to_email,
  }
}

function depositOf(booking: ShownBooking): MailView['booking']['deposit'] {
  const money = moneyOf(booking.payment_amount, booking.payment_currency)
  const { payment_status: status, refund_requested_at: refundRequestedAt } = booking
  if (!money || status === null || status === 'preparing' || status === 'expired') return null
  return { ...money, state: status === 'paid' && refundRequestedAt !== null ? 'refunded' : status }
}

function moneyOf(amount: number | null, currency: string | null) {
  return amount === null || currency === null ? null : { amount, currency }
}

import { formatInstant, type Instant } from '../base/instants.ts'
import { erasedName, shownEmail } from '../base/contact-formats.ts'
import { metadataOf } from '../base/metadata-rules.ts'
import { type BookingRow, serviceAndLocation } from '../database/shown-booking.ts'
import type { PaymentKind } from '../database/tables.ts'
import { itemsOf, type ShownItem } from '../database/shown-item-rules.ts'

/** The events of every webhook and every reader. */
export const usualEventTypes = [
  'booking.created',
  'booking.updated',
  'booking.cancelled',
  'booking.completed',
] as const

/** Further events about bookings, for webhooks and readers that name them. They are written with `recordChange`. */
const furtherEventTypes = [
  ...(['booking.requested', 'booking.rescheduled', 'booking.no_show'] as const),
  ...(['payment.paid', 'payment.refunded', 'payment.failed'] as const),
] as const

/**
 * Events about something else than a booking, for webhooks that name them. They are written with `recordOtherEvent`,
 * have no row in `events`, and contain no data of clients.
 */
const otherEventTypes = ['waitlist.offered', 'webhook.failing'] as const

export const bookingEventTypes = [...usualEventTypes, ...furtherEventTypes] as const

export const eventTypes = [...bookingEventTypes, ...otherEventTypes] as const

/** The type of a sample. No event without a row in `events` has it otherwise. */
export const sampleType = 'booking.created'

export type BookingEventType = (typeof bookingEventTypes)[number]
export type OtherEventType = (typeof otherEventTypes)[number]
export type EventType = (typeof eventTypes)[number]

/** A booking as events show it. */
export type EventSubject = Pick<
  BookingRow,
  | 'id'
  | 'business_id'
  | 'status'
  | 'starts_at'
  | 'ends_at'
  | 'party_size'
  | 'client_first_name'
  | 'client_last_name'
  | 'client_email'
  | 'series_id'
  | 'metadata_json'
> & {
  service: { id: string; name: string }
  location: { id: string; name: string; timezone: string }
  items: readonly (Pick<ShownItem, 'staff' | 'starts_at' | 'ends_at'> & {
    service: { id: string; name: string }
  })[]
}

export function eventSubject(booking: BookingRow): EventSubject {
  const { service, location } = serviceAndLocation(booking)
  return {
    ...booking,
    service,
    location: { ...location, timezone: booking.timezone },
    items: itemsOf(booking),
  }
}

/** Further details of some events. Instants are UTC. */
export interface EventDetails {
  /** `booking.requested`: when it ends without an answer. */
  respondBy?: Instant
  /** `booking.rescheduled`: the time before. */
  previous?: { starts_at: Instant; ends_at: Instant }
  /** `payment.*`. */
  payment?: Record<'amount' | 'refunded_amount', number> &
    Record<'status' | 'currency', string> & { kind: PaymentKind }
}

/**
 * Creates the body of a delivery. It is fixed when the event happens, because receivers verify a signature over its
 * bytes.
 */
export function eventPayload(
  type: BookingEventType,
  booking: EventSubject,
  { at, respondBy, previous, payment }: EventDetails & { at: Instant },
): string {
  const { service, location } = booking
  const { timezone } = location
  return JSON.stringify({
    event: type,
    timestamp: formatInstant(at, timezone),
    data: {
      id: booking.id,
      status: booking.status,
      service: { id: service.id, name: service.name },
      client: {
        first_name: booking.client_first_name,
        last_name: booking.client_last_name,
        email: shownEmail(booking.client_email),
      },
      starts_at: formatInstant(booking.starts_at, timezone),
      ends_at: formatInstant(booking.ends_at, timezone),
      location: { id: location.id, name: location.name },
      ...(booking.party_size > 1 && { party_size: booking.party_size }),
      ...(booking.series_id !== null && { series_id: booking.series_id }),
      ...(booking.metadata_json !== null && { metadata: metadataOf(booking) }),
      items: booking.items.map((item) => ({
        id: item.service.id,
        name: item.service.name,
        starts_at: formatInstant(item.starts_at, timezone),
        ends_at: formatInstant(item.ends_at, timezone),
        staff: item.staff,
      })),
      ...(type === 'booking.requested' &&
        respondBy !== undefined && { respond_by: formatInstant(respondBy, timezone) }),
      ...(type === 'booking.rescheduled' &&
        previous && {
          previous: {
            starts_at: formatInstant(previous.starts_at, timezone),
            ends_at: formatInstant(previous.ends_at, timezone),
          },
        }),
      ...(type.startsWith('payment.') && payment && { payment }),
    },
  })
}

/** Returns the body of an event without its client. */
export function withoutClient(payload: string): string {
  const body = JSON.parse(payload) as { data: object } // written only by eventPayload()
  const client = { first_name: erasedName, last_name: erasedName, email: '' }
  return JSON.stringify({ ...body, data: { ...body.data, client, metadata: undefined } })
}

/** The data of the events about something else than a booking. */
export interface OtherEventData {
  /** A free time is held for an entry of the waiting list, until `expires_at`. */
  'waitlist.offered': {
    /** The entry. */
    id: string
    hold_id: string
    service: { id: string; name: string }
    location: { id: string; name: string }
    starts_at: string
    ends_at: string
    expires_at: string
  }
  /** All deliveries of a webhook have failed for a day. */
  'webhook.failing': {
    /** The webhook. */
    id: string
    url: string
    failing_since: string
  }
}

/** Creates the body of a delivery about something else than a booking. `timezone` is that of the business. */
export function otherEventPayload<Type extends OtherEventType>(
  type: Type,
  data: OtherEventData[Type],
  { at, timezone }: { at: Instant; timezone: string },
): string {
  return JSON.stringify({ event: type, timestamp: formatInstant(at, timezone), data })
}

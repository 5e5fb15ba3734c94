import { formatInstant, type Instant } from '../base/instants.ts'
import { erasedName, shownEmail } from '../base/contact-formats.ts'
import { type BookingRow, serviceAndLocation } from '../database/shown-booking.ts'
import { itemsOf, type ShownItem } from '../database/shown-item-rules.ts'

export const eventTypes = [
  'booking.created',
  'booking.updated',
  'booking.cancelled',
  'booking.completed',
] as const

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

/**
 * Creates the body of a delivery. It is fixed when the event happens, because receivers verify a signature over its
 * bytes.
 */
export function eventPayload(type: EventType, booking: EventSubject, at: Instant): string {
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
      items: booking.items.map((item) => ({
        id: item.service.id,
        name: item.service.name,
        starts_at: formatInstant(item.starts_at, timezone),
        ends_at: formatInstant(item.ends_at, timezone),
        staff: item.staff,
      })),
    },
  })
}

/** Returns the body of an event without its client. */
export function withoutClient(payload: string): string {
  const body = JSON.parse(payload) as { data: object } // written only by eventPayload()
  const client = { first_name: erasedName, last_name: erasedName, email: '' }
  return JSON.stringify({ ...body, data: { ...body.data, client } })
}

import { formatInstant, type Instant } from '../base/instants.ts'
import { erasedName } from '../base/contact-formats.ts'
import type { BookingStatus } from '../database/tables.ts'

export const eventTypes = [
  'booking.created',
  'booking.updated',
  'booking.cancelled',
  'booking.completed',
] as const

export type EventType = (typeof eventTypes)[number]

/** A booking as events show it. */
export interface EventSubject {
  id: string
  business_id: string
  status: BookingStatus
  starts_at: Instant
  ends_at: Instant
  party_size: number
  client_first_name: string
  client_last_name: string
  client_email: string
  service: { id: string; name: string }
  location: { id: string; name: string; timezone: string }
}

/** Makes the body of a delivery. It is fixed when the event happens: receivers verify a signature over its bytes. */
export function eventPayload(type: EventType, booking: EventSubject, at: Instant): string {
  const { timezone } = booking.location
  return JSON.stringify({
    event: type,
    timestamp: formatInstant(at, timezone),
    data: {
      id: booking.id,
      status: booking.status,
      service: { id: booking.service.id, name: booking.service.name },
      client: {
        first_name: booking.client_first_name,
        last_name: booking.client_last_name,
        email: booking.client_email,
      },
      starts_at: formatInstant(booking.starts_at, timezone),
      ends_at: formatInstant(booking.ends_at, timezone),
      location: { id: booking.location.id, name: booking.location.name },
      ...(booking.party_size > 1 && { party_size: booking.party_size }),
    },
  })
}

/** The body of an event without its client. */
export function withoutClient(payload: string): string {
  const body = JSON.parse(payload) as { data: object } // only eventPayload() writes it
  const client = { first_name: erasedName, last_name: erasedName, email: '' }
  return JSON.stringify({ ...body, data: { ...body.data, client } })
}

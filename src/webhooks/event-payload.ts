import type { BookingStatus } from '../database/tables.ts'
import { formatInstant, type Instant } from '../instants.ts'

/** What can happen to a booking, to go through. */
export const eventTypes = [
  'booking.created',
  'booking.updated',
  'booking.cancelled',
  'booking.completed',
] as const

/** What can happen to a booking that other systems are told (specification: Events). */
export type EventType = (typeof eventTypes)[number]

/** What a payload says of a booking. */
export interface EventSubject {
  id: string
  business_id: string
  status: BookingStatus
  starts_at: Instant
  ends_at: Instant
  client_first_name: string
  client_last_name: string
  client_email: string
  service: { id: string; name: string }
  location: { id: string; name: string; timezone: string }
}

/** The body of a delivery: exactly the specification's fields, fixed when the event happens. */
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
    },
  })
}

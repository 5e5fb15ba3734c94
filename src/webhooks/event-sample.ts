import type { Static } from 'typebox'
import { exampleClient, exampleIds, exampleTimes } from '../base/examples.ts'
import { plusSeconds, readInstant } from '../base/instants.ts'
import type { BookingStatus } from '../database/tables.ts'
import { type BookingEventType, bookingEventTypes, eventPayload, type EventSubject } from './event-payload.ts'
import type { EventBody } from './event-schemas.ts'

const span = { starts_at: readInstant(exampleTimes.startsAt), ends_at: readInstant(exampleTimes.endsAt) }
const service = { id: exampleIds.service, name: 'Sample service' }
const staff = { id: exampleIds.staff, name: 'Sample person' }

/** A fictional booking, with the IDs of the API reference. */
export const sampleBooking: EventSubject = {
  id: exampleIds.booking,
  business_id: exampleIds.business,
  status: 'confirmed',
  ...span,
  party_size: 1,
  series_id: null,
  metadata_json: null,
  client_first_name: exampleClient.first_name,
  client_last_name: exampleClient.last_name,
  client_email: exampleClient.email,
  service,
  location: { id: exampleIds.location, name: 'Sample location', timezone: 'Europe/Berlin' },
  items: [{ service, staff, ...span }],
}

const statuses: Record<BookingEventType, BookingStatus> = {
  'booking.created': 'confirmed',
  'booking.updated': 'confirmed',
  'booking.cancelled': 'cancelled',
  'booking.completed': 'completed',
  'booking.requested': 'pending',
  'booking.rescheduled': 'confirmed',
  'booking.no_show': 'completed',
  'payment.paid': 'confirmed',
  'payment.refunded': 'cancelled',
  'payment.failed': 'cancelled',
}

const paymentStatuses: Partial<Record<BookingEventType, string>> = {
  'payment.refunded': 'refunded',
  'payment.failed': 'expired',
}

/** Creates a body of each event about a booking with every possible field, hence for a party. */
export function eventSamples(): Static<typeof EventBody>[] {
  const at = readInstant(exampleTimes.createdAt)
  return bookingEventTypes.map((type) => {
    const booking = { ...sampleBooking, status: statuses[type], party_size: 2 }
    const details = {
      respondBy: plusSeconds(at, 86_400),
      previous: {
        starts_at: plusSeconds(span.starts_at, -86_400),
        ends_at: plusSeconds(span.ends_at, -86_400),
      },
      payment: {
        ...{ kind: 'deposit' as const, status: paymentStatuses[type] ?? 'paid' },
        ...{ amount: 1_000, currency: 'EUR', refunded_amount: type === 'payment.refunded' ? 1_000 : 0 },
      },
    }
    return JSON.parse(eventPayload(type, booking, { ...details, at })) as Static<typeof EventBody> // in the delivered form
  })
}

import type { Static } from 'typebox'
import { exampleClient, exampleIds, exampleTimes } from '../base/examples.ts'
import { readInstant } from '../base/instants.ts'
import type { BookingStatus } from '../database/tables.ts'
import { eventPayload, type EventSubject, type EventType, eventTypes } from './event-payload.ts'
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
  client_first_name: exampleClient.first_name,
  client_last_name: exampleClient.last_name,
  client_email: exampleClient.email,
  service,
  location: { id: exampleIds.location, name: 'Sample location', timezone: 'Europe/Berlin' },
  items: [{ service, staff, ...span }],
}

const statuses: Record<EventType, BookingStatus> = {
  'booking.created': 'confirmed',
  'booking.updated': 'confirmed',
  'booking.cancelled': 'cancelled',
  'booking.completed': 'completed',
}

/** Creates a body of each event with every possible field, hence for a party. */
export function eventSamples(): Static<typeof EventBody>[] {
  const at = readInstant(exampleTimes.createdAt)
  return eventTypes.map((type) => {
    const booking = { ...sampleBooking, status: statuses[type], party_size: 2 }
    return JSON.parse(eventPayload(type, booking, at)) as Static<typeof EventBody> // in the delivered form
  })
}

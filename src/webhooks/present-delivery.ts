import { formatInstant, type Instant } from '../instants.ts'
import type { DeliveryRow } from './delivery-queries.ts'
import type { Attempt } from './delivery-types.ts'
import type { EventType } from './event-payload.ts'

/** A line of a webhook's log, its times in a zone. */
export function presentDelivery(delivery: DeliveryRow, timezone: string) {
  const time = (instant: Instant) => formatInstant(instant, timezone)
  const attempts = JSON.parse(delivery.attempts_json) as Attempt[] // only the worker writes it
  return {
    id: delivery.id,
    event_id: delivery.event_id,
    event: delivery.event_type as EventType, // only checked names are written
    booking_id: delivery.booking_id,
    status: delivery.status,
    attempts: attempts.map((attempt) => ({ ...attempt, at: time(attempt.at) })),
    next_attempt_at: delivery.next_attempt_at === null ? null : time(delivery.next_attempt_at),
    created_at: time(delivery.created_at),
  }
}

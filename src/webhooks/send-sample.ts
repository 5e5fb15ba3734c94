import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import { exampleClient, exampleIds } from '../examples.ts'
import { plusMinutes, roundUpToSecond, type Instant } from '../instants.ts'
import { lockedWebhook } from './change-webhook.ts'
import { insertDelivery } from './delivery-queries.ts'
import { eventPayload, type EventSubject } from './event-payload.ts'
import { presentDelivery } from './present-delivery.ts'
import { startDelivering } from './record-events.ts'
import { mostAttempts } from './retry-rules.ts'
import type { WebhookRow } from './webhook-queries.ts'

const sampleType = 'booking.created'

/** Sends a sample `booking.created` of no real booking, whatever the webhook's events and status. Throws not_found. */
export function sendSample(context: Context, actor: Actor, id: string) {
  const [eventId, deliveryId] = [context.ids.next(), context.ids.next()]
  return context.db.transaction(async (tx) => {
    const webhook = await lockedWebhook(tx, actor, id)
    const delivery = {
      id: deliveryId,
      webhook_id: webhook.id,
      business_id: webhook.business_id,
      event_id: eventId,
      event_type: sampleType,
      booking_id: exampleIds.booking,
      sample_payload: eventPayload(sampleType, sampleBooking(webhook, tx.now), tx.now),
      status: 'pending' as const,
      attempts_json: '[]',
      attempts_left: mostAttempts,
      next_attempt_at: tx.now,
      created_at: tx.now,
    }
    await insertDelivery(tx.db, delivery)
    await startDelivering(context, tx)
    return presentDelivery(delivery, webhook.timezone)
  })
}

/** A booking that nobody made, for tomorrow. */
function sampleBooking({ business_id, timezone }: WebhookRow, now: Instant): EventSubject {
  const startsAt = plusMinutes(roundUpToSecond(now), 24 * 60)
  return {
    id: exampleIds.booking,
    business_id: business_id ?? exampleIds.business,
    status: 'confirmed',
    starts_at: startsAt,
    ends_at: plusMinutes(startsAt, 30),
    client_first_name: exampleClient.first_name,
    client_last_name: exampleClient.last_name,
    client_email: exampleClient.email,
    service: { id: exampleIds.service, name: 'Sample service' },
    location: { id: exampleIds.location, name: 'Sample location', timezone },
  }
}

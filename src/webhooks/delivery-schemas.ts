import { Type } from 'typebox'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import { StrictObject, listParameters, Nullable, Page, ShownId, ShownInstant } from '../base/wire.ts'
import type { AttemptError } from './send.ts'
import { EventName } from './webhook-schemas.ts'

const DeliveryStatus = Type.Enum(['pending', 'succeeded', 'failed'], { title: 'DeliveryStatus' })

const attemptErrors: Record<AttemptError, string> = {
  timeout: 'no full response within 10 seconds',
  status_not_2xx: 'a status other than 2xx',
  redirect_not_followed: 'a redirect',
  response_too_large: 'a response longer than 64 KiB',
  address_not_allowed: 'an address in a private network',
  dns_failed: 'the name has no address',
  connection_refused: 'nothing listens at the address',
  connection_reset: 'the connection was lost',
  connection_failed: 'no connection could be made',
  certificate_rejected: 'the certificate is not trusted',
  invalid_response: 'the response is not valid HTTP',
}

const Attempt = Type.Object({
  number: Type.Integer(),
  at: ShownInstant,
  duration_ms: Type.Integer(),
  response_status: Nullable(Type.Integer(), { description: 'Null if no status arrived.' }),
  error: Nullable(Type.Enum(Object.keys(attemptErrors) as AttemptError[], { title: 'AttemptError' }), {
    description: `Null if the attempt succeeded. ${Object.entries(attemptErrors)
      .map(([code, text]) => `\`${code}\`: ${text}`)
      .join('; ')}.`,
  }),
})

export const Delivery = Type.Object(
  {
    id: ShownId,
    event_id: Type.String({ format: 'uuid', description: 'The `webhook-id` that the receiver gets.' }),
    event: EventName,
    booking_id: Type.String({
      format: 'uuid',
      description: 'The booking. Of `waitlist.offered` the entry, of `webhook.failing` the webhook.',
    }),
    status: DeliveryStatus,
    attempts: Type.Array(Attempt, { description: 'Attempts, the oldest first.' }),
    next_attempt_at: Nullable(ShownInstant, { description: 'Null once it is no longer pending.' }),
    created_at: ShownInstant,
  },
  {
    title: 'Delivery',
    description: 'One event on its way to one webhook.',
    examples: [
      {
        id: exampleIds.delivery,
        event_id: exampleIds.event,
        event: 'booking.created',
        booking_id: exampleIds.booking,
        status: 'succeeded',
        attempts: [
          { number: 1, at: exampleTimes.createdAt, duration_ms: 42, response_status: 200, error: null },
        ],
        next_attempt_at: null,
        created_at: exampleTimes.createdAt,
      },
    ],
  },
)

export const DeliveryPage = Page(Delivery, {
  title: 'DeliveryPage',
  description: 'Deliveries, the newest first.',
})

export const DeliveriesQuery = StrictObject({
  ...listParameters,
  status: Type.Optional(DeliveryStatus),
})

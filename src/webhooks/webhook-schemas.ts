import { Type } from 'typebox'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import {
  StrictObject,
  Id,
  Line,
  listParameters,
  Nullable,
  Page,
  ShownId,
  ShownInstant,
} from '../base/wire.ts'
import { eventTypes } from './event-payload.ts'

export const EventName = Type.Enum([...eventTypes], { title: 'EventName' })
const WebhookStatus = Type.Enum(['active', 'disabled'], { title: 'WebhookStatus' })

const Url = Type.String({
  format: 'line',
  minLength: 1,
  maxLength: 2_048,
  description:
    'http or https, without user info and fragment. In production https only, and no address in a private network.',
})
const Events = Type.Array(EventName, {
  minItems: 1,
  maxItems: eventTypes.length,
  uniqueItems: true,
  description:
    'The events that it receives. `waitlist.offered` and `webhook.failing` are about no booking, and `GET /events` does not list them.',
})
const Description = Line(1, 200)

export const CreateWebhook = StrictObject(
  {
    url: Url,
    events: Events,
    description: Type.Optional(Description),
    business_id: Type.Optional(
      Type.String({
        ...Id,
        description: 'For hub keys: one business of the hub. Absent: the whole hub.',
      }),
    ),
  },
  {
    title: 'CreateWebhook',
    description: 'The URL and its events.',
    examples: [{ url: 'https://example.com/hooks', events: ['booking.created', 'booking.cancelled'] }],
  },
)

/** Only `description` may be cleared, with null. */
export const ChangeWebhook = StrictObject(
  {
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    description: Type.Optional(Nullable(Description)),
    status: Type.Optional(WebhookStatus),
  },
  {
    title: 'ChangeWebhook',
    description: 'The fields to change. Nothing is sent to a disabled webhook.',
    examples: [{ status: 'disabled' }],
  },
)

const shown = {
  id: ShownId,
  business_id: Nullable(ShownId, { description: 'Null for the whole hub.' }),
  url: Type.String(),
  events: Type.Array(EventName),
  description: Nullable(Type.String()),
  status: WebhookStatus,
  created_at: ShownInstant,
}

const example = {
  id: exampleIds.webhook,
  business_id: exampleIds.business,
  url: 'https://example.com/hooks',
  events: ['booking.created', 'booking.cancelled'],
  description: null,
  status: 'active',
  created_at: exampleTimes.createdAt,
}

export const Webhook = Type.Object(shown, {
  title: 'Webhook',
  description: 'A URL that receives events.',
  examples: [example],
})

export const WebhookWithSecret = Type.Object(
  {
    ...shown,
    secret: Type.String({
      description: 'Signs deliveries. Shown only here; if you lose it, replace it.',
    }),
  },
  {
    title: 'WebhookWithSecret',
    description: 'A webhook and its new secret.',
    examples: [{ ...example, secret: 'whsec_VGhpcyBpcyBhbiBleGFtcGxlOyBpdCBzaWducyBub3QuLi4=' }],
  },
)

export const WebhookPage = Page(Webhook, {
  title: 'WebhookPage',
  description: 'Webhooks, the newest first.',
})

export const WebhooksQuery = StrictObject({
  ...listParameters,
  business_id: Type.Optional(
    Type.String({ ...Id, description: 'For hub keys: only the webhooks of this business.' }),
  ),
})

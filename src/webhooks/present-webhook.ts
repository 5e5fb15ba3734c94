import { formatInstant } from '../instants.ts'
import type { EventType } from './event-payload.ts'
import type { WebhookRow } from './webhook-queries.ts'

/** A webhook on the wire. */
export type ShownWebhook = ReturnType<typeof presentWebhook>

/** A webhook as its owner may see it at any time: without its secret. */
export function presentWebhook(webhook: WebhookRow) {
  return {
    id: webhook.id,
    business_id: webhook.business_id,
    url: webhook.url,
    events: webhook.events.split(' ') as EventType[], // only checked names are written
    description: webhook.description,
    status: webhook.disabled_at === null ? ('active' as const) : ('disabled' as const),
    created_at: formatInstant(webhook.created_at, webhook.timezone),
  }
}

/** The same with the secret: when it is new, and never again. */
export function presentWithSecret(webhook: WebhookRow) {
  return { ...presentWebhook(webhook), secret: webhook.secret }
}

import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import { Problem, validationProblem } from '../errors.ts'
import { checkDestination } from './check-destination.ts'
import { eventTypes, type EventType } from './event-payload.ts'
import { newSecret } from './sign-delivery.ts'
import {
  insertWebhook,
  lockOwner,
  mostWebhooks,
  type WebhookOwner,
  type WebhookRow,
} from './webhook-queries.ts'
import type { CreateWebhook } from './webhook-schemas.ts'

/**
 * Registers a webhook of a business, or of a whole hub. Throws validation_failed (its address), not_found (the business)
 * and webhook_limit_reached.
 */
export async function createWebhook(
  context: Context,
  actor: Actor,
  input: Static<typeof CreateWebhook>,
): Promise<WebhookRow> {
  await checkDestination(context, input.url)
  const owner = ownerOf(actor, input.business_id)
  const id = context.ids.next()
  const secret = newSecret(context.ids)
  return context.db.transaction(async (tx) => {
    const found = await lockOwner(tx.db, actor.reach, owner)
    if (!found) throw new Problem('not_found', 'There is no business with this id.')
    const webhook = {
      id,
      ...owner,
      url: input.url,
      events: eventsText(input.events),
      description: input.description ?? null,
      secret,
      previous_secret: null,
      previous_secret_until: null,
      created_at: tx.now,
      disabled_at: null,
      deleted_at: null,
    }
    if (!(await insertWebhook(tx.db, webhook))) throw tooMany(owner)
    return { ...webhook, place: null, timezone: found.timezone }
  })
}

/** The names of events as they are kept: in the order of the specification. */
export function eventsText(events: EventType[]): string {
  return eventTypes.filter((type) => events.includes(type)).join(' ')
}

function ownerOf({ reach }: Actor, businessId: string | undefined): WebhookOwner {
  if (businessId !== undefined) return { business_id: businessId, hub_id: null }
  if ('businessId' in reach) return { business_id: reach.businessId, hub_id: null }
  if ('hubId' in reach) return { business_id: null, hub_id: reach.hubId }
  throw validationProblem([{ pointer: '/business_id', code: 'required', detail: 'is required' }])
}

function tooMany({ hub_id }: WebhookOwner): Problem {
  const whose = hub_id === null ? 'The business' : 'The hub'
  return new Problem('webhook_limit_reached', `${whose} has ${mostWebhooks} webhooks; delete one first.`)
}

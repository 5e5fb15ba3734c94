import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import { invalidCursor, Problem } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { isInstant, type Instant } from '../instants.ts'
import { decodeCursor, pageOf, readLimit } from '../wire.ts'
import { presentWebhook, type ShownWebhook } from './present-webhook.ts'
import { findWebhook, findWebhooks, type WebhookRow } from './webhook-queries.ts'
import type { WebhooksQuery } from './webhook-schemas.ts'

/** A page of the webhooks within the caller's reach, the newest first. */
export async function listWebhooks(
  context: Context,
  actor: Actor,
  query: Static<typeof WebhooksQuery>,
): Promise<{ data: ShownWebhook[]; next_cursor: string | null }> {
  const limit = readLimit(query.limit)
  const rows = await findWebhooks(context.db.reads, actor.reach, {
    businessId: query.business_id,
    after: query.cursor === undefined ? undefined : readPlace(query.cursor, 'webhook'),
    rows: limit + 1,
  })
  return pageOf(rows, limit, {
    present: presentWebhook,
    cursor: ({ created_at, id }) => ['webhook', created_at, id],
  })
}

/** A webhook within the caller's reach. Throws not_found. */
export async function showWebhook(context: Context, actor: Actor, id: string): Promise<WebhookRow> {
  const webhook = isUuid(id) ? await findWebhook(context.db.reads, actor.reach, id.toLowerCase()) : undefined
  if (!webhook) throw noSuchWebhook()
  return webhook
}

/** The refusal of a webhook that is unknown or out of reach. */
export function noSuchWebhook(): Problem {
  return new Problem('not_found', 'There is no webhook with this id.')
}

/** The place that a cursor of this very list names: nothing that the database could stumble over. */
export function readPlace(cursor: string, list: string): readonly [Instant, string] {
  const [name, createdAt, id] = decodeCursor(cursor, 3) ?? []
  if (name !== list || createdAt === undefined || !isInstant(createdAt)) throw invalidCursor()
  if (id === undefined || !isUuid(id)) throw invalidCursor()
  return [createdAt, id]
}

import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../database/database.ts'
import { isUuid } from '../ids.ts'
import { checkDestination } from './check-destination.ts'
import { eventsText } from './create-webhook.ts'
import { noSuchWebhook } from './list-webhooks.ts'
import {
  deleteWebhook,
  disableWebhook,
  findWebhookForChange,
  updateWebhook,
  type WebhookRow,
} from './webhook-queries.ts'
import type { ChangeWebhook } from './webhook-schemas.ts'

/** A webhook within reach that nobody else changes until the transaction ends. Throws not_found. */
export async function lockedWebhook(tx: Transaction, actor: Actor, id: string): Promise<WebhookRow> {
  const webhook = isUuid(id) ? await findWebhookForChange(tx.db, actor.reach, id.toLowerCase()) : undefined
  if (!webhook) throw noSuchWebhook()
  return webhook
}

/** Changes a webhook. Disabled, nothing new is sent to it, and what waits for it fails. Throws validation_failed, not_found. */
export async function changeWebhook(
  context: Context,
  actor: Actor,
  { id, change }: { id: string; change: Static<typeof ChangeWebhook> },
): Promise<WebhookRow> {
  if (change.url !== undefined) await checkDestination(context, change.url)
  return context.db.transaction(async (tx) => {
    const webhook = await lockedWebhook(tx, actor, id)
    const disables = change.status === 'disabled' && webhook.disabled_at === null
    const columns = {
      ...(change.url !== undefined && { url: change.url }),
      ...(change.events !== undefined && { events: eventsText(change.events) }),
      ...(change.description !== undefined && { description: change.description }),
      ...(change.status === 'active' && { disabled_at: null }),
    }
    if (Object.keys(columns).length > 0) await updateWebhook(tx.db, webhook.id, columns)
    if (disables) await disableWebhook(tx.db, webhook.id, tx.now)
    return { ...webhook, ...columns, ...(disables && { disabled_at: tx.now }) }
  })
}

/** Deletes a webhook; what waits for it is dropped. Throws not_found. */
export function removeWebhook(context: Context, actor: Actor, id: string): Promise<void> {
  return context.db.transaction(async (tx) => {
    const webhook = await lockedWebhook(tx, actor, id)
    await deleteWebhook(tx.db, webhook.id, tx.now)
  })
}

import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import { Problem } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { lockedWebhook } from './change-webhook.ts'
import { findDelivery, retryDelivery } from './delivery-queries.ts'
import { presentDelivery } from './present-delivery.ts'
import { startDelivering } from './record-events.ts'

/** Has a delivery made again, whatever came of it: three more attempts, the first at once. Throws not_found. */
export function retryByHand(
  context: Context,
  actor: Actor,
  { id, deliveryId }: { id: string; deliveryId: string },
) {
  return context.db.transaction(async (tx) => {
    const webhook = await lockedWebhook(tx, actor, id)
    const wanted = deliveryId.toLowerCase()
    const delivery = isUuid(wanted) ? await findDelivery(tx.db, webhook.id, wanted) : undefined
    if (!delivery) throw new Problem('not_found', 'There is no delivery with this id.')
    await retryDelivery(tx.db, { webhookId: webhook.id, id: delivery.id, now: tx.now })
    await startDelivering(context, tx)
    const waiting = { ...delivery, status: 'pending' as const, next_attempt_at: tx.now }
    return presentDelivery(waiting, webhook.timezone)
  })
}

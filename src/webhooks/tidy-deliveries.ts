import type { Chore } from '../housekeeping.ts'
import { plusSeconds } from '../instants.ts'
import { deleteLog, deleteOldDeliveries } from './delivery-queries.ts'
import { deleteOldEvents } from './event-queries.ts'
import { dropWebhook, findDeletedWebhooks } from './webhook-queries.ts'

/** Events and the log of their deliveries are kept for 30 days (contract: Webhooks). */
const keptSeconds = 30 * 86_400
/** An event outlives its deliveries, whose payload it has. */
const longerSeconds = 86_400

/** The log that is that old. */
export const oldDeliveries: Chore = {
  name: 'old deliveries',
  deleteBatch: ({ db }, most) =>
    db.transaction((tx) =>
      deleteOldDeliveries(tx.db, db.engine, { before: plusSeconds(tx.now, -keptSeconds), most }),
    ),
}

/** Events that nobody can list any more. */
export const oldEvents: Chore = {
  name: 'old events',
  deleteBatch: ({ db }, most) =>
    db.transaction((tx) => deleteOldEvents(tx.db, plusSeconds(tx.now, -keptSeconds - longerSeconds), most)),
}

/** So many deleted webhooks are looked at in one step. */
const mostWebhooks = 20

/** Webhooks that were deleted, each after its log: to look for the log of all of them would be to read all deliveries. */
export const deletedWebhooks: Chore = {
  name: 'deleted webhooks',
  deleteBatch: ({ db }, most) =>
    db.transaction(async (tx) => {
      const webhooks = await findDeletedWebhooks(tx.db, mostWebhooks)
      let deleted = 0
      for (const id of webhooks) {
        deleted += await deleteLog(tx.db, id, most - deleted)
        if (deleted === most) return deleted
        await dropWebhook(tx.db, id)
      }
      return webhooks.length < mostWebhooks ? deleted : most // others may be left
    }),
}

import type { Chore } from '../housekeeping.ts'
import { plusSeconds } from '../instants.ts'
import { deleteOldDeliveries } from './delivery-queries.ts'
import { deleteOldEvents } from './event-queries.ts'
import { dropDeletedWebhooks } from './webhook-queries.ts'

/** Events and the log of their deliveries are kept for 30 days (contract: Webhooks). */
const keptSeconds = 30 * 86_400
/** An event outlives its deliveries, whose payload it has. */
const longerSeconds = 86_400

/** Deliveries that are that old, and those to deleted webhooks. */
export const oldDeliveries: Chore = {
  name: 'old deliveries',
  deleteBatch: ({ db }, most) =>
    db.transaction((tx) => deleteOldDeliveries(tx.db, plusSeconds(tx.now, -keptSeconds), most)),
}

/** Events that nobody can list any more. */
export const oldEvents: Chore = {
  name: 'old events',
  deleteBatch: ({ db }, most) =>
    db.transaction((tx) => deleteOldEvents(tx.db, plusSeconds(tx.now, -keptSeconds - longerSeconds), most)),
}

/** Webhooks that were deleted, once their log is gone. */
export const deletedWebhooks: Chore = {
  name: 'deleted webhooks',
  deleteBatch: ({ db }, most) => db.transaction((tx) => dropDeletedWebhooks(tx.db, most)),
}

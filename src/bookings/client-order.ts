import type { CleanupJob } from '../database/context.ts'
import { lockUnsorted, sortAgain } from './client-order-queries.ts'
import type { Context } from './context.ts'

/** Sorts the clients of a business again after its language changed. */
export const unsortedClients: CleanupJob<Context> = {
  name: 'clients in the order of another language',
  deleteBatch: ({ db }, max) =>
    db.transaction(async (tx) => {
      const business = await lockUnsorted(tx.db)
      if (business) await sortAgain(tx.db, business, max)
      return business ? max : 0 // the next business may have more
    }),
}

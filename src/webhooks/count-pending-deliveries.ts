import type { Context } from '../context.ts'
import { countPending } from './delivery-queries.ts'

/** Beyond this many it is enough to know that there are so many. */
const mostCounted = 100_000

/** How many deliveries wait for an attempt, for those who watch the service. */
export function countPendingDeliveries({ db }: Pick<Context, 'db'>): Promise<number> {
  return countPending(db.reads, mostCounted)
}

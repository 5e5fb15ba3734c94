import type { Actor } from '../access/actor.ts'
import type { Context } from '../bookings/context.ts'
import { businessInScope } from '../catalogue/business.ts'
import { findDeposits } from './deposit-list-queries.ts'

/** Lists the latest deposits of a business, the newest first. Throws not_found. */
export async function listDeposits(context: Context, actor: Actor, { id, max }: { id: string; max: number }) {
  const { id: businessId } = await businessInScope(context.db.reads, actor.scope, id)
  return findDeposits(context.db.reads, businessId, max)
}

import { sql, type RawBuilder } from 'kysely'
import type { Given } from './compiled-once.ts'

/**
 * The businesses that a caller may touch: exactly one, all of one hub, or (the operator's command line
 * only) all there are. Part of every query.
 */
export type Reach = { businessId: string } | { hubId: string } | { everything: true }

/** The condition that a row's `business_id` lies within the caller's reach. */
export function inReach(column: string, reach: Reach | Given<Reach>): RawBuilder<boolean> {
  if ('businessId' in reach) return sql<boolean>`${sql.ref(column)} = ${reach.businessId}`
  // named one by one, so that the indexes, which begin with the business, serve here too
  const businesses =
    'hubId' in reach
      ? sql`select id from businesses where hub_id = ${reach.hubId}`
      : sql`select id from businesses`
  return sql<boolean>`${sql.ref(column)} in (${businesses})`
}

/** Names a reach, for keys of a cache. */
export function reachKey(reach: Reach): string {
  if ('businessId' in reach) return `business:${reach.businessId}`
  return 'hubId' in reach ? `hub:${reach.hubId}` : 'everything'
}

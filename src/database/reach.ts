import { sql, type RawBuilder } from 'kysely'

/** The businesses that a caller may touch: exactly one, or all of one hub. Part of every query. */
export type Reach = { businessId: string } | { hubId: string }

/** The condition that a row's `business_id` lies within the caller's reach. */
export function inReach(column: string, reach: Reach): RawBuilder<boolean> {
  return 'businessId' in reach
    ? sql<boolean>`${sql.ref(column)} = ${reach.businessId}`
    : sql<boolean>`${sql.ref(column)} in (select id from businesses where hub_id = ${reach.hubId})`
}

/** Names a reach, for keys of a cache. */
export function reachKey(reach: Reach): string {
  return 'businessId' in reach ? `business:${reach.businessId}` : `hub:${reach.hubId}`
}

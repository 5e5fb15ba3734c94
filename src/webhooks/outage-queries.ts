import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries } from '../database/database.ts'

/** A webhook whose outage is to be reported. */
export interface LongOutage {
  id: string
  business_id: string | null
  hub_id: string | null
  url: string
  failing_since: Instant
  /** The zone of its business, or UTC for a hub. */
  timezone: string
}

/** The columns of a webhook without an outage. */
export const noOutage = { failing_since: null, told_at: null } as const

/** Ends the outages of webhooks. */
export async function endOutages(db: Queries, ids: string[]): Promise<void> {
  await db
    .updateTable('webhooks')
    .set(noOutage)
    .where('id', 'in', ids)
    .where('failing_since', 'is not', null)
    .execute()
}

/**
 * Begins the outages of webhooks, or marks those that began by `day` as reported. Returns the latter. The statement
 * decides, so that an outage is reported once.
 */
export async function noteFailures(
  db: Queries,
  ids: string[],
  { now, day }: { now: Instant; day: Instant },
): Promise<LongOutage[]> {
  const { rows } = await sql<LongOutage & { told_at: Instant | null }>`
    update webhooks
       set told_at = case when failing_since <= ${day} then ${now} else told_at end,
           failing_since = coalesce(failing_since, ${now})
     where id in (${sql.join(ids)}) and told_at is null and disabled_at is null and deleted_at is null
    returning id, business_id, hub_id, url, failing_since, told_at,
              coalesce((select b.timezone from businesses as b where b.id = webhooks.business_id), 'UTC') as timezone`.execute(
    db,
  )
  return rows.filter(({ told_at }) => told_at !== null)
}

import { sql } from 'kysely'
import type { Engine, Queries } from '../database/database.ts'
import { jsonRows } from '../database/json-rows.ts'
import type { Instant } from '../instants.ts'

/** A lease as it is wanted: whose, from when and until when. */
export interface Lease {
  by: string
  now: Instant
  until: Instant
}

/** A webhook whose deliveries one server alone sends until its lease ends. */
export interface LeasedWebhook {
  id: string
  /** The same for as long as no other server has had it. */
  fence: number
}

/**
 * Leases those of the webhooks that are nobody's, or are this server's already. One that is locked at this moment is left
 * for the next time.
 */
export async function leaseWebhooks(
  db: Queries,
  engine: Engine,
  { ids, lease }: { ids: string[]; lease: Lease },
): Promise<LeasedWebhook[]> {
  const skipLocked = sql.raw(engine === 'postgres' ? 'for no key update skip locked' : '')
  const { rows } = await sql<LeasedWebhook>`
    update webhooks
       set leased_until = ${lease.until}, leased_by = ${lease.by},
           fence = fence + case when leased_by = ${lease.by} then 0 else 1 end
     where id in (
       select w.id from webhooks as w
        where w.id in (select r.id from ${jsonRows(engine, { id: 'uuid' }, ids.map(asRow))} as r)
          and (w.leased_by is null or w.leased_by = ${lease.by} or w.leased_until <= ${lease.now})
        ${skipLocked})
    returning id, fence`.execute(db)
  return rows
}

/** Those of the webhooks that this server still has. No other can lease them until the transaction ends. */
export async function keepLeases(
  db: Queries,
  engine: Engine,
  { by, webhooks }: { by: string; webhooks: LeasedWebhook[] },
): Promise<LeasedWebhook[]> {
  const { rows } = await sql<LeasedWebhook>`
    select w.id, w.fence from ${jsonRows(engine, { id: 'uuid', fence: 'integer' }, webhooks)} as r
      join webhooks as w on w.id = r.id and w.fence = r.fence
     where w.leased_by = ${by}
     ${sql.raw(engine === 'postgres' ? 'for no key update of w' : '')}`.execute(db)
  return rows
}

/** Ends leases of this server, so that any server may take them. */
export async function endLeases(
  db: Queries,
  engine: Engine,
  { by, ids }: { by: string; ids: string[] },
): Promise<void> {
  await sql`
    update webhooks set leased_until = null, leased_by = null
     where id in (select r.id from ${jsonRows(engine, { id: 'uuid' }, ids.map(asRow))} as r)
       and leased_by = ${by}`.execute(db)
}

function asRow(id: string): { id: string } {
  return { id }
}

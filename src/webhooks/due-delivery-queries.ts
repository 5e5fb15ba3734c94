import { sql, type RawBuilder } from 'kysely'
import type { Engine, Queries } from '../database/database.ts'
import { jsonRows } from '../database/json-rows.ts'
import type { Instant } from '../instants.ts'

/** One look finds at most so many webhooks; the others have their turn at the next. */
const mostWebhooks = 1_000

/** When a delivery is to be looked at: at its next attempt, or when its lease has ended without an outcome. */
const dueAt = sql`coalesce(d.leased_until, d.next_attempt_at)`

/**
 * Webhooks with deliveries that are due, in the order of their ids. It goes from one webhook that has pending deliveries
 * to the next, so its cost does not grow with how many those are.
 */
export async function findDueWebhooks(db: Queries, now: Instant): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive waiting_webhooks (id) as (
      select (select d.webhook_id from deliveries as d where d.status = 'pending' order by d.webhook_id limit 1)
      union all
      select (select d.webhook_id from deliveries as d
               where d.status = 'pending' and d.webhook_id > w.id order by d.webhook_id limit 1)
        from waiting_webhooks as w where w.id is not null
    )
    select w.id from waiting_webhooks as w
     where w.id is not null
       and exists (select 1 from deliveries as d
                    where d.webhook_id = w.id and d.status = 'pending' and ${dueAt} <= ${now})
     limit ${sql.lit(mostWebhooks)}`.execute(db)
  return rows.map(({ id }) => id)
}

/** So many of a webhook's due deliveries are wanted at most. */
export interface Wanted {
  id: string
  most: number
}

/** Locks the wanted webhooks that no other server is claiming from at this moment. */
export async function lockWebhooks(db: Queries, engine: Engine, wanted: Wanted[]): Promise<Wanted[]> {
  const { rows } = await sql<{ id: string }>`
    select w.id from webhooks as w
     where w.id in (select r.id from ${jsonRows(engine, { id: 'uuid' }, wanted)} as r)
     ${sql.raw(engine === 'postgres' ? 'for no key update skip locked' : '')}`.execute(db)
  const locked = new Set(rows.map(({ id }) => id))
  return wanted.filter(({ id }) => locked.has(id))
}

/** A lease: whose, from when and until when. */
export interface Lease {
  by: string
  now: Instant
  until: Instant
}

/** A delivery that this server alone may send now, with what it takes to send it. */
export interface DueDelivery {
  id: string
  fence: number
  webhook_id: string
  business_id: string | null
  event_id: string
  /** Null where it is a sample. */
  payload: string | null
  sample_payload: string | null
  /** The span in which the event happened, where it was traced. */
  traceparent: string | null
  attempts_json: string
  attempts_made: number
  attempts_left: number
  next_attempt_at: Instant
  leased_until: Instant
  url: string
  secret: string
  previous_secret: string | null
  previous_secret_until: Instant | null
  disabled_at: Instant | null
}

/**
 * Leases the due deliveries of locked webhooks, the oldest first. A webhook of which another server has leases is left to
 * that one.
 */
export async function leaseDeliveries(
  db: Queries,
  engine: Engine,
  { wanted, lease }: { wanted: Wanted[]; lease: Lease },
): Promise<DueDelivery[]> {
  if (engine === 'postgres') return leaseAtOnce(db, { wanted, lease })
  // SQLite knows no lateral join; but it is near, so there each webhook has a statement
  const ids: { id: string }[] = []
  for (const { id, most } of wanted) {
    const found = await sql<{ id: string }>`${dueOf({ id: sql`${id}`, most: sql`${most}` }, lease)}`.execute(
      db,
    )
    ids.push(...found.rows)
  }
  if (ids.length === 0) return []
  const among = jsonRows(engine, { id: 'text' }, ids)
  await sql`${leased(lease)} where id in (select r.id from ${among} as r)`.execute(db)
  return (
    await sql<DueDelivery>`${toSend(sql`${among} as r join deliveries as d on d.id = r.id`)}`.execute(db)
  ).rows
}

/** One statement: a claim waits for one answer of the server instead of three. */
async function leaseAtOnce(
  db: Queries,
  { wanted, lease }: { wanted: Wanted[]; lease: Lease },
): Promise<DueDelivery[]> {
  const rows = jsonRows('postgres', { id: 'uuid', most: 'integer' }, wanted)
  const { rows: due } = await sql<DueDelivery>`
    with due as materialized (
      select o.id from ${rows} as r cross join lateral (${dueOf({ id: sql`r.id`, most: sql`r.most` }, lease)}) as o
    ), leased as (
      ${leased(lease)} where id in (select id from due) returning *
    )
    ${toSend(sql`leased as d`)}`.execute(db)
  return due
}

/** The ids of a webhook's due deliveries. */
function dueOf(
  { id, most }: { id: RawBuilder<unknown>; most: RawBuilder<unknown> },
  { now, by }: Lease,
): RawBuilder<unknown> {
  return sql`
    select d.id from deliveries as d
     where d.webhook_id = ${id} and d.status = 'pending' and ${dueAt} <= ${now}
       and not exists (
         select 1 from deliveries as l
          where l.webhook_id = ${id} and l.leased_until > ${now} and l.leased_by <> ${by})
     order by ${dueAt}, d.id
     limit ${most}`
}

function leased({ until, by }: Lease): RawBuilder<unknown> {
  return sql`update deliveries set leased_until = ${until}, leased_by = ${by}, fence = fence + 1`
}

/** Deliveries with what it takes to send them, the oldest first. */
function toSend(deliveries: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select d.id, d.fence, d.webhook_id, d.business_id, d.event_id, d.sample_payload, d.attempts_json, d.attempts_made,
           d.attempts_left, d.next_attempt_at, d.leased_until, e.payload, e.traceparent,
           w.url, w.secret, w.previous_secret, w.previous_secret_until, w.disabled_at
      from ${deliveries}
      join webhooks as w on w.id = d.webhook_id
      left join events as e on e.business_id = d.business_id and e.id = d.event_id
     order by d.next_attempt_at, d.id`
}

/** What is written of a delivery when its lease ends: what came of an attempt, or what was, where none was made. */
export interface Outcome {
  id: string
  fence: number
  status: string
  attempts_json: string
  attempts_made: number
  attempts_left: number
  /** Null once it is not pending. */
  next_attempt_at: Instant | null
}

const outcomeColumns = {
  id: 'text',
  fence: 'integer',
  status: 'text',
  attempts_json: 'text',
  attempts_made: 'integer',
  attempts_left: 'integer',
  next_attempt_at: 'timestamptz',
} as const

/** Writes outcomes and ends their leases. What has been leased again meanwhile is left as it is. */
export async function writeOutcomes(db: Queries, engine: Engine, outcomes: Outcome[]): Promise<void> {
  await sql`
    update deliveries
       set status = o.status, attempts_json = o.attempts_json, attempts_made = o.attempts_made,
           attempts_left = o.attempts_left, next_attempt_at = o.next_attempt_at,
           leased_until = null, leased_by = null
      from ${jsonRows(engine, outcomeColumns, outcomes)} as o
     where deliveries.id = o.id and deliveries.fence = o.fence and deliveries.leased_by is not null`.execute(
    db,
  )
}

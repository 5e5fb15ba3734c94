import { sql, type RawBuilder } from 'kysely'
import type { Engine, Queries } from '../database/database.ts'
import { jsonIds, jsonRows } from '../database/json-rows.ts'
import type { Instant } from '../instants.ts'

/*
 * The lease of a delivery is its `next_attempt_at`: whoever sends it moves that ahead, so nobody finds it due until then, and
 * after a kill it is due again by itself. A lease only ever moves forward, so its instant also tells whose it is: a result is
 * written where the delivery still has the lease that it was sent under.
 */

/** Sorts before every id. */
const firstId = '00000000-0000-0000-0000-000000000000'

/**
 * The webhooks that have pending deliveries, in the order of their ids, beginning behind one. It jumps from one to the next
 * along an index: the cost does not grow with how many deliveries each has.
 */
function waitingWebhooks(after: string | undefined): RawBuilder<unknown> {
  const next = (id: RawBuilder<unknown>) => sql`
    (select p.webhook_id
       from deliveries as p
      where p.status = 'pending' and p.webhook_id > ${id}
      order by p.webhook_id
      limit 1)`
  return sql`recursive waiting_webhooks (id) as (
    select ${next(sql`${after ?? firstId}`)}
    union all
    select ${next(sql`w.id`)} from waiting_webhooks as w where w.id is not null
  )`
}

/** Whether anything is due. */
export async function isAnyDue(db: Queries, now: Instant): Promise<boolean> {
  const { rows } = await sql`
    with ${waitingWebhooks(undefined)}
    select w.id
      from waiting_webhooks as w
     where (select d.next_attempt_at
              from deliveries as d
             where d.webhook_id = w.id and d.status = 'pending'
             order by d.next_attempt_at
             limit 1) <= ${now}
     limit 1`.execute(db)
  return rows.length > 0
}

/** How much is leased, of which webhooks, and until when. */
export interface LeaseRequest {
  /** At most, over all webhooks. */
  max: number
  /** At most of one webhook, with those that are in flight. */
  maxOfWebhook: number
  /** Deliveries in flight, by webhook. */
  inFlight: ReadonlyMap<string, number>
  /** Begins behind this webhook; undefined: with the first. */
  after: string | undefined
  now: Instant
  until: Instant
}

/** A delivery that this server alone sends until `leased_until`. */
export interface LeasedDelivery {
  id: string
  leased_until: Instant
  webhook_id: string
  event_id: string
  /** Null where it is a sample. */
  payload: string | null
  sample_payload: string | null
  /** The span in which the event happened, where it was traced. */
  traceparent: string | null
  attempts_json: string
  attempts_made: number
  attempts_left: number
  url: string
  secret: string
  previous_secret: string | null
  previous_secret_until: Instant | null
  disabled_at: Instant | null
}

/** Leases due deliveries, of each webhook the oldest first, of one webhook after the other in the order of their ids. */
export async function leaseDeliveries(
  db: Queries,
  engine: Engine,
  request: LeaseRequest,
): Promise<LeasedDelivery[]> {
  if (engine === 'postgres') await planByKeys(db)
  const { rows } = await sql<{ id: string }>`
    with ${waitingWebhooks(request.after)}
    update deliveries
       set next_attempt_at = ${request.until}
     where id in (${engine === 'postgres' ? dueOnPostgres(request) : dueOnSqlite(request)})
    returning id`.execute(db)
  return rows.length === 0
    ? []
    : findLeased(
        db,
        engine,
        rows.map(({ id }) => id),
      )
}

/** Another server leases nothing twice: what one has locked the other skips. */
function dueOnPostgres({ max, maxOfWebhook, inFlight, now }: LeaseRequest): RawBuilder<unknown> {
  return sql`
    select due.id
      from waiting_webhooks as w
     cross join lateral (
       select d.id
         from deliveries as d
        where d.webhook_id = w.id and d.status = 'pending' and d.next_attempt_at <= ${now}
        order by d.next_attempt_at, d.id
        limit greatest(${maxOfWebhook}::integer - coalesce((${jsonCounts(inFlight)}::jsonb ->> w.id::text)::integer, 0), 0)
          for update skip locked
       ) as due
     limit ${max}`
}

/** SQLite has no lateral join: each webhook's deliveries come as an array. It writes one transaction after the other. */
function dueOnSqlite({ max, maxOfWebhook, inFlight, now }: LeaseRequest): RawBuilder<unknown> {
  return sql`
    select due.value
      from waiting_webhooks as w
     cross join json_each((
       select json_group_array(o.id)
         from (select d.id
                 from deliveries as d
                where d.webhook_id = w.id and d.status = 'pending' and d.next_attempt_at <= ${now}
                order by d.next_attempt_at, d.id
                limit ${maxOfWebhook}) as o
       )) as due
     where due.key < ${maxOfWebhook} - coalesce(${jsonCounts(inFlight)} ->> w.id, 0)
     limit ${max}`
}

function jsonCounts(counts: ReadonlyMap<string, number>): string {
  return JSON.stringify(Object.fromEntries(counts))
}

/** Reads deliveries with what it takes to send them, the oldest first. */
async function findLeased(db: Queries, engine: Engine, ids: string[]): Promise<LeasedDelivery[]> {
  const { rows } = await sql<LeasedDelivery>`
    select d.id,
           d.next_attempt_at as leased_until,
           d.webhook_id,
           d.event_id,
           d.sample_payload,
           d.attempts_json,
           d.attempts_made,
           d.attempts_left,
           e.payload,
           e.traceparent,
           w.url,
           w.secret,
           w.previous_secret,
           w.previous_secret_until,
           w.disabled_at
      from deliveries as d
      join webhooks as w on w.id = d.webhook_id
      left join events as e on e.business_id = d.business_id and e.id = d.event_id
     where d.id in ${jsonIds(engine, ids)}
     order by d.created_at, d.id`.execute(db)
  return rows
}

/**
 * For the rest of the transaction PostgreSQL looks rows up by their keys: by statistics that are older than the deliveries
 * of a busy minute it would read all of them, to find some hundred. And its commit does not wait for the disk: what is lost
 * with the power is a delivery sent again, with the same `webhook-id`.
 */
async function planByKeys(db: Queries): Promise<void> {
  const settings = {
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    synchronous_commit: 'off',
  }
  const set = Object.entries(settings).map(([name, value]) => sql`set_config(${name}, ${value}, true)`)
  await sql`select ${sql.join(set)}`.execute(db)
}

/** The result of an attempt, as it is written. */
export interface ResultRow {
  id: string
  /** The lease under which the attempt was made. */
  leased_until: Instant
  status: string
  attempts_json: string
  /** With this attempt. */
  attempts_made: number
  attempts_left: number
  /** Null once it is not pending. */
  next_attempt_at: Instant | null
}

/** Writes results under leases that still hold. Gives the ids of their deliveries. */
export async function writeResults(db: Queries, engine: Engine, results: ResultRow[]): Promise<string[]> {
  if (engine === 'postgres') await planByKeys(db)
  const { rows } = await sql<{ id: string }>`
    update deliveries
       set status = r.status,
           attempts_json = r.attempts_json,
           attempts_made = r.attempts_made,
           attempts_left = r.attempts_left,
           next_attempt_at = r.next_attempt_at
      from ${jsonRows(engine, resultColumns, results)} as r
     where deliveries.id = r.id and deliveries.next_attempt_at = r.leased_until
    returning deliveries.id`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Writes results of deliveries that failed while they were in flight, because their webhook was disabled: the log gets the
 * attempt, and there is no other. Gives the ids of their deliveries.
 */
export async function writeLateResults(db: Queries, engine: Engine, results: ResultRow[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update deliveries
       set status = case r.status when 'succeeded' then 'succeeded' else 'failed' end,
           attempts_json = r.attempts_json,
           attempts_made = r.attempts_made
      from ${jsonRows(engine, resultColumns, results)} as r
     where deliveries.id = r.id
       and deliveries.status = 'failed'
       and deliveries.attempts_made = r.attempts_made - 1
    returning deliveries.id`.execute(db)
  return rows.map(({ id }) => id)
}

const resultColumns = {
  id: 'uuid',
  leased_until: 'timestamptz',
  status: 'text',
  attempts_json: 'text',
  attempts_made: 'integer',
  attempts_left: 'integer',
  next_attempt_at: 'timestamptz',
} as const

/** Ends leases of deliveries that were not sent: they are due again now. */
export async function releaseLeases(
  db: Queries,
  engine: Engine,
  { leases, now }: { leases: Pick<LeasedDelivery, 'id' | 'leased_until'>[]; now: Instant },
): Promise<void> {
  const rows = leases.map(({ id, leased_until }) => ({ id, leased_until }))
  await sql`
    update deliveries
       set next_attempt_at = ${now}
      from ${jsonRows(engine, { id: 'uuid', leased_until: 'timestamptz' }, rows)} as r
     where deliveries.id = r.id and deliveries.next_attempt_at = r.leased_until`.execute(db)
}

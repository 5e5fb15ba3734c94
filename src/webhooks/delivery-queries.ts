import { type Insertable, type RawBuilder, sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import type { Queries, Reads } from '../database/database.ts'
import { isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import type { DeliveriesTable, DeliveryStatus } from '../database/tables.ts'

/** Attempts of a delivery. A retry by hand adds as many again. */
export const maxAttempts = 3

/** The PostgreSQL channel on which commands announce due deliveries to servers. */
export const deliveriesChannel = 'holdfast_deliveries'

/** Notifies the servers (PostgreSQL) once the transaction is committed. */
export async function announceDeliveries(db: Queries): Promise<void> {
  await sql`select pg_notify(${deliveriesChannel}, '')`.execute(db)
}

export async function insertDelivery(db: Queries, delivery: Insertable<DeliveriesTable>): Promise<void> {
  await db.insertInto('deliveries').values(delivery).execute()
}

interface DeliveryFilter {
  status: DeliveryStatus | undefined
  /** Creation time and ID of the last row of the previous page. */
  after: readonly [createdAt: Instant, id: string] | undefined
  rows: number
}

/** A line of the log. */
export type DeliveryRow = Awaited<ReturnType<typeof findDeliveries>>[number]

function selectDeliveries(db: Reads, webhookId: string) {
  return db
    .selectFrom('deliveries as d')
    .select(['d.id', 'd.event_id', 'd.event_type', 'd.booking_id', 'd.status', 'd.attempts_json'])
    .select(['d.next_attempt_at', 'd.created_at'])
    .where('d.webhook_id', '=', webhookId)
}

/** Lists deliveries to a webhook, the newest first, at most `filter.rows`. */
export function findDeliveries(db: Reads, webhookId: string, { status, after, rows }: DeliveryFilter) {
  let query = selectDeliveries(db, webhookId)
  if (status) query = query.where('d.status', '=', status)
  if (after) query = query.where(sql<boolean>`(d.created_at, d.id) < (${after[0]}, ${after[1]})`)
  return query.orderBy('d.created_at', 'desc').orderBy('d.id', 'desc').limit(rows).execute()
}

export function findDelivery(db: Reads, webhookId: string, id: string): Promise<DeliveryRow | undefined> {
  return selectDeliveries(db, webhookId).where('d.id', '=', id).executeTakeFirst()
}

/**
 * Makes a delivery due at once, with as many attempts as a new one. This ends the lease of an attempt in flight, whose
 * result is dropped.
 */
export async function retryDelivery(
  db: Queries,
  delivery: { webhookId: string; id: string; now: Instant },
): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ status: 'pending', attempts_left: maxAttempts, next_attempt_at: delivery.now })
    .where('webhook_id', '=', delivery.webhookId)
    .where('id', '=', delivery.id)
    .execute()
}

/** Fails the pending deliveries of a webhook. `writeResults` still adds attempts in flight to the log. */
export async function failPending(db: Queries, webhookId: string): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ status: 'failed', next_attempt_at: null, attempts_left: 0 })
    .where('webhook_id', '=', webhookId)
    .where('status', '=', 'pending')
    .execute()
}

export async function deletePending(db: Queries, webhookId: string): Promise<void> {
  await db
    .deleteFrom('deliveries')
    .where('webhook_id', '=', webhookId)
    .where('status', '=', 'pending')
    .execute()
}

/**
 * Deletes up to `max` deliveries older than an instant and returns their number. Goes from webhook to webhook along the
 * index of their logs. An index by age alone would add cost to each delivery and serve nothing else.
 */
export async function deleteOldDeliveries(
  db: Queries,
  { before, max }: { before: Instant; max: number },
): Promise<number> {
  // SQLite has no lateral join, but its cross join keeps the written order
  const old = isPostgres(db)
    ? sql`cross join lateral (
          select o.id from deliveries as o
           where o.webhook_id = w.id and o.created_at < ${before}
           order by o.created_at, o.id limit ${max}) as d`
    : sql`cross join deliveries as d on d.webhook_id = w.id and d.created_at < ${before}`
  const { numAffectedRows } = await sql`
    delete from deliveries where id in (select d.id from webhooks as w ${old} limit ${max})`.execute(db)
  return Number(numAffectedRows)
}

/** Deletes up to `max` deliveries of a webhook and returns their number. */
export async function deleteLog(db: Queries, webhookId: string, max: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('deliveries')
    .where('id', 'in', (own) =>
      own.selectFrom('deliveries as d').select('d.id').where('d.webhook_id', '=', webhookId).limit(max),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Counts pending deliveries, up to `max`. */
export async function countPending(db: Reads, max: number): Promise<number> {
  const { count } = await db
    .selectFrom((build) =>
      build
        .selectFrom('deliveries')
        .select(sql`1`.as('one'))
        .where('status', '=', 'pending')
        .limit(max)
        .as('pending'),
    )
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/*
 * The lease of a delivery is its `next_attempt_at`. A lease only moves forward, so its instant also identifies its
 * holder. A result is written only while the delivery has the lease under which it was sent.
 */

/** Sorts before every id. */
const firstId = '00000000-0000-0000-0000-000000000000'

/**
 * Lists the webhooks with pending deliveries by ID, beginning after one. Jumps from one to the next along an index, so
 * the cost is independent of the number of deliveries.
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

interface Places {
  /** Limit for one webhook, including deliveries in flight. */
  maxOfWebhook: number
  /** Deliveries in flight, by webhook. */
  inFlight: ReadonlyMap<string, number>
  now: Instant
}

interface LeaseRequest extends Places {
  /** Limit over all webhooks. */
  max: number
  /** Begins after this webhook. Undefined: with the first. */
  after: string | undefined
  until: Instant
}

/** Reports if anything is due to a webhook with free capacity. */
export async function isAnyDue(db: Reads, { maxOfWebhook, inFlight, now }: Places): Promise<boolean> {
  const full = [...inFlight].filter(([, count]) => count >= maxOfWebhook).map(([id]) => id)
  const { rows } = await sql`
    with ${waitingWebhooks(undefined)}
    select w.id
      from waiting_webhooks as w
     where ${JSON.stringify(full)} not like '%"' || w.id || '"%'
       and (select d.next_attempt_at
              from deliveries as d
             where d.webhook_id = w.id and d.status = 'pending'
             order by d.next_attempt_at
             limit 1) <= ${now}
     limit 1`.execute(db)
  return rows.length > 0
}

/** A delivery that only this server sends until `leased_until`, with everything needed to send it. */
export interface LeasedDelivery {
  id: string
  leased_until: Instant
  webhook_id: string
  event_id: string
  created_at: Instant
  event_type: string
  /** Null for an event without a row in `events`, whose body is `sample_payload`. */
  payload: string | null
  sample_payload: string | null
  /** The span in which the event happened, if it was traced. */
  traceparent: string | null
  attempts_json: string
  attempts_made: number
  attempts_left: number
  url: string
  secret: string
  previous_secret: string | null
  previous_secret_until: Instant | null
  disabled_at: Instant | null
  failing_since: Instant | null
  told_at: Instant | null
}

/**
 * Leases due deliveries, webhook by webhook in the order of their IDs. Returns them in this order, a webhook's oldest
 * first.
 */
export async function leaseDeliveries(db: Queries, request: LeaseRequest): Promise<LeasedDelivery[]> {
  // SQLite returns only columns of the updated table, and subqueries
  const ofEvent = (column: string) => sql`
    (select e.${sql.ref(column)} from events as e
      where e.business_id = deliveries.business_id and e.id = deliveries.event_id) as ${sql.ref(column)}`
  const ofWebhook = (column: string) => sql`
    (select w.${sql.ref(column)} from webhooks as w where w.id = deliveries.webhook_id) as ${sql.ref(column)}`
  const { rows } = await sql<LeasedDelivery>`
    with ${waitingWebhooks(request.after)}
    update deliveries
       set next_attempt_at = ${request.until}
     where id in (${isPostgres(db) ? dueOnPostgres(request) : dueOnSqlite(request)})
    returning id,
              next_attempt_at as leased_until,
              webhook_id,
              event_id,
              event_type,
              created_at,
              sample_payload,
              attempts_json,
              attempts_made,
              attempts_left,
              ${sql.join([...['payload', 'traceparent'].map(ofEvent), ...sentWith.map(ofWebhook)])}`.execute(
    db,
  )
  const placeOf = (row: LeasedDelivery) => `${row.webhook_id} ${row.created_at} ${row.id}`
  return rows.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
}

const sentWith = [
  ...(['url', 'secret', 'previous_secret', 'previous_secret_until', 'disabled_at'] as const),
  ...(['failing_since', 'told_at'] as const),
]

/** Skips deliveries that another server has locked. */
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

/**
 * SQLite has no lateral join, so each webhook's deliveries come as an array. Nothing is locked, because there is one
 * writer at a time.
 */
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

/**
 * Makes PostgreSQL look rows up by their keys for the rest of the transaction. With outdated statistics it would read
 * all deliveries to find a hundred. The commit does not wait for the disk. Results lost in a power failure are sent
 * again, with the same `webhook-id`.
 */
export async function planByKeys(db: Reads): Promise<void> {
  const settings = {
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    synchronous_commit: 'off',
  }
  const set = Object.entries(settings).map(([name, value]) => sql`set_config(${name}, ${value}, true)`)
  await sql`select ${sql.join(set)}`.execute(db)
}

/** The state of a delivery after an attempt. */
export interface ResultRow {
  id: string
  /** The lease under which the attempt was made. */
  leased_until: Instant
  status: string
  attempts_json: string
  /** Includes this attempt. */
  attempts_made: number
  attempts_left: number
  /** Null once it is no longer pending. */
  next_attempt_at: Instant | null
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

const writeResultsQuery = cachedQuery((db: Queries, { rows }: Params<{ rows: string }>) => {
  const isLeased = sql`deliveries.next_attempt_at = r.leased_until`
  return sql<{ id: string }>`
    update deliveries
       set status = case when ${isLeased} or r.status = 'succeeded' then r.status else 'failed' end,
           attempts_json = r.attempts_json,
           attempts_made = r.attempts_made,
           attempts_left = case when ${isLeased} then r.attempts_left else 0 end,
           next_attempt_at = case when ${isLeased} then r.next_attempt_at end
      from ${rowsOf(db, resultColumns, rows)} as r
     where deliveries.id = r.id
       and (${isLeased} or (deliveries.status = 'failed' and deliveries.attempts_made = r.attempts_made - 1))
    returning deliveries.id`
})

/**
 * Writes results under leases that still hold. If a delivery failed in flight because its webhook was disabled, its log
 * gets the attempt, and no retry follows. Returns the IDs of the deliveries.
 */
export async function writeResults(db: Queries, results: ResultRow[]): Promise<string[]> {
  const { rows } = await writeResultsQuery(db, { rows: rowsText(db, resultColumns, results) })
  return rows.map(({ id }) => id)
}

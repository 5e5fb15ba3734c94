import { sql, type Insertable } from 'kysely'
import type { Engine, Queries } from '../database/database.ts'
import type { DeliveriesTable, DeliveryStatus } from '../database/event-tables.ts'
import type { Instant } from '../instants.ts'

/** Attempts of a delivery; a retry by hand gives as many again. */
export const maxAttempts = 3

/** On PostgreSQL, the channel on which commands announce that deliveries are due, and servers listen. */
export const deliveriesChannel = 'holdfast_deliveries'

/** Calls the servers (PostgreSQL) once the transaction is committed. */
export async function announceDeliveries(db: Queries): Promise<void> {
  await sql`select pg_notify(${deliveriesChannel}, '')`.execute(db)
}

/** Adds one delivery. */
export async function insertDelivery(db: Queries, delivery: Insertable<DeliveriesTable>): Promise<void> {
  await db.insertInto('deliveries').values(delivery).execute()
}

/** What a log is narrowed to, and where its page begins. */
export interface DeliveryFilter {
  status: DeliveryStatus | undefined
  /** The creation and id of the last row of the page before. */
  after: readonly [createdAt: Instant, id: string] | undefined
  rows: number
}

/** One line of the log. */
export type DeliveryRow = Awaited<ReturnType<typeof findDeliveries>>[number]

function selectDeliveries(db: Queries, webhookId: string) {
  return db
    .selectFrom('deliveries as d')
    .select(['d.id', 'd.event_id', 'd.event_type', 'd.booking_id', 'd.status', 'd.attempts_json'])
    .select(['d.next_attempt_at', 'd.created_at'])
    .where('d.webhook_id', '=', webhookId)
}

/** Deliveries to a webhook, the newest first, at most `filter.rows` of them. */
export function findDeliveries(db: Queries, webhookId: string, { status, after, rows }: DeliveryFilter) {
  let query = selectDeliveries(db, webhookId)
  if (status) query = query.where('d.status', '=', status)
  if (after) query = query.where(sql<boolean>`(d.created_at, d.id) < (${after[0]}, ${after[1]})`)
  return query.orderBy('d.created_at', 'desc').orderBy('d.id', 'desc').limit(rows).execute()
}

/** A delivery of this webhook. */
export function findDelivery(db: Queries, webhookId: string, id: string): Promise<DeliveryRow | undefined> {
  return selectDeliveries(db, webhookId).where('d.id', '=', id).executeTakeFirst()
}

/**
 * Has a delivery attempted again, at once and as often as a new one. The lease of an attempt in flight ends with this: its
 * result is not written.
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

/** Fails the pending deliveries of a webhook. Results of attempts in flight are written all the same. */
export async function failPending(db: Queries, webhookId: string): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ status: 'failed', next_attempt_at: null, attempts_left: 0 })
    .where('webhook_id', '=', webhookId)
    .where('status', '=', 'pending')
    .execute()
}

/** Deletes the pending deliveries of a webhook. */
export async function deletePending(db: Queries, webhookId: string): Promise<void> {
  await db
    .deleteFrom('deliveries')
    .where('webhook_id', '=', webhookId)
    .where('status', '=', 'pending')
    .execute()
}

/**
 * Deletes up to `most` deliveries of before an instant. Tells how many. It goes from webhook to webhook along the index of
 * their logs: an index by age alone would cost with each delivery, and serve nothing else.
 */
export async function deleteOldDeliveries(
  db: Queries,
  engine: Engine,
  { before, most }: { before: Instant; most: number },
): Promise<number> {
  // SQLite knows no lateral join; there a cross join goes the way that is written
  const old =
    engine === 'postgres'
      ? sql`cross join lateral (
          select o.id from deliveries as o
           where o.webhook_id = w.id and o.created_at < ${before}
           order by o.created_at, o.id limit ${most}) as d`
      : sql`cross join deliveries as d on d.webhook_id = w.id and d.created_at < ${before}`
  const { numAffectedRows } = await sql`
    delete from deliveries where id in (select d.id from webhooks as w ${old} limit ${most})`.execute(db)
  return Number(numAffectedRows)
}

/** Deletes up to `most` deliveries of a webhook. Tells how many. */
export async function deleteLog(db: Queries, webhookId: string, most: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('deliveries')
    .where('id', 'in', (own) =>
      own.selectFrom('deliveries as d').select('d.id').where('d.webhook_id', '=', webhookId).limit(most),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** How many deliveries wait for an attempt, counted up to `max`. */
export async function countPending(db: Queries, max: number): Promise<number> {
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

import { type Insertable, type RawBuilder, sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import { auditText, insertOfAudit, type NewAuditEntry } from '../database/audit-entries.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import type { Queries, Reads } from '../database/database.ts'
import { isAmong, isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import type { EventsTable } from '../database/tables.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'
import { maxAttempts } from './delivery-queries.ts'

export type NewEvent = Omit<Insertable<EventsTable>, 'position' | 'transaction_id'> & {
  /** A further type that a webhook must name to hear of it. Empty: none. */
  also: string
  /** Real time, in which deliveries are due. */
  due_at: Instant
}

const eventColumns = {
  place: 'integer',
  id: 'uuid',
  business_id: 'uuid',
  booking_id: 'uuid',
  type: 'text',
  payload: 'text',
  occurred_at: 'timestamptz',
  traceparent: 'text',
  also: 'text',
  due_at: 'timestamptz',
} as const

type NewEvents = Params<{ events: string; audit: string }>

/** Writes all tables in one statement, which saves round trips to the server. */
const eventsWithDeliveries = cachedQuery(
  (db: Queries, { events, audit }: NewEvents) => sql`
    with e as (select * from ${rowsOf(db, eventColumns, events)} as r), happened as (
      insert into events (id, business_id, booking_id, type, payload, occurred_at, traceparent)
      select id, business_id, booking_id, type, payload, occurred_at, traceparent from e order by place
    ), audited as (${insertOfAudit(db, audit)})
    ${deliveriesOf(db)}`,
)

/** SQLite writes to one table in each statement. */
const eventsAlone = cachedQuery(
  (db: Queries, { events }: Pick<NewEvents, 'events'>) => sql`
    insert into events (id, business_id, booking_id, type, payload, occurred_at, traceparent, position)
    select id, business_id, booking_id, type, payload, occurred_at, traceparent,
           (select coalesce(max(position), 0) from events) + place + 1
      from ${rowsOf(db, eventColumns, events)} as e`,
)

const deliveriesAlone = cachedQuery(
  (db: Queries, { events }: Pick<NewEvents, 'events'>) => sql`
    with e as (select * from ${rowsOf(db, eventColumns, events)} as r)
    ${deliveriesOf(db)}`,
)

const auditAlone = cachedQuery((db: Queries, { audit }: Pick<NewEvents, 'audit'>) => insertOfAudit(db, audit))

/**
 * Writes events of any bookings and businesses in their order, a delivery for each subscribed webhook, and their audit
 * entries. Returns the number of deliveries. Rows are parameters, so the text of the statement does not depend on their
 * number.
 */
export async function insertEvents(
  db: Queries,
  { events, audit }: { events: NewEvent[]; audit: NewAuditEntry[] },
): Promise<number> {
  const rows = events.map((event, place) => ({ ...event, place }))
  const given = { events: rowsText(db, eventColumns, rows), audit: auditText(db, audit) }
  if (isPostgres(db)) return Number((await eventsWithDeliveries(db, given)).numAffectedRows ?? 0n)
  await auditAlone(db, given)
  if (events.length === 0) return 0
  await eventsAlone(db, given)
  return Number((await deliveriesAlone(db, given)).numAffectedRows ?? 0n)
}

/**
 * Inserts the deliveries of the events `e`: one for each subscribed webhook of the business and of its hub, on the
 * Enterprise plan. The ID of a delivery is that of its event as a version 8. It ends with the webhook's ordinal.
 */
function deliveriesOf(
  db: Queries,
  payload = sql`cast(null as text)`,
  receivers = receiversOfBusiness,
): RawBuilder<unknown> {
  const eventId = sql`cast(e.id as text)`
  const id = sql`substr(${eventId}, 1, 14) || '8' || substr(${eventId}, 16, 19) || w.place`
  return sql`
    insert into deliveries (id, webhook_id, business_id, event_id, event_type, booking_id, status, attempts_left,
                            next_attempt_at, created_at, sample_payload)
    select ${isPostgres(db) ? sql`cast(${id} as uuid)` : id}, w.id, e.business_id, e.id, e.type, e.booking_id,
           'pending', ${sql.lit(maxAttempts)}, e.due_at, e.due_at, ${payload}
      from e
      ${receivers}
     where w.place is not null and w.disabled_at is null
       and ${isNamed(sql`e.type`)} and (e.also = '' or ${isNamed(sql`e.also`)})`
}

const receiversOfBusiness = sql`
      join businesses as b on b.id = e.business_id
      left join hubs as h on h.id = b.hub_id
      join webhooks as w on (w.business_id = b.id and 'enterprise' in (b.plan, h.plan))
                         or (w.hub_id = b.hub_id and h.plan = 'enterprise')`

const receiversOfHub = sql`
      join hubs as h on h.id = e.hub_id
      join webhooks as w on w.hub_id = h.id and h.plan = 'enterprise'`

/** True if a webhook names an event type. */
function isNamed(type: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`' ' || w.events || ' ' like '% ' || ${type} || ' %'`
}

interface NewOtherEvent {
  id: string
  business_id: string | null
  /** Null for an event of a business. */
  hub_id: string | null
  booking_id: string
  type: string
  payload: string
  occurred_at: Instant
  /** Real time, in which deliveries are due. */
  due_at: Instant
  /** Empty: none. */
  except_webhook_id: string
}

const otherColumns = {
  id: 'uuid',
  business_id: 'uuid',
  hub_id: 'uuid',
  booking_id: 'uuid',
  type: 'text',
  payload: 'text',
  occurred_at: 'timestamptz',
  due_at: 'timestamptz',
  except_webhook_id: 'text',
  also: 'text',
} as const

/** Writes the deliveries of an event without a row in `events`. Returns their number. */
export async function insertOtherEvent(db: Queries, event: NewOtherEvent): Promise<number> {
  const receivers = event.business_id === null ? receiversOfHub : receiversOfBusiness
  const { numAffectedRows = 0n } = await sql`
    with e as (select * from ${rowsOf(db, otherColumns, sql`${rowsText(db, otherColumns, [{ ...event, also: '' }])}`)} as r)
    ${deliveriesOf(db, sql`e.payload`, receivers)} and cast(w.id as text) <> e.except_webhook_id`.execute(db)
  return Number(numAffectedRows)
}

/** The position of an event in reading order. */
export interface EventPlace {
  transaction_id: number
  position: number
}

/** Finds the position of an event. Returns undefined if it is out of scope or deleted. */
export function findEventPlace(db: Reads, scope: TenantScope, id: string): Promise<EventPlace | undefined> {
  return db
    .selectFrom('events as e')
    .select(['e.transaction_id', 'e.position'])
    .where('e.id', '=', id)
    .where(inScope('e.business_id', scope))
    .executeTakeFirst()
}

/** The running transactions (PostgreSQL). */
export interface RunningTransactions {
  /** No transaction with this ID or a higher one has ended. */
  next: number
  /** The lowest one running in any database of the server. */
  oldest: number
  /** The low 32 bits of the IDs of those in this database, separated by commas. */
  running: string | null
  /** The number of sessions of other roles, whose transactions are hidden. */
  hidden: number
  /** The number that events add to the IDs of their transactions. See the migration 0020-event-epochs. */
  base: number
}

/** Reads the running transactions of this database and their epoch. */
export async function findTransactions(db: Reads): Promise<RunningTransactions> {
  const { rows } = await sql<RunningTransactions>`
    select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next,
           pg_snapshot_xmin(pg_current_snapshot())::text::bigint as oldest,
           string_agg(backend_xid::text, ',') as running,
           count(*) filter (where usesysid is not null and query = '<insufficient privilege>') as hidden,
           event_epoch() << 44 as base
      from pg_stat_activity
     where datname = current_database()`.execute(db)
  const [seen] = rows
  if (!seen) throw new Error('an aggregate gave no row')
  return seen
}

interface EventFilter {
  /** Only events of transactions before this one, epoch included. */
  before: number | undefined
  after: EventPlace | undefined
  /** Only events at earlier places. */
  until: EventPlace | undefined
  newestFirst: boolean
  bookingId: string | undefined
  types: readonly string[]
  businessId: string | undefined
  rows: number
}

/** An event with the zone of its business. */
export type EventRow = Awaited<ReturnType<typeof findEvents>>[number]

/** Lists events, the oldest or the newest first. */
export function findEvents(
  db: Reads,
  scope: TenantScope,
  { before, after, until, newestFirst, bookingId, types, businessId, rows }: EventFilter,
) {
  let query = db
    .selectFrom('events as e')
    .innerJoin('businesses as b', 'b.id', 'e.business_id')
    .select(['e.id', 'e.type', 'e.booking_id', 'e.business_id', 'e.payload', 'e.occurred_at', 'b.timezone'])
    .where(inScope('e.business_id', scope))
  if (before !== undefined) query = query.where('e.transaction_id', '<', before)
  const placeOf = (place: EventPlace) => sql`(${place.transaction_id}, ${place.position})`
  if (after) query = query.where(sql<boolean>`(e.transaction_id, e.position) > ${placeOf(after)}`)
  if (until) query = query.where(sql<boolean>`(e.transaction_id, e.position) < ${placeOf(until)}`)
  if (bookingId) query = query.where('e.booking_id', '=', bookingId)
  query = query.where('e.type', 'in', types)
  if (businessId) query = query.where('e.business_id', '=', businessId)
  const direction = newestFirst ? 'desc' : 'asc'
  return query.orderBy('e.transaction_id', direction).orderBy('e.position', direction).limit(rows).execute()
}

/** Deletes up to `max` events older than an instant and returns their number. */
export async function deleteOldEvents(db: Queries, before: Instant, max: number): Promise<number> {
  const old = db
    .selectFrom('events')
    .select(['business_id', 'id'])
    .where('occurred_at', '<', before)
    .limit(max)
  const { numDeletedRows } = await db
    .deleteFrom('events')
    .where(sql<boolean>`(business_id, id) in ${old}`)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Returns the latest events of a booking, the oldest first. Events older than thirty days are deleted. */
export async function findEventsOf(
  db: Reads,
  { businessId, bookingId, rows }: { businessId: string; bookingId: string; rows: number },
): Promise<Pick<EventsTable, 'occurred_at' | 'payload'>[]> {
  const found = await db
    .selectFrom('events')
    .select(['occurred_at', 'payload'])
    .where('business_id', '=', businessId)
    .where('booking_id', '=', bookingId)
    .orderBy('occurred_at', 'desc')
    .limit(rows)
    .execute()
  return found.toReversed()
}

/** Returns the bodies of the events of bookings, oldest first, each booking with its business. */
export async function findPayloads(
  db: Reads,
  bookings: readonly { id: string; business_id: string }[],
): Promise<
  (Pick<EventsTable, 'id' | 'business_id' | 'payload' | 'booking_id' | 'type'> & { occurred_at: Instant })[]
> {
  const keys = JSON.stringify(bookings.map(({ business_id, id }) => [business_id, id]))
  const columns = [
    ['business_id', 'uuid'],
    ['booking_id', 'uuid'],
  ] as const
  return db
    .selectFrom('events')
    .select(['id', 'business_id', 'booking_id', 'type', 'payload', 'occurred_at'])
    .where(isAmong(db, columns, sql<string>`${keys}`))
    .orderBy('transaction_id')
    .orderBy('position')
    .execute()
}

const payloadColumns = { id: 'uuid', business_id: 'uuid', payload: 'text' } as const

/** Replaces the bodies of events. */
export async function updatePayloads(
  db: Queries,
  events: readonly Pick<EventsTable, 'id' | 'business_id' | 'payload'>[],
): Promise<void> {
  await sql`
    update events set payload = w.payload
      from ${rowsOf(db, payloadColumns, sql<string>`${rowsText(db, payloadColumns, events)}`)} as w
     where events.business_id = w.business_id and events.id = w.id`.execute(db)
}

import { sql, type Insertable, type RawBuilder } from 'kysely'
import { compiledOnce, type Given } from '../database/compiled-once.ts'
import type { Engine, Queries } from '../database/database.ts'
import { inReach, type Reach } from '../database/reach.ts'
import type { EventsTable } from '../database/event-tables.ts'
import type { Instant } from '../instants.ts'
import { maxAttempts } from './delivery-queries.ts'

type NewEvent = Omit<Insertable<EventsTable>, 'position' | 'transaction_id'>

type Happened = Given<{ events: NewEvent[] }>

/** One statement: a booking waits for one answer of the server less. */
const eventsWithDeliveries = compiledOnce((db, { events }: Happened) =>
  db
    .with('happened', (build) => build.insertInto('events').values(events).returningAll())
    .insertInto('deliveries')
    .columns([...deliveryColumns])
    .expression(deliveriesOf('postgres', sql`happened`)),
)

const eventsAlone = compiledOnce((db, { events }: Happened) => {
  const next = (index: number) => sql<number>`(select coalesce(max(position), 0) from events) + ${index + 1}`
  return db.insertInto('events').values(events.map((event, index) => ({ ...event, position: next(index) })))
})

/** Without the businesses it would read all events. */
const deliveriesAlone = compiledOnce((db, given: Given<{ businessIds: string[]; ids: string[] }>) => {
  const [businessIds, ids] = [sql.join(given.businessIds), sql.join(given.ids)]
  return db
    .insertInto('deliveries')
    .columns([...deliveryColumns])
    .expression(
      deliveriesOf(
        'sqlite',
        sql`(select * from events where business_id in (${businessIds}) and id in (${ids}))`,
      ),
    )
})

/** Writes events, and a delivery for each webhook that wants them. Tells how many deliveries. */
export async function insertEvents(db: Queries, engine: Engine, events: NewEvent[]): Promise<number> {
  if (engine === 'sqlite') await eventsAlone(db, { events })
  const { numAffectedRows = 0n } =
    engine === 'sqlite'
      ? await deliveriesAlone(db, {
          businessIds: events.map(({ business_id }) => business_id),
          ids: events.map(({ id }) => id),
        })
      : await eventsWithDeliveries(db, { events })
  return Number(numAffectedRows)
}

const deliveryColumns = [
  'id',
  'webhook_id',
  'business_id',
  'event_id',
  'event_type',
  'booking_id',
  'status',
  'attempts_left',
  'next_attempt_at',
  'created_at',
] as const

/**
 * The deliveries of events: for each webhook of the business, and each of its hub, that wants them, on the Enterprise
 * plan. The id of a delivery is that of its event as a version 8 with the webhook's place at the end.
 */
function deliveriesOf(engine: Engine, events: RawBuilder<unknown>): RawBuilder<unknown> {
  const eventId = sql`cast(e.id as text)`
  const id = sql`substr(${eventId}, 1, 14) || '8' || substr(${eventId}, 16, 19) || w.place`
  return sql`
    select ${engine === 'postgres' ? sql`cast(${id} as uuid)` : id}, w.id, e.business_id, e.id, e.type, e.booking_id,
           'pending', ${sql.lit(maxAttempts)}, e.occurred_at, e.occurred_at
      from ${events} as e
      join businesses as b on b.id = e.business_id
      left join hubs as h on h.id = b.hub_id
      join webhooks as w on (w.business_id = b.id and 'enterprise' in (b.plan, h.plan))
                         or (w.hub_id = b.hub_id and h.plan = 'enterprise')
     where w.place is not null and w.disabled_at is null
       and ' ' || w.events || ' ' like '% ' || e.type || ' %'`
}

/** The place of an event in the order in which events are read. */
export interface EventPlace {
  transaction_id: number
  position: number
}

/** Where an event stands in the order of events; undefined when it is out of reach or gone. */
export function findEventPlace(db: Queries, reach: Reach, id: string): Promise<EventPlace | undefined> {
  return db
    .selectFrom('events as e')
    .select(['e.transaction_id', 'e.position'])
    .where('e.id', '=', id)
    .where(inReach('e.business_id', reach))
    .executeTakeFirst()
}

/** Transactions of this moment (PostgreSQL). */
export interface RunningTransactions {
  /** No transaction with this id or a higher one has ended. */
  next: number
  /** The lowest that is running, in any database of the server. */
  oldest: number
  /** Those that run in this database: the low 32 bits of their ids, with commas. */
  running: string | null
  /** Sessions of other roles, whose transactions are not shown. */
  hidden: number
}

/** Reads which transactions run. What runs in other databases of the server does not count. */
export async function findTransactions(db: Queries): Promise<RunningTransactions> {
  const { rows } = await sql<RunningTransactions>`
    select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next,
           pg_snapshot_xmin(pg_current_snapshot())::text::bigint as oldest,
           string_agg(backend_xid::text, ',') as running,
           count(*) filter (where usesysid is not null and query = '<insufficient privilege>') as hidden
      from pg_stat_activity
     where datname = current_database()`.execute(db)
  const [seen] = rows
  if (!seen) throw new Error('an aggregate gave no row')
  return seen
}

/** What a list of events is narrowed to, and where it begins. */
export interface EventFilter {
  /** Only events of earlier transactions than this. */
  before: number | undefined
  after: EventPlace | undefined
  bookingId: string | undefined
  type: string | undefined
  businessId: string | undefined
  rows: number
}

/** An event with the zone of the business that it is of. */
export type EventRow = Awaited<ReturnType<typeof findEvents>>[number]

/** Events, the oldest first. */
export function findEvents(
  db: Queries,
  reach: Reach,
  { before, after, bookingId, type, businessId, rows }: EventFilter,
) {
  let query = db
    .selectFrom('events as e')
    .innerJoin('businesses as b', 'b.id', 'e.business_id')
    .select(['e.id', 'e.type', 'e.booking_id', 'e.business_id', 'e.payload', 'e.occurred_at', 'b.timezone'])
    .where(inReach('e.business_id', reach))
  if (before !== undefined) query = query.where('e.transaction_id', '<', before)
  if (after) {
    const place = sql`(${after.transaction_id}, ${after.position})`
    query = query.where(sql<boolean>`(e.transaction_id, e.position) > ${place}`)
  }
  if (bookingId) query = query.where('e.booking_id', '=', bookingId)
  if (type) query = query.where('e.type', '=', type)
  if (businessId) query = query.where('e.business_id', '=', businessId)
  return query.orderBy('e.transaction_id').orderBy('e.position').limit(rows).execute()
}

/** Deletes up to `most` events that happened before an instant. Tells how many. */
export async function deleteOldEvents(db: Queries, before: Instant, most: number): Promise<number> {
  const old = db
    .selectFrom('events')
    .select(['business_id', 'id'])
    .where('occurred_at', '<', before)
    .limit(most)
  const { numDeletedRows } = await db
    .deleteFrom('events')
    .where(sql<boolean>`(business_id, id) in ${old}`)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

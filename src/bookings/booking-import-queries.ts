import { sql } from 'kysely'
import { type Instant, nearestInstant, toMs } from '../base/instants.ts'
import { maxClaimMs } from '../availability/resource-rules.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import type { Queries, Reads } from '../database/database.ts'
import { foreach, isAmong, rowsOf, rowsText } from '../database/json-rows.ts'
import { readSeats } from '../database/seat-sets.ts'
import { sharedStatement } from '../database/shared-transaction.ts'
import type { BookingsTable, ClaimsTable } from '../database/tables.ts'
import { bookingColumns, bookingNames, valuesOf } from './booking-queries.ts'

/** A booking with the present row of its client. */
type ImportedRow = BookingsTable & { client_id: string }

const insertQuery = cachedQuery(
  (db: Queries, { rows }: Params<{ rows: string }>) => sql<{ id: string }>`
    insert into bookings (${bookingNames})
    select ${valuesOf(db, sql`null`)} from ${rowsOf(db, bookingColumns, rows)} as w where true
    on conflict do nothing
    returning id`,
)

const clientKey = { id: 'uuid', business_id: 'uuid', client_id: 'uuid' } as const

/** The trigger of `bookings` counts them for their clients, cancelled ones and no-shows as such. */
const assignQuery = cachedQuery(
  (db: Queries, { rows }: Params<{ rows: string }>) => sql`
    with w as materialized (select * from ${rowsOf(db, clientKey, rows)} as r)
    update bookings set client_id = w.client_id
      from w
     where bookings.business_id = w.business_id and bookings.id = w.id`,
)

/** Inserts bookings of another system. Returns false for one that is there. */
export const insertImported = sharedStatement({
  writes: (isInserted: boolean) => isInserted,
  run: async (db, bookings: readonly ImportedRow[]): Promise<boolean[]> => {
    const { rows } = await insertQuery(db, { rows: rowsText(db, bookingColumns, bookings) })
    const inserted = new Set(rows.map(({ id }) => id))
    const assigned = bookings.filter(({ id }) => inserted.has(id))
    if (assigned.length > 0) await assignQuery(db, { rows: rowsText(db, clientKey, assigned) })
    return bookings.map(({ id }) => inserted.has(id))
  },
})

/** A booking of an earlier import, as it is now. */
export type PresentBooking = Pick<
  BookingsTable,
  'id' | 'starts_at' | 'ends_at' | 'staff_id' | 'service_id' | 'status'
>

const presentQuery = cachedQuery((db, { keys }: Params<{ keys: string }>) =>
  db
    .selectFrom('bookings as b')
    .select(['b.id', 'b.starts_at', 'b.ends_at', 'b.staff_id', 'b.service_id', 'b.status'])
    .where(
      isAmong(
        db,
        [
          ['b.business_id', 'uuid'],
          ['b.id', 'uuid'],
        ],
        keys,
      ),
    ),
)

/** Finds bookings of one business by their IDs. */
export async function findPresent(
  db: Reads,
  businessId: string,
  ids: readonly string[],
): Promise<PresentBooking[]> {
  const { rows } = await presentQuery(db, { keys: JSON.stringify(ids.map((id) => [businessId, id])) })
  return rows
}

/** A claim that takes time of a resource. */
export interface SeenClaim {
  id: string
  resource_id: string
  occurrence_id: string
  seats: readonly number[]
  taken_from: Instant
  taken_until: Instant
}

const resourceColumns = { resource_id: 'uuid', business_id: 'uuid' } as const

/** Returns the claims on some resources that end after `now`. Holds that have expired are not among them. */
export async function findTaken(
  db: Reads,
  { businessId, resourceIds, now }: { businessId: string; resourceIds: readonly string[]; now: Instant },
): Promise<SeenClaim[]> {
  const keys = sql<string>`${rowsText(
    db,
    resourceColumns,
    resourceIds.map((resource_id) => ({ resource_id, business_id: businessId })),
  )}`
  const theirs = sql`
    c.resource_id = w.resource_id and c.business_id = w.business_id and c.lasts_long in (0, 1)
    and c.taken_from >= ${nearestInstant(toMs(now) - maxClaimMs)} and c.taken_until > ${now}
    and (c.ended_at is null) is true and (c.booked_at is not null or c.expires_at > ${now})`
  const { rows } = await sql<Pick<ClaimsTable, Exclude<keyof SeenClaim, 'seats'> | 'seat' | 'seats'>>`
    select c.id, c.resource_id, c.occurrence_id, c.seat, c.seats, c.taken_from, c.taken_until
      from ${rowsOf(db, resourceColumns, keys)} as w ${foreach(db, 'claims as c', theirs)}`.execute(db)
  return rows.map(({ seat, seats, ...claim }) => ({
    ...claim,
    seats: seats === null ? [seat] : readSeats(seats),
  }))
}

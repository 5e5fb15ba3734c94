import { sql } from 'kysely'
import { type Instant, toMs } from '../base/instants.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import { type Queries, type Reads, RetryTransaction, type Transaction } from '../database/database.ts'
import { type Columns, isNamed, rowsOf, rowsText } from '../database/json-rows.ts'
import { isOverlap } from '../database/overlap-constraints.ts'
import { readSeats, writeSeats } from '../database/seat-sets.ts'
import type { Seated } from './seating-rules.ts'

/*
 * Moves claims between alike seats. The rows stay: an owner may be about to convert, release or cancel one of them. A claim first leaves for a resource that is its ID, and returns with other seats in the same transaction. It does not end meanwhile, because its visit would end with it.
 */

/** A claim that takes seats of a resource. */
interface SeatedClaim extends Seated {
  /** The ID of its hold or booking. The claims of a visit share it. */
  visitId: string
  ownerId: string
  /** Null for a booking. */
  expiresAt: Instant | null
}

interface SeatedRow {
  id: string
  visit_id: string
  seat: number
  seats: string | null
  taken_from: Instant
  taken_until: Instant
  expires_at: Instant | null
  owner_id: string
}

interface SeatedRequest {
  resourceId: string
  /** Claims that take time between these. */
  from: Instant
  until: Instant
  /** The first starts of short and of long claims that reach into that time. */
  shortlyBefore: Instant
  earliest: Instant
  max: number
}

const seatedQuery = cachedQuery((_db: Reads, request: Params<SeatedRequest>) => {
  const { resourceId, from, until, shortlyBefore, earliest, max } = request
  // each part stops at the limit, by the index claims_by_resource
  const part = (lastsLong: number, since: typeof from) => sql`
    select * from (
      select id, coalesce(visit_id, id) as visit_id, seat, cast(seats as text) as seats, taken_from, taken_until, owner_id,
             case when booked_at is null then expires_at end as expires_at
        from claims
       where resource_id = ${resourceId} and lasts_long = ${sql.lit(lastsLong)} and (ended_at is null) is true
         and taken_from >= ${since} and taken_from < ${until} and taken_until > ${from}
       order by taken_from limit ${max}) as p`
  return sql<SeatedRow>`
    ${part(0, shortlyBefore)} union all ${part(1, earliest)}
     order by taken_from, id limit ${max}`
})

/** Reads the claims that take seats of a resource, at most `max`, by their start. */
export async function readSeated(db: Reads, request: SeatedRequest): Promise<SeatedClaim[]> {
  const { rows } = await seatedQuery(db, request)
  return rows.map(({ id, visit_id, seat, seats, taken_from, taken_until, owner_id, expires_at }) => ({
    id,
    visitId: visit_id,
    seats: seats === null ? [seat] : readSeats(seats),
    from: toMs(taken_from),
    to: toMs(taken_until),
    ownerId: owner_id,
    expiresAt: expires_at,
  }))
}

/** A claim of a business, with the seats that it moves to. */
export interface Reseat {
  id: string
  businessId: string
  resourceId: string
  seats: readonly number[]
}

const vacateColumns = {
  id: 'uuid',
  business_id: 'uuid',
  resource_id: 'uuid',
  party_size: 'integer',
  at: 'timestamptz',
} as const

const vacateQuery = cachedQuery(
  (db: Queries, { rows }: Params<{ rows: string }>) => sql<{ id: string }>`
    with w as materialized (select * from ${rowsOf(db, vacateColumns, rows)} as r)
    update claims
       set resource_id = claims.id
      from w
     where ${isNamed(db, 'claims.id')} and claims.id = w.id and claims.business_id = w.business_id
       and claims.resource_id = w.resource_id and claims.party_size = w.party_size and (claims.ended_at is null) is true
       and (claims.booked_at is not null or claims.expires_at > w.at)
    returning claims.id`,
)

/** Frees the seats of claims until `takeSeats`. Throws RetryTransaction if one has ended or changed its size. */
export async function vacateSeats(tx: Transaction, reseats: readonly Reseat[]): Promise<void> {
  const rows = inOneOrder(reseats).map(({ id, businessId, resourceId, seats }) => {
    return { id, business_id: businessId, resource_id: resourceId, party_size: seats.length, at: tx.now }
  })
  const { rows: vacated } = await vacateQuery(tx.db, { rows: rowsText(tx.db, vacateColumns, rows) })
  if (vacated.length < rows.length)
    throw new RetryTransaction('a claim that moves to other seats has changed')
}

const seatColumns = {
  id: 'uuid',
  business_id: 'uuid',
  resource_id: 'uuid',
  seat: 'integer',
  seats: 'int4multirange',
} as const satisfies Columns<string>

const takeQuery = cachedQuery(
  (db: Queries, { rows }: Params<{ rows: string }>) => sql`
    with w as materialized (select * from ${rowsOf(db, seatColumns, rows)} as r)
    update claims
       set resource_id = w.resource_id, seat = w.seat, seats = w.seats
      from w
     where ${isNamed(db, 'claims.id')} and claims.id = w.id and claims.business_id = w.business_id`,
)

/** Gives the claims their new seats. The schema decides. Throws RetryTransaction if another claim is in the way. */
export async function takeSeats(tx: Transaction, reseats: readonly Reseat[]): Promise<void> {
  const rows = inOneOrder(reseats).map(({ id, businessId, resourceId, seats }) => {
    const seat = seats[0] ?? 0
    return {
      id,
      business_id: businessId,
      resource_id: resourceId,
      ...{ seat, seats: writeSeats(tx.db, seats) },
    }
  })
  try {
    await takeQuery(tx.db, { rows: rowsText(tx.db, seatColumns, rows) })
  } catch (error) {
    if (!isOverlap(error)) throw error
    throw new RetryTransaction('another transaction took the new seat of a claim')
  }
}

/** By ID, as all who lock several claims. */
function inOneOrder(reseats: readonly Reseat[]): Reseat[] {
  return reseats.toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

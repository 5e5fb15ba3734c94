import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import { type Queries, type Reads, RetryTransaction } from '../database/database.ts'
import { type Columns, isAmong, isNamed, isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import { isOverlap } from '../database/overlap-constraints.ts'
import { sharedStatement, tallyOf } from '../database/shared-transaction.ts'
import type { ClaimsTable } from '../database/tables.ts'
import { writeSeats } from '../database/seat-sets.ts'
import type { NewClaim } from './claim-rules.ts'

/*
 * A claim is a hold, and later the time of its booking. It takes up time until `ended_at` is set. The
 * schema allows no two overlapping claims on one seat. Statements for the actions of clients are shared
 * (`sharedStatement`).
 */

export const claimColumns = {
  id: 'uuid',
  business_id: 'uuid',
  service_id: 'uuid',
  location_id: 'uuid',
  staff_id: 'uuid',
  chosen_staff_id: 'uuid',
  starts_at: 'timestamptz',
  ends_at: 'timestamptz',
  resource_id: 'uuid',
  seat: 'integer',
  party_size: 'integer',
  seats: 'int4multirange',
  occurrence_id: 'uuid',
  taken_from: 'timestamptz',
  taken_until: 'timestamptz',
  owner_id: 'uuid',
  owner_sequence: 'integer',
  client_network: 'text',
  client_wider_network: 'text',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
  booked_at: 'timestamptz',
  ended_at: 'timestamptz',
  series_id: 'uuid',
  metadata_json: 'text',
} as const satisfies Columns<Exclude<keyof ClaimsTable, keyof OfVisit>>

/** Claims of visits: see visit-queries.ts. */
type OfVisit = Pick<ClaimsTable, 'visit_id' | 'claim_count'>

/** Number of holds that still fit under the caps of their networks; no cap if absent. */
export interface Room {
  room?: number
  widerRoom?: number
}

const insertClaimsQuery = cachedQuery((db: Queries, { rows }: Params<{ rows: string }>) => {
  const names = sql.join(Object.keys(claimColumns).map((name) => sql.ref(name)))
  return sql<{ id: string }>`
    insert into claims (${names})
    select ${names} from ${rowsOf(db, claimColumns, rows)} as w where true
     order by resource_id, taken_from, id
    on conflict do nothing
    returning id`
})

/**
 * Takes the seats of a claim for a time span, all or none. Returns false if another claim is in the way or
 * has the same sequence of its session. Also returns false if others in its transaction have used up the room
 * since it was read.
 */
export const insertClaim = sharedStatement({
  writes: (isInserted: boolean) => isInserted,
  run: async (db, members: readonly { claim: NewClaim; room: Room }[]): Promise<boolean[]> => {
    const taken = tallyOf(db)
    const claims = members.map(({ claim }) => claim).filter(withRoom(members, taken))
    if (claims.length === 0) return members.map(() => false)
    const inserted = new Set(
      await insertClaims(
        db,
        claims.map((claim) => columnsOf(db, claim)),
      ),
    )
    noteTaken(
      taken,
      claims.filter(({ id }) => inserted.has(id)),
    )
    return members.map(({ claim }) => inserted.has(claim.id))
  },
})

type OfNetworks = Pick<ClaimsTable, 'client_network' | 'client_wider_network'>

/** Adds inserted claims to the counts of their networks. */
export function noteTaken(taken: Map<string, number>, inserted: readonly OfNetworks[]): void {
  for (const { client_network, client_wider_network } of inserted) {
    for (const network of [client_network, client_wider_network]) {
      if (network !== null) taken.set(network, (taken.get(network) ?? 0) + 1)
    }
  }
}

/** Returns the IDs of the inserted claims. */
async function insertClaims(db: Queries, claims: readonly ClaimRow[]): Promise<string[]> {
  const { rows } = await insertClaimsQuery(db, { rows: rowsText(db, claimColumns, claims) })
  return rows.map(({ id }) => id)
}

/** The row of a claim that is not one of a visit. */
type ClaimRow = Omit<ClaimsTable, keyof OfVisit>

function columnsOf(db: Reads, { seats, ...claim }: NewClaim): ClaimRow {
  return { ...claim, seat: seats[0] ?? 0, seats: writeSeats(db, seats) }
}

/** Limits the holds from one network in one transaction to those with room. */
export function withRoom(members: readonly { room: Room }[], takenBefore: ReadonlyMap<string, number>) {
  const taken = new Map(takenBefore)
  const takes = (network: string | null, room = Infinity) => {
    if (network === null) return true
    const count = (taken.get(network) ?? 0) + 1
    taken.set(network, count)
    return count <= room
  }
  return ({ client_network, client_wider_network }: OfNetworks, index: number) => {
    const { room, widerRoom } = members[index]?.room ?? {}
    const fits = takes(client_network, room)
    return takes(client_wider_network, widerRoom) && fits
  }
}

/** A hold that frees its time. */
interface EndedHold {
  id: string
  businessId: string
  at: Instant
  /** True to end it only if it has expired. */
  onlyExpired: boolean
}

const endColumns = { id: 'uuid', business_id: 'uuid', at: 'timestamptz', only_expired: 'integer' } as const

const endHoldsQuery = cachedQuery((db: Queries, { rows }: Params<{ rows: string }>) => {
  const earlier = sql.raw(isPostgres(db) ? 'least' : 'min')
  return sql<{ id: string; series_id: string | null }>`
    with w as materialized (select * from ${rowsOf(db, endColumns, rows)} as r)
    update claims
       set ended_at = ${earlier}(w.at, claims.expires_at), client_network = null, client_wider_network = null
      from w
     where ${isNamed(db, 'claims.id')} and claims.id = w.id and claims.business_id = w.business_id
       and (claims.booked_at is null) is true and (claims.ended_at is null) is true
       and (w.only_expired = 0 or claims.expires_at <= w.at)
    returning claims.id, claims.series_id`
})

const seriesKey = [
  ['business_id', 'uuid'],
  ['series_id', 'uuid'],
] as const

/** The holds of a series end together, as they expire together. */
const endSeriesQuery = cachedQuery(
  (db: Queries, { ids, at }: Params<{ ids: string; at: Instant }>) => sql`
    update claims
       set ended_at = ${at}, client_network = null, client_wider_network = null
     where series_id is not null and ${isAmong(db, seriesKey, ids)}
       and (claims.booked_at is null) is true and (claims.ended_at is null) is true`,
)

/**
 * Ends holds, and with one of a series the whole series. Those that became a booking meanwhile stay. The end of an expired
 * hold is valid, whatever follows.
 */
export const endHolds = sharedStatement({
  writes: (isChange: boolean) => isChange,
  run: async (db, members: readonly (readonly EndedHold[])[]): Promise<boolean[]> => {
    const rows = members
      .flat()
      .toSorted((one, other) => (one.id < other.id ? -1 : 1)) // all transactions lock in the same order
      .map(({ id, businessId, at, onlyExpired }) => ({
        id,
        business_id: businessId,
        at,
        only_expired: onlyExpired ? 1 : 0,
      }))
    const ended = await endHoldsQuery(db, { rows: rowsText(db, endColumns, rows) })
    await endSeriesOf(db, members.flat(), ended.rows)
    return members.map((holds) => holds.some(({ onlyExpired }) => !onlyExpired))
  },
})

async function endSeriesOf(
  db: Queries,
  holds: readonly EndedHold[],
  ended: readonly { id: string; series_id: string | null }[],
): Promise<void> {
  const series = ended.flatMap(({ id, series_id }) => {
    const hold = holds.find((one) => one.id === id)
    return series_id !== null && hold && !hold.onlyExpired ? [{ ...hold, series_id }] : []
  })
  const [first] = series
  if (!first) return
  const ids = JSON.stringify(series.map(({ businessId, series_id }) => [businessId, series_id]))
  await endSeriesQuery(db, { ids, at: first.at })
}

const bookingKey = { id: 'uuid', business_id: 'uuid' } as const

/** Columns of a claim that a move changes. */
const placeColumns = {
  resource_id: 'uuid',
  seat: 'integer',
  seats: 'int4multirange',
  party_size: 'integer',
  occurrence_id: 'uuid',
  taken_from: 'timestamptz',
  taken_until: 'timestamptz',
} as const satisfies Partial<Columns<keyof ClaimsTable>>

const moveColumns = { ...bookingKey, ...placeColumns } as const

/**
 * Reinserts claims. On PostgreSQL, a claim in the way of an update would fail the transaction; in the way of
 * an insert, it returns no row.
 */
const reinsertClaimsQuery = cachedQuery((db: Queries, { rows }: Params<{ rows: string }>) => {
  const names = Object.keys(claimColumns)
  const values = names.map((name) =>
    name === 'ended_at' ? sql`null` : sql.ref(name in placeColumns ? `w.${name}` : `gone.${name}`),
  )
  return sql<(ClaimRow | { id: null }) & { wanted: string }>`
    with w as materialized (select * from ${rowsOf(db, moveColumns, rows)} as r), gone as (
      delete from claims
       where ${isNamed(db, 'id')} and booked_at is not null
         and exists (select 1 from w where w.id = claims.id and w.business_id = claims.business_id)
      returning *
    ), placed as (
      insert into claims (${sql.join(names.map((name) => sql.ref(name)))})
      select ${sql.join(values)} from gone join w on w.id = gone.id
       order by w.resource_id, w.taken_from, w.id -- after all are gone
      on conflict do nothing
      returning id
    )
    select w.id as wanted, gone.* from w left join gone on gone.id = w.id
     where w.id not in (select id from placed)`
})

/**
 * Updates claims. On SQLite, a claim in the way fails only the statement. The row and most of its index
 * entries stay in place.
 */
const updateClaimsQuery = cachedQuery((db: Queries, { rows }: Params<{ rows: string }>) => {
  const changes = Object.keys(placeColumns).map((name) => sql`${sql.ref(name)} = ${sql.ref(`w.${name}`)}`)
  return sql<{ id: string }>`
    with w as materialized (select * from ${rowsOf(db, moveColumns, rows)} as r)
    update claims
       set ${sql.join(changes)}, ended_at = null
      from w
     where claims.id = w.id and claims.business_id = w.business_id and claims.booked_at is not null
    returning claims.id`
})

/**
 * Moves the claim of a booking to another time, or inserts one if there is none. Returns false if another is
 * in the way; the claim then stays.
 */
export const moveClaim = sharedStatement({
  writes: (isMoved: boolean) => isMoved,
  run: async (db, claims: readonly NewClaim[]): Promise<boolean[]> => {
    const rows = claims.map((claim) => columnsOf(db, claim))
    const moves = isPostgres(db) ? await reinsertClaims(db, rows) : await updateClaims(db, rows)
    const missing = rows.filter(({ id }) => !moves.has(id))
    const inserted = missing.length === 0 ? [] : await insertClaims(db, missing)
    return rows.map(({ id }) => moves.get(id) ?? inserted.includes(id))
  },
})

/** Results by existing claim: true if it moved. */
type Moves = Map<string, boolean>

async function reinsertClaims(db: Queries, claims: readonly ClaimRow[]): Promise<Moves> {
  const { rows } = await reinsertClaimsQuery(db, { rows: rowsText(db, moveColumns, claims) })
  const unplaced = new Set(rows.map(({ wanted }) => wanted))
  const left = rows.filter((row) => row.id !== null)
  const back = left.length === 0 ? [] : await insertClaims(db, left)
  // their former time cannot have been seen as free
  if (back.length < left.length) throw new RetryTransaction('the time of a booking is gone')
  return new Map([
    ...claims.filter(({ id }) => !unplaced.has(id)).map(({ id }) => [id, true] as const),
    ...back.map((id) => [id, false] as const),
  ])
}

/** Updates claims together. If another claim is in the way of one, moves them one by one. */
async function updateClaims(db: Queries, claims: readonly ClaimRow[]): Promise<Moves> {
  try {
    const { rows } = await updateClaimsQuery(db, { rows: rowsText(db, moveColumns, claims) })
    return new Map(rows.map(({ id }) => [id, true]))
  } catch (error) {
    if (!isOverlap(error)) throw error
  }
  const [first] = claims
  if (first && claims.length === 1) return new Map([[first.id, false]])
  const moves: Moves = new Map()
  for (const claim of claims)
    for (const [id, isMoved] of await updateClaims(db, [claim])) moves.set(id, isMoved)
  return moves
}

const endColumnsOfBooking = { ...bookingKey, at: 'timestamptz' } as const

const endBookedQuery = cachedQuery(
  (db: Queries, { rows }: Params<{ rows: string }>) => sql`
    with w as materialized (select * from ${rowsOf(db, endColumnsOfBooking, rows)} as r)
    update claims
       set ended_at = w.at
      from w
     where ${isNamed(db, 'claims.id')} and claims.id = w.id and claims.business_id = w.business_id
       and claims.booked_at is not null and (claims.ended_at is null) is true`,
)

/** Frees the time of a cancelled booking. */
export const endBookingClaim = sharedStatement({
  writes: true,
  run: async (db, bookings: readonly { id: string; business_id: string; at: Instant }[]) => {
    await endBookedQuery(db, { rows: rowsText(db, endColumnsOfBooking, bookings) })
    return bookings.map(() => undefined)
  },
})

/** Counts active holds with an index scan. */
export async function countActiveClaims(db: Reads, now: Instant): Promise<number> {
  const { active } = await db
    .selectFrom('claims')
    .where('booked_at', 'is', null)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .where('visit_id', 'is', null)
    .select(({ fn }) => fn.countAll<number>().as('active'))
    .executeTakeFirstOrThrow()
  return active
}

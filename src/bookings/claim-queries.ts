import { type RawBuilder, sql } from 'kysely'
import type { Block } from '../availability/offer-rules.ts'
import { maxClaimMs, shortClaimMs, type Span } from '../availability/resource-rules.ts'
import { type Instant, instantFromMs, toMs } from '../base/instants.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import { type Queries, RetryTransaction } from '../database/database.ts'
import { type Columns, foreach, isIn, isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import { sharedStatement, tallyOf } from '../database/shared-transaction.ts'
import type { ClaimsTable } from '../database/tables.ts'
import { readSeats, writeSeats } from '../database/seat-sets.ts'
import type { ClaimSeen, NewClaim } from './claim-rules.ts'

/*
 * A claim is a hold, and the time of the booking that it becomes. It takes its time until `ended_at` is set; the schema
 * lets no two that overlap take one seat. The statements of the road that clients take are shared (`sharedStatement`).
 */

/** What to read for placing or moving a claim. */
export interface ClaimsRequest {
  now: Instant
  businessId: string
  resourceIds: string[]
  taken: Span
  /** The day whose bookings decide between staff members; absent when there is nothing to decide. */
  day?: { from: Instant; to: Instant } | undefined
  /** The slot to check against blocks; absent for moves of bookings, which rules do not bind. */
  rules?: { locationId: string; staffIds: string[]; slot: Span } | undefined
  /** The caller's session, which may replace its own holds; absent for keys. */
  session?: { ownerId: string; network: string; widerNetwork: string | null; dayAgo: Instant } | undefined
}

/** Active holds of the session from one network: one in the way, or all that are not. */
interface OwnHolds extends ActiveCount {
  /** The one in the way, without its buffers. */
  inTheWay: (Span & { id: string }) | undefined
  /** Placed from the caller's present network, or its wider network. */
  onNetwork: boolean
  onWiderNetwork: boolean
}

/** A number of active holds or unpaid bookings, and when the first of them expires. */
export interface ActiveCount {
  count: number
  firstExpiry: Instant | null
}

/** Everything that placing a hold needs to know, as of one moment. */
export interface ClaimsSnapshot {
  claims: ClaimSeen[]
  ownHolds: OwnHolds[]
  /** Checkout expiries of the session's unpaid bookings. */
  ownUnpaid: Instant[]
  /** Other sessions' active holds and unpaid bookings from the caller's network. */
  onNetwork: ActiveCount[]
  /** The same of its wider network. */
  onWiderNetwork: ActiveCount[]
  bookingsOfDay: Map<string, number>
  /** Blocks that overlap the slot. */
  blocks: Block[]
  /** Of the business; undefined for a deleted one. */
  catalogueVersion: number | undefined
  /** The session's highest `owner_sequence` so far. */
  lastSequence: number
}

interface SnapshotRow {
  /** Null for `version`, which is that of a business. */
  place: number | null
  kind: 'claim' | 'own' | 'unpaid' | 'day' | 'network' | 'wider' | 'sequence' | 'block' | 'version'
  id: string | null
  resource_id: string | null
  occurrence_id: string | null
  owner_id: string | null
  seat: number | null
  seats: string | null
  starts_at: Instant | null
  ends_at: Instant | null
  expires_at: Instant | null
  count: number
}

const requestColumns = {
  place: 'integer',
  now: 'timestamptz',
  business_id: 'uuid',
  resource_ids: 'uuid[]',
  taken_from: 'timestamptz',
  taken_until: 'timestamptz',
  shortly_before: 'timestamptz',
  earliest: 'timestamptz',
  day_from: 'timestamptz',
  day_to: 'timestamptz',
  location_id: 'uuid',
  staff_ids: 'uuid[]',
  slot_from: 'timestamptz',
  slot_to: 'timestamptz',
  owner_id: 'uuid',
  network: 'text',
  wider_network: 'text',
  day_ago: 'timestamptz',
} as const

interface Snapshots {
  rows: string
  /** Whether any request asks for these: each part costs, also where it finds nothing. */
  day: boolean
  rules: boolean
  session: boolean
  /** Of IPv6. */
  wider: boolean
}

const snapshotsQuery = cachedQuery((db, { rows, day, rules, session, wider }: Params<Snapshots>) => {
  const parts = [
    ...claimParts(db),
    ...(day ? [dayPart(db)] : []),
    ...(rules ? blockParts(db) : []),
    ...(session ? sessionParts(db) : []),
    ...(wider ? widerParts(db) : []),
  ]
  return sql<SnapshotRow>`
    with w as materialized (select * from ${rowsOf(db, requestColumns, rows)} as r)
    ${sql.join(parts, sql` union all `)}`
})

/** Reads what a claim needs to know, at a cost that depends on the time span and the caller's own holds only. */
export const readClaims = sharedStatement({
  writes: false,
  run: async (db, requests: readonly ClaimsRequest[]): Promise<ClaimsSnapshot[]> => {
    const rowsFor = requests.map((): SnapshotRow[] => [])
    const { rows } = await snapshotsQuery(db, {
      rows: rowsText(db, requestColumns, requests.map(requestRow)),
      day: requests.some(({ day }) => day),
      rules: requests.some(({ rules }) => rules),
      session: requests.some(({ session }) => session),
      wider: requests.some(({ session }) => session?.widerNetwork),
    })
    const versions = new Map<string | null, number>()
    for (const row of rows) {
      if (row.place === null) versions.set(row.id, row.count)
      else rowsFor[row.place]?.push(row)
    }
    return requests.map(({ businessId }, place) => ({
      ...snapshotOf(rowsFor[place] ?? []),
      catalogueVersion: versions.get(businessId),
    }))
  },
})

function requestRow({ day, rules, session, taken, ...request }: ClaimsRequest, place: number) {
  return {
    place,
    now: request.now,
    business_id: request.businessId,
    resource_ids: request.resourceIds,
    taken_from: taken.starts_at,
    taken_until: taken.ends_at,
    // what reaches into the span starts after these: few claims last long (migrations/claim-rules.ts)
    shortly_before: instantFromMs(Math.max(0, toMs(taken.starts_at) - shortClaimMs)),
    earliest: instantFromMs(Math.max(0, toMs(taken.starts_at) - maxClaimMs)),
    day_from: day?.from,
    day_to: day?.to,
    location_id: rules?.locationId,
    staff_ids: rules?.staffIds ?? [],
    slot_from: rules?.slot.starts_at,
    slot_to: rules?.slot.ends_at,
    owner_id: session?.ownerId,
    network: session?.network,
    wider_network: session?.widerNetwork,
    day_ago: session?.dayAgo,
  }
}

/**
 * Not ended. Written so that PostgreSQL does not recognise the predicate of the overlap rules: while it has no statistics of
 * a table it would read their whole indexes to look a row up, and keep that plan as the table grows.
 */
const isLiving = sql`(c.ended_at is null) is true`

/** The first part names the columns and sets their types. */
function claimParts(db: Queries): RawBuilder<unknown>[] {
  const inTheWay = (lastsLong: number, since: string) =>
    foreach(
      db,
      'claims as c',
      sql`${isIn(db, 'c.resource_id', 'w.resource_ids')} and c.lasts_long = ${sql.lit(lastsLong)}
          and c.taken_from < w.taken_until and c.taken_from >= ${sql.ref(since)} and c.taken_until > w.taken_from
          and ${isLiving}`,
    )
  return [
    ...[inTheWay(0, 'w.shortly_before'), inTheWay(1, 'w.earliest')].map(
      (found) => sql`
    select w.place, 'claim' as kind, c.id, c.resource_id, c.occurrence_id, c.owner_id, c.seat,
           cast(c.seats as text) as seats, c.taken_from as starts_at, c.taken_until as ends_at,
           case when c.booked_at is null then c.expires_at end as expires_at, 0 as count
      from w ${found}`,
    ),
    sql`
    select null, 'version', v.id, null, null, null, null, null, null, null, null, v.catalogue_version
      from businesses as v
     where v.id ${isPostgres(db) ? sql`= any (array(select business_id from w))` : sql`in (select business_id from w)`}`,
  ]
}

function dayPart(db: Queries): RawBuilder<unknown> {
  const ofDay = foreach(
    db,
    'bookings as b',
    // by the index of each person, not through all bookings of the business on that day
    sql`${isIn(db, 'b.staff_id', 'w.resource_ids')} and (b.business_id = w.business_id) is true
        and b.cancelled_at is null and b.starts_at >= w.day_from and b.starts_at < w.day_to`,
  )
  return sql`
    select w.place, 'day', null, b.staff_id, null, null, null, null, null, null, null, count(*)
      from w ${ofDay} group by w.place, b.staff_id`
}

/** One part each for location and staff blocks: each has its own index. */
function blockParts(db: Queries): RawBuilder<unknown>[] {
  const overSlot = sql`k.business_id = w.business_id and k.ends_at > w.slot_from and k.starts_at < w.slot_to`
  const places = [sql`k.location_id = w.location_id`, isIn(db, 'k.staff_id', 'w.staff_ids')]
  return places.map(
    (place) => sql`
    select w.place, 'block', null, k.staff_id, null, null, null, null, k.starts_at, k.ends_at, null, 0
      from w ${foreach(db, 'blocks as k', sql`${place} and ${overSlot}`)}`,
  )
}

/** Still a hold, and not over. */
const isActive = sql`c.booked_at is null and ${isLiving} and c.expires_at > w.now`

/** An unpaid booking takes its slot until its checkout ends, so it counts like a hold. */
const unpaid = sql`b.status = 'pending' and b.confirmed_at is null`

/** Only rows of sessions have a sequence, and only those of one session are read. */
function sessionParts(db: Queries): RawBuilder<unknown>[] {
  const ofSession = sql`c.owner_id = w.owner_id and c.owner_sequence is not null`
  // by the index of the session alone, not with that of all holds by their expiry
  const isOwnActive = sql`(c.booked_at is null) is true and ${isLiving} and (c.expires_at > w.now) is true`
  const own = foreach(
    db,
    'claims as c',
    sql`${ofSession} and c.business_id = w.business_id and ${isOwnActive}`,
  )
  const onNetworks = sql`case when c.client_network = w.network then 1 else 0 end
                         + case when c.client_wider_network = w.wider_network then 2 else 0 end`
  return [
    sql`
    select w.place, 'own', case when c.taken_from < w.taken_until and c.taken_until > w.taken_from then c.id end,
           null, null, null, ${onNetworks}, null, min(c.starts_at), min(c.ends_at), min(c.expires_at), count(*)
      from w ${own}
     group by 1, 3, 7`,
    sql`
    select w.place, 'sequence', null, null, null, null, null, null, null, null, null,
           (select coalesce(max(c.owner_sequence), 0) from claims as c where ${ofSession})
      from w`,
    sql`
    select w.place, 'unpaid', b.id, null, null, null, null, null, null, null, m.expires_at, 0
      from w ${foreach(db, 'bookings as b', sql`b.owner_id = w.owner_id and ${unpaid}`)}
           join payments as m on m.id = b.payment_id`,
    ...onNetwork(db, 'network', { ofClaim: 'c.client_network', ofAttempt: 'a.network', wanted: 'w.network' }),
  ]
}

function widerParts(db: Queries): RawBuilder<unknown>[] {
  return onNetwork(db, 'wider', {
    ofClaim: 'c.client_wider_network',
    ofAttempt: 'a.wider_network',
    wanted: 'w.wider_network',
  })
}

function onNetwork(
  db: Queries,
  kind: 'network' | 'wider',
  { ofClaim, ofAttempt, wanted }: { ofClaim: string; ofAttempt: string; wanted: string },
): RawBuilder<unknown>[] {
  const held = sql`${sql.ref(ofClaim)} = ${sql.ref(wanted)} and ${isActive} and c.owner_id <> w.owner_id`
  const tried = sql`${sql.ref(ofAttempt)} = ${sql.ref(wanted)} and a.counted_at > w.day_ago`
  return [
    sql`
    select w.place, ${sql.lit(kind)}, null, null, null, null, null, null, null, null, min(c.expires_at), count(*)
      from w ${foreach(db, 'claims as c', held)} group by w.place`,
    sql`
    select w.place, ${sql.lit(kind)}, null, null, null, null, null, null, null, null, min(m.expires_at), count(*)
      from w ${foreach(db, 'booking_attempts as a', tried)}
           join bookings as b on b.business_id = a.business_id and b.id = a.id and ${unpaid}
           join payments as m on m.id = b.payment_id
     group by w.place`,
  ]
}

type SnapshotOfRequest = Omit<ClaimsSnapshot, 'catalogueVersion'>

function snapshotOf(rows: readonly SnapshotRow[]): SnapshotOfRequest {
  const seen: SnapshotOfRequest = {
    claims: [],
    ownHolds: [],
    ownUnpaid: [],
    onNetwork: [],
    onWiderNetwork: [],
    bookingsOfDay: new Map(),
    blocks: [],
    lastSequence: 0,
  }
  for (const row of rows) addTo(seen, row)
  return seen
}

/** Each kind of row has the columns that its part of the statement selects. */
function addTo(seen: SnapshotOfRequest, row: SnapshotRow): void {
  const { kind, count, expires_at } = row
  const { id, starts_at, ends_at } = row as unknown as Span & { id: string | null }
  switch (kind) {
    case 'claim':
      seen.claims.push(claimSeen(row))
      break
    case 'own':
      seen.ownHolds.push({
        inTheWay: id === null ? undefined : { id, starts_at, ends_at },
        count,
        firstExpiry: expires_at,
        onNetwork: ((row.seat ?? 0) & 1) !== 0,
        onWiderNetwork: ((row.seat ?? 0) & 2) !== 0,
      })
      break
    case 'unpaid':
      if (expires_at !== null) seen.ownUnpaid.push(expires_at)
      break
    case 'network':
      seen.onNetwork.push({ count, firstExpiry: expires_at })
      break
    case 'wider':
      seen.onWiderNetwork.push({ count, firstExpiry: expires_at })
      break
    case 'day':
      seen.bookingsOfDay.set(row.resource_id ?? '', count)
      break
    case 'block':
      seen.blocks.push({ from: toMs(starts_at), to: toMs(ends_at), staffId: row.resource_id })
      break
    case 'sequence':
      seen.lastSequence = count
      break
    case 'version':
      break // not of one request
  }
}

function claimSeen({ seat, seats, ...row }: SnapshotRow): ClaimSeen {
  const { id, resource_id, occurrence_id, owner_id, expires_at } = row as unknown as Omit<ClaimSeen, 'seats'>
  return {
    ...{ id, resource_id, occurrence_id, owner_id, expires_at },
    seats: seats === null ? [seat ?? 0] : readSeats(seats),
  }
}

const claimColumns = {
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
} as const satisfies Columns<keyof ClaimsTable>

/** How many holds still fit under the caps of its networks; absent: no cap. */
export interface Room {
  room?: number
  widerRoom?: number
}

const insertClaimsQuery = cachedQuery((db, { rows }: Params<{ rows: string }>) => {
  const names = sql.join(Object.keys(claimColumns).map((name) => sql.ref(name)))
  return sql<{ id: string }>`
    insert into claims (${names})
    select ${names} from ${rowsOf(db, claimColumns, rows)} as w where true
     order by resource_id, taken_from, id
    on conflict do nothing
    returning id`
})

/**
 * Takes the seats of a claim for a time span, all or none. False when another claim is in the way or has the same sequence of its session, or when
 * others in its transaction took the room since it was read.
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
    for (const { id, client_network, client_wider_network } of claims) {
      for (const network of [client_network, client_wider_network]) {
        if (network !== null && inserted.has(id)) taken.set(network, (taken.get(network) ?? 0) + 1)
      }
    }
    return members.map(({ claim }) => inserted.has(claim.id))
  },
})

/** Gives the ids of those that were inserted. */
async function insertClaims(db: Queries, claims: readonly ClaimsTable[]): Promise<string[]> {
  const { rows } = await insertClaimsQuery(db, { rows: rowsText(db, claimColumns, claims) })
  return rows.map(({ id }) => id)
}

function columnsOf(db: Queries, { seats, ...claim }: NewClaim): ClaimsTable {
  return { ...claim, seat: seats[0] ?? 0, seats: writeSeats(db, seats) }
}

/** Of holds from one network in one transaction, only as many as have room. */
function withRoom(members: readonly { room: Room }[], takenBefore: ReadonlyMap<string, number>) {
  const taken = new Map(takenBefore)
  const takes = (network: string | null, room = Infinity) => {
    if (network === null) return true
    const count = (taken.get(network) ?? 0) + 1
    taken.set(network, count)
    return count <= room
  }
  return ({ client_network, client_wider_network }: NewClaim, index: number) => {
    const { room, widerRoom } = members[index]?.room ?? {}
    const fits = takes(client_network, room)
    return takes(client_wider_network, widerRoom) && fits
  }
}

/** A hold that gives its time back. */
interface EndedHold {
  id: string
  businessId: string
  at: Instant
  /** Whether to spare it unless it has expired. */
  onlyExpired: boolean
}

const endColumns = { id: 'uuid', business_id: 'uuid', at: 'timestamptz', only_expired: 'integer' } as const

const endHoldsQuery = cachedQuery((db, { rows }: Params<{ rows: string }>) => {
  const earlier = sql.raw(isPostgres(db) ? 'least' : 'min')
  return sql`
    with w as materialized (select * from ${rowsOf(db, endColumns, rows)} as r)
    update claims
       set ended_at = ${earlier}(w.at, claims.expires_at)
      from w
     where ${isNamed(db, 'claims.id')} and claims.id = w.id and claims.business_id = w.business_id
       and (claims.booked_at is null) is true and (claims.ended_at is null) is true
       and (w.only_expired = 0 or claims.expires_at <= w.at)`
})

/** Tells PostgreSQL to look rows up by their ids even where it has no statistics; so does `is true`, see `isLiving`. */
function isNamed(db: Queries, column: string): RawBuilder<boolean> {
  return isPostgres(db)
    ? sql<boolean>`${sql.ref(column)} = any (array(select id from w))`
    : sql<boolean>`${sql.ref(column)} in (select id from w)`
}

/** Ends holds; one that became a booking meanwhile stays. That of an expired one may stand whatever follows. */
export const endHolds = sharedStatement({
  writes: (isChange: boolean) => isChange,
  run: async (db, members: readonly (readonly EndedHold[])[]): Promise<boolean[]> => {
    const rows = members
      .flat()
      .toSorted((one, other) => (one.id < other.id ? -1 : 1)) // locked in one order
      .map(({ id, businessId, at, onlyExpired }) => ({
        id,
        business_id: businessId,
        at,
        only_expired: onlyExpired ? 1 : 0,
      }))
    await endHoldsQuery(db, { rows: rowsText(db, endColumns, rows) })
    return members.map((holds) => holds.some(({ onlyExpired }) => !onlyExpired))
  },
})

const bookingKey = { id: 'uuid', business_id: 'uuid' } as const

/** What a move changes of a claim. */
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

/** On PostgreSQL a claim in the way of an update would fail the transaction; one in the way of an insert gives no row. */
const reinsertClaimsQuery = cachedQuery((db, { rows }: Params<{ rows: string }>) => {
  const names = Object.keys(claimColumns)
  const values = names.map((name) =>
    name === 'ended_at' ? sql`null` : sql.ref(name in placeColumns ? `w.${name}` : `gone.${name}`),
  )
  return sql<(ClaimsTable | { id: null }) & { wanted: string }>`
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

/** On SQLite a claim in the way fails the statement alone. A row stays where it is, and so do most of its indexes. */
const updateClaimsQuery = cachedQuery((db, { rows }: Params<{ rows: string }>) => {
  const changes = Object.keys(placeColumns).map((name) => sql`${sql.ref(name)} = ${sql.ref(`w.${name}`)}`)
  return sql<{ id: string }>`
    with w as materialized (select * from ${rowsOf(db, moveColumns, rows)} as r)
    update claims
       set ${sql.join(changes)}, ended_at = null
      from w
     where claims.id = w.id and claims.business_id = w.business_id and claims.booked_at is not null
    returning claims.id`
})

/** Moves the claim of a booking to another time, or inserts it when it has none any more. False, and it stays, when another is in the way. */
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

/** Of the claims that there are, whether each moved. */
type Moves = Map<string, boolean>

async function reinsertClaims(db: Queries, claims: readonly ClaimsTable[]): Promise<Moves> {
  const { rows } = await reinsertClaimsQuery(db, { rows: rowsText(db, moveColumns, claims) })
  const unplaced = new Set(rows.map(({ wanted }) => wanted))
  const left = rows.filter((row) => row.id !== null)
  const back = left.length === 0 ? [] : await insertClaims(db, left)
  // nobody can have seen the time as free that they have left
  if (back.length < left.length) throw new RetryTransaction('the time of a booking is gone')
  return new Map([
    ...claims.filter(({ id }) => !unplaced.has(id)).map(({ id }) => [id, true] as const),
    ...back.map((id) => [id, false] as const),
  ])
}

/** Where a claim is in the way of one of several, they are moved one by one. */
async function updateClaims(db: Queries, claims: readonly ClaimsTable[]): Promise<Moves> {
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

/** Whether the rule for updates on SQLite has failed a statement. */
function isOverlap(error: unknown): boolean {
  return error instanceof Error && error.message.includes('claims_do_not_overlap')
}

const endColumnsOfBooking = { ...bookingKey, at: 'timestamptz' } as const

const endBookedQuery = cachedQuery(
  (db, { rows }: Params<{ rows: string }>) => sql`
    with w as materialized (select * from ${rowsOf(db, endColumnsOfBooking, rows)} as r)
    update claims
       set ended_at = w.at
      from w
     where ${isNamed(db, 'claims.id')} and claims.id = w.id and claims.business_id = w.business_id
       and claims.booked_at is not null and (claims.ended_at is null) is true`,
)

/** Frees the time of a booking that is cancelled. */
export const endBookingClaim = sharedStatement({
  writes: true,
  run: async (db, bookings: readonly { id: string; business_id: string; at: Instant }[]) => {
    await endBookedQuery(db, { rows: rowsText(db, endColumnsOfBooking, bookings) })
    return bookings.map(() => undefined)
  },
})

/** Counts active holds with an index scan. */
export async function countActiveClaims(db: Queries, now: Instant): Promise<number> {
  const { active } = await db
    .selectFrom('claims')
    .where('booked_at', 'is', null)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .select(({ fn }) => fn.countAll<number>().as('active'))
    .executeTakeFirstOrThrow()
  return active
}

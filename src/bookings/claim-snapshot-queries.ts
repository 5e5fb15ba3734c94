import { type RawBuilder, sql } from 'kysely'
import type { VisitBlock } from '../availability/visit-rules.ts'
import { maxClaimMs, shortClaimMs, type Span } from '../availability/resource-rules.ts'
import { type Instant, instantFromMs, toMs } from '../base/instants.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import type { Reads } from '../database/database.ts'
import { foreach, isIn, isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import { sharedStatement } from '../database/shared-transaction.ts'
import { readSeats } from '../database/seat-sets.ts'
import type { ClaimSeen } from './claim-rules.ts'

/* Reads everything needed before taking time, in one statement. claim-queries.ts takes it. */

/** The data to read before placing or moving a claim. */
export interface ClaimsRequest {
  now: Instant
  businessId: string
  resourceIds: string[]
  taken: Span
  /** The day whose bookings decide between staff members; absent if there is only one. */
  day?: { from: Instant; to: Instant } | undefined
  /** The slot to check against blocks. Absent for moves of bookings, to which the rules do not apply. */
  rules?: { locationId: string; staffIds: string[]; slot: Span } | undefined
  /** The caller's session, which may replace its own holds; absent for keys. */
  session?: { ownerId: string; network: string; widerNetwork: string | null; dayAgo: Instant } | undefined
  /** The rooms and equipment of a visit, whose blocks count. Its items count as bookings of the day. */
  equipmentIds?: string[] | undefined
}

/** Active holds of the session from one network: the one in the way, or all others. */
interface OwnHolds extends ActiveCount {
  /** The hold in the way, without its buffers. */
  inTheWay: (Span & { id: string }) | undefined
  /** True if placed from the caller's present network, or from its wider network. */
  onNetwork: boolean
  onWiderNetwork: boolean
}

/** A number of active holds or unpaid bookings, and the first expiry among them. */
export interface ActiveCount {
  count: number
  firstExpiry: Instant | null
}

/** Everything needed to place a hold, as of one moment. */
export interface ClaimsSnapshot {
  claims: ClaimSeen[]
  ownHolds: OwnHolds[]
  /** Checkout expiries of the session's unpaid bookings. */
  ownUnpaid: Instant[]
  /** Other sessions' active holds and unpaid bookings from the caller's network. */
  onNetwork: ActiveCount[]
  /** The same for its wider network. */
  onWiderNetwork: ActiveCount[]
  bookingsOfDay: Map<string, number>
  /** Blocks that overlap the slot. */
  blocks: VisitBlock[]
  /** Version of the business; undefined for a deleted one. */
  catalogueVersion: number | undefined
  /** The session's highest `owner_sequence` so far. */
  lastSequence: number
}

interface SnapshotRow {
  /** Null for `version`, which belongs to a business. */
  place: number | null
  kind:
    'claim' | 'own' | 'unpaid' | 'day' | 'network' | 'wider' | 'sequence' | 'block' | 'equipment' | 'version'
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
  equipment_ids: 'uuid[]',
  slot_from: 'timestamptz',
  slot_to: 'timestamptz',
  owner_id: 'uuid',
  network: 'text',
  wider_network: 'text',
  day_ago: 'timestamptz',
} as const

interface Snapshots {
  rows: string
  /** Parts that at least one request needs. Each part has a cost, even without results. */
  day: boolean
  rules: boolean
  session: boolean
  /** For IPv6. */
  wider: boolean
  visits: boolean
}

const snapshotsQuery = cachedQuery((db, { rows, day, rules, session, wider, visits }: Params<Snapshots>) => {
  const parts = [
    ...claimParts(db),
    ...(day ? [dayPart(db)] : []),
    ...(rules ? blockParts(db) : []),
    ...(session ? sessionParts(db) : []),
    ...(wider ? widerParts(db) : []),
    ...(visits ? visitParts(db) : []),
  ]
  return sql<SnapshotRow>`
    with w as materialized (select * from ${rowsOf(db, requestColumns, rows)} as r)
    ${sql.join(parts, sql` union all `)}`
})

/** Reads the data for placing a claim. The cost depends only on the time span and the caller's own holds. */
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
      visits: requests.some(({ equipmentIds }) => equipmentIds),
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
    // claims that reach into the span start after these; few claims last long (migrations/claim-rules.ts)
    shortly_before: instantFromMs(Math.max(0, toMs(taken.starts_at) - shortClaimMs)),
    earliest: instantFromMs(Math.max(0, toMs(taken.starts_at) - maxClaimMs)),
    day_from: day?.from,
    day_to: day?.to,
    location_id: rules?.locationId,
    staff_ids: rules?.staffIds ?? [],
    equipment_ids: request.equipmentIds ?? [],
    slot_from: rules?.slot.starts_at,
    slot_to: rules?.slot.ends_at,
    owner_id: session?.ownerId,
    network: session?.network,
    wider_network: session?.widerNetwork,
    day_ago: session?.dayAgo,
  }
}

/**
 * True for claims that have not ended. Written so that PostgreSQL does not recognise the predicate of the
 * overlap rules. Without statistics, it would read their whole indexes to look up a row. It would keep that
 * plan as the table grows.
 */
const isLiving = sql`(c.ended_at is null) is true`

/** Returns the parts of the statement. The first one names the columns and sets their types. */
function claimParts(db: Reads): RawBuilder<unknown>[] {
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
    select w.place, 'claim' as kind, coalesce(c.visit_id, c.id) as id, c.resource_id, c.occurrence_id, c.owner_id, c.seat,
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

function dayPart(db: Reads): RawBuilder<unknown> {
  const ofDay = foreach(
    db,
    'bookings as b',
    // by the index of each staff member, not through all bookings of the business that day
    sql`${isIn(db, 'b.staff_id', 'w.resource_ids')} and (b.business_id = w.business_id) is true
        and b.cancelled_at is null and b.starts_at >= w.day_from and b.starts_at < w.day_to`,
  )
  return sql`
    select w.place, 'day', null, b.staff_id, null, null, null, null, null, null, null, count(*)
      from w ${ofDay} group by w.place, b.staff_id`
}

/** Selects blocks in one part each for location and staff, because each has its own index. */
function blockParts(db: Reads): RawBuilder<unknown>[] {
  const overSlot = sql`(k.business_id = w.business_id) is true and k.ends_at > w.slot_from and k.starts_at < w.slot_to`
  const places = [sql`k.location_id = w.location_id`, isIn(db, 'k.staff_id', 'w.staff_ids')]
  return places.map(
    (place) => sql`
    select w.place, 'block', null, k.staff_id, null, null, null, null, k.starts_at, k.ends_at, null, 0
      from w ${foreach(db, 'blocks as k', sql`${place} and ${overSlot}`)}`,
  )
}

/**
 * Selects what only visits need: blocks of rooms and equipment, and further items of the day. Looks up the booking of
 * each, because a join would read all bookings that were ever made.
 */
function visitParts(db: Reads): RawBuilder<unknown>[] {
  const overSlot = sql`(k.business_id = w.business_id) is true and k.ends_at > w.slot_from and k.starts_at < w.slot_to`
  const ofDay = foreach(
    db,
    'visit_items as i',
    sql`${isIn(db, 'i.staff_id', 'w.resource_ids')} and (i.business_id = w.business_id) is true and i.item > 0
        and i.starts_at >= w.day_from and i.starts_at < w.day_to
        and (select b.cancelled_at is null from bookings as b where b.business_id = i.business_id and b.id = i.visit_id)`,
  )
  return [
    sql`
    select w.place, 'equipment', null, k.resource_id, null, null, null, null, k.starts_at, k.ends_at, null, 0
      from w ${foreach(db, 'blocks as k', sql`${isIn(db, 'k.resource_id', 'w.equipment_ids')} and ${overSlot}`)}`,
    sql`
    select w.place, 'day', null, i.staff_id, null, null, null, null, null, null, null, count(*)
      from w ${ofDay} group by w.place, i.staff_id`,
  ]
}

/** Still a hold, and not expired. */
const isActive = sql`c.booked_at is null and ${isLiving} and c.expires_at > w.now`

/** An unpaid booking takes its slot until its checkout expires, so it counts like a hold. A request does not. */
const unpaid = sql`b.status = 'pending' and b.confirmed_at is null and b.respond_by is null`

/** Selects rows of one session. Only rows of sessions have a sequence. */
function sessionParts(db: Reads): RawBuilder<unknown>[] {
  const ofSession = sql`c.owner_id = w.owner_id and c.owner_sequence is not null`
  // by the index of the session alone, not also by that of all holds by expiry
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
    select w.place, 'own', case when (c.taken_from < w.taken_until and c.taken_until > w.taken_from)
                                  or (c.claim_count > 1 and c.starts_at < w.taken_until and c.ends_at > w.taken_from)
                                  or (c.claim_count > 1 and exists (
                                        select 1 from claims as f
                                         where f.visit_id = c.id and f.taken_from < w.taken_until
                                           and f.taken_until > w.taken_from))
                                then c.id end,
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

function widerParts(db: Reads): RawBuilder<unknown>[] {
  return onNetwork(db, 'wider', {
    ofClaim: 'c.client_wider_network',
    ofAttempt: 'a.wider_network',
    wanted: 'w.wider_network',
  })
}

function onNetwork(
  db: Reads,
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

/** Adds a row to the snapshot. Each kind of row has the columns that its part of the statement selects. */
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
      seen.bookingsOfDay.set(
        row.resource_id ?? '',
        (seen.bookingsOfDay.get(row.resource_id ?? '') ?? 0) + count,
      )
      break
    case 'block':
      seen.blocks.push({ from: toMs(starts_at), to: toMs(ends_at), staffId: row.resource_id })
      break
    case 'equipment':
      seen.blocks.push({
        from: toMs(starts_at),
        to: toMs(ends_at),
        staffId: null,
        resourceId: row.resource_id,
      })
      break
    case 'sequence':
      seen.lastSequence = count
      break
    case 'version':
      break // belongs to no single request
  }
}

function claimSeen({ seat, seats, ...row }: SnapshotRow): ClaimSeen {
  const { id, resource_id, occurrence_id, owner_id, expires_at, starts_at, ends_at } = row as unknown as Omit<
    ClaimSeen,
    'seats' | 'taken'
  > &
    Span
  return {
    ...{ id, resource_id, occurrence_id, owner_id, expires_at },
    taken: { starts_at, ends_at },
    seats: seats === null ? [seat ?? 0] : readSeats(seats),
  }
}

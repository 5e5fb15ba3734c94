import { sql } from 'kysely'
import { compiledOnce, type Given } from '../database/compiled-once.ts'
import type { Queries } from '../database/database.ts'
import type { ClaimsTable } from '../database/tables.ts'
import type { Block } from '../availability/offer-rules.ts'
import { longestClaimMs, type Span } from '../availability/resource-rules.ts'
import { instantFromMs, toMs, type Instant } from '../instants.ts'
import type { ClaimSeen } from './claim-rules.ts'

/** What a look at the database is for. */
export interface LookRequest {
  now: Instant
  businessId: string
  resourceIds: string[]
  taken: Span
  /** The day whose bookings decide between staff members; absent when there is nothing to decide. */
  day?: { from: Instant; to: Instant } | undefined
  /** The slot for which the rules of the business count; absent where a booking is moved, which they do not bind. */
  rules?: { locationId: string; staffIds: string[]; slot: Span } | undefined
  /** Whether the version of the catalogue is asked for without the rules of the business. */
  asksVersion?: boolean | undefined
  /** The session that asks, whose own holds it may replace; absent for keys. */
  session?: { ownerId: string; network: string; widerNetwork: string | null; dayAgo: Instant } | undefined
}

/** One of a session's own active holds, with its bare times. */
export interface OwnHold extends Span {
  id: string
  expires_at: Instant
  /** Placed from the network from which the session asks now, and from its wider network. */
  onNetwork: boolean
  onWiderNetwork: boolean
}

/** What counts like active holds, and when the first of them ends. */
export interface Counted {
  count: number
  firstExpiry: Instant | null
}

/** Everything that placing a hold has to know, as of one moment. */
export interface Look {
  claims: ClaimSeen[]
  ownHolds: OwnHold[]
  /** When the checkouts of the session's own bookings end that wait for their payment. */
  ownUnpaid: Instant[]
  /** Active holds of other sessions from the caller's network, and bookings from there that wait for their payment. */
  onNetwork: Counted[]
  /** The same of its wider network. */
  onWiderNetwork: Counted[]
  bookingsOfDay: Map<string, number>
  /** Times that nobody can book, as far as they overlap the slot. */
  blocks: Block[]
  /** The version of the catalogue of the business; undefined when it was not asked for. */
  catalogueVersion: number | undefined
  /** The highest `owner_sequence` of the session so far. */
  lastSequence: number
}

interface LookRow {
  kind: 'claim' | 'own' | 'unpaid' | 'day' | 'network' | 'wider' | 'sequence' | 'block' | 'version'
  id: string | null
  resource_id: string | null
  occurrence_id: string | null
  owner_id: string | null
  seat: number | null
  starts_at: Instant | null
  ends_at: Instant | null
  expires_at: Instant | null
  count: number
}

type Looking = Given<LookRequest & { earliest: Instant }>

const looks = compiledOnce((_db, looking: Looking) => {
  const parts = [claimsInTheWay(looking)]
  if (looking.day) parts.push(bookingsOfDay(looking, looking.day))
  if (looking.rules) parts.push(...ofRules(looking, looking.rules))
  if (looking.rules || looking.asksVersion) parts.push(catalogueVersion(looking))
  if (looking.session) parts.push(...ofSession(looking, looking.session))
  return sql<LookRow>`${sql.join(parts, sql` union all `)}`
})

/** Looks at all of it in one statement: its cost is bound to the time asked for and the caller's own holds. */
export async function look(db: Queries, request: LookRequest): Promise<Look> {
  const { now, businessId, resourceIds, taken, day, rules, session, asksVersion } = request
  // a claim that starts before this is over by then
  const earliest = instantFromMs(Math.max(0, toMs(taken.starts_at) - longestClaimMs))
  const given = { now, businessId, resourceIds, taken, earliest, day, rules, session, asksVersion }
  return read((await looks(db, given)).rows)
}

function claimsInTheWay({ resourceIds, taken, earliest }: Looking) {
  return sql`
    select 'claim' as kind, id, resource_id, occurrence_id, owner_id, seat, starts_at, ends_at, expires_at, 0 as count
      from claims
     where resource_id in (${sql.join(resourceIds)})
       and starts_at < ${taken.ends_at} and starts_at >= ${earliest} and ends_at > ${taken.starts_at}`
}

function bookingsOfDay({ businessId, resourceIds }: Looking, day: NonNullable<Looking['day']>) {
  return sql`
    select 'day', null, staff_id, null, null, null, null, null, null, count(*)
      from bookings
     where business_id = ${businessId} and staff_id in (${sql.join(resourceIds)}) and cancelled_at is null
       and starts_at >= ${day.from} and starts_at < ${day.to}
     group by staff_id`
}

/** The version that all that is known of the catalogue must be of. */
function catalogueVersion({ businessId }: Looking) {
  return sql`
    select 'version', null, null, null, null, null, null, null, null, catalogue_version
      from businesses where id = ${businessId}`
}

/** Blocks of the location and of its staff, which have an index each. */
function ofRules({ businessId }: Looking, { locationId, staffIds, slot }: NonNullable<Looking['rules']>) {
  const blocks = sql`
    select 'block', null, staff_id, null, null, null, starts_at, ends_at, null, 0 from blocks
     where business_id = ${businessId} and ends_at > ${slot.starts_at} and starts_at < ${slot.ends_at}`
  const ofLocation = sql`${blocks} and location_id = ${locationId}`
  if (staffIds.length === 0) return [ofLocation]
  return [ofLocation, sql`${blocks} and staff_id in (${sql.join(staffIds)})`]
}

function ofSession({ businessId, now }: Looking, session: NonNullable<Looking['session']>) {
  const { network, widerNetwork } = session
  return [
    sql`
    select 'own', c.id, null, null, null, case when h.client_wider_network = ${widerNetwork} then 1 else 0 end,
           h.starts_at, h.ends_at, c.expires_at, case when h.client_network = ${network} then 1 else 0 end
      from claims as c join holds as h on h.id = c.id and h.business_id = c.business_id
     where c.owner_id = ${session.ownerId} and c.business_id = ${businessId} and c.expires_at > ${now}`,
    sql`
    select 'unpaid', b.id, null, null, null, null, null, null, m.expires_at, 0
      from bookings as b join payments as m on m.id = b.payment_id
     where b.owner_id = ${session.ownerId} and ${unpaid}`,
    ...onNetwork(session, { kind: 'network', network, now }),
    ...(widerNetwork === null ? [] : onNetwork(session, { kind: 'wider', network: widerNetwork, now })),
    sql`
    select 'sequence', null, null, null, null, null, null, null, null, coalesce(max(owner_sequence), 0)
      from holds where owner_id = ${session.ownerId}`,
  ]
}

/** Takes its slot until somebody pays, or the checkout ends: it counts like a hold. */
const unpaid = sql`b.status = 'pending' and b.confirmed_at is null`

function onNetwork(
  { ownerId, dayAgo }: NonNullable<Looking['session']>,
  { kind, network, now }: Given<{ network: string; now: Instant }> & { kind: 'network' | 'wider' },
) {
  const [ofHold, ofAttempt] =
    kind === 'network'
      ? [sql.ref('h.client_network'), sql.ref('a.network')]
      : [sql.ref('h.client_wider_network'), sql.ref('a.wider_network')]
  return [
    sql`
    select ${sql.lit(kind)}, null, null, null, null, null, null, null, min(c.expires_at), count(*)
      from holds as h join claims as c on c.id = h.id and c.expires_at > ${now}
     where ${ofHold} = ${network} and h.expires_at > ${now} and h.owner_id <> ${ownerId}`,
    sql`
    select ${sql.lit(kind)}, null, null, null, null, null, null, null, min(m.expires_at), count(*)
      from booking_attempts as a join bookings as b on b.business_id = a.business_id and b.id = a.id
           join payments as m on m.id = b.payment_id
     where ${ofAttempt} = ${network} and a.counted_at > ${dayAgo} and ${unpaid}`,
  ]
}

function read(rows: LookRow[]): Look {
  const of = (kind: LookRow['kind']) => rows.filter((row) => row.kind === kind)
  const counted = (kind: 'network' | 'wider') =>
    of(kind).map(({ count, expires_at }) => ({ count, firstExpiry: expires_at }))
  return {
    claims: of('claim') as unknown as ClaimSeen[], // the columns of a claim that the first part selects
    ownHolds: of('own').map((row) => ({
      ...(row as unknown as Span & { id: string; expires_at: Instant }), // the columns of a hold that its part selects
      onNetwork: row.count === 1,
      onWiderNetwork: row.seat === 1,
    })),
    ownUnpaid: of('unpaid').flatMap(({ expires_at }) => expires_at ?? []),
    onNetwork: counted('network'),
    onWiderNetwork: counted('wider'),
    bookingsOfDay: new Map(of('day').map((row) => [row.resource_id ?? '', row.count])),
    blocks: of('block').map((row) => {
      const { starts_at, ends_at } = row as unknown as Span // the columns of a block that its part selects
      return { from: toMs(starts_at), to: toMs(ends_at), staffId: row.resource_id }
    }),
    catalogueVersion: of('version')[0]?.count,
    lastSequence: of('sequence')[0]?.count ?? 0,
  }
}

/** How many claims of holds have not lapsed. Its cost is that of reading them from an index. */
export async function countClaimsOfHolds(db: Queries, now: Instant): Promise<number> {
  const { active } = await db
    .selectFrom('claims')
    .where('expires_at', '>', now)
    .select(({ fn }) => fn.countAll<number>().as('active'))
    .executeTakeFirstOrThrow()
  return active
}

const addition = compiledOnce((db, claim: Given<ClaimsTable>) =>
  db
    .insertInto('claims')
    .values(claim)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id'),
)

/** Takes a seat for a time. False when a claim in the way kept it from being written. */
export async function insertClaim(db: Queries, claim: ClaimsTable): Promise<boolean> {
  const { rows } = await addition(db, claim)
  return rows.length > 0
}

/** Removes claims whose holds have lapsed; one that became a booking meanwhile stays. */
export async function removeLapsedClaims(db: Queries, ids: string[], now: Instant): Promise<void> {
  await db.deleteFrom('claims').where('id', 'in', ids).where('expires_at', '<=', now).execute()
}

/** Removes the claims of holds that their owner gives up; one that became a booking meanwhile stays. */
export async function removeHoldClaims(db: Queries, businessId: string, ids: string[]): Promise<void> {
  await db
    .deleteFrom('claims')
    .where('business_id', '=', businessId)
    .where('id', 'in', ids)
    .where('booking_id', 'is', null)
    .execute()
}

const removalOfBooking = compiledOnce((db, { businessId, id }: Given<{ businessId: string; id: string }>) =>
  db
    .deleteFrom('claims')
    .where('business_id', '=', businessId)
    .where('booking_id', '=', id)
    .where('id', '=', id),
)

/** Removes the claim of a booking. */
export async function removeBookingClaim(db: Queries, businessId: string, id: string): Promise<void> {
  await removalOfBooking(db, { businessId, id })
}

interface ClaimOfHold {
  businessId: string
  id: string
  now: Instant
}

const conversion = compiledOnce((db, { businessId, id, now }: Given<ClaimOfHold>) =>
  db
    .updateTable('claims')
    .set({ booking_id: id, owner_id: null, expires_at: null })
    .where('business_id', '=', businessId)
    .where('id', '=', id)
    .where('expires_at', '>', now),
)

/**
 * Turns the claim of a hold into that of the booking with the same id. False when it has lapsed or is
 * gone: this one statement decides between the owner and a rival at the instant of expiry.
 */
export async function bookClaim(db: Queries, claim: ClaimOfHold): Promise<boolean> {
  const { numAffectedRows } = await conversion(db, claim)
  return numAffectedRows === 1n
}

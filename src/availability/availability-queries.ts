import { sql } from 'kysely'
import { type Instant, nearestInstant, secondsTextToMs, toMs } from '../base/instants.ts'
import type { Reads } from '../database/database.ts'
import { readSeats } from '../database/seat-sets.ts'
import type { Block } from './offer-rules.ts'
import { maxClaimMs } from './resource-rules.ts'
import type { Claimed, OwnSlot, Taken } from './slot-rules.ts'
import type { VisitBlock } from './visit-rules.ts'
import type { Interval } from './zone-rules.ts'

interface TakenRequest {
  now: Instant
  businessId: string
  serviceId: string
  locationId: string
  staffIds: string[]
  resourceIds: string[]
  /** Capacity of the service; for a visit, the largest of all capacities and quantities. */
  seats: number
  /** The span that slots may take, buffers included. */
  span: Interval
  /** The session whose own holds do not obstruct slots; undefined for keys. */
  ownerId: string | undefined
  /** The booking to move, which does not obstruct itself. */
  exceptBookingId?: string | undefined
}

/** A row of one kind. The columns of the other kinds are null. */
export type TakenRow = VersionRow | ClaimsRow | BlockRow | OwnHoldRow | BookingsRow | OwnVisitRow

interface VersionRow {
  kind: 'version'
  /** The business. */
  id: string
  /** The version of its catalogue. */
  version: number
}

interface ClaimsRow {
  kind: 'claims'
  /** The resource. */
  id: string
  /** In the format of `readClaim`, separated by `;`. */
  claims: string
}

interface BlockRow {
  /** `busy` comes from a staff member's busy calendar; `block` was entered by hand; `room` blocks a resource. */
  kind: 'busy' | 'block' | 'room'
  /** The staff member or resource; null for the whole location. */
  id: string | null
  starts_at: Instant
  ends_at: Instant
}

interface OwnHoldRow {
  kind: 'own'
  /** The staff member; null if the service needs no staff. */
  id: string | null
  starts_at: Instant
}

interface BookingsRow {
  kind: 'bookings'
  /** The staff member. */
  id: string
  /** The starts of bookings, separated by `;`. */
  claims: string
}

interface OwnVisitRow {
  kind: 'visit'
  /** The first item. */
  starts_at: Instant
  /** Number, service and start of each item, separated by `;`. */
  claims: string
}

/**
 * Reads everything that obstructs slots in a span, in one statement. The cost depends on the span and the
 * caller's own holds, not on earlier bookings.
 */
export async function findTaken(db: Reads, request: TakenRequest): Promise<TakenRow[]> {
  const parts = [version(request), claims(request), ...blocks(request)]
  if (request.ownerId !== undefined) parts.push(ownHolds(request, request.ownerId))
  const { rows } = await sql<TakenRow>`${sql.join(parts, sql` union all `)}`.execute(db)
  return rows
}

interface VisitsRequest extends TakenRequest {
  /** The needed resources, which are among `resourceIds`. */
  roomIds: string[]
  /** The days whose bookings count for the choice of staff. */
  days: Interval
  /** True if the visit has several items. */
  isSeveral: boolean
}

/** Like `findTaken`, with blocks of resources and the bookings of staff. */
export async function findTakenForVisits(db: Reads, request: VisitsRequest): Promise<TakenRow[]> {
  const { ownerId, roomIds, staffIds, isSeveral } = request
  const parts = [version(request), claims(request), ...blocks(request)]
  if (roomIds.length > 0) parts.push(blocksOfRooms(request))
  if (staffIds.length > 1) parts.push(...bookings(request))
  if (ownerId !== undefined)
    parts.push(isSeveral ? ownVisits(request, ownerId) : ownHolds(request, ownerId, true))
  const { rows } = await sql<TakenRow>`${sql.join(parts, sql` union all `)}`.execute(db)
  return rows
}

/** Returns true if a session has active holds. */
export async function hasHolds(
  db: Reads,
  { ownerId, now }: { ownerId: string; now: Instant },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from claims
     where owner_id = ${ownerId} and owner_sequence is not null and booked_at is null
       and (ended_at is null) is true and expires_at > ${now}
     limit 1`.execute(db)
  return rows.length > 0
}

/** Returns the catalogue version; undefined for a deleted business. */
export function versionOf(rows: readonly TakenRow[]): number | undefined {
  return rows.find((row) => row.kind === 'version')?.version
}

/** Returns blocks of resources, the starts of bookings by staff member, and the items of own holds. */
export function readTakenForVisits(rows: readonly TakenRow[]) {
  const roomBlocks: VisitBlock[] = []
  const bookings = new Map<string, number[]>()
  const ownVisits: OwnItem[][] = []
  for (const row of rows) {
    if (row.kind === 'bookings') {
      const starts = row.claims.split(';').map((text) => secondsTextToMs(text))
      bookings.set(row.id, [...(bookings.get(row.id) ?? []), ...starts])
    } else if (row.kind === 'room') {
      const { id: resourceId, starts_at, ends_at } = row
      roomBlocks.push({ from: toMs(starts_at), to: toMs(ends_at), staffId: null, resourceId })
    } else if (row.kind === 'visit') ownVisits.push(readItems(row.claims))
  }
  return { ...readTaken(rows), roomBlocks, bookings, ownVisits }
}

/** An item of the caller's own hold. */
export interface OwnItem {
  serviceId: string
  startsAtMs: number
}

function readItems(text: string): OwnItem[] {
  const items = text.split(';').map((item) => {
    const [number, serviceId = '', startsAt = ''] = item.split(',')
    return { number: Number(number), serviceId, startsAtMs: secondsTextToMs(startsAt) }
  })
  return items.toSorted((one, other) => one.number - other.number)
}

export function readTaken(rows: readonly TakenRow[]): Omit<Taken, 'partySize'> & { blocks: Block[] } {
  const claims = new Map<string, Claimed[]>()
  const blocks: Block[] = []
  const ownSlots: OwnSlot[] = []
  for (const row of rows) {
    if (row.kind === 'claims') claims.set(row.id, row.claims.split(';').map(readClaim))
    else if (row.kind === 'own') ownSlots.push({ startsAtMs: toMs(row.starts_at), staffId: row.id })
    else if (row.kind === 'block' || row.kind === 'busy') {
      const { kind, id: staffId, starts_at, ends_at } = row
      blocks.push({ from: toMs(starts_at), to: toMs(ends_at), staffId, isElsewhere: kind === 'busy' })
    }
  }
  return { claims, blocks, ownSlots }
}

/**
 * Parses `2026-12-01T09:00:00.000Z,2026-12-01T09:30:00.000Z,0,booked`. Several seats form a set without
 * commas; the occurrence follows if capacity is above one. PostgreSQL formats the times slightly differently.
 */
function readClaim(text: string): Claimed {
  const [startsAt = '', endsAt = '', seats = '', state, occurrenceId = ''] = text.split(',')
  return {
    from: secondsTextToMs(startsAt),
    to: secondsTextToMs(endsAt),
    seats: readSeats(seats),
    held: state === 'held',
    occurrenceId,
  }
}

/** Selects the version. Must be the first part, because it names the columns and sets their types. */
function version({ businessId }: TakenRequest) {
  return sql`
    select 'version' as kind,
           id,
           catalogue_version as version,
           cast(null as text) as claims,
           created_at as starts_at,
           created_at as ends_at
      from businesses
     where id = ${businessId}`
}

/**
 * Selects all claims of a resource as one text. As rows, a busy month would cost more than everything else
 * (decision 15). The text omits the occurrence if there is one seat, because any claim then obstructs.
 */
function claims({ resourceIds, seats, span, now, ownerId, exceptBookingId }: TakenRequest) {
  const from = nearestInstant(span.from)
  const earliest = nearestInstant(span.from - maxClaimMs)
  return sql`
    select 'claims',
           resource_id,
           null,
           string_agg(concat_ws(',', taken_from,
                                     taken_until,
                                     case when seats is null then cast(seat as text)
                                          else replace(cast(seats as text), ',', ' ') end,
                                     case when booked_at is null then 'held' else 'booked' end
                                     ${seats === 1 ? sql`` : sql`, occurrence_id`}), ';'),
           null,
           null
      from claims
     where resource_id in (${sql.join(resourceIds)}) and lasts_long in (0, 1) and (ended_at is null) is true
       and taken_from >= ${earliest} and taken_from < ${nearestInstant(span.to)} and taken_until > ${from}
       and (booked_at is not null or expires_at > ${now}) ${
         ownerId === undefined ? sql`` : sql`and (booked_at is not null or owner_id <> ${ownerId})`
       } ${exceptBookingId === undefined ? sql`` : sql`and coalesce(visit_id, id) <> ${exceptBookingId}`}
     group by resource_id`
}

/** Selects blocks, with one select each for location and staff, because each has its own index. */
function blocks({ businessId, locationId, staffIds, span }: TakenRequest) {
  const within = sql`(business_id = ${businessId}) is true
       and ends_at > ${nearestInstant(span.from)} and starts_at < ${nearestInstant(span.to)}`
  const select = sql`
    select case when busy_calendar_id is null then 'block' else 'busy' end,
           staff_id,
           null,
           null,
           starts_at,
           ends_at
      from blocks`
  const ofLocation = sql`${select} where location_id = ${locationId} and ${within}`
  if (staffIds.length === 0) return [ofLocation]
  return [ofLocation, sql`${select} where staff_id in (${sql.join(staffIds)}) and ${within}`]
}

function blocksOfRooms({ businessId, roomIds, span }: VisitsRequest) {
  return sql`
    select 'room', resource_id, null, null, starts_at, ends_at
      from blocks
     where resource_id in (${sql.join(roomIds)}) and (business_id = ${businessId}) is true
       and ends_at > ${nearestInstant(span.from)} and starts_at < ${nearestInstant(span.to)}`
}

/** Selects bookings of staff, in one part for the first items and one for the further items of visits. */
function bookings({ businessId, staffIds, days }: VisitsRequest) {
  const within = (starts: string) =>
    sql`${sql.ref(starts)} >= ${nearestInstant(days.from)} and ${sql.ref(starts)} < ${nearestInstant(days.to)}`
  // by the index of each staff member, not through all bookings of the business
  return [
    sql`
    select 'bookings', staff_id, null, string_agg(concat_ws(',', starts_at), ';'), null, null
      from bookings
     where staff_id in (${sql.join(staffIds)}) and (business_id = ${businessId}) is true and cancelled_at is null
       and ${within('starts_at')}
     group by staff_id`,
    sql`
    select 'bookings', i.staff_id, null, string_agg(concat_ws(',', i.starts_at), ';'), null, null
      from visit_items as i
     where i.staff_id in (${sql.join(staffIds)}) and (i.business_id = ${businessId}) is true and i.item > 0
       and ${within('i.starts_at')} and (select b.cancelled_at is null from bookings as b where b.business_id = i.business_id and b.id = i.visit_id)
     group by i.staff_id`,
  ]
}

function ownVisits({ businessId, serviceId, locationId, now }: VisitsRequest, ownerId: string) {
  return sql`
    select 'visit',
           null,
           null,
           string_agg(concat_ws(',', i.item, i.service_id, i.starts_at), ';'),
           c.starts_at,
           null
      from claims as c
           join visit_items as i on i.visit_id = c.id
     where c.owner_id = ${ownerId} and c.owner_sequence is not null and c.business_id = ${businessId}
       and c.booked_at is null and (c.ended_at is null) is true and c.expires_at > ${now}
       and c.service_id = ${serviceId} and c.location_id = ${locationId}
     group by c.id, c.starts_at`
}

/** Selects own holds of one service. With `takesSeveral`, it takes several claims, and visits of several do not count. */
function ownHolds(
  { businessId, serviceId, locationId, now }: TakenRequest,
  ownerId: string,
  takesSeveral = false,
) {
  const isAlone = takesSeveral
    ? sql`not exists (select 1 from visit_items as i where i.visit_id = claims.id and i.item > 0)`
    : sql`claim_count = 1`
  return sql`
    select 'own',
           staff_id,
           null,
           null,
           starts_at,
           null
      from claims
     where owner_id = ${ownerId} and owner_sequence is not null and business_id = ${businessId}
       and booked_at is null and (ended_at is null) is true and expires_at > ${now}
       and service_id = ${serviceId} and location_id = ${locationId} and ${isAlone}`
}

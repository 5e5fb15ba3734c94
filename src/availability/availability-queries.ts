import { sql } from 'kysely'
import type { Queries } from '../database/database.ts'
import { nearestInstant, secondsTextToMs, toMs, type Instant } from '../instants.ts'
import type { Claimed } from './occupancy-rules.ts'
import type { Block } from './offer-rules.ts'
import { longestClaimMs } from './resource-rules.ts'
import type { OwnSlot, Taken } from './slot-rules.ts'
import type { MsSpan } from './zone-rules.ts'

/** What a look at the database is for. */
export interface TakenRequest {
  now: Instant
  businessId: string
  serviceId: string
  locationId: string
  staffIds: string[]
  resourceIds: string[]
  /** How many of one occurrence a resource takes at once. */
  seats: number
  /** What slots may take, buffers included. */
  span: MsSpan
  /** The session that asks, whose own holds obstruct nothing; undefined for keys. */
  ownerId: string | undefined
  /** A booking that is to be moved: it is not in its own way. */
  exceptBookingId?: string | undefined
}

/** What a look at the database reads. Each kind leaves the columns of the others null. */
export type TakenRow = VersionRow | ClaimsRow | BlockRow | OwnHoldRow

interface VersionRow {
  kind: 'version'
  /** The business. */
  id: string
  /** Of its catalogue. */
  version: number
}

interface ClaimsRow {
  kind: 'claims'
  /** The resource. */
  id: string
  /** As `readClaim` reads them, with `;` between them. */
  claims: string
}

interface BlockRow {
  kind: 'block'
  /** The staff member; null for the whole location. */
  id: string | null
  starts_at: Instant
  ends_at: Instant
}

interface OwnHoldRow {
  kind: 'own'
  /** The staff member; null where the service needs nobody. */
  id: string | null
  starts_at: Instant
}

/**
 * Reads all that obstructs slots in a time, in one statement: its cost is bound to that time and to the caller's
 * own holds, not to what was booked before.
 */
export async function findTaken(db: Queries, request: TakenRequest): Promise<TakenRow[]> {
  const parts = [version(request), claims(request), ...blocks(request)]
  if (request.ownerId !== undefined) parts.push(ownHolds(request, request.ownerId))
  const { rows } = await sql<TakenRow>`${sql.join(parts, sql` union all `)}`.execute(db)
  return rows
}

/** The version of the catalogue; undefined when the business is gone. */
export function versionOf(rows: readonly TakenRow[]): number | undefined {
  return rows.find((row) => row.kind === 'version')?.version
}

/** Takes apart what was read. */
export function readTaken(rows: readonly TakenRow[]): Taken & { blocks: Block[] } {
  const claims = new Map<string, Claimed[]>()
  const blocks: Block[] = []
  const ownSlots: OwnSlot[] = []
  for (const row of rows) {
    if (row.kind === 'claims') claims.set(row.id, row.claims.split(';').map(readClaim))
    else if (row.kind === 'own') ownSlots.push({ startsAtMs: toMs(row.starts_at), staffId: row.id })
    else if (row.kind === 'block')
      blocks.push({ from: toMs(row.starts_at), to: toMs(row.ends_at), staffId: row.id })
  }
  return { claims, blocks, ownSlots }
}

/** `2026-12-01T09:00:00.000Z,2026-12-01T09:30:00.000Z,0,booked` and perhaps an occurrence; PostgreSQL writes the times a little otherwise. */
function readClaim(text: string): Claimed {
  const [startsAt = '', endsAt = '', seat, state, occurrenceId = ''] = text.split(',')
  return {
    from: secondsTextToMs(startsAt),
    to: secondsTextToMs(endsAt),
    seat: Number(seat),
    held: state === 'held',
    occurrenceId,
  }
}

/** The first of the parts: it names the columns and gives them their types. */
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
 * The claims of a resource in one text: as rows, those of a busy month would take longer than all the rest (decision 15).
 * Who has the only seat is in the way whatever the occurrence, so that it is left out.
 */
function claims({ resourceIds, seats, span, now, ownerId, exceptBookingId }: TakenRequest) {
  const from = nearestInstant(span.from)
  const earliest = nearestInstant(span.from - longestClaimMs)
  const occurrence = seats === 1 ? sql`case when seat > 0 then occurrence_id end` : sql`occurrence_id`
  return sql`
    select 'claims',
           resource_id,
           null,
           string_agg(concat_ws(',', starts_at,
                                     ends_at,
                                     seat,
                                     case when expires_at is null then 'booked' else 'held' end,
                                     ${occurrence}), ';'),
           null,
           null
      from claims
     where resource_id in (${sql.join(resourceIds)})
       and starts_at >= ${earliest} and starts_at < ${nearestInstant(span.to)} and ends_at > ${from}
       and (expires_at is null or expires_at > ${now}) ${
         ownerId === undefined ? sql`` : sql`and (owner_id is null or owner_id <> ${ownerId})`
       } ${exceptBookingId === undefined ? sql`` : sql`and id <> ${exceptBookingId}`}
     group by resource_id`
}

/** Those of the location, and those of its staff: each has an index of its own. */
function blocks({ businessId, locationId, staffIds, span }: TakenRequest) {
  const within = sql`business_id = ${businessId}
       and ends_at > ${nearestInstant(span.from)} and starts_at < ${nearestInstant(span.to)}`
  const select = sql`
    select 'block',
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

function ownHolds({ businessId, serviceId, locationId, now }: TakenRequest, ownerId: string) {
  return sql`
    select 'own',
           h.staff_id,
           null,
           null,
           h.starts_at,
           null
      from claims as c join holds as h on h.id = c.id and h.business_id = c.business_id
     where c.owner_id = ${ownerId} and c.business_id = ${businessId} and c.expires_at > ${now}
       and h.service_id = ${serviceId} and h.location_id = ${locationId}`
}

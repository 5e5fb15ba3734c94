import { sql } from 'kysely'
import type { Engine, Queries } from '../database/database.ts'
import { nearestInstant, type Instant } from '../instants.ts'
import { packedClaims, unpackClaims } from './packed-claim-queries.ts'
import { longestClaimMs } from './resource-rules.ts'
import { SeenTaken, type TakenRow } from './taken-rules.ts'
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

/**
 * Reads all that obstructs slots in a time, in one statement: its cost is bound to that time and to the caller's
 * own holds, not to what was booked before.
 */
export async function findTaken(db: Queries, engine: Engine, request: TakenRequest): Promise<SeenTaken> {
  const parts = [version(request), claims(engine, request), ...blocks(request)]
  if (request.ownerId !== undefined) parts.push(ownHolds(request, request.ownerId))
  const { rows } = await sql<TakenRow>`${sql.join(parts, sql` union all `)}`.execute(db)
  return new SeenTaken(rows, (packed) => unpackClaims(engine, request.seats, packed))
}

function version({ businessId }: TakenRequest) {
  return sql`
    select 'version' as kind, id, null as claims, catalogue_version as number, created_at as starts_at,
           created_at as ends_at
      from businesses where id = ${businessId}`
}

/** The claims of each resource in one row. */
function claims(engine: Engine, { resourceIds, seats, span, now, ownerId, exceptBookingId }: TakenRequest) {
  const from = nearestInstant(span.from)
  const earliest = nearestInstant(span.from - longestClaimMs)
  return sql`
    select 'claims', resource_id, ${packedClaims(engine, seats)}, null, null, null
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
  const select = sql`select 'block', staff_id, null, null, starts_at, ends_at from blocks`
  const ofLocation = sql`${select} where location_id = ${locationId} and ${within}`
  if (staffIds.length === 0) return [ofLocation]
  return [ofLocation, sql`${select} where staff_id in (${sql.join(staffIds)}) and ${within}`]
}

function ownHolds({ businessId, serviceId, locationId, now }: TakenRequest, ownerId: string) {
  return sql`
    select 'own', h.staff_id, null, null, h.starts_at, h.ends_at
      from claims as c join holds as h on h.id = c.id and h.business_id = c.business_id
     where c.owner_id = ${ownerId} and c.business_id = ${businessId} and c.expires_at > ${now}
       and h.service_id = ${serviceId} and h.location_id = ${locationId}`
}

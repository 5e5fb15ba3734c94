import { sql } from 'kysely'
import type { Engine, Queries } from '../database/database.ts'
import { nearestInstant, toMs, type Instant } from '../instants.ts'
import type { Claimed } from './occupancy-rules.ts'
import type { Block } from './offer-rules.ts'
import { packedClaims, unpackClaims } from './packed-claim-queries.ts'
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

interface Row {
  kind: 'claims' | 'own' | 'block' | 'version'
  id: string | null
  claims: string | null
  number: number | null
  starts_at: Instant | null
  ends_at: Instant | null
}

/** What is taken, as of one moment. */
export class SeenTaken {
  /** The version of the catalogue of the business. */
  readonly version: number
  /** How many characters it takes to keep. */
  readonly size: number
  private readonly rows: readonly Row[]
  private readonly unpack: (packed: string) => Claimed[]

  constructor(rows: readonly Row[], unpack: (packed: string) => Claimed[]) {
    this.rows = rows
    this.unpack = unpack
    this.version = rows.find(({ kind }) => kind === 'version')?.number ?? 0
    this.size = rows.reduce((size, { claims }) => size + charactersOfRow + (claims?.length ?? 0), 0)
  }

  /** The times about which an earlier look saw something else; undefined if it saw another version of the catalogue. */
  changesSince(earlier: SeenTaken): MsSpan[] | undefined {
    if (earlier.version !== this.version) return undefined
    const changes: MsSpan[] = []
    const gone = new Map(earlier.rows.map((row) => [identityOf(row), row]))
    for (const row of this.rows) {
      const before = gone.get(identityOf(row))
      gone.delete(identityOf(row))
      if (row.claims !== (before?.claims ?? null)) {
        changes.push(...differences(this.claimsOf(before), this.claimsOf(row)))
      } else if (!before) changes.push(spanOf(row))
    }
    for (const row of gone.values()) {
      changes.push(...(row.kind === 'claims' ? this.claimsOf(row) : [spanOf(row)]))
    }
    return changes
  }

  /** Takes apart what was read. */
  read(): Taken & { blocks: Block[] } {
    const claims = new Map<string, Claimed[]>()
    const blocks: Block[] = []
    const ownSlots: OwnSlot[] = []
    for (const row of this.rows) {
      const span = spanOf(row)
      if (row.kind === 'claims') claims.set(row.id ?? '', this.claimsOf(row))
      else if (row.kind === 'block') blocks.push({ ...span, staffId: row.id })
      else if (row.kind === 'own') ownSlots.push({ startsAtMs: span.from, staffId: row.id })
    }
    return { claims, blocks, ownSlots }
  }

  private claimsOf(row: Row | undefined): Claimed[] {
    return row?.claims ? this.unpack(row.claims) : []
  }
}

/** About what the rest of a row takes. */
const charactersOfRow = 200

function spanOf({ starts_at, ends_at }: Row): MsSpan {
  return { from: starts_at ? toMs(starts_at) : 0, to: ends_at ? toMs(ends_at) : 0 }
}

/** What is said of the claims of a resource may change; any other row that is not the same is another. */
function identityOf({ kind, id, starts_at, ends_at }: Row): string {
  return [kind, id, starts_at, ends_at].join(' ')
}

/** The claims that are among one only. Whether they are held or booked makes no difference to what is free. */
function differences(one: Claimed[], other: Claimed[]): Claimed[] {
  const byIdentity = (claims: Claimed[]) =>
    new Map(claims.map((claim) => [`${claim.from} ${claim.to} ${claim.seat} ${claim.occurrenceId}`, claim]))
  const [ones, others] = [byIdentity(one), byIdentity(other)]
  return [...ones, ...others]
    .filter(([identity]) => !ones.has(identity) || !others.has(identity))
    .map(([, claim]) => claim)
}

/**
 * Reads all that obstructs slots in a time, in one statement: its cost is bound to that time and to the caller's
 * own holds, not to what was booked before.
 */
export async function findTaken(db: Queries, engine: Engine, request: TakenRequest): Promise<SeenTaken> {
  const parts = [version(request), claims(engine, request), ...blocks(request)]
  if (request.ownerId !== undefined) parts.push(ownHolds(request, request.ownerId))
  const { rows } = await sql<Row>`${sql.join(parts, sql` union all `)}`.execute(db)
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

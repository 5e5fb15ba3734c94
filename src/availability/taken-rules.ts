import { toMs, type Instant } from '../instants.ts'
import type { Claimed } from './occupancy-rules.ts'
import type { Block } from './offer-rules.ts'
import type { OwnSlot, Taken } from './slot-rules.ts'
import type { MsSpan } from './zone-rules.ts'

/** A row of what a look at the database reads: the claims of a resource, an own hold, a block, or the version of the catalogue. */
export interface TakenRow {
  kind: 'claims' | 'own' | 'block' | 'version'
  id: string | null
  /** As `packedClaims` packs them. */
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
  private readonly rows: readonly TakenRow[]
  private readonly unpack: (packed: string) => Claimed[]

  constructor(rows: readonly TakenRow[], unpack: (packed: string) => Claimed[]) {
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

  private claimsOf(row: TakenRow | undefined): Claimed[] {
    return row?.claims ? this.unpack(row.claims) : []
  }
}

/** About what the rest of a row takes. */
const charactersOfRow = 200

function spanOf({ starts_at, ends_at }: TakenRow): MsSpan {
  return { from: starts_at ? toMs(starts_at) : 0, to: ends_at ? toMs(ends_at) : 0 }
}

/** What is said of the claims of a resource may change; any other row that is not the same is another. */
function identityOf({ kind, id, starts_at, ends_at }: TakenRow): string {
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

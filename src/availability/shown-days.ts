import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import type { TakenRow } from './availability-queries.ts'
import type { Look } from './look-for-slots.ts'

/** What is shown of the days of a look. */
export interface ShownDays {
  /** JSON, by local day. */
  texts: ReadonlyMap<number, string>
  /** When the first slot of them starts, in milliseconds since 1970-01-01T00:00:00Z; Infinity where none is free. */
  earliestMs: number
}

/** In all, in characters: some dozen months of busy places, or a thousand weeks of small ones. */
const mostCharacters = 8_000_000
/** About what a row takes beside its claims. */
const charactersOfRow = 200

/**
 * Keeps what was shown last of some days beside what it was made of. Nothing is ever shown that is out of date: each look reads
 * again what is taken, and as of which version of the catalogue, and only where it reads the same, the same is shown.
 */
export class LastShown {
  private readonly kept = new LRUCache<string, { rows: TakenRow[]; nowMs: number; shown: ShownDays }>({
    maxSize: mostCharacters,
    sizeCalculation: ({ rows, shown: { texts } }) =>
      texts.values().reduce((size, text) => size + text.length, 0) +
      rows.reduce((size, row) => size + charactersOfRow + (row.kind === 'claims' ? row.claims.length : 0), 0),
  })

  /** What is shown of the days of a look, if it was made of the same, and the time that has passed takes no slot away. */
  find(look: Look): ShownDays | undefined {
    const last = this.kept.get(keyOf(look))
    if (!last || look.nowMs < last.nowMs) return undefined // set back, a clock may offer what was too soon
    const { earliestMs } = last.shown
    const isTooSoon =
      earliestMs <= look.nowMs || earliestMs < look.nowMs + look.offer.service.min_notice_minutes * 60_000
    return !isTooSoon && isDeepStrictEqual(look.rows, last.rows) ? last.shown : undefined
  }

  /** Keeps what is shown of the days of a look. */
  keep(look: Look, shown: ShownDays): void {
    const { rows, nowMs } = look
    this.kept.set(keyOf(look), { rows, nowMs, shown })
  }
}

/** Days beyond the horizon, and those that are past, are never looked at. */
function keyOf({ offer: { service, location, staff }, days }: Look): string {
  return [service.id, location.id, days.first, days.last, ...staff.map(({ id }) => id)].join(' ')
}

import { LRUCache } from 'lru-cache'
import type { Offer } from './offer-rules.ts'
import type { SeenTaken } from './taken-rules.ts'
import { eachDay, type Days, type MsSpan, type ZoneOffsets } from './zone-rules.ts'

/** One local date of an answer. */
export interface ShownDay {
  /** JSON. */
  text: string
  /** When its first slot starts, in milliseconds since 1970-01-01T00:00:00Z; Infinity where no slot is free. */
  earliestMs: number
}

/** What a look saw of an offer on some local days, and when, in milliseconds since 1970-01-01T00:00:00Z. */
interface Seen {
  offer: Offer
  days: Days
  zone: ZoneOffsets
  nowMs: number
  taken: SeenTaken
}

interface Shown extends Pick<Seen, 'taken' | 'nowMs'> {
  /** By local day. */
  days: ReadonlyMap<number, ShownDay>
}

/** In all, in characters: some dozen months of busy places, or a thousand weeks of small ones. */
const mostCharacters = 8_000_000

/**
 * Keeps what was shown of some days, for as long as it would be made of the same: most who ask for a month see what the one
 * before saw, or nearly. Nothing is ever shown that is out of date, since each time the database is asked what is taken, and
 * under which version of the catalogue.
 */
export class ShownDays {
  private readonly kept = new LRUCache<string, Shown>({
    maxSize: mostCharacters,
    sizeCalculation: ({ days, taken }) =>
      days.values().reduce((size, { text }) => size + text.length, taken.size),
  })

  /** What was shown of those days about which another look saw the same, and the rules say the same at its time. */
  find(look: Seen): Map<number, ShownDay> {
    const shown = this.kept.get(keyOf(look))
    if (!shown || look.nowMs < shown.nowMs) return new Map() // what was too soon may be offered when clocks are set back
    const changes = look.taken.changesSince(shown.taken)
    if (!changes) return new Map()
    const changed = new Set(changes.flatMap((change) => daysAround(change, look)))
    return new Map(
      shown.days
        .entries()
        .filter(([day, { earliestMs }]) => !changed.has(day) && !isTooLate(earliestMs, look)),
    )
  }

  /** Keeps what is shown now of all days of a look. */
  keep(look: Seen, days: ReadonlyMap<number, ShownDay>): void {
    const { taken, nowMs } = look
    this.kept.set(keyOf(look), { days, taken, nowMs })
  }
}

/** The version of the catalogue is part of what was seen. */
function keyOf({ offer: { service, location, staff }, days }: Seen): string {
  return [service.id, location.id, days.first, days.last, ...staff.map(({ id }) => id)].join(' ')
}

/** The days with slots that a change in some time may bear on. */
function daysAround({ from, to }: MsSpan, { offer: { service }, days, zone }: Seen): number[] {
  const { duration_minutes, buffer_before_minutes, buffer_after_minutes } = service
  const { from: firstMs, to: endMs } = zone.spanOf(days)
  const earliest = Math.max(from - (duration_minutes + buffer_after_minutes) * 60_000, firstMs)
  const latest = Math.min(to + buffer_before_minutes * 60_000, endMs - 1)
  return earliest > latest ? [] : [...eachDay({ first: zone.dayAt(earliest), last: zone.dayAt(latest) })]
}

/** Time passes: what starts too soon is not offered any more. (Days beyond the horizon are never looked at.) */
function isTooLate(startsAtMs: number, { nowMs, offer: { service } }: Seen): boolean {
  return startsAtMs <= nowMs || startsAtMs < nowMs + service.min_notice_minutes * 60_000
}

import { LRUCache } from 'lru-cache'
import type { SeenTaken } from './availability-queries.ts'
import type { Offer } from './offer-rules.ts'
import type { Days } from './zone-rules.ts'

/** One date of an answer, as JSON text. */
export type DayText = string

/** What a look saw of an offer on some local days, and when, in milliseconds since 1970-01-01T00:00:00Z. */
interface Seen {
  offer: Offer
  days: Days
  nowMs: number
  taken: SeenTaken
}

/** What is shown of the days of a look, by local day, and when the earliest slot starts that is among them. */
interface Texts {
  texts: ReadonlyMap<number, DayText>
  /** In milliseconds since 1970-01-01T00:00:00Z; Infinity where no slot is free. */
  earliestMs: number
}

interface Shown extends Texts, Pick<Seen, 'taken' | 'nowMs'> {}

/** In all, in characters: some dozen months of busy places, or a thousand weeks of small ones. */
const mostCharacters = 8_000_000

/**
 * Keeps what was shown of some days, for as long as it would be made of the same: most who ask for a month see what the one
 * before saw. Nothing is ever shown that is out of date, since each time the database is asked what is taken, and under
 * which version of the catalogue.
 */
export class ShownDays {
  /** How often something was there, since the start. */
  hits = 0
  private readonly kept = new LRUCache<string, Shown>({
    maxSize: mostCharacters,
    sizeCalculation: ({ texts, taken }) =>
      texts.values().reduce((size, { length }) => size + length, taken.size),
  })

  /** What was shown when another look saw the same and the rules that depend on the time said the same. */
  find(look: Seen): ReadonlyMap<number, DayText> | undefined {
    const shown = this.kept.get(keyOf(look))
    if (!shown || !isStillRight(shown, look)) return undefined
    this.hits += 1
    return shown.texts
  }

  keep(look: Seen, shown: Texts): void {
    const { taken, nowMs } = look
    this.kept.set(keyOf(look), { ...shown, taken, nowMs })
  }
}

/** The version of the catalogue is part of what was seen. */
function keyOf({ offer: { service, location, staff }, days }: Seen): string {
  return [service.id, location.id, days.first, days.last, ...staff.map(({ id }) => id)].join(' ')
}

/** Time passes: what starts too soon is not offered any more. (Days beyond the horizon are never looked at.) */
function isStillRight({ taken, nowMs, earliestMs }: Shown, look: Seen): boolean {
  const noticeMs = look.offer.service.min_notice_minutes * 60_000
  return (
    look.nowMs >= nowMs && // else something that was too soon may be offered
    look.nowMs < earliestMs &&
    look.nowMs + noticeMs <= earliestMs &&
    taken.equals(look.taken)
  )
}

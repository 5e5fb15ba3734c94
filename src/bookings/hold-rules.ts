import { Problem } from '../errors.ts'
import { secondsUntil, type Instant } from '../instants.ts'

/** What has become of a hold, as it is shown for 24 hours after its end. */
export type HoldStatus = 'active' | 'expired' | 'converted' | 'released'

/** What became of a hold, at an instant. */
export function holdStatus(
  hold: { booking_id: string | null; released_at: Instant | null; expires_at: Instant },
  now: Instant,
): HoldStatus {
  if (hold.booking_id !== null) return 'converted'
  if (hold.released_at !== null) return 'released'
  return hold.expires_at > now ? 'active' : 'expired'
}

/** Active holds that count towards a cap. */
export interface CapCount {
  whose: string
  cap: number
  count: number
  /** When another one fits, if the cap is reached. */
  fitsAt: Instant | undefined
}

/** Whether one more would be too many. */
export function isFull({ count, cap }: CapCount): boolean {
  return count >= cap
}

/** Refuses one more active hold than the caps allow, until so many have lapsed that another one fits. */
export function assertBelowCaps(counts: CapCount[], now: Instant): void {
  const full = counts.filter(isFull)
  const [first] = full
  if (!first) return
  const waits = full.map(({ fitsAt }) => (fitsAt === undefined ? 1 : secondsUntil(now, fitsAt)))
  throw new Problem(
    'hold_limit_reached',
    `There are already ${first.count} active holds of ${first.whose}; the limit is ${first.cap}.`,
    {
      headers: { 'retry-after': String(Math.max(1, ...waits)) },
    },
  )
}

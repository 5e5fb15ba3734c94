import { Problem } from '../errors.ts'
import { secondsUntil, type Instant } from '../instants.ts'

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

/** Refuses one more active hold than a cap allows, until the first of them lapses. */
export function assertBelowCap(
  active: { count: number; firstExpiry: Instant | null },
  { cap, now, whose }: { cap: number; now: Instant; whose: string },
): void {
  if (active.count < cap) return
  const seconds = active.firstExpiry ? Math.max(1, secondsUntil(now, active.firstExpiry)) : 1
  throw new Problem(
    'hold_limit_reached',
    `There are already ${active.count} active holds of ${whose}; the limit is ${cap}.`,
    {
      headers: { 'retry-after': String(seconds) },
    },
  )
}

/** A slot that the business does not offer, and why. */
export function notOffered(
  reason: 'in_the_past' | 'not_offered_here' | 'staff_not_available',
  detail: string,
): Problem {
  return new Problem('slot_not_offered', detail, { extensions: { reason } })
}

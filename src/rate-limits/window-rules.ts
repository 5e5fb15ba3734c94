import type { Quota } from './quota-rules.ts'
import type { Count, Window, Windows } from './window-types.ts'

/** The shorter window, in milliseconds. */
export const minuteMs = 60_000
/** The longer window, in milliseconds. */
export const hourMs = 3_600_000

/**
 * The latest end that a window of this length can have. One that ends later was opened by a clock that has
 * been set back since, and would keep its caller out for as long; a node's clock may run ahead by the length.
 */
export function latestEndMs(lengthMs: number, nowMs: number): number {
  return nowMs + 2 * lengthMs
}

/** The window if it is open now; null when it is over. */
export function openWindow(
  window: Window | null | undefined,
  lengthMs: number,
  nowMs: number,
): Window | null {
  const isOpen = window && window.endsAtMs > nowMs && window.endsAtMs <= latestEndMs(lengthMs, nowMs)
  return isOpen ? window : null
}

/** Those of the windows that are open now. */
export function openWindows(windows: Windows | undefined, nowMs: number): Windows {
  return {
    minute: openWindow(windows?.minute, minuteMs, nowMs),
    hour: openWindow(windows?.hour, hourMs, nowMs),
  }
}

/** A quota with its windows, so far as they are known. */
export interface State {
  quota: Quota
  windows: Windows | undefined
}

/** Counts a request in all windows of its quotas, or in none when one is full. */
export function countIn(states: readonly State[], nowMs: number): Count {
  const now = states.map(({ quota, windows }) => ({ quota, open: openWindows(windows, nowMs) }))
  const counted = now.every(
    ({ quota, open }) =>
      (open.minute?.used ?? 0) < quota.perMinute &&
      (quota.perHour === null || (open.hour?.used ?? 0) < quota.perHour),
  )
  if (!counted) return { counted, windows: now.map(({ open }) => open) }
  const windows = now.map(({ quota, open }) => ({
    minute: oneMore(open.minute, nowMs + minuteMs),
    hour: quota.perHour === null ? null : oneMore(open.hour, nowMs + hourMs),
  }))
  return { counted, windows }
}

function oneMore(open: Window | null, endsAtMs: number): Window {
  return open ? { ...open, used: open.used + 1 } : { used: 1, endsAtMs }
}

/** What an answer shows of the limits: one window of all. */
export interface Shown {
  kind: Quota['kind']
  /** For people. */
  unit: 'minute' | 'hour'
  limit: number
  remaining: number
  resetsAtMs: number
}

/**
 * The window with the fewest requests left; of several the one that resets last (contract, section 9). There is at
 * least one quota.
 */
export function windowToShow(states: readonly State[], nowMs: number): Shown {
  return states
    .flatMap((state) => shownOf(state, nowMs))
    .reduce((one, other) => {
      if (one.remaining !== other.remaining) return one.remaining < other.remaining ? one : other
      return one.resetsAtMs > other.resetsAtMs ? one : other
    })
}

/**
 * Of a refused request: the exhausted window that resets last, which is what `windowToShow` shows then, and
 * the whole seconds, at least one, after which a request is let through.
 */
export function secondsToWait({ resetsAtMs }: Shown, nowMs: number): number {
  return Math.max(1, Math.ceil((resetsAtMs - nowMs) / 1000))
}

function shownOf({ quota, windows }: State, nowMs: number): Shown[] {
  const shown = (unit: Shown['unit'], window: Window | null | undefined, limit: number): Shown => ({
    kind: quota.kind,
    unit,
    limit,
    // a plan that was lowered leaves more used than there is
    remaining: Math.max(0, limit - (window?.used ?? 0)),
    // one that is not open would open with a request now
    resetsAtMs: window?.endsAtMs ?? nowMs + (unit === 'minute' ? minuteMs : hourMs),
  })
  const ofMinute = shown('minute', windows?.minute, quota.perMinute)
  return quota.perHour === null ? [ofMinute] : [ofMinute, shown('hour', windows?.hour, quota.perHour)]
}

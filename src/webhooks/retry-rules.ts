import type { Attempt, Exchange, Verdict } from './delivery-types.ts'

/** Attempts of a delivery; a retry by hand gives as many again (specification: Limits). */
export const mostAttempts = 3
/** Of a delivery that was tried again by hand and by hand, the log keeps the latest attempts. */
const mostKeptAttempts = 30
/** A receiver that asks for more patience is tried again after an hour. */
const longestRetryAfterSeconds = 3_600
const jitter = 0.2
const gone = 410

/** A delivery whose attempt has ended. */
export interface Tried {
  /** This attempt among them. */
  attemptsLeft: number
  isDisabled: boolean
}

/**
 * What follows from an attempt (contract: Webhooks). `retrySeconds` are the pauses after the first and the second;
 * `fraction`, in [0, 1), spreads them by a fifth in both directions.
 */
export function verdictOn(
  exchange: Exchange,
  { attemptsLeft, isDisabled }: Tried,
  { retrySeconds, fraction }: { retrySeconds: readonly [number, number]; fraction: number },
): Verdict {
  if (exchange.error === null) return { status: 'succeeded' }
  if (exchange.responseStatus === gone) return { status: 'failed', disables: true }
  if (attemptsLeft <= 1 || isDisabled) return { status: 'failed', disables: false }
  const planned = attemptsLeft >= mostAttempts ? retrySeconds[0] : retrySeconds[1]
  const { retryAfterSeconds } = exchange
  return {
    status: 'pending',
    delaySeconds:
      retryAfterSeconds === undefined
        ? planned * (1 - jitter + 2 * jitter * fraction)
        : Math.min(retryAfterSeconds, longestRetryAfterSeconds),
  }
}

/**
 * The seconds of a `Retry-After` (RFC 9110, section 10.2.3), at least one; undefined when it is absent or none.
 * `nowMs` is the present, to which a date in it is compared.
 */
export function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,10}$/.test(text)) return Math.max(Number(text), 1)
  const dateMs = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(dateMs) ? undefined : Math.max(Math.ceil((dateMs - nowMs) / 1000), 1)
}

/** The attempts that the log keeps once another has been made. */
export function withAttempt(attempts: Attempt[], attempt: Attempt): Attempt[] {
  return [...attempts, attempt].slice(-mostKeptAttempts)
}

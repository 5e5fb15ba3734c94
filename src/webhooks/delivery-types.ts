import type { Instant } from '../instants.ts'

/** On PostgreSQL, what commands announce and servers listen for: that deliveries are due. */
export const deliveriesChannel = 'holdfast_deliveries'

/** Why an attempt failed, in words that do not change. */
export type AttemptError =
  | 'timeout'
  | 'status_not_2xx'
  | 'redirect_not_followed'
  | 'address_not_allowed'
  | 'dns_failed'
  | 'connection_refused'
  | 'connection_reset'
  | 'connection_failed'
  | 'certificate_rejected'
  | 'invalid_response'

/** One attempt of a delivery, as it is kept and as the log shows it. */
export interface Attempt {
  number: number
  at: Instant
  duration_ms: number
  /** Null when no status came. */
  response_status: number | null
  /** Null when it succeeded. */
  error: AttemptError | null
}

/** How one exchange with a receiver ended. */
export interface Exchange {
  responseStatus: number | null
  error: AttemptError | null
  /** What the receiver asked to be waited for, in seconds (429 and 503). */
  retryAfterSeconds?: number
}

/** What an attempt leads to. */
export type Verdict =
  | { status: 'succeeded' }
  | { status: 'failed'; disables: boolean }
  | { status: 'pending'; delaySeconds: number }

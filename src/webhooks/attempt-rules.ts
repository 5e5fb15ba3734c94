import { instantFromMs, plusSeconds, type Instant } from '../instants.ts'
import type { Attempt } from './delivery-types.ts'
import type { DueDelivery, LeasedDestination, Outcome } from './due-delivery-queries.ts'
import { verdictOn, withAttempt } from './retry-rules.ts'
import type { Consignment, Made } from './sending-types.ts'

/** What is handed over to be sent, of one webhook. Its parcels are numbered from `firstNumber`. */
export function consignmentOf(
  to: LeasedDestination,
  deliveries: DueDelivery[],
  { now, inTimeMs, firstNumber }: { now: Instant; inTimeMs: number; firstNumber: number },
): Consignment {
  const { id, url, secret, previous_secret: previous, previous_secret_until: until } = to
  return {
    webhookId: id,
    url,
    secrets: previous !== null && until !== null && until > now ? [secret, previous] : [secret],
    inTimeMs,
    parcels: deliveries.map(({ event_id, payload, sample_payload }, index) => ({
      number: firstNumber + index,
      eventId: event_id,
      body: payload ?? sample_payload ?? '',
      isSample: sample_payload !== null,
    })),
  }
}

/** What came of an attempt: what is to be written, and what it means for the webhook. */
export interface Sent {
  outcome: Outcome
  attempt: Attempt
  disables: boolean
}

/** What an attempt leads to. `fraction`, in [0, 1), spreads the next one. */
export function sentOf(
  delivery: DueDelivery,
  made: Made,
  plan: { now: Instant; retrySeconds: readonly [number, number]; fraction: number },
): Sent {
  const { attempts_left: attemptsLeft, webhook } = delivery
  const attempt: Attempt = {
    number: delivery.attempts_made + 1,
    at: instantFromMs(Math.floor(made.atMs)),
    duration_ms: Math.round(made.tookMs),
    response_status: made.responseStatus,
    error: made.error,
  }
  const verdict = verdictOn(made, { attemptsLeft, isDisabled: webhook.disabled_at !== null }, plan)
  const before = JSON.parse(delivery.attempts_json) as Attempt[] // nobody else writes it
  const isPending = verdict.status === 'pending'
  return {
    attempt,
    outcome: {
      id: delivery.id,
      status: verdict.status,
      attempts_json: JSON.stringify(withAttempt(before, attempt)),
      attempts_made: attempt.number,
      attempts_left: isPending ? attemptsLeft - 1 : 0,
      next_attempt_at: isPending ? plusSeconds(plan.now, verdict.delaySeconds) : null,
    },
    disables: verdict.status === 'failed' && verdict.disables,
  }
}

import type { Context } from '../context.ts'
import type { DueDelivery, Outcome } from './due-delivery-queries.ts'
import type { Attempt, Exchange } from './delivery-types.ts'
import { exchange, type Means } from './exchange.ts'
import { plusSeconds } from '../instants.ts'
import { verdictOn, withAttempt } from './retry-rules.ts'
import { serviceSignature, standardSignature } from './sign-delivery.ts'
import { monotonicMs } from '../clock.ts'
import { tracedExchange } from '../tracing.ts'

/** What all deliveries of a server have in common. */
export interface Sender extends Omit<Means, 'nowMs'> {
  /** Of Holdfast, for `User-Agent`. */
  version: string
}

/** What came of an attempt: what is to be written, and what it means for the webhook. */
export interface Sent {
  outcome: Outcome
  attempt: Attempt
  disables: boolean
}

/** Makes one attempt of a delivery. Undefined when it was ended early: then it counts as not made. */
export async function sendDelivery(
  context: Context,
  sender: Sender,
  delivery: DueDelivery,
): Promise<Sent | undefined> {
  const at = context.clock.now()
  const startedMs = monotonicMs()
  const body = delivery.payload ?? delivery.sample_payload ?? ''
  const sending = { url: delivery.url, headers: headersOf(delivery, { body, sender, context }), body }
  const exchanged = await tracedExchange(aboutExchange(delivery), () =>
    exchange(sending, { ...sender, nowMs: () => context.clock.nowMs() }),
  )
  if (!exchanged) return undefined
  const attempt: Attempt = {
    number: delivery.attempts_made + 1,
    at,
    duration_ms: Math.round(monotonicMs() - startedMs),
    response_status: exchanged.responseStatus,
    error: exchanged.error,
  }
  return { ...outcomeOf(context, { delivery, exchanged, attempt }), attempt }
}

/** What the span of an attempt shows. */
function aboutExchange({ id, url, traceparent, event_id, webhook_id, attempts_made }: DueDelivery) {
  const attributes = {
    'holdfast.delivery_id': id,
    'holdfast.event_id': event_id,
    'holdfast.webhook_id': webhook_id,
    ...(attempts_made > 0 && { 'http.request.resend_count': attempts_made }),
  }
  return { method: 'POST', url, traceparent, attributes }
}

/** The headers of a delivery (specification: Signature; Standard Webhooks beyond it). */
function headersOf(
  delivery: DueDelivery,
  { body, sender, context }: { body: string; sender: Sender; context: Context },
): Record<string, string> {
  const timestamp = Math.floor(context.clock.nowMs() / 1000)
  const { secret, previous_secret: previous, previous_secret_until: until } = delivery
  const secrets =
    previous !== null && until !== null && until > context.clock.now() ? [secret, previous] : [secret]
  return {
    'Content-Type': 'application/json',
    'User-Agent': `Holdfast/${sender.version}`,
    'X-Service-Signature': serviceSignature(secret, body),
    'webhook-id': delivery.event_id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standardSignature(secrets, { id: delivery.event_id, timestamp, body }),
    ...(delivery.sample_payload !== null && { 'X-Service-Test': 'true' }),
  }
}

function outcomeOf(
  { clock, config, ids }: Context,
  { delivery, exchanged, attempt }: { delivery: DueDelivery; exchanged: Exchange; attempt: Attempt },
): { outcome: Outcome; disables: boolean } {
  const { attempts_left: attemptsLeft, disabled_at: disabledAt } = delivery
  const verdict = verdictOn(
    exchanged,
    { attemptsLeft, isDisabled: disabledAt !== null },
    { retrySeconds: config.webhookRetrySeconds, fraction: ids.fraction() },
  )
  const delayed = verdict.status === 'pending' ? plusSeconds(clock.now(), verdict.delaySeconds) : null
  const before = JSON.parse(delivery.attempts_json) as Attempt[] // nobody else writes it
  return {
    outcome: {
      id: delivery.id,
      status: verdict.status,
      attempts_json: JSON.stringify(withAttempt(before, attempt)),
      attempts_made: attempt.number,
      attempts_left: verdict.status === 'pending' ? attemptsLeft - 1 : 0,
      next_attempt_at: delayed,
    },
    disables: verdict.status === 'failed' && verdict.disables,
  }
}

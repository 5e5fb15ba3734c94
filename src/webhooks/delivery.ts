import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { Problem } from '../base/errors.ts'
import { exampleIds } from '../base/examples.ts'
import { isUuid } from '../base/ids.ts'
import {
  formatInstant,
  type Instant,
  instantFromMs,
  plusMinutes,
  plusSeconds,
  roundUpToSecond,
} from '../base/instants.ts'
import { timeCursorOf, readPage, presentPage } from '../base/paging.ts'
import { type StoreResponse, storeNothing } from '../database/idempotency.ts'
import type { Context } from './context.ts'
import type { CleanupJob } from '../database/context.ts'
import {
  countPending,
  deleteOldDeliveries,
  type DeliveryRow,
  findDeliveries,
  findDelivery,
  insertDelivery,
  type LeasedDelivery,
  maxAttempts,
  type ResultRow,
  retryDelivery,
} from './delivery-queries.ts'
import type { DeliveriesQuery } from './delivery-schemas.ts'
import { startDelivering } from './delivery-signal.ts'
import { eventPayload, type EventSubject, type EventType, sampleType } from './event-payload.ts'
import { sampleBooking } from './event-sample.ts'
import { retentionSeconds } from './event.ts'
import type { AttemptError, AttemptResult } from './send.ts'
import type { WebhookRow } from './webhook-queries.ts'
import { lockedWebhook, recordOfWebhook, showWebhook } from './webhook.ts'
import { realNow } from '../base/clock.ts'

/*
 * A delivery: one event on its way to one webhook. The worker (worker.ts) makes its attempts.
 *
 *   - pending: an attempt is due at `next_attempt_at`. While one is in flight, that is the end of its lease.
 *   - succeeded: an attempt got a complete response with 2xx.
 *   - failed: three attempts failed, the receiver answered 410, or the webhook was disabled. Only a retry by hand
 *     continues.
 *
 * Guarantees: each subscribed event is attempted at least once, even if servers are killed. A repetition has the same
 * `webhook-id` and body. A webhook's deliveries begin in the order in which they are due.
 * Does not guarantee: that an event arrives only once, or before a later one.
 * Setting: WEBHOOK_RETRY_SECONDS, the pauses after the first and the second attempt.
 */

/** The log keeps the latest attempts of a delivery that is repeatedly retried by hand. */
const maxKeptAttempts = 30
/** A longer `Retry-After` is shortened to this. */
const maxRetryAfterSeconds = 3_600
const jitter = 0.2
const httpGone = 410

/** One attempt of a delivery, as stored in the database and shown in the log. */
export interface Attempt {
  number: number
  at: Instant
  duration_ms: number
  /** Null if no status arrived. */
  response_status: number | null
  /** Null if it succeeded. */
  error: AttemptError | null
}

/** The new state of a delivery that is no longer in flight. */
export interface DeliveryResult {
  delivery: LeasedDelivery
  row: ResultRow
  /** Undefined if it was aborted, which does not count. */
  attempt: Attempt | undefined
  /** True if the receiver answered that it is permanently gone. */
  disablesWebhook: boolean
}

/** The inputs for the time of the next attempt. */
interface RetryPlan {
  now: Instant
  /** The pauses after the first and the second attempt. */
  retrySeconds: readonly [number, number]
  /** In [0, 1): varies a pause by a fifth in both directions. */
  fraction: number
}

/** Returns the state of a delivery after an attempt. */
export function afterAttempt(
  delivery: LeasedDelivery,
  result: AttemptResult,
  plan: RetryPlan,
): DeliveryResult {
  const { id, leased_until, attempts_left: attemptsLeft } = delivery
  const attempt: Attempt = {
    number: delivery.attempts_made + 1,
    at: instantFromMs(Math.floor(result.atMs)),
    duration_ms: Math.round(result.tookMs),
    response_status: result.responseStatus,
    error: result.error,
  }
  const attempts = JSON.parse(delivery.attempts_json) as Attempt[] // written only by this function
  const disablesWebhook = result.error !== null && result.responseStatus === httpGone
  const isLast = attemptsLeft <= 1 || delivery.disabled_at !== null || disablesWebhook
  const isPending = result.error !== null && !isLast
  return {
    delivery,
    attempt,
    disablesWebhook,
    row: {
      id,
      leased_until,
      status: isPending ? 'pending' : result.error === null ? 'succeeded' : 'failed',
      attempts_json: JSON.stringify([...attempts, attempt].slice(-maxKeptAttempts)),
      attempts_made: attempt.number,
      attempts_left: isPending ? attemptsLeft - 1 : 0,
      next_attempt_at: isPending ? plusSeconds(plan.now, pauseSeconds(attemptsLeft, result, plan)) : null,
    },
  }
}

/** Makes a delivery due again at once, because its attempt was aborted or never began. */
export function withoutAttempt(delivery: LeasedDelivery, now: Instant): DeliveryResult {
  const { id, leased_until, attempts_json, attempts_made, attempts_left } = delivery
  const lease = { id, leased_until, attempts_json, attempts_made, attempts_left }
  const row = { ...lease, status: 'pending', next_attempt_at: now }
  return { delivery, row, attempt: undefined, disablesWebhook: false }
}

function pauseSeconds(attemptsLeft: number, { retryAfterSeconds }: AttemptResult, plan: RetryPlan): number {
  if (retryAfterSeconds !== undefined) return Math.min(retryAfterSeconds, maxRetryAfterSeconds)
  const [afterFirst, afterSecond] = plan.retrySeconds
  const seconds = attemptsLeft >= maxAttempts ? afterFirst : afterSecond
  return seconds * (1 - jitter + 2 * jitter * plan.fraction)
}

/** Names the outcome of an attempt, for metrics. */
export function outcomeOf({ error }: { error: AttemptError | null }): 'succeeded' | 'failed' {
  return error === null ? 'succeeded' : 'failed'
}

export function spanAttributes({ id, webhook_id, event_id, attempts_made }: LeasedDelivery) {
  return {
    'holdfast.delivery_id': id,
    'holdfast.event_id': event_id,
    'holdfast.webhook_id': webhook_id,
    ...(attempts_made > 0 && { 'http.request.resend_count': attempts_made }),
  }
}

/** Lists a webhook's deliveries, the newest first. Throws not_found. */
export async function listDeliveries(
  context: Context,
  actor: Actor,
  { id, query }: { id: string; query: Static<typeof DeliveriesQuery> },
) {
  const webhook = await showWebhook(context, actor, id)
  const page = await readPage(query, {
    cursor: deliveryCursor,
    find: (page) => findDeliveries(context.db.reads, webhook.id, { status: query.status, ...page }),
    position: (row) => [row.created_at, row.id],
  })
  return presentPage(page, (row) => presentDelivery(row, webhook.timezone))
}

const deliveryCursor = timeCursorOf('delivery')

/** Repeats a delivery of any status: three more attempts, the first at once. Throws not_found. */
export function retryByHand(
  context: Context,
  actor: Actor,
  { id, deliveryId }: { id: string; deliveryId: string },
  store: StoreResponse<ShownDelivery> = storeNothing,
) {
  return context.db.transaction(async (tx) => {
    const webhook = await lockedWebhook(tx, actor, id)
    const wanted = deliveryId.toLowerCase()
    const delivery = isUuid(wanted) ? await findDelivery(tx.db, webhook.id, wanted) : undefined
    if (!delivery) throw new Problem('not_found', 'There is no delivery with this id.')
    await retryDelivery(tx.db, { webhookId: webhook.id, id: delivery.id, now: tx.now })
    const { id: subjectId } = delivery
    await recordOfWebhook(context, tx, { by: actor, action: 'delivery.retried', webhook, subjectId })
    await startDelivering(context, tx)
    const pending = { ...delivery, status: 'pending' as const, next_attempt_at: realNow(tx.now) }
    const shown = presentDelivery(pending, webhook.timezone)
    await store(tx, shown)
    return shown
  })
}

/**
 * Sends a sample `booking.created` of a fictional booking, whatever the webhook's events and status. Throws not_found.
 */
export function sendSample(
  context: Context,
  actor: Actor,
  id: string,
  store: StoreResponse<ShownDelivery> = storeNothing,
) {
  const [eventId, deliveryId] = [context.ids.next(), context.ids.next()]
  return context.db.transaction(async (tx) => {
    const webhook = await lockedWebhook(tx, actor, id)
    const delivery = {
      id: deliveryId,
      webhook_id: webhook.id,
      business_id: webhook.business_id,
      event_id: eventId,
      event_type: sampleType,
      booking_id: exampleIds.booking,
      sample_payload: eventPayload(sampleType, bookingOfTomorrow(webhook, tx.now), { at: tx.now }),
      status: 'pending' as const,
      attempts_json: '[]',
      attempts_left: maxAttempts,
      next_attempt_at: realNow(tx.now),
      created_at: tx.now,
    }
    await insertDelivery(tx.db, delivery)
    await recordOfWebhook(context, tx, { by: actor, action: 'webhook.tested', webhook })
    await startDelivering(context, tx)
    const shown = presentDelivery(delivery, webhook.timezone)
    await store(tx, shown)
    return shown
  })
}

/** Creates a fictional booking for tomorrow. */
function bookingOfTomorrow({ business_id, timezone }: WebhookRow, now: Instant): EventSubject {
  const startsAt = plusMinutes(roundUpToSecond(now), 24 * 60)
  const { location, items, ...sample } = sampleBooking
  const span = { starts_at: startsAt, ends_at: plusMinutes(startsAt, 30) }
  return {
    ...sample,
    business_id: business_id ?? sample.business_id,
    ...span,
    items: items.map((item) => ({ ...item, ...span })),
    location: { ...location, timezone },
  }
}

type ShownDelivery = ReturnType<typeof presentDelivery>

/** Presents a line of a webhook's log, with times in a zone. */
function presentDelivery(delivery: DeliveryRow, timezone: string) {
  const time = (instant: Instant) => formatInstant(instant, timezone)
  const attempts = JSON.parse(delivery.attempts_json) as Attempt[] // written only by afterAttempt()
  return {
    id: delivery.id,
    event_id: delivery.event_id,
    event: delivery.event_type as EventType, // only checked names are written
    booking_id: delivery.booking_id,
    status: delivery.status,
    attempts: attempts.map((attempt) => ({ ...attempt, at: time(attempt.at) })),
    next_attempt_at: delivery.next_attempt_at === null ? null : time(delivery.next_attempt_at),
    created_at: time(delivery.created_at),
  }
}

/** Metrics need no exact number above this. */
const maxCounted = 100_000

/** Counts pending deliveries, for metrics. */
export function countPendingDeliveries({ db }: Pick<Context, 'db'>): Promise<number> {
  return countPending(db.reads, maxCounted)
}

/** Deletes deliveries of events that can no longer be listed. */
export const oldDeliveries: CleanupJob = {
  name: 'old deliveries',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) =>
      deleteOldDeliveries(tx.db, { before: plusSeconds(tx.now, -retentionSeconds), max }),
    ),
}

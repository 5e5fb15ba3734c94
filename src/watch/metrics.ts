import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client'
import { monotonicMs, systemClock } from '../base/clock.ts'
import type { Context } from '../database/context.ts'
import { type Counts, databaseMetrics } from './database-metrics.ts'

/** Outcomes of holds. Expiry is not counted, because no request causes it. */
const holdOutcomes = ['placed', 'replaced', 'released', 'converted'] as const
type HoldOutcome = (typeof holdOutcomes)[number]

/** Outcomes of bookings, named after their events. */
const bookingOutcomes = ['created', 'updated', 'cancelled', 'completed'] as const
export type BookingOutcome = (typeof bookingOutcomes)[number]

/** Outcomes of attempts and of deliveries. */
const deliveryOutcomes = ['succeeded', 'failed'] as const
type DeliveryOutcome = (typeof deliveryOutcomes)[number]

/** Outcomes of attempts to send an email. A retried email is counted again. */
const mailOutcomes = ['sent', 'retried', 'failed'] as const
type MailOutcome = (typeof mailOutcomes)[number]

/** Outcomes of attempts to send a notification. `gone`: the device no longer takes any. */
const pushOutcomes = ['sent', 'retried', 'failed', 'gone'] as const
type PushOutcome = (typeof pushOutcomes)[number]

/** A response, in labels with a limited number of values: patterns and codes, but no URLs, IDs or keys. */
interface CountedResponse {
  method: string
  /** The pattern of the route, or `unknown` for any other path. */
  route: string
  status: number
  /** From the arrival of the headers to the end of the response. Absent for bytes that never became a request. */
  seconds?: number
  problem?: string | undefined
}

/** The counters of the service. Counting cannot fail. */
export interface Metrics {
  answered(response: CountedResponse): void
  /** Called once the change is committed. */
  hold(outcome: HoldOutcome, count?: number): void
  /** Called once the change is committed. */
  booking(outcome: BookingOutcome): void
  /** An attempt to deliver an event, and its duration. */
  attempt(outcome: DeliveryOutcome, seconds: number): void
  /** A delivery that has ended: received, or without attempts left. */
  delivery(outcome: DeliveryOutcome): void
  /** An attempt to send an email. */
  mail(outcome: MailOutcome): void
  /** An attempt to send a notification. */
  push(outcome: PushOutcome): void
  /** Emails to clients that wait because their business has reached its hourly limit. */
  mailsPostponed(count: number): void
  /** A search for a visit that ended at its limit, so that a start counts as not free. */
  visitSearchGaveUp(): void
  /** A request of a proxy that is not listed in TRUST_PROXY. */
  byUnnamedProxy(): void
  /** True while rate limits count only in memory, because the shared store is unavailable. */
  sharedLimitsDegraded(degraded: boolean): void
}

/** Counts nothing, for the command line, which nobody scrapes. */
export const uncounted: Metrics = {
  answered: () => undefined,
  hold: () => undefined,
  booking: () => undefined,
  attempt: () => undefined,
  delivery: () => undefined,
  mail: () => undefined,
  push: () => undefined,
  mailsPostponed: () => undefined,
  visitSearchGaveUp: () => undefined,
  byUnnamedProxy: () => undefined,
  sharedLimitsDegraded: () => undefined,
}

export interface OpenMetrics {
  metrics: Metrics
  /** Returns all metrics in the text format of Prometheus. Does not fail while the database is unavailable. */
  scrape(): Promise<string>
  contentType: string
  close(): void
}

/** Opens the metrics of a service in a separate registry, because several services may run in one process. */
export function openMetrics(
  context: Pick<Context, 'db' | 'cache' | 'clock'>,
  { version, ...counts }: { version: string } & Counts,
): OpenMetrics {
  const registry = new Registry()
  const build = { version, engine: context.db.engine, node: process.versions.node }
  const metrics = serviceMetrics(registry, build)
  const noteLoad = databaseMetrics(registry, context, counts)
  const { stop } = processMetrics(registry)
  const scrape = () => {
    noteLoad()
    return registry.metrics()
  }
  return { metrics, scrape, contentType: registry.contentType, close: stop }
}

/** Label values for methods. Any other method is `other`. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

const bucketSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** `holdfast doctor` asks the server for this metric. */
export const unnamedProxyMetric = 'holdfast_unnamed_proxy_requests_total'

interface Build {
  version: string
  engine: string
  node: string
}

/** Counts requests, holds and bookings. */
function serviceMetrics(registry: Registry, build: Build): Metrics {
  const registers = [registry]
  new Gauge({
    name: 'holdfast_build_info',
    help: 'Always 1; the labels are the Holdfast version, the database engine and the Node version.',
    labelNames: ['version', 'engine', 'node'],
    registers,
  }).set({ ...build }, 1)
  const requests = new Counter({
    name: 'holdfast_http_requests_total',
    help: 'Responses, by method, route pattern and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'holdfast_http_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its response, by method and route pattern.',
    labelNames: ['method', 'route'],
    buckets: bucketSeconds,
    registers,
  })
  const problems = new Counter({
    name: 'holdfast_problems_total',
    help: 'Problem responses, by method, route pattern and problem code.',
    labelNames: ['method', 'route', 'code'],
    registers,
  })
  const sharedLimitsDegraded = new Gauge({
    name: 'holdfast_shared_rate_limits_away',
    help: '1 while Redis or PostgreSQL does not count requests, so that each server limits on its own; else 0.',
    registers,
  })
  const byUnnamedProxy = new Counter({
    name: unnamedProxyMetric,
    help: 'Requests of proxies nearby that TRUST_PROXY does not name: their clients count as one address.',
    registers,
  })
  const visitSearchesGivenUp = new Counter({
    name: 'holdfast_visit_searches_exhausted_total',
    help: 'Starts of visits that count as not free because the search for people and rooms reached its limit.',
    registers,
  })
  return {
    ...outcomeMetrics(registry),
    visitSearchGaveUp: () => visitSearchesGivenUp.inc(),
    byUnnamedProxy: () => byUnnamedProxy.inc(),
    ...deliveryMetrics(registry),
    ...mailMetrics(registry),
    sharedLimitsDegraded: (degraded) => sharedLimitsDegraded.set(Number(degraded)),
    answered: ({ route, status, seconds, problem, ...response }) => {
      const method = methods.has(response.method) ? response.method : 'other'
      requests.inc({ method, route, status })
      if (seconds !== undefined) durations.observe({ method, route }, seconds)
      if (problem !== undefined) problems.inc({ method, route, code: problem })
    },
  }
}

function outcomeMetrics(registry: Registry): Pick<Metrics, 'hold' | 'booking'> {
  const holds = new Counter({
    name: 'holdfast_holds_total',
    help: 'Holds by outcome: placed, replaced by another of the same session, released, converted into a booking.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const bookings = new Counter({
    name: 'holdfast_bookings_total',
    help: 'Bookings by outcome: created, updated, cancelled, completed.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  // a counter that appears with its first event has no rate for that event
  for (const outcome of holdOutcomes) holds.inc({ outcome }, 0)
  for (const outcome of bookingOutcomes) bookings.inc({ outcome }, 0)
  return {
    hold: (outcome, count = 1) => holds.inc({ outcome }, count),
    booking: (outcome) => bookings.inc({ outcome }),
  }
}

function deliveryMetrics(registry: Registry): Pick<Metrics, 'attempt' | 'delivery'> {
  const attempts = new Histogram({
    name: 'holdfast_webhook_attempt_duration_seconds',
    help: 'Time from the DNS lookup of a receiver to the end of its response, by outcome: succeeded or failed.',
    labelNames: ['outcome'],
    buckets: [...bucketSeconds, 10],
    registers: [registry],
  })
  const deliveries = new Counter({
    name: 'holdfast_webhook_deliveries_total',
    help: 'Finished webhook deliveries, by outcome: succeeded, or failed after the last attempt.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of deliveryOutcomes) deliveries.inc({ outcome }, 0)
  return {
    attempt: (outcome, seconds) => attempts.observe({ outcome }, seconds),
    delivery: (outcome) => deliveries.inc({ outcome }),
  }
}

function mailMetrics(registry: Registry): Pick<Metrics, 'mail' | 'mailsPostponed' | 'push'> {
  const attempts = new Counter({
    name: 'holdfast_mail_attempts_total',
    help: 'Attempts to send a mail, by outcome: sent, retried later, or failed for good.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of mailOutcomes) attempts.inc({ outcome }, 0)
  const postponed = new Counter({
    name: 'holdfast_mails_postponed_total',
    help: 'Mails to clients that had to wait because their business had reached its hourly limit.',
    registers: [registry],
  })
  const pushes = new Counter({
    name: 'holdfast_push_attempts_total',
    help: 'Attempts to send a notification to a device, by outcome: sent, retried later, failed for good, or the device is gone.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of pushOutcomes) pushes.inc({ outcome }, 0)
  return {
    push: (outcome) => pushes.inc({ outcome }),
    mail: (outcome) => attempts.inc({ outcome }),
    mailsPostponed: (count) => postponed.inc(count),
  }
}

/** Sampling interval of the event loop, in milliseconds. */
const lagResolutionMs = 10
const microsPerSecond = 1e6
const nanosPerSecond = 1e9

/**
 * Measures the process under the usual names of Node services, so that their dashboards work. Does not use the
 * library's collector. Its timers cannot be stopped, and several services may run in one process. `stop` ends the
 * measurement of the event loop.
 */
function processMetrics(registry: Registry): { stop: () => void } {
  const gauge = (name: string, help: string, read: () => number) => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  }
  const startedMs = systemClock.nowMs() - monotonicMs()
  gauge('process_start_time_seconds', 'When the process was started, in seconds since 1970.', () =>
    Math.round(startedMs / 1000),
  )
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time, user and system.',
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / microsPerSecond)
    },
  })
  gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss())
  gauge('nodejs_heap_size_total_bytes', 'Heap that JavaScript has.', () => process.memoryUsage().heapTotal)
  gauge('nodejs_heap_size_used_bytes', 'Heap that JavaScript uses.', () => process.memoryUsage().heapUsed)
  return eventLoopMetrics(registry)
}

/** Lag of the event loop since the last scrape, the first sign of an overloaded process. */
function eventLoopMetrics(registry: Registry): { stop: () => void } {
  const delays = monitorEventLoopDelay({ resolution: lagResolutionMs })
  delays.enable()
  // the histogram measures the time between two ticks, so an idle loop shows the resolution itself
  const late = (nanos: number) => Math.max(0, nanos / nanosPerSecond - lagResolutionMs / 1000)
  const registers = [registry]
  const [mean, p99, max] = [
    new Gauge({
      name: 'nodejs_eventloop_lag_mean_seconds',
      help: 'Mean event loop delay since the last scrape.',
      registers,
      // sets all three, because it resets the histogram
      collect: () => {
        if (delays.count === 0) return
        mean.set(late(delays.mean))
        p99.set(late(delays.percentile(99)))
        max.set(late(delays.max))
        delays.reset()
      },
    }),
    new Gauge({
      name: 'nodejs_eventloop_lag_p99_seconds',
      help: '99th percentile of the event loop delay since the last scrape.',
      registers,
    }),
    new Gauge({
      name: 'nodejs_eventloop_lag_max_seconds',
      help: 'Maximum event loop delay since the last scrape.',
      registers,
    }),
  ]
  return { stop: () => delays.disable() }
}

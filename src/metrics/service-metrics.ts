import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client'
import { bookingOutcomes, deliveryOutcomes, holdOutcomes, type Metrics } from './metrics.ts'

/** Of what a client sends, only these are told apart: what else HTTP allows is `other`. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

const bucketSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** What a build is known by. */
export interface Build {
  version: string
  engine: string
  node: string
}

/** Counts requests, holds and bookings in a registry. */
export function serviceMetrics(registry: Registry, build: Build): Metrics {
  const registers = [registry]
  new Gauge({
    name: 'holdfast_build_info',
    help: 'Always 1; the labels tell the version of Holdfast, the database engine and the version of Node.',
    labelNames: ['version', 'engine', 'node'],
    registers,
  }).set({ ...build }, 1)
  const requests = new Counter({
    name: 'holdfast_http_requests_total',
    help: 'Requests that were answered, by method, route pattern and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'holdfast_http_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its answer, by method and route pattern.',
    labelNames: ['method', 'route'],
    buckets: bucketSeconds,
    registers,
  })
  const problems = new Counter({
    name: 'holdfast_problems_total',
    help: 'Requests that were refused, by method, route pattern and problem code.',
    labelNames: ['method', 'route', 'code'],
    registers,
  })
  const sharedLimitsAway = new Gauge({
    name: 'holdfast_shared_rate_limits_away',
    help: '1 while Redis or PostgreSQL does not count requests, so that rate limits hold for each server alone; else 0.',
    registers,
  })
  return {
    ...outcomeMetrics(registry),
    ...deliveryMetrics(registry),
    sharedLimitsAway: (away) => sharedLimitsAway.set(Number(away)),
    answered: ({ method: given, route, status, seconds, problem }) => {
      const method = methods.has(given) ? given : 'other'
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
    help: 'Time from the look-up of a receiver to the end of its answer, by outcome: succeeded or failed.',
    labelNames: ['outcome'],
    buckets: [...bucketSeconds, 10],
    registers: [registry],
  })
  const deliveries = new Counter({
    name: 'holdfast_webhook_deliveries_total',
    help: 'Deliveries to webhooks that are over, by outcome: succeeded, or failed after the last attempt.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of deliveryOutcomes) deliveries.inc({ outcome }, 0)
  return {
    attempt: (outcome, seconds) => attempts.observe({ outcome }, seconds),
    delivery: (outcome) => deliveries.inc({ outcome }),
  }
}

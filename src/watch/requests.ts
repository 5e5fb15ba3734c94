import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ProblemCode } from '../base/errors.ts'
import { isNear, liesIn, readClientAddress } from '../base/client-network.ts'
import { monotonicMs } from '../base/clock.ts'
import { redact } from '../base/log.ts'
import { type TracedRequest, traceRequest } from '../base/tracing.ts'
import type { Context } from '../database/context.ts'
import type { Metrics } from './metrics.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span: TracedRequest
  }
  interface FastifyReply {
    /** The code of its problem document. */
    problem: ProblemCode | undefined
  }
}

/** Polled every few seconds. A log line for each request would hide the others. */
const asksWhetherWell = new Set(['/healthz', '/readyz', '/metrics'])

/**
 * Records each request by its route pattern, never by its URL, body or headers: one log line, one count and one span.
 * Call it before adding any other hook.
 */
export function watchRequests(
  app: FastifyInstance,
  { log, config, metrics }: Watching & { metrics: Pick<Metrics, 'answered' | 'byUnnamedProxy'> },
): void {
  const noteProxy = unnamedProxies({ log, config }, () => {
    metrics.byUnnamedProxy()
  })
  app.decorateRequest('span')
  app.decorateReply('problem')
  app.addHook('onRequest', (request, _reply, done) => {
    noteProxy(request)
    request.span = traceRequest(request.headers)
    request.span.run(done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { method, span } = request
    const { statusCode: status, elapsedTime, problem } = reply
    const route = routeOf(request) ?? 'unknown'
    metrics.answered({ method, route, status, seconds: elapsedTime / 1000, problem })
    const level = status === 200 && asksWhetherWell.has(route) ? 'debug' : 'info'
    if (log.isLevelEnabled(level)) log[level](lineOf(request, reply), 'request')
    if (span.isRecording) endSpan(request, reply)
    done()
  })
}

type Watching = Pick<Context, 'log' | 'config'>

const proxyLogMs = 3_600_000

/**
 * Detects requests from a nearby proxy that is not listed in TRUST_PROXY. All its clients then share one address, and
 * one of them can use up the limits for all. Logs this once an hour.
 */
function unnamedProxies({ log, config: { trustProxy } }: Watching, note: () => void) {
  let silentUntilMs = 0
  /** Connections that need no notice. A proxy sends many requests over one. */
  const checked = new WeakSet<Socket>()
  return ({ headers, raw: { socket } }: FastifyRequest): void => {
    if (headers['x-forwarded-for'] === undefined || checked.has(socket)) return
    const { address } = readClientAddress(socket.remoteAddress ?? '')
    if (!isNear(address) || liesIn(address, trustProxy)) {
      checked.add(socket)
      return
    }
    note()
    if (monotonicMs() < silentUntilMs) return
    silentUntilMs = monotonicMs() + proxyLogMs
    log.warn(
      {
        proxy: address,
        fix: `set TRUST_PROXY to the addresses of your proxies, such as ${address}/${address?.includes(':') ? 128 : 32}`,
      },
      'a proxy forwards requests that TRUST_PROXY does not name: all its clients count as one address',
    )
  }
}

function lineOf(request: FastifyRequest, { statusCode: status, elapsedTime, problem }: FastifyReply): object {
  const { traceId } = request.span
  return {
    request_id: request.id,
    ...(traceId !== undefined && { trace_id: traceId }),
    method: request.method,
    route: routeOf(request) ?? 'unknown',
    status,
    ...(problem && { problem }),
    duration_ms: Math.round(elapsedTime * 10) / 10,
    ...keyOf(request),
  }
}

function routeOf({ routeOptions, wrongMethodOf }: FastifyRequest): string | undefined {
  return routeOptions.url ?? wrongMethodOf
}

function endSpan(request: FastifyRequest, reply: FastifyReply): void {
  const { method, id, span } = request
  const route = routeOf(request)
  span.end({
    name: route === undefined ? method : `${method} ${route}`,
    attributes: {
      'http.request.method': method,
      ...(route !== undefined && { 'http.route': route }),
      'http.response.status_code': reply.statusCode,
      'holdfast.request_id': redact(id), // the client may have chosen it
      ...(reply.problem && { 'holdfast.problem': reply.problem }),
    },
    failed: reply.statusCode >= 500,
  })
}

function keyOf(request: FastifyRequest): object {
  const actor = request.actor as FastifyRequest['actor'] | undefined // absent before authentication
  return actor ? { key_type: actor.type, key_last_four: actor.lastFour } : {}
}

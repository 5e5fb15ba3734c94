import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { ProblemCode } from '../errors.ts'
import { redact } from '../log.ts'
import { RequestSpan } from '../tracing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span: RequestSpan
  }
  interface FastifyReply {
    /** The code of the problem that it carries. */
    problem: ProblemCode | undefined
  }
}

/**
 * Makes each request visible by its pattern, never by its address, body or headers: one line in the log, one
 * count and one span, all three with what the others have. To be called before any other hook is added.
 */
export function watchRequests(
  app: FastifyInstance,
  { log, metrics }: Pick<Context, 'log' | 'metrics'>,
): void {
  app.decorateRequest('span')
  app.decorateReply('problem')
  app.addHook('onRequest', (request, _reply, done) => {
    request.span = new RequestSpan(request.headers)
    request.span.run(done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { method, span } = request
    const { statusCode: status, elapsedTime, problem } = reply
    const route = request.routeOptions.url ?? 'unknown'
    metrics.answered({ method, route, status, seconds: elapsedTime / 1000, problem })
    log.info(
      {
        request_id: request.id,
        ...(span.traceId !== undefined && { trace_id: span.traceId }),
        method,
        route,
        status,
        ...(problem && { problem }),
        duration_ms: Math.round(elapsedTime * 10) / 10,
        ...keyOf(request),
      },
      'request',
    )
    endSpan(request, reply)
    done()
  })
}

function endSpan({ method, id, routeOptions, span }: FastifyRequest, reply: FastifyReply): void {
  span.end({
    name: routeOptions.url === undefined ? method : `${method} ${routeOptions.url}`,
    attributes: {
      'http.request.method': method,
      ...(routeOptions.url !== undefined && { 'http.route': routeOptions.url }),
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

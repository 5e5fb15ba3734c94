import type { FastifyBaseLogger } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../database/context.ts'
import type { Draining, Routes } from './server.ts'
import { EmptyObject } from '../base/wire.ts'

const aliveSchema = {
  operationId: 'checkAlive',
  tags: ['Service'],
  summary: 'Check if the process is alive',
  description: 'For supervisors that restart the process.',
  querystring: EmptyObject,
  response: { 200: Type.Object({ status: Type.Literal('alive') }, { description: 'The process is alive.' }) },
}

const readySchema = {
  operationId: 'checkReady',
  tags: ['Service'],
  summary: 'Check if the server can handle requests',
  description:
    'For load balancers. Ready means that the database answers, has space and commits, its migrations have run, and the server is not stopping.',
  querystring: EmptyObject,
  response: {
    200: Type.Object({ status: Type.Literal('ready') }, { description: 'The server is ready.' }),
    503: Type.Object(
      {
        status: Type.Literal('not_ready'),
        reason: Type.Enum([
          'stopping',
          'migrations are pending',
          'the database does not answer',
          'the database has no room',
          'commits wait for a standby',
        ]),
      },
      { description: 'The server is not ready.' },
    ),
  },
}

/**
 * `/healthz` answers while the process is alive, `/readyz` while it can serve. The latter gives 503 while the database
 * is unavailable or the process is stopping.
 */
export function healthRoutes(state: Draining): Routes<Context> {
  return (app, context) => {
    app.get('/healthz', { schema: aliveSchema }, () => ({ status: 'alive' }))
    app.get('/readyz', { schema: readySchema }, async (request, reply) => {
      const reason = state.draining ? 'stopping' : await whyNotReady(context, request.log)
      if (reason) return reply.code(503).header('retry-after', '1').send({ status: 'not_ready', reason })
      return { status: 'ready' }
    })
  }
}

async function whyNotReady({ db }: Context, log: FastifyBaseLogger): Promise<string | undefined> {
  try {
    const pending = await db.pendingMigrations()
    if (pending.length > 0) return 'migrations are pending'
    if (!(await db.hasRoom())) return 'the database has no room'
    return (await db.commitsWait()) ? 'commits wait for a standby' : undefined
  } catch (error) {
    log.warn({ err: error }, 'the readiness check failed')
    return 'the database does not answer'
  }
}

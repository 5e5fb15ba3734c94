import type { Context } from '../context.ts'
import { Nothing } from '../wire.ts'
import type { Draining, Routes } from './server.ts'

/** `/healthz`: the process is alive. `/readyz`: it can serve; 503 while the database is away or it is stopping. */
export function healthRoutes(state: Draining): Routes {
  const schema = { querystring: Nothing }
  return (app, context) => {
    app.get('/healthz', { schema }, () => ({ status: 'alive' }))
    app.get('/readyz', { schema }, async (_request, reply) => {
      const reason = state.draining ? 'stopping' : await whyNotReady(context)
      if (reason) return reply.code(503).header('retry-after', '1').send({ status: 'not_ready', reason })
      return { status: 'ready' }
    })
  }
}

async function whyNotReady(context: Context): Promise<string | undefined> {
  try {
    const pending = await context.db.pendingMigrations()
    return pending.length > 0 ? 'migrations are pending' : undefined
  } catch (error) {
    context.log.warn({ err: error }, 'the readiness check failed')
    return 'the database does not answer'
  }
}

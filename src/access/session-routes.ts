import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { Nothing, problems } from '../wire.ts'
import type { WidgetActor } from './actor.ts'
import { exchangeSession } from './exchange-session.ts'
import { Session } from './session-schemas.ts'

/** The exchange of a publishable key for a session token (contract: Keys, sessions, plans). */
export function sessionRoutes(app: FastifyInstance, context: Context): void {
  app.withTypeProvider<TypeBoxTypeProvider>().post(
    '/session',
    {
      config: { access: ['publishable'] },
      schema: { querystring: Nothing, body: Nothing, response: { 201: Session, ...problems('unavailable') } },
    },
    async (request, reply) => {
      const previous = request.headers['x-previous-session']
      // the route lets publishable keys in only
      const session = await exchangeSession(context, request.actor as WidgetActor, previous?.toString())
      return reply.code(201).send(session)
    },
  )
}

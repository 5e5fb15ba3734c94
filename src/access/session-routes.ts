import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { Nothing } from '../wire.ts'
import type { WidgetActor } from './actor.ts'
import { exchangeSession } from './exchange-session.ts'
import { Session, SessionHeaders } from './session-schemas.ts'

/** The exchange of a publishable key for a session token (contract: Keys, sessions, plans). */
export function sessionRoutes(app: FastifyInstance, context: Context): void {
  app.withTypeProvider<TypeBoxTypeProvider>().post(
    '/session',
    {
      config: { access: ['publishable'], countsFor: 'address' },
      schema: {
        operationId: 'createSession',
        tags: ['Sessions'],
        summary: 'Exchange a publishable key for a session',
        description:
          'A session token acts for one visitor of one business and ends after an hour. A new one with `X-Previous-Session` takes its holds and bookings over.',
        headers: SessionHeaders,
        querystring: Nothing,
        body: Nothing,
        response: { 201: Session },
      },
    },
    async (request, reply) => {
      const previous = request.headers['x-previous-session']
      // the route lets publishable keys in only
      const session = await exchangeSession(context, request.actor as WidgetActor, previous?.toString())
      return reply.code(201).send(session)
    },
  )
}

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { goneClient } from '../http/gone-client.ts'
import { EmptyObject } from '../base/wire.ts'
import type { WidgetActor } from './actor.ts'
import type { Context } from './context.ts'
import { exchangeSession } from './session.ts'
import { Session, SessionHeaders } from './session-schemas.ts'

export function sessionRoutes(app: FastifyInstance, context: Context): void {
  app.withTypeProvider<TypeBoxTypeProvider>().post(
    '/session',
    {
      config: { inRealTime: true, access: ['publishable'], countsFor: 'address' },
      schema: {
        operationId: 'createSession',
        tags: ['Sessions'],
        summary: 'Exchange a publishable key for a session',
        description:
          'A session token acts for one visitor of one business and expires after an hour. To keep its holds and bookings, send it in `X-Previous-Session` when you create the next one.',
        headers: SessionHeaders,
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 201: Session },
      },
    },
    async (request, reply) => {
      const previousToken = request.headers['x-previous-session']?.toString()
      const actor = request.actor as WidgetActor // `access` allows publishable keys only
      const session = await exchangeSession(context, actor, { previousToken, isGone: goneClient(request) })
      return reply.code(201).send(session)
    },
  )
}

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import { sendUnlessKnown } from '../http/unless-known.ts'
import { problems } from '../wire.ts'
import {
  Availability,
  AvailabilityQuery,
  ExplainQuery,
  Explanation,
  OfferQuery,
  SoonestSlot,
} from './availability-schemas.ts'
import { explainSlot } from './explain-slot.ts'
import { findSoonest } from './find-soonest.ts'
import { showAvailability } from './show-availability.ts'
import { LastShown } from './shown-days.ts'

const access = ['session', 'business', 'hub'] as const
const tags = ['Availability']
const Unchanged = Type.Null({ description: 'What the caller has is still right.' })

/** What can be held at this moment (contract: Availability). */
export function availabilityRoutes(app: FastifyInstance, context: Context): void {
  const showContext = { ...context, lastShown: new LastShown() }
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.get(
    '/availability',
    {
      config: { access, etag: true },
      schema: {
        operationId: 'showAvailability',
        tags,
        summary: 'Show free slots',
        description:
          'Every slot that the caller can hold at this moment, by local date. A slot that the session holds itself is among them, marked. What nobody gives there, or not the person asked for, has no slots. Send the `ETag` back as `If-None-Match` to poll cheaply.',
        querystring: AvailabilityQuery,
        response: { 200: Availability, 304: Unchanged, ...problems('not_found', 'slot_not_offered') },
      },
    },
    async (request, reply) => {
      const { days, ...place } = await showAvailability(showContext, request.actor, request.query)
      const head = JSON.stringify({ ...place, days: [] }).slice(0, -']}'.length)
      return sendUnlessKnown(request, reply, `${head}${days.join(',')}]}`)
    },
  )

  routes.get(
    '/availability/explain',
    {
      config: { access, etag: true },
      schema: {
        operationId: 'explainSlot',
        tags,
        summary: 'Explain why a slot is free or not',
        description:
          'The reason for which a session would be refused at this moment; null when it could hold the slot.',
        querystring: ExplainQuery,
        response: { 200: Explanation, 304: Unchanged, ...problems('not_found') },
      },
    },
    async (request, reply) =>
      sendUnlessKnown(
        request,
        reply,
        JSON.stringify(await explainSlot(context, request.actor, request.query)),
      ),
  )

  routes.get(
    '/availability/soonest',
    {
      config: { access, etag: true },
      schema: {
        operationId: 'findSoonestSlot',
        tags,
        summary: 'Find the next free slot',
        description:
          'The next slot that the caller can hold within 366 days, or null: none is free, or nobody gives the service there.',
        querystring: OfferQuery,
        response: { 200: SoonestSlot, 304: Unchanged, ...problems('not_found', 'slot_not_offered') },
      },
    },
    async (request, reply) =>
      sendUnlessKnown(
        request,
        reply,
        JSON.stringify(await findSoonest(context, request.actor, request.query)),
      ),
  )
}

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendConditional } from '../http/conditional.ts'
import { goneClient } from '../http/gone-client.ts'
import { problems } from '../base/wire.ts'
import type { Context } from '../access/context.ts'
import {
  Availability,
  AvailabilityQuery,
  ExplainQuery,
  Explanation,
  OfferQuery,
  SoonestSlot,
  Unchanged,
} from './availability-schemas.ts'
import { availabilityText, explainSlot, findSoonest, showAvailability } from './availability.ts'
import { DayCache } from './busy.ts'

const access = ['session', 'business', 'hub'] as const
const tags = ['Availability']

export function availabilityRoutes(app: FastifyInstance, context: Context): void {
  const showContext = { ...context, dayCache: new DayCache() }
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.get(
    '/availability',
    {
      config: { access, people: 'staff', etag: true },
      schema: {
        operationId: 'showAvailability',
        tags,
        summary: 'Show free slots',
        description:
          'Every slot that the caller can hold now, by local date. A slot that the session itself holds is included and marked. When no staff member, or not the requested one, provides the service there, the list is empty. With `items`, each slot is a start of the whole visit. One answer holds at most 50,000 pairs of slot and staff member; for more, `validation_failed` names the last date that fits. Send the `ETag` back as `If-None-Match` to poll cheaply.',
        querystring: AvailabilityQuery,
        response: { 200: Availability, 304: Unchanged, ...problems('not_found', 'slot_not_offered') },
      },
    },
    async (request, reply) => {
      const asked = { ...showContext, isGone: goneClient(request) }
      const shown = await showAvailability(asked, request.actor, request.query)
      return sendConditional(request, reply, availabilityText(shown))
    },
  )

  routes.get(
    '/availability/explain',
    {
      config: { access, people: 'staff', etag: true },
      schema: {
        operationId: 'explainSlot',
        tags,
        summary: 'Explain why a slot is free or not',
        description:
          'Why a session could not hold the slot now; null when it could. With `items`, `item` is the service that cannot be given.',
        querystring: ExplainQuery,
        response: { 200: Explanation, 304: Unchanged, ...problems('not_found') },
      },
    },
    async (request, reply) =>
      sendJson(request, reply, await explainSlot(context, request.actor, request.query)),
  )

  routes.get(
    '/availability/soonest',
    {
      config: { access, people: 'staff', etag: true },
      schema: {
        operationId: 'findSoonestSlot',
        tags,
        summary: 'Find the next free slot',
        description:
          'The next slot that the caller can hold within 366 days; null when none is free or no staff member provides the service there.',
        querystring: OfferQuery,
        response: { 200: SoonestSlot, 304: Unchanged, ...problems('not_found', 'slot_not_offered') },
      },
    },
    async (request, reply) =>
      sendJson(request, reply, await findSoonest(context, request.actor, request.query)),
  )
}

function sendJson(request: FastifyRequest, reply: FastifyReply, body: unknown) {
  return sendConditional(request, reply, JSON.stringify(body))
}

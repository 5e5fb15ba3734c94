import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { exampleIds } from '../examples.ts'
import { Closed, Nothing, PathId } from '../wire.ts'
import { DeliveriesQuery, Delivery, DeliveryPage } from './delivery-schemas.ts'
import { EventPage, EventsQuery } from './event-schemas.ts'
import { listDeliveries } from './list-deliveries.ts'
import { listEvents } from './list-events.ts'
import { retryByHand } from './retry-delivery.ts'
import { sendSample } from './send-sample.ts'

const access = ['business', 'hub'] as const
const webhookId = PathId('webhook', exampleIds.webhook)
const params = Closed({ id: webhookId })
const tags = ['Webhooks']

/** The log of deliveries, trying them again, samples, and the events themselves (contract: Webhooks). */
export function deliveryRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.get(
    '/webhooks/:id/deliveries',
    {
      config: { access },
      schema: {
        operationId: 'listDeliveries',
        tags,
        summary: 'Show what was sent to a webhook',
        description: 'The newest first, a page at a time, each delivery with its attempts. Kept for 30 days.',
        params,
        querystring: DeliveriesQuery,
        response: { 200: DeliveryPage },
      },
    },
    (request) => listDeliveries(context, request.actor, { id: request.params.id, query: request.query }),
  )

  routes.post(
    '/webhooks/:id/deliveries/:delivery_id/retry',
    {
      config: { access },
      schema: {
        operationId: 'retryDelivery',
        tags,
        summary: 'Send a delivery again',
        description:
          'Whatever came of it: three more attempts, the first at once, with the same `webhook-id`.',
        params: Closed({ id: webhookId, delivery_id: PathId('delivery', exampleIds.delivery) }),
        querystring: Nothing,
        body: Nothing,
        response: { 202: Delivery },
      },
    },
    async (request, reply) => {
      const { id, delivery_id: deliveryId } = request.params
      return reply.code(202).send(await retryByHand(context, request.actor, { id, deliveryId }))
    },
  )

  routes.post(
    '/webhooks/:id/test',
    {
      config: { access },
      schema: {
        operationId: 'testWebhook',
        tags,
        summary: 'Send a sample to a webhook',
        description:
          'A `booking.created` of no real booking, with the header `X-Service-Test: true`. It is sent to a disabled webhook too.',
        params,
        querystring: Nothing,
        body: Nothing,
        response: { 202: Delivery },
      },
    },
    async (request, reply) =>
      reply.code(202).send(await sendSample(context, request.actor, request.params.id)),
  )

  routes.get(
    '/events',
    {
      config: { access },
      schema: {
        operationId: 'listEvents',
        tags,
        summary: 'List events',
        description:
          'The oldest first, a page at a time, with what receivers get of them. Kept for 30 days; `after` the last one that was seen, nothing is ever missed.',
        querystring: EventsQuery,
        response: { 200: EventPage },
      },
    },
    (request) => listEvents(context, request.actor, request.query),
  )
}

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import { exampleIds } from '../examples.ts'
import { Closed, Nothing, PathId, problems } from '../wire.ts'
import { listDeliveries, retryByHand, sendSample } from './delivery.ts'
import { DeliveriesQuery, Delivery, DeliveryPage } from './delivery-schemas.ts'
import { listEvents } from './event.ts'
import { EventPage, EventsQuery } from './event-schemas.ts'
import {
  changeWebhook,
  createWebhook,
  listWebhooks,
  presentWebhook,
  presentWithSecret,
  removeWebhook,
  rotateSecret,
  showWebhook,
} from './webhook.ts'
import {
  ChangeWebhook,
  CreateWebhook,
  Webhook,
  WebhookPage,
  WebhooksQuery,
  WebhookWithSecret,
} from './webhook-schemas.ts'

const access = ['business', 'hub'] as const
const webhookId = PathId('webhook', exampleIds.webhook)
const params = Closed({ id: webhookId })
const tags = ['Webhooks']

/** Webhooks, and new secrets for them. */
export function webhookRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.post(
    '/webhooks',
    {
      config: { access },
      schema: {
        operationId: 'createWebhook',
        tags,
        summary: 'Register a webhook',
        description:
          'The answer shows the secret that signs its deliveries, for the only time. A business can have 20, and a hub 20 for all its businesses together.',
        querystring: Nothing,
        body: CreateWebhook,
        response: { 201: WebhookWithSecret, ...problems('not_found', 'webhook_limit_reached') },
      },
    },
    async (request, reply) => {
      const webhook = await createWebhook(context, request.actor, request.body)
      return reply.code(201).send(presentWithSecret(webhook))
    },
  )

  routes.get(
    '/webhooks',
    {
      config: { access },
      schema: {
        operationId: 'listWebhooks',
        tags,
        summary: 'List webhooks',
        description: 'The newest first, a page at a time. A hub key sees those of its businesses too.',
        querystring: WebhooksQuery,
        response: { 200: WebhookPage },
      },
    },
    (request) => listWebhooks(context, request.actor, request.query),
  )

  routes.get(
    '/webhooks/:id',
    {
      config: { access },
      schema: {
        operationId: 'showWebhook',
        tags,
        summary: 'Show a webhook',
        params,
        querystring: Nothing,
        response: { 200: Webhook },
      },
    },
    async (request) => presentWebhook(await showWebhook(context, request.actor, request.params.id)),
  )

  routes.patch(
    '/webhooks/:id',
    {
      config: { access },
      schema: {
        operationId: 'changeWebhook',
        tags,
        summary: 'Change a webhook',
        description: 'Disabled, nothing new is sent to it, and what still waits for it fails.',
        params,
        querystring: Nothing,
        body: ChangeWebhook,
        response: { 200: Webhook },
      },
    },
    async (request) => {
      const target = { id: request.params.id, change: request.body }
      return presentWebhook(await changeWebhook(context, request.actor, target))
    },
  )

  routes.delete(
    '/webhooks/:id',
    {
      config: { access },
      schema: {
        operationId: 'deleteWebhook',
        tags,
        summary: 'Delete a webhook',
        description: 'What still waits for it is dropped.',
        params,
        querystring: Nothing,
        body: Nothing,
        response: { 204: Type.Null({ description: 'It is gone.' }) },
      },
    },
    async (request, reply) => {
      await removeWebhook(context, request.actor, request.params.id)
      return reply.code(204).send(null)
    },
  )

  routes.post(
    '/webhooks/:id/rotate-secret',
    {
      config: { access },
      schema: {
        operationId: 'rotateWebhookSecret',
        tags,
        summary: 'Replace the secret of a webhook',
        description:
          '`X-Service-Signature` is made with the new one at once; for 24 hours `webhook-signature` verifies with either. Within them it cannot be replaced again.',
        params,
        querystring: Nothing,
        body: Nothing,
        response: { 200: WebhookWithSecret, ...problems('rotation_in_progress') },
      },
    },
    async (request) => presentWithSecret(await rotateSecret(context, request.actor, request.params.id)),
  )
}

/** The log of deliveries, retries by hand, samples, and the events themselves. */
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

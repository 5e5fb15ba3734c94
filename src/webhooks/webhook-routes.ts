import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { exampleIds } from '../base/examples.ts'
import { StrictObject, EmptyObject, PathId, problems } from '../base/wire.ts'
import type { Context } from './context.ts'
import { DeliveriesQuery, Delivery, DeliveryPage } from './delivery-schemas.ts'
import { listDeliveries, retryByHand, sendSample } from './delivery.ts'
import { eventSamples } from './event-sample.ts'
import { usualEventTypes } from './event-payload.ts'
import { EventPage, EventSamples, EventSamplesQuery, EventsQuery } from './event-schemas.ts'
import { listEvents } from './event.ts'
import {
  ChangeWebhook,
  CreateWebhook,
  Webhook,
  WebhookPage,
  WebhooksQuery,
  WebhookWithSecret,
} from './webhook-schemas.ts'
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

const access = ['business', 'hub'] as const
const webhookId = PathId('webhook', exampleIds.webhook)
const params = StrictObject({ id: webhookId })
const tags = ['Webhooks']

export function webhookRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.post(
    '/webhooks',
    {
      config: { access, people: 'owner', plan: 'enterprise' },
      schema: {
        operationId: 'createWebhook',
        tags,
        summary: 'Register a webhook',
        description:
          'The response shows the secret that signs its deliveries. The secret is shown only once. A business can have 20 webhooks, and a hub 20 for all its businesses together.',
        querystring: EmptyObject,
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
      config: { access, people: 'owner', plan: 'enterprise' },
      schema: {
        operationId: 'listWebhooks',
        tags,
        summary: 'List webhooks',
        description: 'The newest first, in pages. A hub key also sees those of its businesses.',
        querystring: WebhooksQuery,
        response: { 200: WebhookPage },
      },
    },
    (request) => listWebhooks(context, request.actor, request.query),
  )

  routes.get(
    '/webhooks/:id',
    {
      config: { access, people: 'owner', plan: 'enterprise' },
      schema: {
        operationId: 'showWebhook',
        tags,
        summary: 'Show a webhook',
        params,
        querystring: EmptyObject,
        response: { 200: Webhook },
      },
    },
    async (request) => presentWebhook(await showWebhook(context, request.actor, request.params.id)),
  )

  routes.patch(
    '/webhooks/:id',
    {
      config: { access, people: 'owner', plan: 'enterprise' },
      schema: {
        operationId: 'changeWebhook',
        tags,
        summary: 'Change a webhook',
        description: 'If you disable it, its pending deliveries fail and nothing more is sent.',
        params,
        querystring: EmptyObject,
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
      config: { access, people: 'owner', plan: 'enterprise' },
      schema: {
        operationId: 'deleteWebhook',
        tags,
        summary: 'Delete a webhook',
        description: 'Its pending deliveries are dropped.',
        params,
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 204: Type.Null({ description: 'Deleted.' }) },
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
      config: { access, people: 'owner', plan: 'enterprise' },
      schema: {
        operationId: 'rotateWebhookSecret',
        tags,
        summary: 'Replace the secret of a webhook',
        description:
          '`X-Service-Signature` uses the new secret at once. For 24 hours `webhook-signature` verifies with either secret. You cannot replace the secret again until then.',
        params,
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 200: WebhookWithSecret, ...problems('rotation_in_progress') },
      },
    },
    async (request) => presentWithSecret(await rotateSecret(context, request.actor, request.params.id)),
  )
}

export function deliveryRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.get(
    '/webhooks/:id/deliveries',
    {
      config: { access, people: 'owner', plan: 'enterprise' },
      schema: {
        operationId: 'listDeliveries',
        tags,
        summary: 'List deliveries of a webhook',
        description: 'The newest first, in pages, each delivery with its attempts. Kept for 30 days.',
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
      config: { access, people: 'owner', plan: 'enterprise' },
      schema: {
        operationId: 'retryDelivery',
        tags,
        summary: 'Send a delivery again',
        description:
          'Makes three more attempts, the first at once, with the same `webhook-id`. Works for successful deliveries, too.',
        params: StrictObject({ id: webhookId, delivery_id: PathId('delivery', exampleIds.delivery) }),
        querystring: EmptyObject,
        body: EmptyObject,
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
      config: { access, people: 'owner', plan: 'enterprise' },
      schema: {
        operationId: 'testWebhook',
        tags,
        summary: 'Send a sample to a webhook',
        description:
          'Sends a `booking.created` of a fictional booking, with the header `X-Service-Test: true`. A disabled webhook receives it, too.',
        params,
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 202: Delivery },
      },
    },
    async (request, reply) =>
      reply.code(202).send(await sendSample(context, request.actor, request.params.id)),
  )

  routes.get(
    '/events',
    {
      config: { access, people: 'owner', plan: 'enterprise' },
      schema: {
        operationId: 'listEvents',
        tags,
        summary: 'List events',
        description:
          'In pages, the oldest first by default, each with the body that receivers get. Kept for 30 days. If you resume `after` the last event that you stored, you miss none.',
        querystring: EventsQuery,
        response: { 200: EventPage },
      },
    },
    (request) => listEvents(context, request.actor, request.query),
  )

  routes.get(
    '/events/samples',
    {
      config: { access, people: 'owner', plan: 'enterprise' },
      schema: {
        operationId: 'listEventSamples',
        tags,
        summary: 'List a sample of each event',
        description:
          'For tools that show the fields of an event before one has happened. Returns the body that receivers get, with every field, for a fictional booking for two.',
        querystring: EventSamplesQuery,
        response: { 200: EventSamples },
      },
    },
    (request) => {
      const { type } = request.query
      const types: readonly string[] = type === undefined ? usualEventTypes : [type]
      return { data: eventSamples().filter(({ event }) => types.includes(event)) }
    },
  )
}

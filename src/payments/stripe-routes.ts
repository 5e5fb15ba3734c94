import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Problem, unavailable } from '../base/errors.ts'
import { EmptyObject, problems } from '../base/wire.ts'
import type { Context } from '../bookings/context.ts'
import { applyStripeEvent, readStripeEvent } from './stripe.ts'

/** In bytes. Events of checkouts have a few thousand. */
const bodyLimit = 256 * 1024

/** Stripe resends each event until it gets 200. */
export function stripeWebhookRoutes(app: FastifyInstance, context: Context): void {
  void app.register((scope, _options, done) => {
    // the signature covers the raw bytes
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, parsed) => {
      parsed(null, body)
    })
    scope.post(
      '/payments/stripe/webhook',
      {
        bodyLimit,
        schema: {
          operationId: 'receiveStripeEvent',
          tags: ['Service'],
          summary: 'Receive a Stripe event',
          description:
            'Only for Stripe. The body is an event, signed with `STRIPE_WEBHOOK_SECRET` in the header `Stripe-Signature`. Each event is applied once. If the amount, currency or reference of a payment differs from the order, it is logged and confirms nothing.',
          querystring: EmptyObject,
          response: {
            200: Type.Object({ received: Type.Literal(true) }),
            ...problems('invalid_signature', 'not_found', 'unavailable'),
          },
        },
      },
      async (request) => {
        const { stripeSecretKey, stripeWebhookSecret } = context.config
        if (stripeSecretKey === '')
          throw new Problem('not_found', 'This server does not take deposits through Stripe.')
        if (stripeWebhookSecret === '') throw unavailable('The operator has to set STRIPE_WEBHOOK_SECRET.')
        const signature = String(request.headers['stripe-signature'] ?? '')
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        await applyStripeEvent(context, await readStripeEvent(context, { body, signature }))
        return { received: true as const }
      },
    )
    done()
  })
}

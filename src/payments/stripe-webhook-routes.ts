import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import { Problem, unavailable } from '../errors.ts'
import { Nothing, problems } from '../wire.ts'
import { applyStripeEvent, readStripeEvent } from './stripe-events.ts'

/** The largest event that is read, in bytes: those of checkouts have a few thousand. */
const bodyLimit = 256 * 1024

/** Where Stripe sends its events (contract: Deposits). It sends them again until it is answered by 200. */
export function stripeWebhookRoutes(app: FastifyInstance, context: Context): void {
  void app.register((scope, _options, done) => {
    // the signature is over the bytes as they came
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
          summary: 'Take an event of Stripe',
          description:
            'For Stripe alone: the body is an event, signed in the header `Stripe-Signature` with `STRIPE_WEBHOOK_SECRET`. Each event is applied once. A payment of another amount, currency or reference than was ordered confirms nothing; the log tells of it.',
          querystring: Nothing,
          response: {
            200: Type.Object({ received: Type.Literal(true) }),
            ...problems('invalid_signature', 'not_found', 'unavailable'),
          },
        },
      },
      async (request) => {
        const { stripeSecretKey, stripeWebhookSecret } = context.config
        if (stripeSecretKey === '') throw new Problem('not_found', 'Deposits are not taken by Stripe here.')
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

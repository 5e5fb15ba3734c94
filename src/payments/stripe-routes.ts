import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Problem, unavailable } from '../base/errors.ts'
import { exampleIds } from '../base/examples.ts'
import { isUuid } from '../base/ids.ts'
import { EmptyObject, PathId, problems, StrictObject } from '../base/wire.ts'
import type { Context } from '../bookings/context.ts'
import { webhookSecretsOf } from './own-stripe.ts'
import { readStripeEvent } from './stripe.ts'
import { applyStripeEvent } from './stripe-events.ts'

/** In bytes. Events of checkouts have a few thousand. */
const bodyLimit = 256 * 1024

function signedPart({ headers, body }: FastifyRequest): { body: Buffer; signature: string } {
  return {
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
    signature: String(headers['stripe-signature'] ?? ''),
  }
}

/** Reads an event with the secret that signed it. Throws like `readStripeEvent`. */
async function firstSigned(
  context: Context,
  signed: { body: Buffer; signature: string },
  secrets: readonly string[],
): ReturnType<typeof readStripeEvent> {
  let refusal: unknown
  for (const secret of secrets) {
    try {
      return await readStripeEvent(context, { ...signed, secret })
    } catch (error) {
      refusal ??= error
    }
  }
  throw refusal
}

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
        const read = { ...signedPart(request), secret: stripeWebhookSecret }
        await applyStripeEvent(context, await readStripeEvent(context, read))
        return { received: true as const }
      },
    )
    scope.post<{ Params: { business_id: string } }>(
      '/payments/stripe/webhook/:business_id',
      {
        bodyLimit,
        schema: {
          operationId: 'receiveOwnStripeEvent',
          tags: ['Service'],
          summary: "Receive an event of a business's own Stripe account",
          description:
            'Only for Stripe. Signed with the webhook secret of the business. Each event is applied once, to payments of that account only.',
          params: StrictObject({ business_id: PathId('business', exampleIds.business) }),
          querystring: EmptyObject,
          response: {
            200: Type.Object({ received: Type.Literal(true) }),
            ...problems('invalid_signature', 'not_found'),
          },
        },
      },
      async (request) => {
        const businessId = request.params.business_id.toLowerCase()
        const known = isUuid(businessId) ? await webhookSecretsOf(context, businessId) : []
        if (known.length === 0) throw new Problem('not_found', 'There is no such Stripe account here.')
        const event = await firstSigned(context, signedPart(request), known)
        await applyStripeEvent(context, event, businessId)
        return { received: true as const }
      },
    )
    done()
  })
}

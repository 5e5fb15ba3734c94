import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { countTrial } from '../access/counted-requests.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { exampleIds } from '../base/examples.ts'
import { EmptyObject, PathId, problems, StrictObject } from '../base/wire.ts'
import type { Context } from '../bookings/context.ts'
import { presentOwnStripe, removeOwnStripe, setOwnStripe, showOwnStripe } from './own-stripe.ts'
import { StripeAccount, SetStripe } from './own-stripe-schemas.ts'

const config = { access: [], people: 'owner' } as const
const params = StrictObject({ id: PathId('business', exampleIds.business) })
const tags = ['Businesses']

export function ownStripeRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    const routes = app.withTypeProvider<TypeBoxTypeProvider>()

    routes.put(
      '/businesses/:id/stripe',
      {
        config,
        schema: {
          operationId: 'setStripe',
          tags,
          summary: 'Take the deposits of a business with its own Stripe account',
          description:
            'Holdfast tries the key first, and stores it only if Stripe accepts it. Add an endpoint for `webhook_url` at Stripe, with the events of the guide on deposits. Checkouts that are already open stay with the account that opened them, and refunds come from the account that was paid.',
          params,
          querystring: EmptyObject,
          body: SetStripe,
          response: { 200: StripeAccount, ...problems('not_found', 'test_business') },
        },
      },
      async ({ actor, params: { id }, body }) => {
        await countTrial(context, limiter, actor)
        return presentOwnStripe(context, await setOwnStripe(context, actor, { id, account: body }))
      },
    )

    routes.get(
      '/businesses/:id/stripe',
      {
        config,
        schema: {
          operationId: 'showStripe',
          tags,
          summary: 'Show the Stripe account of a business',
          description: 'Without keys. 404 if the account of the operator takes its deposits.',
          params,
          querystring: EmptyObject,
          response: { 200: StripeAccount, ...problems('not_found') },
        },
      },
      async ({ actor, params: { id } }) => presentOwnStripe(context, await showOwnStripe(context, actor, id)),
    )

    routes.delete(
      '/businesses/:id/stripe',
      {
        config,
        schema: {
          operationId: 'removeStripe',
          tags,
          summary: 'Take deposits with the account of the operator again',
          description:
            'For new deposits. Holdfast keeps the key for refunds and open checkouts. Changes nothing without an account.',
          params,
          querystring: EmptyObject,
          response: {
            204: Type.Null({ description: 'The account takes no new deposits.' }),
            ...problems('not_found'),
          },
        },
      },
      async (request, reply) => {
        await removeOwnStripe(context, request.actor, request.params.id)
        return reply.code(204).send(null)
      },
    )
  }
}

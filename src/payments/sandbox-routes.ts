import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import { sendPage } from '../http/pages/page.ts'
import { Closed, Media, Nothing, problems } from '../wire.ts'
import { seeOther } from './checkout-routes.ts'
import { sandboxPage } from './sandbox-page.ts'
import { closeCheckout, findCheckout } from './use-sandbox.ts'

const tags = ['Service']
const params = Closed({ reference: Type.String({ description: 'Secret.', examples: ['k3Vw0f…'] }) })

/** The checkout page of the sandbox (contract: Deposits). There is none where Stripe takes payments, or nobody does. */
export function sandboxRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/sandbox/:reference',
    {
      schema: {
        operationId: 'showSandbox',
        tags,
        summary: 'The checkout page of the sandbox',
        description: 'For trials: a client pays, lets the payment fail, or gives up. No money moves.',
        params,
        querystring: Type.Object({ declined: Type.Optional(Type.String({ maxLength: 1 })) }),
        response: { 200: Media('text/html', 'The page.'), ...problems('not_found') },
      },
    },
    async (request, reply) => {
      const checkout = await findCheckout(context, request.params.reference)
      const page = sandboxPage(checkout, request.query.declined !== undefined)
      return sendPage(reply, { ...page, forms: true })
    },
  )

  const schemaOf = (operationId: string, summary: string, description: string) => ({
    ...{ operationId, tags, summary, description, params, querystring: Nothing, body: Nothing },
    response: { 303: Type.Null({ description: 'To the next page.' }), ...problems('not_found') },
  })
  routes.post(
    '/sandbox/:reference/pay',
    { schema: schemaOf('payInSandbox', 'Pay in the sandbox', 'The booking is confirmed by it.') },
    async (request, reply) => {
      const { payment_id } = await closeCheckout(context, request.params.reference, 'paid')
      return seeOther(reply, `/checkout/${payment_id}`)
    },
  )
  routes.post(
    '/sandbox/:reference/fail',
    {
      schema: schemaOf(
        'failInSandbox',
        'Have a payment declined in the sandbox',
        'Nothing is changed by it.',
      ),
    },
    async (request, reply) => {
      const { reference } = await findCheckout(context, request.params.reference)
      return seeOther(reply, `/sandbox/${reference}?declined=1`)
    },
  )
  routes.post(
    '/sandbox/:reference/give-up',
    { schema: schemaOf('giveUpInSandbox', 'Give up in the sandbox', 'The booking is cancelled by it.') },
    async (request, reply) => {
      const { payment_id } = await closeCheckout(context, request.params.reference, 'expired')
      return seeOther(reply, `/checkout/${payment_id}`)
    },
  )
}

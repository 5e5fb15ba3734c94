import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import { exampleIds } from '../examples.ts'
import { sendPage } from '../http/pages/page.ts'
import { Closed, Media, Nothing, PathId, problems } from '../wire.ts'
import { checkoutPage } from './checkout-page.ts'
import { giveUpCheckout, showCheckout } from './show-checkout.ts'

const tags = ['Service']
const params = Closed({ payment_id: PathId('payment', exampleIds.booking) })

/** The page to which a client comes back from a checkout. Its address is known to nobody else. */
export function checkoutRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/checkout/:payment_id',
    {
      schema: {
        operationId: 'showCheckout',
        tags,
        summary: 'How the booking of a checkout stands, for the client',
        description: 'Where a client comes back to from paying. It says nothing of who has booked.',
        params,
        response: { 200: Media('text/html', 'The page.'), ...problems('not_found') },
      },
    },
    async (request, reply) => {
      const page = checkoutPage(await showCheckout(context, request.params.payment_id))
      return sendPage(reply, { ...page, forms: true })
    },
  )
  routes.post(
    '/checkout/:payment_id/give-up',
    {
      schema: {
        operationId: 'giveUpCheckout',
        tags,
        summary: 'Give a checkout up, as the client',
        description: 'Unless it was paid meanwhile, the booking is cancelled and its slot free.',
        params,
        querystring: Nothing,
        body: Nothing,
        response: {
          303: Type.Null({ description: 'To the page of the checkout.' }),
          ...problems('not_found', 'unavailable'),
        },
      },
    },
    async (request, reply) => {
      const { payment_id: id } = request.params
      await giveUpCheckout(context, id)
      return seeOther(reply, `/checkout/${id}`)
    },
  )
}

/** Sends a browser on by GET. The path is below the address at which the browser is. */
export function seeOther(reply: FastifyReply, path: string): FastifyReply {
  return reply.code(303).header('location', path).header('cache-control', 'no-store').send()
}

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { amountText } from '../catalogue/service-rules.ts'
import { StrictObject, Media, EmptyObject, problems } from '../http/wire.ts'
import type { Context } from '../bookings/context.ts'
import { closeCheckout, findCheckout } from '../payments/sandbox.ts'
import { details, seeOther } from './checkout-routes.ts'
import { html, type Html, sendPage } from './page.ts'

const tags = ['Service']
const params = StrictObject({ reference: Type.String({ description: 'Secret.', examples: ['k3Vw0f…'] }) })

/** The checkout page of the sandbox. Absent with Stripe and without deposits. */
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
    ...{ operationId, tags, summary, description, params, querystring: EmptyObject, body: EmptyObject },
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

/** Plain forms, without a script. */
function sandboxPage(
  checkout: Awaited<ReturnType<typeof findCheckout>>,
  declined: boolean,
): { title: string; main: Html } {
  const { reference, service_name: serviceName, payment_id: paymentId } = checkout
  const isOpen = checkout.status === 'open'
  const action = (what: string) => `/sandbox/${reference}/${what}`
  const main = html`<main id="main" class="text" tabindex="-1">
    <h1>Pay a deposit (sandbox)</h1>
    <p>This is a test: no money moves, and you need no card.</p>
    ${declined && isOpen ? html`<p role="alert">The payment was declined. Nothing was paid; you can try again.</p>` : ''}
    ${details([
      ['Deposit for', serviceName],
      ['Amount', amountText(checkout)],
    ])}
    ${
      isOpen
        ? html`<form method="post" action="${action('pay')}">
              <button type="submit" class="main">Pay ${amountText(checkout)}</button>
            </form>
            <form method="post" action="${action('fail')}">
              <button type="submit">Let the payment fail</button>
            </form>
            <form method="post" action="${action('give-up')}">
              <button type="submit">Cancel booking</button>
            </form>`
        : html`<p>This checkout is over. <a href="/checkout/${paymentId}">See the booking</a></p>`
    }
  </main>`
  return { title: 'Pay a deposit (sandbox)', main }
}

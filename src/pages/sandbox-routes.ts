import { pageTag } from '../http/openapi.ts'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { html } from '../base/html.ts'
import { StrictObject, Media, EmptyObject, problems } from '../base/wire.ts'
import type { Context } from '../bookings/context.ts'
import { moneyText } from '../mails/render.ts'
import { closeCheckout, findCheckout } from '../payments/sandbox.ts'
import { checkoutLanguage, details, seeOther } from './checkout-routes.ts'
import { type Page, sendPage } from './page.ts'

const tags = [pageTag]
const params = StrictObject({ reference: Type.String({ description: 'Secret.', examples: ['k3Vw0f…'] }) })

/** Registers the checkout page of the sandbox. Absent with Stripe and without deposits. */
export function sandboxRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/sandbox/:reference',
    {
      config: { countsVisits: true },
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
      const { 'accept-language': accepted } = request.headers
      const page = sandboxPage(checkout, { accepted, isDeclined: request.query.declined !== undefined })
      return sendPage(reply, { ...page, header: html``, forms: true })
    },
  )

  const schemaOf = (operationId: string, summary: string, description: string) => ({
    ...{ operationId, tags, summary, description, params, querystring: EmptyObject, body: EmptyObject },
    response: { 303: Type.Null({ description: 'To the next page.' }), ...problems('not_found') },
  })
  routes.post(
    '/sandbox/:reference/pay',
    {
      config: { countsVisits: true },
      schema: schemaOf('payInSandbox', 'Pay in the sandbox', 'The booking is confirmed by it.'),
    },
    async (request, reply) => {
      const { payment_id } = await closeCheckout(context, request.params.reference, 'paid')
      return seeOther(reply, `/checkout/${payment_id}`)
    },
  )
  routes.post(
    '/sandbox/:reference/fail',
    {
      config: { countsVisits: true },
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
    {
      config: { countsVisits: true },
      schema: schemaOf('giveUpInSandbox', 'Give up in the sandbox', 'The booking is cancelled by it.'),
    },
    async (request, reply) => {
      const { payment_id } = await closeCheckout(context, request.params.reference, 'expired')
      return seeOther(reply, `/checkout/${payment_id}`)
    },
  )
}

/** Renders plain forms without a script, in the language of the client. */
function sandboxPage(
  checkout: Awaited<ReturnType<typeof findCheckout>>,
  { accepted, isDeclined }: { accepted: string | undefined; isDeclined: boolean },
): Pick<Page, 'title' | 'main' | 'locale' | 'skip'> {
  const { reference, service_name: serviceName, payment_id: paymentId } = checkout
  const { say, locale } = checkoutLanguage(checkout.locale, accepted)
  const amount = moneyText(checkout, locale)
  const isOpen = checkout.status === 'open'
  const action = (what: string) => `/sandbox/${reference}/${what}`
  const main = html`<main id="main" class="text" tabindex="-1">
    <h1>${say('sandbox.title')}</h1>
    <p>${say('sandbox.hint')}</p>
    ${isDeclined && isOpen ? html`<p role="alert">${say('sandbox.declined')}</p>` : ''}
    ${details([
      [say('sandbox.what'), serviceName],
      [say('sandbox.amount'), amount],
    ])}
    ${
      isOpen
        ? html`<form method="post" action="${action('pay')}">
              <button type="submit" class="main">${say('sandbox.pay', { amount })}</button>
            </form>
            <form method="post" action="${action('fail')}">
              <button type="submit">${say('sandbox.fail')}</button>
            </form>
            ${
              checkout.confirmed_at !== null
                ? ''
                : html`<form method="post" action="${action('give-up')}">
                    <button type="submit">${say('checkout.giveUp')}</button>
                  </form>`
            }`
        : html`<p>${say('sandbox.over')} <a href="/checkout/${paymentId}">${say('sandbox.show')}</a></p>`
    }
  </main>`
  return { title: say('sandbox.title'), main, locale, skip: say('checkout.skip') }
}

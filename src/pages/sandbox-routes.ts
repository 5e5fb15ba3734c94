import { pageTag } from '../http/openapi.ts'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { html, type Html } from '../base/html.ts'
import type { Language } from '../base/languages.ts'
import { StrictObject, Media, EmptyObject, problems } from '../base/wire.ts'
import type { Context } from '../bookings/context.ts'
import { moneyText } from '../mails/times-and-money.ts'
import { closeCheckout, findCheckout, sandboxCards } from '../payments/sandbox.ts'
import { checkoutLanguage, details, pressed } from './checkout-routes.ts'
import { type MessagePage, sendMessagePage } from './message-page.ts'
import { seeOther } from './page.ts'

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
      const language = checkoutLanguage(checkout.locale, request.headers['accept-language'])
      const isDeclined = request.query.declined !== undefined
      return sendMessagePage(reply, language, sandboxPage(checkout, { language, isDeclined }))
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
      schema: {
        ...schemaOf(
          'payInSandbox',
          'Pay in the sandbox',
          'The booking is confirmed by it. If the checkout saves a card, `card` says what later charges to it do.',
        ),
        querystring: StrictObject({ card: Type.Optional(Type.Enum([...sandboxCards])) }),
      },
    },
    async (request, reply) => {
      const paid = { status: 'paid' as const, card: request.query.card }
      const { payment_id } = await closeCheckout(context, request.params.reference, paid)
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
      const { payment_id } = await closeCheckout(context, request.params.reference, { status: 'expired' })
      return seeOther(reply, `/checkout/${payment_id}`)
    },
  )
}

const cardTexts = {
  works: 'sandbox.cardWorks',
  needs_authentication: 'sandbox.cardAuthentication',
  declined: 'sandbox.cardDeclined',
  fails_later: 'sandbox.cardFailsLater',
} as const

type Press = (what: string, label: string, isMain?: boolean) => Html

/** Renders the button that pays, or one for each card that can be saved. */
function payButtons(
  { kind, saves_card }: Awaited<ReturnType<typeof findCheckout>>,
  { say, amount, press }: Pick<Language, 'say'> & { amount: string; press: Press },
): Html {
  if (saves_card === 0) return press('pay', say('sandbox.pay', { amount }), true)
  return html`<p>${kind === 'card' ? say('sandbox.saveCard') : say('sandbox.payAndSave', { amount })}</p>
    ${sandboxCards.map((card, index) => press(`pay?card=${card}`, say(cardTexts[card]), index === 0))}`
}

/** Renders plain forms without a script, in the language of the client. */
function sandboxPage(
  checkout: Awaited<ReturnType<typeof findCheckout>>,
  { language: { say, locale }, isDeclined }: { language: Language; isDeclined: boolean },
): MessagePage {
  const { reference, service_name: serviceName, payment_id: paymentId } = checkout
  const amount = moneyText(checkout, locale)
  const isOpen = checkout.status === 'open'
  const isCard = checkout.kind === 'card'
  const press = (what: string, label: string, isMain = false) =>
    pressed({ path: `/sandbox/${reference}/${what}`, label, isMain })
  return {
    title: say(isCard ? 'sandbox.cardTitle' : 'sandbox.title'),
    sign: 'payments',
    forms: true,
    content: html`<p class="note">${say('sandbox.hint')}</p>
      ${isDeclined && isOpen ? html`<p class="fault" role="alert">${say(isCard ? 'sandbox.cardNotSaved' : 'sandbox.declined')}</p>` : ''}
      ${details([
        [say(isCard ? 'checkout.what' : 'sandbox.what'), serviceName],
        ...(isCard ? [] : [[say('sandbox.amount'), amount] as [string, string]]),
      ])}
      ${
        isOpen
          ? html`${payButtons(checkout, { say, amount, press })}
            ${press('fail', say(isCard ? 'sandbox.failCard' : 'sandbox.fail'))}
            ${checkout.confirmed_at === null ? press('give-up', say('checkout.giveUp')) : ''}`
          : html`<p>${say('sandbox.over')}</p>
              <a class="button main" href="/checkout/${paymentId}">${say('sandbox.show')}</a>`
      }`,
  }
}

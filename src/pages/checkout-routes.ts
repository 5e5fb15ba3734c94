import { pageTag } from '../http/openapi.ts'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { webOrigin } from '../base/contact-formats.ts'
import { exampleIds } from '../base/examples.ts'
import { html, type Html } from '../base/html.ts'
import { type Instant, toMs } from '../base/instants.ts'
import { acceptedLocales, type Language, languageFor } from '../base/languages.ts'
import { StrictObject, Media, EmptyObject, PathId, problems } from '../base/wire.ts'
import type { Context } from '../bookings/context.ts'
import { zoneName } from '../mails/render.ts'
import { type CheckoutView, giveUpCheckout, showCheckout } from '../payments/checkout.ts'
import { type Page, sendPage } from './page.ts'

const tags = [pageTag]
const params = StrictObject({ payment_id: PathId('payment', exampleIds.booking) })

/** Registers the page to which a client returns from a checkout. Only the client knows its URL. */
export function checkoutRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/checkout/:payment_id',
    {
      config: { countsVisits: true },
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
      const view = await showCheckout(context, request.params.payment_id)
      return sendPage(reply, checkoutPage(view, request.headers['accept-language']))
    },
  )
  routes.post(
    '/checkout/:payment_id/give-up',
    {
      config: { countsVisits: true },
      schema: {
        operationId: 'giveUpCheckout',
        tags,
        summary: 'Give a checkout up, as the client',
        description: 'Unless it was paid meanwhile, the booking is cancelled and its slot free.',
        params,
        querystring: EmptyObject,
        body: EmptyObject,
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

/** Redirects a browser by GET to a path of the same origin. */
export function seeOther(reply: FastifyReply, path: string): FastifyReply {
  return reply.code(303).header('location', path).header('cache-control', 'no-store').send()
}

/** Returns to the client's previous page and polls for the payment. The page works without this script. */
const more = html`<script type="module" src="/docs/checkout.js"></script>`

/** Returns the language of the booking, otherwise of the browser (Accept-Language). */
export function checkoutLanguage(booked: string | null, acceptLanguage: string | undefined): Language {
  return languageFor(booked, ...acceptedLocales(acceptLanguage))
}

/** Renders the status of a booking for a client who returns from paying, in their language. */
function checkoutPage(view: CheckoutView, acceptLanguage: string | undefined): Page {
  const { state, serviceName, startsAt, timezone, business } = view
  const { say, locale } = checkoutLanguage(view.locale, acceptLanguage)
  const title = say(`checkout.title.${state}`)
  const logo = business.brand_logo_url
  const main = html`<main
    id="main"
    class="text"
    tabindex="-1"
    data-state="${state}"
    data-booking="${view.bookingId}"
  >
    <h1>${title}</h1>
    ${details([
      [say('checkout.what'), serviceName],
      [say('checkout.when'), timeText(startsAt, { timezone, locale })],
    ])}
    ${explanation(view, { say, locale })}
    <p hidden class="back"><a class="button">${say('checkout.back')}</a></p>
  </main>`
  return {
    title,
    main,
    more,
    header: html`<header>
      ${logo ? html`<img class="logo" src="${logo}" alt="" referrerpolicy="no-referrer" />` : ''}
      <bdi class="name">${business.brand_name ?? business.name}</bdi>
    </header>`,
    ...{ locale, skip: say('checkout.skip'), imageOrigin: webOrigin(logo ?? ''), forms: true },
  }
}

function explanation(
  { state, stands, paymentId, payUrl, expiresAt, timezone, bookAgainUrl }: CheckoutView,
  { say, locale }: Pick<Language, 'say' | 'locale'>,
): Html {
  switch (state) {
    case 'confirmed':
      return html`<p>${say('checkout.confirmed')}</p>`
    case 'cancelled':
      return html`<p>${say('checkout.cancelled')}</p>
        ${bookAgainUrl === undefined ? '' : html`<p><a class="button main" href="${bookAgainUrl}">${say('checkout.again')}</a></p>`}`
    case 'refunding':
    case 'refunded':
      return html`<p>${say('checkout.refund')}</p>`
    case 'due':
      return html`<p>
          ${stands ? say('checkout.stands') : say('checkout.kept', { time: timeText(expiresAt, { timezone, locale }) })}
          <noscript>${say('checkout.reload')}</noscript>
        </p>
        ${payUrl === undefined ? '' : html`<p><a class="button main" href="${payUrl}">${say('checkout.pay')}</a></p>`}
        ${
          stands
            ? ''
            : html`<form method="post" action="/checkout/${paymentId}/give-up">
                <button type="submit">${say('checkout.giveUp')}</button>
              </form>`
        }`
  }
}

export function details(entries: [name: string, value: string][]): Html {
  return html`<dl>
    ${entries.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`
}

/** Formats a time in the zone of the location, including the zone's name. */
function timeText(instant: Instant, { timezone, locale }: { timezone: string; locale: string }): string {
  const format = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
    ...{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
    ...{ hour: 'numeric', minute: '2-digit', timeZone: timezone },
  })
  return `${format.format(toMs(instant))} (${zoneName(instant, timezone, { locale })})`
}

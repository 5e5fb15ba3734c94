import { pageTag } from '../http/openapi.ts'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { exampleIds } from '../base/examples.ts'
import { html, type Html } from '../base/html.ts'
import { type Instant, toMs } from '../base/instants.ts'
import { acceptedLocales, type Language, languageFor } from '../base/languages.ts'
import { StrictObject, Media, EmptyObject, PathId, problems } from '../base/wire.ts'
import type { Context } from '../bookings/context.ts'
import { feeReason, feeSentence } from '../mails/fee-sentence.ts'
import { moneyText, zoneName } from '../mails/times-and-money.ts'
import { type CheckoutView, giveUpCheckout, showCheckout } from '../payments/checkout.ts'
import type { IconName } from './icons.ts'
import { type MessagePage, sendMessagePage } from './message-page.ts'
import { seeOther } from './page.ts'

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
      const language = checkoutLanguage(view.locale, request.headers['accept-language'])
      return sendMessagePage(reply, language, checkoutPage(view, language))
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

/** Returns to the client's previous page and polls for the payment. The page works without this script. */
const more = html`<script type="module" src="/docs/checkout.js"></script>`

/** Returns the language of the booking, otherwise of the browser (Accept-Language). */
export function checkoutLanguage(booked: string | null, acceptLanguage: string | undefined): Language {
  return languageFor(booked, ...acceptedLocales(acceptLanguage))
}

const signs: Record<CheckoutView['state'], IconName> = {
  due: 'payments',
  confirmed: 'done',
  cancelled: 'cancelled',
  refunding: 'again',
  refunded: 'again',
}

/** Renders the status of a booking for a client who returns from paying, in their language. */
function checkoutPage(view: CheckoutView, { say, locale }: Language): MessagePage {
  const { state, serviceName, startsAt, timezone, business } = view
  return {
    title: say(titleOf(view)),
    content: html`${details([
        [say('checkout.what'), serviceName],
        [say('checkout.when'), timeText(startsAt, { timezone, locale })],
      ])}
      ${feePart(view, { say, locale })} ${explanation(view, { say, locale })}
      <p hidden class="back"><a class="button">${say('checkout.back')}</a></p>`,
    sign: signs[state],
    data: html`data-state="${state}" data-booking="${view.bookingId}"`,
    ...{ business, more, forms: true },
  }
}

function titleOf({ state, kind }: CheckoutView) {
  if (kind === 'fee' && state === 'confirmed') return 'checkout.title.feePaid'
  if (kind === 'fee' && state === 'cancelled') return 'checkout.title.waived'
  return kind === 'card' && state === 'due' ? 'checkout.title.cardDue' : (`checkout.title.${state}` as const)
}

const arrived = {
  deposit: 'checkout.confirmed',
  full: 'checkout.confirmed',
  card: 'checkout.cardSaved',
  fee: 'checkout.feePaid',
} as const

/** States the fees and how to have the card removed, before the client saves it. */
function feePart(
  { state, kind, feeTerms, business }: CheckoutView,
  { say, locale }: Pick<Language, 'say' | 'locale'>,
): Html {
  const text = feeTerms ? feeSentence(feeTerms, { say, locale }) : ''
  if (state !== 'due' || (text === '' && kind !== 'card')) return html``
  const sentences = [
    ...(kind === 'card' ? [say('checkout.cardDue')] : []),
    ...(text === '' ? [] : [text, say('booking.feeAgree')]),
    say('checkout.cardRemove', { business: business.brand_name ?? business.name }),
  ]
  return html`<p class="note">${sentences.join(' ')}</p>`
}

/** States until when a confirmed booking may change, and what a late cancellation and a no-show cost. */
function laterPart(
  { kind, feeTerms, cancelUntil, moveUntil, timezone }: CheckoutView,
  { say, locale }: Pick<Language, 'say' | 'locale'>,
): Html {
  const time = (until: Instant) => momentText(until, { timezone, locale }) // the zone stands above
  const sentences =
    cancelUntil !== null && cancelUntil === moveUntil
      ? [say('booking.untilBoth', { time: time(cancelUntil) })]
      : [
          ...(moveUntil === null ? [] : [say('booking.untilMove', { time: time(moveUntil) })]),
          ...(cancelUntil === null ? [] : [say('booking.untilCancel', { time: time(cancelUntil) })]),
        ]
  const fees = feeTerms ? feeSentence(feeTerms, { say, locale }) : ''
  if (fees !== '') sentences.push(fees)
  else if (cancelUntil !== null && kind !== 'card') sentences.push(say('booking.refundUntil'))
  return html`${sentences.map((text) => html`<p class="aside">${text}</p>`)}`
}

/** States why a fee is to be paid here. */
function feeDue(view: CheckoutView, { say, locale }: Pick<Language, 'say' | 'locale'>): Html {
  const { money, payUrl } = view
  const reason = feeReason(money.reason ?? '', { say })
  return html`<p>${say('checkout.feeDue', { amount: moneyText(money, locale), reason })}</p>
    ${payUrl === undefined ? '' : html`<a class="button main" href="${payUrl}">${say('checkout.pay')}</a>`}`
}

function explanation(view: CheckoutView, { say, locale }: Pick<Language, 'say' | 'locale'>): Html {
  const { state, kind, stands, paymentId, payUrl, expiresAt, timezone, bookAgainUrl } = view
  if (kind === 'fee' && state === 'due') return feeDue(view, { say, locale })
  if (kind === 'fee' && state === 'cancelled') return html``
  switch (state) {
    case 'confirmed':
      return html`<p>${say(arrived[kind])}</p>
        ${kind === 'fee' ? '' : laterPart(view, { say, locale })}`
    case 'cancelled':
      return html`<p>${say('checkout.cancelled')}</p>
        ${bookAgainUrl === undefined ? '' : html`<a class="button main" href="${bookAgainUrl}">${say('checkout.again')}</a>`}`
    case 'refunding':
    case 'refunded':
      return html`<p>${say('checkout.refund')}</p>`
    case 'due':
      return html`<p>
          ${
            stands
              ? say(kind === 'card' ? 'checkout.standsCard' : 'checkout.stands')
              : say(kind === 'card' ? 'checkout.keptCard' : 'checkout.kept', {
                  time: timeText(expiresAt, { timezone, locale }),
                })
          }
          <noscript>${say('checkout.reload')}</noscript>
        </p>
        ${payUrl === undefined ? '' : html`<a class="button main" href="${payUrl}">${say(kind === 'card' ? 'checkout.saveCard' : 'checkout.pay')}</a>`}
        ${stands ? '' : pressed({ path: `/checkout/${paymentId}/give-up`, label: say('checkout.giveUp') })}`
  }
}

/** Renders a form with only a button. */
export function pressed({ path, label, isMain }: { path: string; label: string; isMain?: boolean }): Html {
  return html`<form method="post" action="${path}">
    <button type="submit" class="${isMain ? 'button main' : 'button'}">${label}</button>
  </form>`
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
function timeText(instant: Instant, zone: { timezone: string; locale: string }): string {
  return `${momentText(instant, zone)} (${zoneName(instant, zone.timezone, zone)})`
}

function momentText(instant: Instant, { timezone, locale }: { timezone: string; locale: string }): string {
  const format = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
    ...{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
    ...{ hour: 'numeric', minute: '2-digit', timeZone: timezone },
  })
  return format.format(toMs(instant))
}

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { exampleIds } from '../base/examples.ts'
import { type Instant, toMs } from '../base/instants.ts'
import { StrictObject, Media, EmptyObject, PathId, problems } from '../http/wire.ts'
import type { Context } from '../bookings/context.ts'
import { type CheckoutView, giveUpCheckout, showCheckout } from '../payments/checkout.ts'
import { html, type Html, sendPage } from './page.ts'

const tags = ['Service']
const params = StrictObject({ payment_id: PathId('payment', exampleIds.booking) })

/** The page to which a client returns from a checkout. Only the client knows its address. */
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

const titles: Record<CheckoutView['state'], string> = {
  due: 'The deposit has not been paid yet',
  confirmed: 'Your booking is confirmed',
  cancelled: 'This booking is cancelled',
  refunding: 'Your refund is on its way',
  refunded: 'Your payment was refunded',
}

/** Returns to the booking page, and polls for the payment. The page works without it. */
const more = html`<script type="module" src="/docs/checkout.js"></script>`

/** The status of a booking, for the client who returns from paying. */
function checkoutPage(view: CheckoutView): { title: string; main: Html; more: Html } {
  const { state, serviceName, startsAt, timezone } = view
  const main = html`<main
    id="main"
    class="text"
    tabindex="-1"
    data-state="${state}"
    data-booking="${view.bookingId}"
  >
    <h1>${titles[state]}</h1>
    ${details([
      ['Service', serviceName],
      ['Time', timeText(startsAt, timezone)],
    ])}
    ${explanation(view)}
  </main>`
  return { title: titles[state], main, more }
}

function explanation({ state, paymentId, payUrl, expiresAt, timezone }: CheckoutView): Html {
  switch (state) {
    case 'confirmed':
      return html`<p>You're all set. You can close this page.</p>`
    case 'cancelled':
      return html`<p>Nothing was paid, and the time is free for others. You can book again.</p>`
    case 'refunding':
    case 'refunded':
      return html`<p>
        The time was no longer free when the payment arrived, or the booking was cancelled. When you see the
        money depends on your bank.
      </p>`
    case 'due':
      return html`<p>
          The time is kept for you until ${timeText(expiresAt, timezone)}. If you have just paid, this page
          will say so in a moment<noscript>, when you load it again</noscript>.
        </p>
        ${payUrl === undefined ? '' : html`<p><a class="button main" href="${payUrl}">Pay the deposit</a></p>`}
        <form method="post" action="/checkout/${paymentId}/give-up">
          <button type="submit">Cancel booking</button>
        </form>`
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

/** A time in the zone of the location. */
function timeText(instant: Instant, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone })
  return `${format.format(toMs(instant))} (${timeZone})`
}

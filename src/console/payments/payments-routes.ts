import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { hasRole } from '../../access/actor.ts'
import { countTrial } from '../../access/counted-requests.ts'
import type { RateLimiter } from '../../access/rate-limits.ts'
import { html, type Html } from '../../base/html.ts'
import { StrictObject } from '../../base/wire.ts'
import type { Context } from '../../bookings/context.ts'
import { copied, faultSummary, filledForm, type FormState } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import { turnsFor } from '../../bookings/costly.ts'
import { seeOther } from '../../pages/page.ts'
import { findOwnStripe, ownWebhookUrl, removeOwnStripe, setOwnStripe } from '../../payments/own-stripe.ts'
import { SetStripe } from '../../payments/own-stripe-schemas.ts'
import { stripeEvents } from '../../payments/stripe-events.ts'
import { stripePermissions } from '../../payments/stripe-values.ts'
import { sendFile } from '../bookings/bookings-routes.ts'
import { doneNotice, findVisit, pathOf } from '../frame/console-page.ts'
import { connectionForms } from '../frame/connection-form.ts'
import {
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  consoleRoutes,
  fileResponses,
  inTimeOf,
  type ShownPage,
  tags,
} from '../frame/console-route.ts'
import { sendLogIn } from '../frame/gate-page.ts'
import { fieldsOf, readRows, type Rows, text } from '../frame/form-rows.ts'
import { periodQuery } from '../frame/period.ts'
import { movementList, movementRows, paymentsPath, readPayments } from './movement-list.ts'

const stripePath = `${paymentsPath}/stripe`

const Choice = Type.Optional(Type.String({ maxLength: 600 }))
const paymentsQuery = {
  ...periodQuery,
  type: Type.Optional(
    Type.String({ maxLength: 600, description: '`payment`, `refund` or `due`; else payments and refunds.' }),
  ),
  service: Choice,
  cursor: Choice,
}

/** Registers the list of payments and refunds, its file, and the page on which an owner connects Stripe. */
export function paymentsPageRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    consoleRoutes(app, context, [listPage(context), stripePage(context, limiter)])
    fileRoute(app, context)
  }
}

function listPage(context: Context): ConsoleRoute {
  return {
    path: paymentsPath,
    name: 'PaymentsPage',
    summary: 'Payments and refunds of a business, and what is due',
    role: 'manager',
    query: paymentsQuery,
    show: async (visit, { query }) => {
      const { payments: t } = visit.texts
      return {
        title: t.title,
        section: 'payments',
        body: html`<div class="head">
            <h1>${t.title}</h1>
            ${hasRole(visit.person, 'owner') ? html`<a class="button" href="${pathOf(stripePath, visit)}">${t.settings}</a>` : ''}
          </div>
          ${await stateOf(context, visit)} ${await movementList(context, visit, query)}`,
      }
    },
  }
}

/** Registers payments and refunds as a file. */
function fileRoute(app: FastifyInstance, context: Context): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    `${paymentsPath}.csv`,
    {
      schema: {
        operationId: 'exportPayments',
        tags,
        summary: 'Payments and refunds as a file for a spreadsheet, for managers who are logged in',
        description: 'In the form that spreadsheets read in the language of the browser.',
        querystring: StrictObject({ business: Choice, ...paymentsQuery }),
        response: fileResponses('To the page: for those who may not, or for invalid days.'),
      },
    },
    async (request, reply) => {
      const found = await findVisit(context, request, request.query.business)
      if (!found) return sendLogIn(context, reply, { next: paymentsPath })
      const { business, person } = found
      const toPage = () => {
        const { business: _named, ...query } = request.query
        return seeOther(reply, pathOf(paymentsPath, found, query))
      }
      if (!hasRole(person, 'manager') || !business) return toPage()
      const visit = { ...found, business }
      const asked = inTimeOf(context, { request, visit }, () => readPayments(context, visit, request.query))
      if (Object.keys(asked.state.faults).length > 0) return toPage()
      const end = await turnsFor(context, 'export').take(business.id, visit.isGone)
      return sendFile(reply, 'payments.csv', movementRows(context, visit, asked), end)
    },
  )
}

async function stateOf(context: Context, visit: BusinessVisit): Promise<Html> {
  const { payments: t } = visit.texts
  const own = await findOwnStripe(context, visit.business.id)
  if (own?.isReadable === false) return html`<p class="alert" role="status">${t.unreadable}</p>`
  if (own)
    return html`<p>
      <span class="state is-confirmed">${icon('done')} ${t.connected}</span>
      ${t.own({ key: own.key_last_four })}
    </p>`
  const usual = context.checkouts.provider?.name
  if (usual === undefined) return html`<p class="alert">${t.none}</p>`
  return html`<p class="soft">${usual === 'stripe' ? t.usual : t.sandbox}</p>`
}

function stripePage(context: Context, limiter: RateLimiter): ConsoleRoute {
  return {
    path: stripePath,
    name: 'StripePage',
    summary: 'The Stripe account of a business',
    role: 'owner',
    show: (visit, { query }) =>
      shown(context, visit, {
        state: filledForm(),
        notice: doneNotice(visit.texts.payments.done, query['done']),
      }),
    form: {
      rows: stripeRows,
      words: ({ setUp, payments: t }) => ({
        ...setUp,
        fault: (code, detail, pointer = '') => {
          if (code === 'invalid' || code === 'too_short')
            return pointer === '/secret_key' ? t.faults.key : t.faults.webhookSecret
          if (code !== 'not_allowed') return setUp.fault(code, detail, pointer)
          return detail.includes('does not answer') ? t.faults.away : t.faults.refused
        },
      }),
      act: async (visit, typed) => {
        const { person, business } = visit
        if (typed['do'] === 'remove') {
          await removeOwnStripe(context, person, business.id)
          return { path: stripePath, query: { done: 'removed' } }
        }
        const account = checkedForm(SetStripe, readRows(stripeRows(visit), typed))
        await countTrial(context, limiter, person)
        await setOwnStripe(context, person, { id: business.id, account })
        return { path: stripePath, query: { done: 'set' } }
      },
      again: (visit, state) => shown(context, visit, { state }),
    },
  }
}

function stripeRows({ texts: { payments: t } }: BusinessVisit): Rows<Static<typeof SetStripe>> {
  const secret = { type: 'password', required: true, max: 255 } as const
  return [
    ['secret_key', text(secret), t.key, t.keyHint],
    ['webhook_secret', text(secret), t.webhookSecret, t.webhookSecretHint],
  ]
}

async function shown(
  context: Context,
  visit: BusinessVisit,
  { state, notice = html`` }: { state: FormState; notice?: Html },
): Promise<ShownPage> {
  const { payments: t, setUp } = visit.texts
  const own = await findOwnStripe(context, visit.business.id)
  const at = fieldsOf(stripeRows(visit), state)
  return {
    title: t.settings,
    section: 'payments',
    body: html`<p><a class="back" href="${pathOf(paymentsPath, visit)}">${setUp.back}</a></p>
      <h1>${t.settings}</h1>
      ${notice} ${faultSummary(state, setUp)} ${await stateOf(context, visit)}
      ${connectionForms(visit.texts.payments, {
        action: pathOf(stripePath, visit),
        isConnected: own !== undefined,
        fields: stripeSteps(visit, {
          key: at('secret_key'),
          secret: at('webhook_secret'),
          address: ownWebhookUrl(context.config, visit.business.id),
        }),
      })}`,
  }
}

/** Renders all that has to be done at Stripe, in order, with the fields for what it shows there. */
function stripeSteps(
  { texts: { payments: t, website } }: BusinessVisit,
  { key, secret, address }: { key: Html; secret: Html; address: string },
): Html {
  const list = (names: readonly string[]) =>
    html`<ul dir="ltr">
      ${names.map((name) => html`<li><code>${name}</code></li>`)}
    </ul>`
  const link = (url: string, text: string) =>
    html`<a href="${url}" target="_blank" rel="noopener noreferrer">${text}</a>`
  return html`<ol class="tasks">
    <li>
      <p>${t.steps.key}</p>
      ${list(stripePermissions)}
      <p>${link('https://dashboard.stripe.com/apikeys', t.steps.keyOpen)}</p>
      ${key}
    </li>
    <li>
      <p>${t.steps.endpoint}</p>
      <p>${link('https://dashboard.stripe.com/webhooks', t.steps.endpointOpen)}</p>
      ${copied(website, { name: 'address', label: t.steps.address, text: address, rows: 3 })}
    </li>
    <li>
      <p>${t.steps.events}</p>
      ${list(stripeEvents)}
    </li>
    <li>
      <p>${t.steps.secret}</p>
      ${secret}
    </li>
  </ol>`
}

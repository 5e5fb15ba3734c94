import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { hasRole } from '../../access/actor.ts'
import { countTrial } from '../../access/counted-requests.ts'
import type { RateLimiter } from '../../access/rate-limits.ts'
import { fullName } from '../../base/contact-formats.ts'
import { html, type Html } from '../../base/html.ts'
import { readInstant } from '../../base/instants.ts'
import type { Context } from '../../bookings/context.ts'
import { faultSummary, filledForm, type FormState } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import { moneyText } from '../../mails/times-and-money.ts'
import { listDeposits } from '../../payments/deposit-list.ts'
import { findOwnStripe, ownWebhookUrl, removeOwnStripe, setOwnStripe } from '../../payments/own-stripe.ts'
import { SetStripe } from '../../payments/own-stripe-schemas.ts'
import { doneNotice, pathOf } from '../frame/console-page.ts'
import { connectionForms } from '../frame/connection-form.ts'
import {
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  consoleRoutes,
  type ShownPage,
} from '../frame/console-route.ts'
import { emptyState } from '../frame/empty-state.ts'
import { face } from '../frame/faces.ts'
import { fieldsOf, readRows, type Rows, text } from '../frame/form-rows.ts'
import { momentText } from '../frame/formats.ts'

const path = '/console/payments'
const stripePath = `${path}/stripe`
const shownDeposits = 50

/** Registers the list of deposits, and the page on which an owner connects Stripe. */
export function paymentsPageRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void =>
    consoleRoutes(app, context, [listPage(context), stripePage(context, limiter)])
}

function listPage(context: Context): ConsoleRoute {
  return {
    path,
    name: 'PaymentsPage',
    summary: 'The deposits of a business',
    role: 'manager',
    show: async (visit) => {
      const { payments: t } = visit.texts
      const asked = { id: visit.business.id, max: shownDeposits }
      const deposits = await listDeposits(context, visit.person, asked)
      return {
        title: t.title,
        section: 'payments',
        body: html`<div class="head">
            <h1>${t.title}</h1>
            ${hasRole(visit.person, 'owner') ? html`<a class="button" href="${pathOf(stripePath, visit)}">${t.settings}</a>` : ''}
          </div>
          ${await stateOf(context, visit)}
          <h2>${t.deposits}</h2>
          ${
            deposits.length === 0
              ? emptyState(
                  'payments',
                  t.empty,
                  html`<a class="button" href="${pathOf('/console/services', visit)}"
                    >${visit.texts.website.toServices}</a
                  >`,
                )
              : html`<ul class="rows of-payments">
                  ${deposits.map((one) => depositRow(visit, one))}
                </ul>`
          }`,
      }
    },
  }
}

type Deposit = Awaited<ReturnType<typeof listDeposits>>[number]

function depositRow(visit: BusinessVisit, deposit: Deposit): Html {
  const { payments: t } = visit.texts
  const { locale, business } = visit
  const name = fullName(deposit.client_first_name, deposit.client_last_name)
  const at = deposit.refunded_at ?? deposit.paid_at ?? deposit.created_at
  const isRefunding = deposit.status === 'paid' && deposit.refund_requested_at !== null
  const state = isRefunding ? 'refunding' : (deposit.status as 'due' | 'paid' | 'refunded') // as the query selects
  return html`<li>
    <a class="row" href="${pathOf(`/console/bookings/${deposit.booking_id}`, visit)}">
      <span class="row-who">${face(name)} <bdi class="client-name">${name}</bdi></span>
      <span class="row-what"
        ><bdi>${deposit.service_name}</bdi>
        <span class="soft"
          >${momentText(readInstant(deposit.starts_at), { timezone: deposit.timezone, locale })}</span
        ></span
      >
      <span class="row-what"
        ><span class="state is-${state === 'paid' ? 'confirmed' : 'pending'}"
          >${icon(state === 'paid' ? 'done' : 'money')} ${t.states[state]}</span
        >
        ${
          state === 'due'
            ? ''
            : html`<span class="soft"
                >${momentText(readInstant(at), { timezone: business.timezone, locale })}</span
              >`
        }</span
      >
      <b class="end">${moneyText(deposit, locale)}</b>
    </a>
  </li>`
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
        fault: (code, detail) => (code === 'not_allowed' ? t.refused : setUp.fault(code, detail)),
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
    body: html`<p><a class="back" href="${pathOf(path, visit)}">${setUp.back}</a></p>
      <h1>${t.settings}</h1>
      ${notice} ${faultSummary(state, setUp)} ${await stateOf(context, visit)}
      ${connectionForms(visit.texts.payments, {
        action: pathOf(stripePath, visit),
        isConnected: own !== undefined,
        fields: at('secret_key', 'webhook_secret'),
        more: html`<p>${t.address}</p>
          <p><code>${ownWebhookUrl(context.config, visit.business.id)}</code></p>`,
      })}`,
  }
}

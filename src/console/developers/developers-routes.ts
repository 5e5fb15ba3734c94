import type { FastifyInstance } from 'fastify'
import { planLimits } from '../../access/rate-limit-rules.ts'
import { html, type Html } from '../../base/html.ts'
import { presentPage } from '../../base/paging.ts'
import type { Context } from '../../bookings/context.ts'
import { presentBusiness, showBusinessInScope } from '../../catalogue/business.ts'
import {
  issueKeyInScope,
  listKeysInScope,
  presentKey,
  revokeKeyInScope,
} from '../../catalogue/business-keys.ts'
import { CreateKey } from '../../catalogue/key-schemas.ts'
import { faultSummary, filledForm, type FormState, hidden } from '../../pages/form.ts'
import { doneNotice, pathOf } from '../frame/console-page.ts'
import { nextPage } from '../frame/lists.ts'
import {
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  consoleRoutes,
  type ShownPage,
} from '../frame/console-route.ts'
import { fieldsOf, fillRows, lines, optional, readRows, type Rows, text } from '../frame/form-rows.ts'
import { momentOf } from '../frame/formats.ts'
import type { ConsoleLanguage } from '../frame/texts.ts'
import { asksOnce, backLink, developersPath, secretPage } from './developers-page.ts'
import { webhookList, webhookPages } from './webhook-pages.ts'

/** Registers the pages that connect programs with a business: plan, keys, webhooks and events. */
export function developersRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [
    overview(context),
    newKey(context),
    revokedKey(context),
    ...webhookPages(context),
  ])
}

function overview(context: Context): ConsoleRoute {
  return {
    path: developersPath,
    name: 'DevelopersPage',
    summary: 'The plan, keys and webhooks of a business',
    role: 'owner',
    show: async (visit, { query }) => {
      const t = visit.texts.developers
      const [plan, keys, webhooks] = await Promise.all([
        planOf(context, visit),
        keyList(context, visit, query['cursor']),
        webhookList(context, visit),
      ])
      return {
        title: t.title,
        section: 'developers',
        body: html`<h1>${t.title}</h1>
          ${doneNotice(visit.texts.developers.done, query['done'])}
          <p>${t.what} <a href="/docs">${t.reference}</a></p>
          ${plan}
          <div class="head">
            <h2>${t.keys}</h2>
            <a class="button" href="${pathOf(`${developersPath}/keys/new`, visit)}">${t.addKey}</a>
          </div>
          ${keys} ${webhooks}`,
      }
    },
  }
}

async function planOf(context: Context, visit: BusinessVisit): Promise<Html> {
  const t = visit.texts.developers
  const row = await showBusinessInScope(context, visit.person, visit.business.id)
  const { plan } = presentBusiness(row)
  const usual = planLimits[plan]
  const own = plan === 'enterprise' ? row : { limit_per_minute: null, limit_per_hour: null }
  const number = (value: number) => new Intl.NumberFormat(visit.locale).format(value)
  const facts: [string, string][] = [
    [t.plan, t.plans[plan]],
    [
      t.limits,
      t.limitsOfKey({
        minute: number(own.limit_per_minute ?? usual.perMinute),
        hour: number(own.limit_per_hour ?? usual.perHour),
      }),
    ],
    [t.withIt, plan === 'enterprise' ? t.hasAll : t.hasLess],
  ]
  return html`<dl class="facts">
    ${facts.map(
      ([name, text]) =>
        html`<dt>${name}</dt>
          <dd>${text}</dd>`,
    )}
  </dl>`
}

async function keyList(context: Context, visit: BusinessVisit, cursor: string | undefined): Promise<Html> {
  const t = visit.texts.developers
  const asked = { businessId: visit.business.id, query: { limit: 50, cursor } }
  const { page: keys, timezone } = await listKeysInScope(context, visit.person, asked)
  const page = presentPage(keys, (key) => presentKey(key, timezone))
  if (page.data.length === 0) return html`<p>${t.noKeys}</p>`
  const row = (key: (typeof page.data)[number]) =>
    html`<li class="key">
      <span class="row-what">
        <strong><bdi>${key.label ?? t.noLabel}</bdi></strong>
        <span class="soft"
          >${t.keyTypes[key.type]} · <code>…${key.last_four}</code> ·
          ${t.made({ when: momentOf(key.created_at, visit) })}${
            key.allowed_origins === null || key.allowed_origins.length === 0
              ? ''
              : html` · <bdi>${key.allowed_origins.join(', ')}</bdi>`
          }</span
        >
      </span>
      ${
        key.revoked_at === null
          ? revokeForm(visit, key)
          : html`<span class="state">${t.revoked}</span>
              <span class="soft">${momentOf(key.revoked_at, visit)}</span>`
      }
    </li>`
  return html`<ul class="rows">
      ${page.data.map(row)}
    </ul>
    ${nextPage(visit, developersPath, page.next_cursor)}`
}

/** Asks for confirmation, because revoking cannot be undone. */
function revokeForm(
  visit: BusinessVisit,
  key: { id: string; label: string | null; last_four: string },
): Html {
  const t = visit.texts.developers
  return asksOnce(t.revoke, {
    action: pathOf(`${developersPath}/keys/${key.id}/revoke`, visit),
    why: t.revokeWhy({ name: key.label ?? `…${key.last_four}` }),
    button: t.revokeNow,
  })
}

function revokedKey(context: Context): ConsoleRoute {
  return {
    path: `${developersPath}/keys/:id/revoke`,
    name: 'KeyRevocation',
    summary: 'Revoke a key of a business',
    role: 'owner',
    form: {
      act: async ({ person, business }, _typed, { id }) => {
        await revokeKeyInScope(context, person, { businessId: business.id, keyId: id })
        return { path: developersPath, query: { done: 'revoked' } }
      },
      again: (visit, state) => Promise.resolve(keyForm(visit, state)),
    },
  }
}

function newKey(context: Context): ConsoleRoute {
  return {
    path: `${developersPath}/keys/new`,
    name: 'NewKeyPage',
    summary: 'A new key of a business',
    role: 'owner',
    show: (visit) =>
      Promise.resolve(keyForm(visit, filledForm(fillRows(keyRows(visit), { type: 'publishable' })))),
    form: {
      rows: keyRows,
      act: async (visit, typed, _address, once) => {
        const { person, business } = visit
        const input = checkedForm(CreateKey, readRows(keyRows(visit), typed))
        const target = { businessId: business.id, input }
        // the stored result of the form contains no key, so sending it again shows none
        let key: string | undefined
        const next = await once(
          async (store) => {
            ;({ key } = await issueKeyInScope(context, person, target, store))
          },
          () => ({ path: developersPath, query: { done: 'keyMade' } }),
        )
        return key === undefined ? next : { page: secretPage(visit, visit.texts.developers.newKey, key) }
      },
      again: (visit, state) => Promise.resolve(keyForm(visit, state)),
    },
  }
}

function keyRows({ texts: { developers: t } }: ConsoleLanguage): Rows<ReturnType<typeof presentKey>> {
  const types = ['publishable', 'business'] as const
  const radios = types.map((type) => [type, t.keyTypesLong[type]] as const)
  return [
    ['label', optional({ max: 100, usual: undefined }), t.label, t.labelHint],
    ['type', text({ radios }), t.type],
    ['allowed_origins', lines({ rows: 3, usual: undefined }), t.origins, t.originsHint],
  ]
}

function keyForm(visit: BusinessVisit, state: FormState): ShownPage {
  const { developers: t, setUp } = visit.texts
  return {
    title: t.newKey,
    section: 'developers',
    body: html`${backLink(visit)}
      <h1>${t.newKey}</h1>
      ${faultSummary(state, setUp)}
      <form method="post" action="${pathOf(`${developersPath}/keys/new`, visit)}" class="fields wide-fields">
        ${hidden({ once: visit.once })} ${fieldsOf(keyRows(visit), state)()}
        <div class="actions"><button type="submit" class="main">${t.makeKey}</button></div>
      </form>`,
  }
}

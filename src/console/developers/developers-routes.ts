import type { FastifyInstance } from 'fastify'
import { planLimits } from '../../access/rate-limit-rules.ts'
import { html, type Html } from '../../base/html.ts'
import { instantFromMs, readInstant, toMs } from '../../base/instants.ts'
import { keyScopes } from '../../base/key-scopes.ts'
import { presentPage } from '../../base/paging.ts'
import type { Context } from '../../bookings/context.ts'
import { presentBusiness, showBusinessInScope } from '../../catalogue/business.ts'
import {
  issueKeyInScope,
  listKeyRequestsInScope,
  listKeysInScope,
  presentKey,
  revokeKeyInScope,
  showKeyInScope,
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
import {
  day,
  fieldsOf,
  fillRows,
  ids,
  lines,
  optional,
  readRows,
  type Rows,
  text,
} from '../frame/form-rows.ts'
import { dayText, momentOf } from '../frame/formats.ts'
import { asksOnce, backLink, developersPath, secretPage } from './developers-page.ts'
import { businessPrograms, programPages } from './program-pages.ts'
import { webhookList, webhookPages } from './webhook-pages.ts'

/** Registers the pages that connect programs with a business: plan, keys, webhooks and events. */
export function developersRoutes(app: FastifyInstance, context: Context): void {
  const pages = [
    ...[overview(context), newKey(context), keyPage(context), revokedKey(context)],
    ...[...webhookPages(context), ...programPages(context)],
  ]
  consoleRoutes(
    app,
    context,
    pages.map((page) => ({ ...page, inRealTime: true })),
  )
}

function overview(context: Context): ConsoleRoute {
  return {
    path: developersPath,
    name: 'DevelopersPage',
    summary: 'The plan, keys and webhooks of a business',
    role: 'owner',
    show: async (visit, { query }) => {
      const t = visit.texts.developers
      const [plan, keys, webhooks, programs] = await Promise.all([
        planOf(context, visit),
        keyList(context, visit, query['cursor']),
        webhookList(context, visit),
        businessPrograms(context, visit),
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
          ${keys} ${webhooks} ${programs}`,
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
  const now = context.clock.now()
  const isOver = ({ expires_at }: ShownKey) => expires_at !== null && readInstant(expires_at) <= now
  const row = (key: ShownKey) =>
    html`<li class="key">
      <span class="row-what">
        <a href="${pathOf(`${developersPath}/keys/${key.id}`, visit)}"
          ><bdi>${key.label ?? t.noLabel}</bdi></a
        >
        <span class="soft">${keyFacts(visit, key)}</span>
        <span class="soft"
          >${t.made({ when: momentOf(key.created_at, visit) })}${
            key.allowed_origins === null || key.allowed_origins.length === 0
              ? ''
              : html` · <bdi>${key.allowed_origins.join(', ')}</bdi>`
          }</span
        >
      </span>
      ${
        key.revoked_at === null
          ? html`${isOver(key) ? html`<span class="state">${t.expired}</span>` : html``}${revokeForm(visit, key)}`
          : html`<span class="state">${t.revoked}</span>
              <span class="soft">${momentOf(key.revoked_at, visit)}</span>`
      }
    </li>`
  return html`<ul class="rows">
      ${page.data.map(row)}
    </ul>
    ${nextPage(visit, developersPath, page.next_cursor)}`
}

type ShownKey = ReturnType<typeof presentKey>

function useOf({ texts: { developers: t }, ...visit }: BusinessVisit, { last_used_at }: ShownKey): string {
  return last_used_at === null ? t.neverUsed : t.lastUsed({ when: momentOf(last_used_at, visit) })
}

/** Names purpose, end, last use and limits of a key. */
function keyFacts(visit: BusinessVisit, key: ShownKey): Html {
  const type = visit.texts.developers.keyTypes[key.type]
  return html`${type} · <code>…${key.last_four}</code> · ${useOf(visit, key)}${limitsOf(visit, key)}`
}

/** Names the scopes of a limited key, and its end. */
function limitsOf(visit: BusinessVisit, { scopes, expires_at }: ShownKey): Html {
  const { developers: t } = visit.texts
  const names = scopes === null || scopes.includes('all') ? [] : scopes.map((scope) => t.scopeNames[scope])
  const { timezone } = visit.business
  const parts = new Intl.ListFormat(visit.locale, { type: 'unit' }).format(names)
  if (expires_at !== null) {
    const last = instantFromMs(toMs(readInstant(expires_at)) - 1)
    const when = dayText(last, { timezone, locale: visit.locale })
    return html` · ${t.validThrough({ when })}${parts && ` · ${parts}`}`
  }
  return html`${parts && ` · ${parts}`}`
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

function keyPage(context: Context): ConsoleRoute {
  return {
    path: `${developersPath}/keys/:id`,
    name: 'KeyPage',
    summary: 'The latest requests of a key',
    role: 'owner',
    show: async (visit, { id }) => {
      const t = visit.texts.developers
      const asked = { businessId: visit.business.id, keyId: id }
      const [key, requests] = await Promise.all([
        showKeyInScope(context, visit.person, asked),
        listKeyRequestsInScope(context, visit.person, asked),
      ])
      const name = key.label ?? t.noLabel
      return {
        title: name,
        section: 'developers',
        body: html`${backLink(visit)}
          <h1><bdi>${name}</bdi></h1>
          <p class="soft">${keyFacts(visit, key)}</p>
          <h2>${t.requests}</h2>
          <p class="soft">${t.requestsHint}</p>
          ${requests.length === 0 ? html`<p>${t.noRequests}</p>` : requestRows(visit, requests)}`,
      }
    },
  }
}

type ShownRequest = Awaited<ReturnType<typeof listKeyRequestsInScope>>[number]

function requestRows(visit: BusinessVisit, requests: readonly ShownRequest[]): Html {
  const row = ({ at, method, path, status, code, milliseconds }: ShownRequest) =>
    html`<li class="key">
      <span class="row-what">
        <code dir="ltr">${method} ${path}</code>
        <span class="soft">${momentOf(at, visit)} · ${visit.texts.developers.took({ milliseconds })}</span>
      </span>
      <span class="state">${status} ${code ?? ''}</span>
    </li>`
  return html`<ul class="rows">
    ${requests.map(row)}
  </ul>`
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
        const { allowed_origins, scopes, ...body } = readRows(keyRows(visit), typed)
        const own = body['type'] === 'business' ? { scopes } : { allowed_origins } // the other field is hidden
        const input = checkedForm(CreateKey, { ...body, ...own })
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

function keyRows({ texts: { developers: t }, business }: BusinessVisit): Rows<ReturnType<typeof presentKey>> {
  const parts = keyScopes.filter((scope) => scope !== 'all')
  const scopes = ids(parts.map((id) => ({ id, name: t.scopeNames[id] })))
  const types = ['publishable', 'business'] as const
  const radios = types.map((type) => [type, t.keyTypesLong[type]] as const)
  return [
    ['label', optional({ max: 100, usual: undefined }), t.label, t.labelHint],
    ['type', text({ radios }), t.type],
    ['allowed_origins', lines({ rows: 3, usual: undefined }), t.origins, t.originsHint],
    // without a choice, the key may use everything
    [
      'scopes',
      { ...scopes, read: (typed, name) => noneAsAbsent(scopes.read(typed, name)) },
      t.scopes,
      t.scopesHint,
    ],
    ['expires_at', day(business.timezone, { isEnd: true }), t.validUntil, t.validUntilHint],
  ]
}

function noneAsAbsent(list: unknown): unknown {
  return Array.isArray(list) && list.length === 0 ? undefined : list
}

function keyForm(visit: BusinessVisit, state: FormState): ShownPage {
  const { developers: t, setUp } = visit.texts
  const at = fieldsOf(keyRows(visit), state)
  return {
    title: t.newKey,
    section: 'developers',
    body: html`${backLink(visit)}
      <h1>${t.newKey}</h1>
      ${faultSummary(state, setUp)}
      <form method="post" action="${pathOf(`${developersPath}/keys/new`, visit)}" class="fields wide-fields">
        ${hidden({ once: visit.once })} ${at('label', 'type')}
        <div class="of-websites">${at('allowed_origins')}</div>
        <div class="of-programs">${at('scopes')}</div>
        ${at('expires_at')}
        <div class="actions"><button type="submit" class="main">${t.makeKey}</button></div>
      </form>`,
  }
}

import { Type } from 'typebox'
import { hasRole } from '../../access/actor.ts'
import { countTrial } from '../../access/counted-requests.ts'
import { html, type Html } from '../../base/html.ts'
import { readInstant } from '../../base/instants.ts'
import { mostPerPage } from '../../base/paging.ts'
import { Id } from '../../base/wire.ts'
import type { Context } from '../../bookings/context.ts'
import { maxBusyCalendars } from '../../calendars/busy-calendar.ts'
import {
  type CalendarAccountShown,
  changeCalendarAccount,
  deleteCalendarAccount,
  listCalendarAccounts,
  showCalendarAccount,
} from '../../calendars/calendar-account.ts'
import { connectCalendarAccount } from '../../calendars/calendar-connection.ts'
import {
  type CalendarAccountConnection,
  ChangeCalendarAccount,
  ConnectCalendarAccount,
} from '../../calendars/calendar-account-schemas.ts'
import { FetchFailed } from '../../calendars/calendar-http.ts'
import { told } from '../../calendars/fetch-problems.ts'
import { type ProviderName, providerNames, providerOf } from '../../calendars/providers.ts'
import { staffKind } from '../../catalogue/catalogue-kinds.ts'
import { faultSummary, filledForm, type FormState, hidden } from '../../pages/form.ts'
import { asksOnce } from '../developers/developers-page.ts'
import { doneNotice, pathOf } from '../frame/console-page.ts'
import {
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  FormFault,
  type ShownPage,
} from '../frame/console-route.ts'
import { fieldsOf, fillRows, ids, optional, readRows, type Rows, text } from '../frame/form-rows.ts'
import { listItems } from '../frame/lists.ts'
import {
  type AccountParts,
  accountsPath,
  ageText,
  backLink,
  calendarsPath,
  faultText,
  grantPath,
  limitWords,
  visitorOf,
} from './calendar-parts.ts'

/*
 * Calendar accounts of staff: connect one, choose its calendars, and see that it works. Managers see those of everybody,
 * others their own.
 */

const path = accountsPath
const newPath = `${path}/new`

/** Servers that need no address. */
const servers = {
  icloud: 'https://caldav.icloud.com',
  fastmail: 'https://caldav.fastmail.com',
  other: undefined,
} as const

/** With a password. */
type ServerName = keyof typeof servers

export function accountRoutes(context: Context, parts: AccountParts): ConsoleRoute[] {
  return [newAccount(context, parts), accountPage(context), removedAccount(context)]
}

type Named = readonly { id: string; name: string }[]

/** Renders the accounts of a business, each with its state. */
export async function accountList(context: Context, visit: BusinessVisit, staff: Named): Promise<Html> {
  const { accounts: t } = visit.texts.calendars
  return html`<div class="head">
      <h2>${t.title}</h2>
      ${staff.length === 0 ? '' : html`<a class="button" href="${pathOf(newPath, visit)}">${t.add}</a>`}
    </div>
    <p class="soft">${t.what}</p>
    ${await accountRows(context, visit, staff)}`
}

/** Renders the page of the visitor's own accounts. */
export async function ownAccountsPage(
  context: Context,
  visit: BusinessVisit,
  done: string | undefined,
): Promise<ShownPage> {
  const { calendars: t } = visit.texts
  const { staff } = await staffOf(context, visit)
  return {
    title: t.own.title,
    body: html`<div class="head">
        <h1>${t.own.title}</h1>
        ${staff.length === 0 ? '' : html`<a class="button" href="${pathOf(newPath, visit)}">${t.accounts.add}</a>`}
      </div>
      ${doneNotice(t.done, done)}
      <p>${t.own.what}</p>
      ${staff.length === 0 ? html`<p>${t.own.nobody}</p>` : await accountRows(context, visit, staff)}`,
  }
}

async function accountRows(context: Context, visit: BusinessVisit, staff: Named): Promise<Html> {
  const { accounts: t } = visit.texts.calendars
  const { data } = await listCalendarAccounts(context, visitorOf(visit), { limit: mostPerPage })
  return html`${
    data.length === 0
      ? html`<p>${t.none}</p>`
      : html`<ul class="rows">
          ${data.map((account) => accountRow(context, visit, { account, staff }))}
        </ul>`
  }`
}

function accountRow(
  context: Context,
  visit: BusinessVisit,
  { account, staff }: { account: CalendarAccountShown; staff: Named },
): Html {
  const { calendars: t } = visit.texts
  const name = staff.find(({ id }) => id === account.staff_id)?.name ?? t.gone
  const left = account.kind === 'microsoft' ? ` ${t.accounts.removeWhyMicrosoft}` : ''
  return html`<li class="key">
    <span class="row-what">
      <strong><bdi>${name}</bdi></strong>
      <span class="soft"><bdi>${account.user_name}</bdi> · <bdi>${account.host}</bdi></span>
      ${stateLines(context, visit, account)}
    </span>
    <a href="${pathOf(`${path}/${account.id}`, visit)}">${t.accounts.choose}</a>
    ${asksOnce(t.accounts.remove, {
      action: pathOf(`${path}/${account.id}/remove`, visit),
      ...{ why: t.accounts.removeWhy({ name }) + left, button: t.accounts.removeNow },
    })}
  </li>`
}

/** Renders when the account was read, what waits to be written, and what is wrong. */
function stateLines(context: Context, visit: BusinessVisit, account: CalendarAccountShown): Html {
  const { calendars: t } = visit.texts
  const { last_fetched_at: at, fault, write_fault: writeFault, waiting, writes_to } = account
  const age = at === null ? undefined : ageText(readInstant(at), context.clock.now(), visit)
  const target = account.calendars.find(({ calendar }) => calendar === writes_to)
  return html`<span class="soft"
      >${age === undefined ? t.notFetched : t.accounts.read({ age })}
      ${target ? html`· ${t.accounts.writesTo({ calendar: target.name })}` : ''}
      ${waiting > 0 ? html`· ${t.accounts.waiting({ count: waiting })}` : ''}</span
    >
    ${
      fault
        ? html`<span class="fault"
            >${faultText(visit, fault)} ${at === null ? '' : t.stays}
            <a href="${pathOf(newPath, visit, { account: account.id })}">${t.accounts.again}</a></span
          >`
        : ''
    }
    ${writeFault && !fault ? html`<span class="fault">${faultText(visit, writeFault)}</span>` : ''}`
}

function newAccount(context: Context, { reader, limiter }: AccountParts): ConsoleRoute {
  return {
    path: newPath,
    name: 'NewCalendarAccountPage',
    summary: 'Connect a calendar account of a staff member',
    role: 'staff',
    query: {
      server: Type.Optional(Type.String({ maxLength: 20 })),
      account: Type.Optional(Type.String({ ...Id })),
    },
    show: async (visit, { query }) => {
      const { staff } = await staffOf(context, visit)
      const { account: id } = query
      if (id !== undefined) {
        const { kind, staff_id, url, user_name } = await showCalendarAccount(context, visitorOf(visit), id)
        if (kind !== 'caldav') return shownGrant(context, visit, { kind, staffId: staff_id })
        return shownConnect(context, visit, filledForm({ server: 'other', staff_id, url, user_name }))
      }
      const provider = offered(context).find((kind) => kind === query['server'])
      if (provider) return shownGrant(context, visit, { kind: provider })
      const server = query['server'] ?? 'icloud'
      const staff_id = staff.length === 1 ? (staff[0]?.id ?? '') : ''
      return shownConnect(context, visit, filledForm({ server, staff_id }))
    },
    form: {
      words: limitWords,
      refusals: { calendar_limit_reached: 409 },
      rows: (visit) => connectRows(visit, { server: 'other' }),
      act: async (visit, typed) => {
        const server = serverOf(typed['server'])
        const rows = connectRows(visit, { server })
        const url = servers[server]
        const input = checkedForm(ConnectCalendarAccount, {
          ...readRows(rows, typed),
          ...(url !== undefined && { url }),
        })
        await countTrial(context, limiter, visit.person)
        const { id } = await connectCalendarAccount(context, visitorOf(visit), input, reader).catch(
          (error: unknown) => {
            if (!(error instanceof FetchFailed)) throw error
            const field = error.fault.problem === 'sign_in_refused' ? 'password' : 'url'
            throw new FormFault({ [field]: faultText(visit, told(error.fault)) })
          },
        )
        return { path: `${path}/${id}`, query: { done: 'accountMade' } }
      },
      again: (visit, state) => shownConnect(context, visit, state),
    },
  }
}

function serverOf(typed = ''): ServerName {
  return Object.hasOwn(servers, typed) ? (typed as ServerName) : 'other'
}

/** Returns the staff members whose accounts the visitor may connect. */
async function staffOf(context: Context, { person, business: { id: businessId } }: BusinessVisit) {
  const all = await listItems(context, person, { kind: staffKind, businessId })
  return { staff: hasRole(person, 'manager') ? all : all.filter(({ id }) => id === person.staffId) }
}

async function shownConnect(context: Context, visit: BusinessVisit, state: FormState): Promise<ShownPage> {
  const { calendars, setUp } = visit.texts
  const { accounts: t } = calendars
  const server = serverOf(state.typed['server'])
  const { staff } = await staffOf(context, visit)
  const at = fieldsOf(connectRows(visit, { server, staff }), state)
  return {
    title: t.add,
    section: 'people',
    body: html`${backLink(visit)}
      <h1>${t.add}</h1>
      ${faultSummary(state, setUp)} ${serverLinks(context, visit, server)}
      <form method="post" action="${pathOf(newPath, visit)}" class="fields wide-fields">
        ${hidden({ server })} ${at()}
        <p class="soft">${t.passwordWhy}</p>
        <div class="actions"><button type="submit" class="main">${t.connect}</button></div>
      </form>`,
  }
}

/** Returns the providers that the operator has set up. */
function offered({ config }: Pick<Context, 'config'>): ProviderName[] {
  return providerNames.filter((kind) => providerOf(config, kind) !== undefined)
}

/** Renders the choice of the provider. */
function serverLinks(context: Context, visit: BusinessVisit, present: ServerName | ProviderName): Html {
  const { accounts: t } = visit.texts.calendars
  const names = [...offered(context), ...(Object.keys(servers) as ServerName[])]
  return html`<nav class="actions" aria-label="${t.server}">
    ${names.map((name) => {
      const isHere = name === present ? html`aria-current="page"` : ''
      const address = pathOf(newPath, visit, { server: name })
      return html`<a class="button" href="${address}" ${isHere}>${t.servers[name]}</a>`
    })}
  </nav>`
}

/** Renders the ways to a provider: one for each person whose account the visitor may connect. */
async function shownGrant(
  context: Context,
  visit: BusinessVisit,
  { kind, staffId }: { kind: ProviderName; staffId?: string },
): Promise<ShownPage> {
  const { accounts: t } = visit.texts.calendars
  const provider = t.servers[kind]
  const { staff } = await staffOf(context, visit)
  const shown = staffId === undefined ? staff : staff.filter(({ id }) => id === staffId)
  const link = (id: string) =>
    html`<a class="button main" href="${grantPath(visit, kind, id)}">${t.goTo({ provider })}</a>`
  const [only] = shown.length === 1 ? shown : []
  return {
    title: t.add,
    section: 'people',
    body: html`${backLink(visit)}
      <h1>${only ? t.of({ name: only.name }) : t.add}</h1>
      ${serverLinks(context, visit, kind)}
      <p>${t.grantWhy({ provider })}</p>
      ${
        only
          ? html`<p>${link(only.id)}</p>`
          : html`<ul class="rows">
              ${shown.map(
                ({ id, name }) =>
                  html`<li class="key">
                    <span class="row-what"
                      ><strong><bdi>${name}</bdi></strong></span
                    >
                    ${link(id)}
                  </li>`,
              )}
            </ul>`
      }`,
  }
}

function connectRows(
  { texts: { calendars: t } }: BusinessVisit,
  { server, staff = [] }: { server: ServerName; staff?: Named },
): Rows<CalendarAccountConnection> {
  const options = [['', '–'] as const, ...staff.map(({ id, name }) => [id, name] as const)]
  const needed = { required: true, usual: undefined }
  const url = { type: 'url', max: 2_000, spell: (typed: string) => typed.trim() } as const
  return [
    ['staff_id', optional({ ...needed, options }), t.person],
    ...(server === 'other'
      ? [['url', optional({ ...needed, ...url }), t.accounts.url, t.accounts.urlHint] as const]
      : []),
    ['user_name', text({ required: true, max: 320 }), t.accounts.user, t.accounts.userHints[server]],
    [
      'password',
      text({ type: 'password', required: true, max: 1_000 }),
      t.accounts.password,
      t.accounts.passwordHints[server],
    ],
  ]
}

function accountPage(context: Context): ConsoleRoute {
  const find = (visit: BusinessVisit, id: string) => showCalendarAccount(context, visitorOf(visit), id)
  return {
    path: `${path}/:id`,
    name: 'CalendarAccountPage',
    summary: 'The calendars of a calendar account',
    role: 'staff',
    show: async (visit, { id, query }) => {
      const account = await find(visit, id)
      const state = filledForm(fillRows(choiceRows(visit, account), account))
      return shownAccount(context, visit, { account, state, done: query['done'] })
    },
    form: {
      rows: (visit) => choiceRows(visit),
      words: limitWords,
      refusals: { calendar_limit_reached: 409 },
      act: async (visit, typed, { id }) => {
        const account = await find(visit, id)
        const change = checkedForm(ChangeCalendarAccount, readRows(choiceRows(visit, account), typed))
        await changeCalendarAccount(context, visitorOf(visit), { id, change })
        return { path: calendarsPath, query: { done: 'accountSaved' } }
      },
      again: async (visit, state, { id }) =>
        shownAccount(context, visit, { account: await find(visit, id), state }),
    },
  }
}

function choiceRows(
  { texts: { calendars: t } }: BusinessVisit,
  { calendars }: Pick<CalendarAccountShown, 'calendars'> = { calendars: [] },
): Rows<CalendarAccountShown> {
  const all = calendars.map(({ calendar: id, name }) => ({ id, name }))
  const writable = calendars
    .filter((one) => one.writable)
    .map(({ calendar, name }) => [calendar, name] as const)
  return [
    ['keeps_busy', ids(all), t.accounts.keepsBusy, t.accounts.keepsBusyHint({ most: maxBusyCalendars })],
    [
      'writes_to',
      optional({ radios: [['', t.accounts.nowhere], ...writable] }),
      t.accounts.writes,
      t.accounts.writesHint,
    ],
  ]
}

async function shownAccount(
  context: Context,
  visit: BusinessVisit,
  { account, state, done }: { account: CalendarAccountShown; state: FormState; done?: string | undefined },
): Promise<ShownPage> {
  const { calendars: t, setUp } = visit.texts
  const { staff } = await staffOf(context, visit)
  const name = staff.find(({ id }) => id === account.staff_id)?.name ?? t.gone
  return {
    title: t.accounts.of({ name }),
    section: 'people',
    body: html`${backLink(visit)}
      <h1>${t.accounts.of({ name })}</h1>
      ${doneNotice(t.done, done)} ${faultSummary(state, setUp)}
      <p class="soft"><bdi>${account.user_name}</bdi> · <bdi>${account.host}</bdi></p>
      <p class="row-what">${stateLines(context, visit, account)}</p>
      <form method="post" action="${pathOf(`${path}/${account.id}`, visit)}" class="fields wide-fields">
        ${fieldsOf(choiceRows(visit, account), state)()}
        <div class="actions"><button type="submit" class="main">${setUp.save}</button></div>
      </form>`,
  }
}

function removedAccount(context: Context): ConsoleRoute {
  return {
    path: `${path}/:id/remove`,
    name: 'CalendarAccountRemoval',
    summary: 'Disconnect a calendar account',
    role: 'staff',
    form: {
      act: async (visit, _typed, { id }) => {
        await deleteCalendarAccount(context, visitorOf(visit), id)
        return { path: calendarsPath, query: { done: 'accountRemoved' } }
      },
      again: async (visit, state, { id }) => {
        const account = await showCalendarAccount(context, visitorOf(visit), id)
        return shownAccount(context, visit, { account, state })
      },
    },
  }
}

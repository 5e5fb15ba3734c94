import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { hasRole, type PersonActor } from '../../access/actor.ts'
import { findPerson, goTo, type PersonPlace, placesOf } from '../../access/log-in.ts'
import { logInToken } from '../../access/log-in-cookie.ts'
import { readClientAddress } from '../../base/client-network.ts'
import { Problem } from '../../base/errors.ts'
import { html, type Html, trusted } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import { type Instant, toMs } from '../../base/instants.ts'
import type { Context } from '../../bookings/context.ts'
import { brokenAccounts } from '../../calendars/calendar-account.ts'
import { countRequests, maxCounted } from '../../bookings/request.ts'
import { listBusinessesInScope, showBusinessInScope } from '../../catalogue/business.ts'
import { goneClient } from '../../http/gone-client.ts'
import { countUnseenMails } from '../../mails/mail.ts'
import { mailRoute, mailRouteOf } from '../../mails/mail-route.ts'
import { textNumberOf, type TextSubject } from '../../mails/text-route.ts'
import { appHead } from '../../pages/app-files.ts'
import { icon, type IconName } from '../../pages/icons.ts'
import { sendPage } from '../../pages/page.ts'
import { face } from './faces.ts'
import { lastShownBusiness, rememberBusiness } from './shown-business.ts'
import { type ConsoleLanguage, languageOf } from './texts.ts'
import { momentText } from './formats.ts'

/*
 * The frame of every console page: the person and the business. A page calls `findVisit`, sends the log-in
 * form if nobody is logged in, and then calls `sendConsolePage`. Addresses and forms name the business,
 * because another tab may show a different one. An address switches to the business that it names, but a form
 * applies only to that business.
 */

/** A console page in the side bar. */
interface ConsoleSection {
  id: SectionId
  path: string
  /** The lowest role that sees it. */
  role: PersonActor['role']
  /** True if a line separates it from the one before. */
  isFirst?: boolean
}

/** Its label is in the texts of the frame. */
export type SectionId =
  | 'calendar'
  | 'bookings'
  | 'clients'
  | 'waitlist'
  | 'services'
  | 'people'
  | 'resources'
  | 'website'
  | 'mails'
  | 'payments'
  | 'numbers'
  | 'developers'
  | 'settings'

/** In the order of the side bar. */
const consoleSections: ConsoleSection[] = [
  { id: 'calendar', path: '/console', role: 'staff' },
  { id: 'bookings', path: '/console/bookings', role: 'staff' },
  { id: 'clients', path: '/console/clients', role: 'front_desk' },
  { id: 'waitlist', path: '/console/waitlist', role: 'front_desk' },
  { id: 'services', path: '/console/services', role: 'manager', isFirst: true },
  { id: 'people', path: '/console/people', role: 'manager' },
  { id: 'resources', path: '/console/resources', role: 'manager' },
  { id: 'website', path: '/console/website', role: 'manager', isFirst: true },
  { id: 'mails', path: '/console/mails', role: 'front_desk' },
  { id: 'payments', path: '/console/payments', role: 'manager' },
  { id: 'numbers', path: '/console/numbers', role: 'manager' },
  { id: 'developers', path: '/console/developers', role: 'owner' },
  { id: 'settings', path: '/console/settings', role: 'owner' },
]

/** A business as the console shows it. */
interface ConsoleBusiness {
  id: string
  name: string
  timezone: string
  /** In the link of its booking page. */
  slug: string | null
  /** Messages that also go as a text: an empty list if none do. */
  text_kinds_json: string
  is_test: 0 | 1
  /** The time at which the clock of a test business stands. */
  test_now: Instant | null
}

/** The person who views a console page, and the business. */
export interface ConsoleVisit extends ConsoleLanguage {
  person: PersonActor
  places: PersonPlace[]
  /** The business of the page; undefined in a hub without one. */
  business: ConsoleBusiness | undefined
  /** All businesses of a hub, at most a hundred. */
  businesses: ConsoleBusiness[]
  /** Returns true if the browser has closed the connection. */
  isGone: () => boolean
  /** The origin by which the browser calls this server. Anyone can choose it. */
  calledAt: string
  /** Makes the browser remember the business, unless it does. */
  remembering?: string | undefined
  /** Number of failed emails that nobody has seen; 0 for staff. */
  unseenMails: number
  /** Number of calendar accounts that have stopped working; 0 for staff. */
  brokenAccounts: number
  /** Number of unanswered requests that the person may answer, at most 100. */
  openRequests: number
  /** Destination of emails to clients. */
  mails: ReturnType<typeof mailRoute>
  /** True if this server sends text messages. */
  hasTexts: boolean
  /** Returns the number for text messages about a booking, see `textNumberOf`. */
  textNumberOf: (booking: TextSubject) => string | undefined
  /** Key for a form of this page that must not do its work twice. */
  once: string
}

/** Maximum number of businesses in the menu. */
const maxShownBusinesses = 100

/** The business named by an address or form, if it is not the present one. */
export interface Elsewhere {
  /** Undefined if the person has no access there. */
  place?: PersonPlace
  /** Name of the business, if the person may know it. */
  name?: string
}

interface Found {
  visit: ConsoleVisit
  elsewhere?: Elsewhere
}

/**
 * Finds the person who views a page; undefined if nobody is logged in. `named` is the business in the page's
 * address, where the log-in continues. Without it, the business is the one that this browser showed last, or
 * the hub's oldest. `elsewhere` is set if the person has no access to the business.
 */
export async function findReader(
  context: Context,
  request: FastifyRequest,
  named: string | undefined,
): Promise<Found | undefined> {
  const found = await lookUp(context, request, named)
  const place = found?.elsewhere?.place
  if (!place || !(await goTo(context, found.visit.person, place.id))) return found
  request.person = await findPerson(context, logInToken(request) ?? '')
  return lookUp(context, request, named)
}

/**
 * Finds the person like `findReader`, for routes that are not a whole page. Throws not_found for a business
 * without access.
 */
export async function findVisit(
  context: Context,
  request: FastifyRequest,
  named?: string,
): Promise<ConsoleVisit | undefined> {
  const found = await findReader(context, request, named)
  if (found?.elsewhere) throw new Problem('not_found', 'There is no such business, or you do not work there.')
  return found?.visit
}

/**
 * Finds the person who sends a form or a script's request; undefined if nobody is logged in. The business is
 * in the body (`at_business`) or the address (`business`). `elsewhere` is set if that is not the present one,
 * or if it is missing and several are possible.
 */
export async function findSender(
  context: Context,
  request: FastifyRequest,
  { at, business }: { at?: string | undefined; business?: string | undefined },
): Promise<Found | undefined> {
  const found = await lookUp(context, request, at ?? business)
  if (!found || found.elsewhere) return found
  const { visit } = found
  const isAmbiguous = at === undefined && business === undefined && businessOf(visit) !== undefined
  const isDivided =
    at !== undefined && business !== undefined && business.toLowerCase() !== visit.business?.id
  if (isAmbiguous) return { visit, elsewhere: {} }
  return isDivided ? { visit, elsewhere: visit.business ? { name: visit.business.name } : {} } : found
}

/** Finds the sender like `findSender`, for scripts. Throws change_not_allowed. */
export async function findScriptSender(
  context: Context,
  request: FastifyRequest,
  named: { at?: string | undefined; business?: string | undefined },
): Promise<ConsoleVisit | undefined> {
  const found = await findSender(context, request, named)
  if (found?.elsewhere) throw otherBusiness()
  return found?.visit
}

function otherBusiness(): Problem {
  return new Problem('change_not_allowed', 'You are at another business now. Nothing was saved.', {
    extensions: { reason: 'not_allowed' },
  })
}

async function lookUp(
  context: Context,
  request: FastifyRequest,
  named: string | undefined,
): Promise<Found | undefined> {
  const found = request.person
  if (!found) return undefined
  const person = { ...found, via: { address: readClientAddress(request.ip).address, requestId: request.id } }
  const places = await placesOf(context, person)
  const frame = {
    ...languageOf(request),
    ...{ person, places, once: context.ids.next() },
    isGone: goneClient(request),
    calledAt: `${request.protocol}://${request.host}`,
    hasTexts: context.config.smsUrl !== '',
    textNumberOf: (booking: TextSubject) => textNumberOf(booking, context.config),
  }
  const wanted = named?.toLowerCase()
  const elsewhere = () => placeWith(context, { person, places }, wanted)
  if ('businessId' in person.scope) {
    const { businessId } = person.scope
    const business = await showBusinessInScope(context, person, businessId)
    const visit = {
      ...frame,
      business,
      businesses: [],
      remembering: await rememberBusiness(context, request, business.id),
      mails: await routeOf(context, business),
      unseenMails: await unseenMailsOf(context, person, business),
      brokenAccounts: await brokenAccountsOf(context, person, business),
      openRequests: await countRequests(context, person, business.id),
    }
    return wanted === undefined || wanted === businessId ? { visit } : { visit, elsewhere: await elsewhere() }
  }
  const { hubId } = person.scope
  const { data: rows } = await listBusinessesInScope(context, person, { limit: maxShownBusinesses })
  const chosen = wanted === undefined || wanted === hubId ? lastShownBusiness(request) : wanted
  const [first] = rows.toSorted(
    (one, other) => toMs(one.created_at) - toMs(other.created_at) || (one.id < other.id ? -1 : 1),
  )
  const business =
    rows.find(({ id }) => id === chosen) ?? (await businessOfHub(context, person, chosen)) ?? first
  const unseenMails = await unseenMailsOf(context, person, business)
  const brokenAccounts = await brokenAccountsOf(context, person, business)
  const mails = await routeOf(context, business)
  const remembering = business && (await rememberBusiness(context, request, business.id))
  const openRequests = business ? await countRequests(context, person, business.id) : 0
  const counts = { unseenMails, brokenAccounts, openRequests }
  const visit = { ...frame, mails, business, businesses: rows, remembering, ...counts }
  const isThere = wanted === undefined || wanted === business?.id || wanted === hubId
  return isThere ? { visit } : { visit, elsewhere: await elsewhere() }
}

/** Returns the route of a business's emails, or of the server's own without a business. */
async function routeOf(
  context: Context,
  business: ConsoleBusiness | undefined,
): Promise<ConsoleVisit['mails']> {
  return business ? mailRouteOf(context, context.db.reads, business.id) : mailRoute(context.config)
}

async function unseenMailsOf(
  context: Context,
  { role }: PersonActor,
  business: ConsoleBusiness | undefined,
): Promise<number> {
  return role === 'staff' || !business ? 0 : countUnseenMails(context, business.id)
}

async function brokenAccountsOf(
  context: Context,
  { role }: PersonActor,
  business: ConsoleBusiness | undefined,
): Promise<number> {
  return business && hasRole({ role }, 'manager') ? brokenAccounts(context, business.id) : 0
}

/** Returns another membership of the person with access to a business or hub. */
async function placeWith(
  context: Context,
  { person, places }: Pick<ConsoleVisit, 'person' | 'places'>,
  id: string | undefined,
): Promise<Elsewhere> {
  const others = places.filter(({ isPresent }) => !isPresent)
  const own = others.find(({ scope }) => Object.values(scope).some((one) => one === id))
  if (own) return { place: own, name: own.name }
  for (const place of others) {
    if (!('hubId' in place.scope)) continue
    const business = await businessOfHub(context, { ...person, scope: place.scope }, id)
    if (business) return { place, name: business.name }
  }
  return {}
}

const yearSeconds = 31_536_000

/** Returns the header that makes a browser remember a value for the console for a year. */
export function consoleCookie(pair: string): string {
  return `${pair}; Path=/console; Max-Age=${yearSeconds}; HttpOnly; SameSite=Lax`
}

/** Finds a business of the person's hub, even one beyond the menu. */
async function businessOfHub(
  context: Context,
  person: PersonActor,
  id: string | undefined,
): Promise<ConsoleBusiness | undefined> {
  if (id === undefined || !isUuid(id)) return undefined
  try {
    return await showBusinessInScope(context, person, id)
  } catch (error) {
    if (error instanceof Problem) return undefined // unknown, or of another hub
    throw error
  }
}

/** A page of the console. */
export interface ConsolePage {
  /** Title of the document, followed by the name of the business. */
  title: string
  visit: ConsoleVisit
  /** The current section of the side bar. */
  section?: SectionId
  body: Html
  /** HTML for the document's head, such as scripts. Styles of all pages are included anyway. */
  more?: Html
  /** True if it uses the whole width. */
  wide?: boolean
  /** Address of its style sheet, if it is not that of most pages. */
  styles?: string
  /** True if it shows pages of this server in frames. */
  frames?: boolean
  /** Source of an inline style that the policy allows. */
  inlineStyle?: string
  /** True if it also fits into the panel next to the calendar. */
  panel?: boolean
  /** True if its forms name the business. Forms about the person do not. */
  areFormsNamed?: boolean
}

/** ID of the frame that widget/calendar/panel.ts fills. Turbo sends it as `turbo-frame`. */
const panelName = 'panel'

/** The styles of all console pages except the calendar. */
export const consoleStyles = '/docs/console.css'

/** The head of all console pages. */
export const consoleHead = html`<meta name="robots" content="noindex" /> ${appHead}`

/** Script that enhances forms and lists. */
export const consoleScript = html`<script type="module" src="/docs/console.js"></script>`

/** The style of Turbo's progress bar, which it adds when it loads (widget/calendar/panel.ts). */
const turboStyle = "'sha256-WAyOw4V+FqDc35lQPyRADLBWbuNK8ahvYEaQIYF1+Ps='"

/** The scripts of the calendar and of lists, with the panel. */
export const panelScripts = {
  more: html`<script type="module" src="/widget/calendar.js"></script>`,
  inlineStyle: turboStyle,
}

/**
 * Renders the rows of a list in a frame, which a script replaces when a filter changes. Its links open in the
 * panel if they fit there, and otherwise as pages.
 */
export function listFrame({ texts }: ConsoleVisit, rows: Html): Html {
  return html`<turbo-frame
    id="list"
    data-turbo="false"
    data-close="${texts.live.close}"
    data-again="${texts.live.again}"
    data-unreached="${texts.live.unreached}"
    >${rows}</turbo-frame
  >`
}

/** Sends a page in the frame of the console. */
export function sendConsolePage(
  reply: FastifyReply,
  {
    title,
    visit,
    section,
    body,
    more = html``,
    styles = consoleStyles,
    wide = false,
    frames = false,
    panel = false,
    inlineStyle,
    areFormsNamed = true,
  }: ConsolePage,
): FastifyReply {
  const { request } = reply
  if (visit.remembering !== undefined) void reply.header('set-cookie', consoleCookie(visit.remembering))
  const content = withNeeded(areFormsNamed ? namedForms(body, visit, request.url) : body, visit)
  if (panel && request.headers['turbo-frame'] === panelName)
    return sendPage(reply, {
      title,
      main: html`<turbo-frame id="${panelName}">${content}</turbo-frame>`,
      header: false,
      forms: true,
    })
  const asked = new URLSearchParams(request.url.split('?', 2)[1])
  return sendPage(reply, {
    title: `${title} – ${visit.business?.name ?? 'Holdfast'}`,
    locale: visit.locale,
    skip: visit.texts.frame.skip,
    main: html`<main
      id="main"
      class="text console${wide ? ' wide' : ''}"
      tabindex="-1"
      ${inlineStyle === turboStyle && asked.has(panelName) ? html`data-panel` : ''}
    >
      ${testNotice(visit)}${unseenNotice(visit)}${accountsNotice(visit)}${section === 'calendar' && wide ? requestsNotice(visit) : ''}${content}
    </main>`,
    more: html`${consoleHead}
      <script type="module" src="/docs/console-app.js"></script>
      ${consoleScript} ${more}`,
    styles,
    header: html`${sideBar(visit, section, asked)}${tabBar(visit, section, asked)}`,
    forms: true,
    frames,
    inlineStyle,
  })
}

/** Renders the notice that this is a test business, with the time at which its clock stands. */
function testNotice({ business, locale, texts }: ConsoleVisit): Html {
  if (business?.is_test !== 1) return html``
  const { test_now: now, timezone } = business
  const time = now === null ? undefined : momentText(now, { timezone, locale })
  return html`<p class="notice not-printed" role="status">
    ${texts.frame.testBusiness} ${time === undefined ? '' : texts.frame.testClock({ time })}
  </p>`
}

/** Renders the notice on every page, so that people who use only the calendar do not miss a failed email. */
function unseenNotice(visit: ConsoleVisit): Html {
  const { unseenMails, texts } = visit
  if (unseenMails === 0) return html``
  return html`<p class="notice unseen-mails" role="status">
    ${texts.mails.failed({ count: unseenMails, isMore: unseenMails === 100 })}
    <a href="${pathOf('/console/mails', visit, { status: 'failed' })}">${texts.mails.see}</a>
  </p>`
}

/** Renders the notice of calendar accounts that clients may book over. */
function accountsNotice(visit: ConsoleVisit): Html {
  const { brokenAccounts: count, texts } = visit
  if (count === 0) return html``
  return html`<p class="notice not-printed" role="status">
    ${texts.calendars.accounts.broken({ count })}
    <a href="${pathOf('/console/calendars', visit)}">${texts.calendars.accounts.look}</a>
  </p>`
}

/** Renders the notice of unanswered requests above the calendar. */
function requestsNotice(visit: ConsoleVisit): Html {
  const { openRequests: count, texts } = visit
  if (count === 0) return html``
  return html`<p class="notice open-requests not-printed" role="status">
    ${texts.requests.waiting({ count, isMore: count === maxCounted })}
    <a href="${pathOf('/console/bookings', visit)}#requests">${texts.requests.see}</a>
  </p>`
}

/** Renders the number of unanswered requests, next to the link that leads to them. */
function requestsBadge({ openRequests: count, texts, locale }: ConsoleVisit): Html {
  if (count === 0) return html``
  const isMore = count === maxCounted
  const number = new Intl.NumberFormat(locale).format(count)
  return html`<span class="badge" aria-hidden="true">${number}${isMore ? '+' : ''}</span>
    <span class="unseen">${texts.requests.waiting({ count, isMore })}</span>`
}

const fieldForms = /<form\s[^>]*class="(?:[^"]* )?fields[ "][^>]*>/g

/** Explains the sign of required fields above each form. Styles show it only with such fields. */
function withNeeded({ text }: Html, { texts }: ConsoleVisit): Html {
  const { text: needed } = html`<p class="soft needed">${texts.frame.needed}</p>`
  return trusted(text.replaceAll(fieldForms, (form) => needed + form))
}

const postedForms = /<form\s[^>]*method="post"[^>]*>/g

/**
 * Adds the business and the page's address to each form, so that none can lack them. A page can be the
 * response to another one's form, such as the log-in. Texts in pages contain no `<`.
 */
function namedForms({ text }: Html, visit: ConsoleVisit, address: string): Html {
  const { text: name } = html`<input type="hidden" name="${atName}" value="${atOf(visit)}" />`
  const { text: action } = html`action="${address}"`
  const named = (form: string) =>
    `${form.includes(' action="') ? form : form.replace('<form', `<form ${action}`)}${name}`
  return trusted(text.replaceAll(postedForms, named))
}

/** Returns the name in the forms of a page: its business, or its hub without one. */
export function atOf({ business, person: { scope } }: ConsoleVisit): string {
  return business?.id ?? ('hubId' in scope ? scope.hubId : scope.businessId)
}

/** The field by which a form names its business. */
export const atName = 'at_business'

export const AtBusiness = Type.Optional(
  Type.String({
    maxLength: 36,
    description: 'The business it is for: 409 where that is not the present one.',
  }),
)

/** Returns the path of a new booking, with the day and location of a calendar. */
function bookPath(visit: ConsoleVisit, present: SectionId | undefined, asked: URLSearchParams): string {
  const chosen = present === 'calendar' ? ['date', 'location'] : []
  const start = Object.fromEntries(chosen.map((name) => [name, asked.get(name) ?? undefined]))
  return pathOf('/console/book', visit, start)
}

/** Renders the side bar. */
function sideBar(visit: ConsoleVisit, present: SectionId | undefined, asked: URLSearchParams): Html {
  const { texts } = visit
  return html`<header class="side">
    ${placeMenu(visit)}
    <a class="button main new" href="${bookPath(visit, present, asked)}"
      >${icon('add')} ${texts.frame.book}</a
    >
    <nav id="sections" popover aria-label="${texts.frame.navigation}">
      ${sectionsOf(visit).map(
        ({ id, path, isFirst }) =>
          html`<a
            ${isFirst === true ? html`class="is-first"` : ''}
            href="${pathOf(path, visit)}"
            ${id === present ? html`aria-current="page"` : ''}
            >${icon(id === 'waitlist' ? 'waiting' : id)}
            ${id === 'waitlist' ? texts.waitlist.title : texts.frame[id]}
            ${id === 'bookings' ? requestsBadge(visit) : ''}</a
          >`,
      )}
    </nav>
    ${personMenu(visit)}
  </header>`
}

function sectionsOf({ person }: ConsoleVisit): ConsoleSection[] {
  return consoleSections.filter(({ role }) => hasRole(person, role))
}

/** Renders the tabs at the bottom of phones. The list is the calendar's view there. */
function tabBar(visit: ConsoleVisit, present: SectionId | undefined, asked: URLSearchParams): Html {
  const { texts } = visit
  const isToday = present === 'calendar' && (asked.get('view') ?? 'list') === 'list' && !asked.has('date')
  const third = hasRole(visit.person, 'front_desk')
    ? ({ id: 'clients', path: '/console/clients' } as const)
    : ({ id: 'bookings', path: '/console/bookings' } as const)
  const tab = (name: IconName, path: string, label: string, isPresent: boolean) =>
    html`<a href="${path}" ${isPresent ? html`aria-current="page"` : ''}
      >${icon(name)} ${label} ${name === 'bookings' ? requestsBadge(visit) : ''}</a
    >`
  return html`<nav class="tabs not-printed" aria-label="${texts.frame.tabs}">
    ${tab('today', pathOf('/console', visit, { view: 'list' }), texts.frame.today, isToday)}
    ${tab('calendar', pathOf('/console', visit, { view: 'day' }), texts.frame.calendar, present === 'calendar' && !isToday)}
    <a class="new" href="${bookPath(visit, present, asked)}"
      >${icon('add')} <span class="unseen">${texts.frame.book}</span></a
    >
    ${tab(third.id, pathOf(third.path, visit), texts.frame[third.id], present === third.id)}
    <button type="button" popovertarget="sections">
      ${icon('more')} ${texts.frame.menu} ${third.id === 'bookings' ? '' : requestsBadge(visit)}
    </button>
  </nav>`
}

/** Returns a path within the console, at the business of this page. */
export function pathOf(
  path: string,
  visit: ConsoleVisit,
  query: Record<string, string | undefined> = {},
): string {
  const all = { business: businessOf(visit), ...query }
  const pairs = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs).toString()}`
}

/** Returns the business for an address; undefined if the person has only one. */
export function businessOf({ businesses, business, places }: ConsoleVisit): string | undefined {
  return businesses.length > 1 || places.length > 1 ? business?.id : undefined
}

function placeMenu(visit: ConsoleVisit): Html {
  const { person, places, business, businesses, texts } = visit
  const name = business?.name ?? places.find(({ isPresent }) => isPresent)?.name ?? 'Holdfast'
  const others = businesses.filter(({ id }) => id !== business?.id)
  const elsewhere = places.filter(({ isPresent }) => !isPresent)
  const mayAdd = person.role === 'owner' && 'hubId' in person.scope
  if (others.length + elsewhere.length === 0 && !mayAdd)
    return html`<span class="name">${face(name)}<bdi>${name}</bdi></span>`
  return html`<details class="menu">
    <summary class="name">${face(name)}<bdi>${name}</bdi>${icon('expand')}</summary>
    <ul>
      ${others.length === 0 ? '' : html`<li><a href="${pathOf('/console/businesses', visit)}">${texts.businesses.title}</a></li>`}
      ${others.map(
        (other) =>
          html`<li>
            <a href="/console?business=${other.id}"><bdi>${other.name}</bdi></a>
          </li>`,
      )}
      ${elsewhere.map(
        (place) =>
          html`<li>
            <form method="post" action="/console/place">
              <input type="hidden" name="place" value="${place.id}" />
              <button type="submit"><bdi>${place.name}</bdi></button>
            </form>
          </li>`,
      )}
      ${mayAdd ? html`<li><a href="${pathOf('/console/new-business', visit)}">+ ${texts.start.newBusiness}</a></li>` : ''}
    </ul>
  </details>`
}

function personMenu(visit: ConsoleVisit): Html {
  const { person, texts } = visit
  const { name, email, role } = person
  return html`<details class="menu person">
    <summary>${face(name)}<bdi>${name}</bdi></summary>
    <ul>
      <li class="soft"><bdi>${email}</bdi></li>
      <li><a href="${pathOf('/console/account', visit)}">${texts.frame.account}</a></li>
      ${
        hasRole(person, 'manager') || person.staffId !== null
          ? html`<li>
              <a href="${pathOf('/console/calendars', visit)}"
                >${hasRole(person, 'manager') ? texts.calendars.title : texts.calendars.own.title}</a
              >
            </li> `
          : ''
      }
      ${role === 'owner' ? html`<li><a href="${pathOf('/console/audit', visit)}">${texts.audit.title}</a></li>` : ''}
      ${
        role === 'owner'
          ? html`<li><a href="${pathOf('/console/users', visit)}">${texts.frame.users}</a></li>`
          : ''
      }
      <li>
        <form method="post" action="/console/logout">
          <button type="submit">${texts.frame.logOut}</button>
        </form>
      </li>
    </ul>
  </details>`
}

/**
 * Renders a confirmation on the page to which an action leads, with the page's text for the action's name.
 * Ignores unknown names.
 */
export function doneNotice(texts: Record<string, string>, done: string | undefined): Html {
  const text = done !== undefined && Object.hasOwn(texts, done) ? texts[done] : undefined
  return text === undefined ? html`` : html`<p class="notice" role="status">${text}</p>`
}

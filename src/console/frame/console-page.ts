import type { FastifyReply, FastifyRequest } from 'fastify'
import { type PersonActor, personRoles } from '../../access/actor.ts'
import { logInToken } from '../../access/log-in-cookie.ts'
import { findPerson, type PersonPlace, placesOf } from '../../access/log-in.ts'
import { readClientAddress } from '../../base/client-network.ts'
import { Problem } from '../../base/errors.ts'
import { isUuid } from '../../base/ids.ts'
import { toMs } from '../../base/instants.ts'
import type { Context } from '../../bookings/context.ts'
import { listBusinessesInScope, showBusinessInScope } from '../../catalogue/business.ts'
import { mailRoute } from '../../mails/outbox.ts'
import { html, type Html, sendPage } from '../../pages/page.ts'
import { type ConsoleLanguage, languageOf } from '../../pages/console/texts.ts'

/*
 * The frame of every page of the console: who is logged in, and at which business. A page asks `visitConsole`, which answers
 * those who are not logged in with the form, then calls `sendConsolePage`.
 */

/** A page of the console that the header leads to. */
interface ConsoleSection {
  id: SectionId
  path: string
  /** The lowest role that sees it. */
  role: PersonActor['role']
}

/** Its label is in the texts of the frame. */
export type SectionId =
  | 'calendar'
  | 'bookings'
  | 'clients'
  | 'services'
  | 'people'
  | 'website'
  | 'developers'
  | 'numbers'
  | 'settings'

/** In the order in which the header shows them. */
const consoleSections: ConsoleSection[] = [
  { id: 'calendar', path: '/console', role: 'staff' },
  { id: 'bookings', path: '/console/bookings', role: 'staff' },
  { id: 'clients', path: '/console/clients', role: 'manager' },
  { id: 'services', path: '/console/services', role: 'manager' },
  { id: 'people', path: '/console/people', role: 'manager' },
  { id: 'website', path: '/console/website', role: 'manager' },
  { id: 'developers', path: '/console/developers', role: 'owner' },
  { id: 'numbers', path: '/console/numbers', role: 'manager' },
  { id: 'settings', path: '/console/settings', role: 'owner' },
]

/** A business as the console shows it. */
interface ConsoleBusiness {
  id: string
  name: string
  timezone: string
}

/** Who looks at a page of the console, and at which business. */
export interface ConsoleVisit extends ConsoleLanguage {
  person: PersonActor
  places: PersonPlace[]
  /** The business that the page is about; undefined in a hub without one. */
  business: ConsoleBusiness | undefined
  /** Of a hub: all of its businesses, at most a hundred. */
  businesses: ConsoleBusiness[]
  /** Of a hub: the business that this browser showed last. */
  lastShown?: string | undefined
  /** Whether the page is about that one although the address names none, which would mean the oldest. */
  isRecalled?: boolean
  /** Where mails to clients go. */
  mails: ReturnType<typeof mailRoute>
  /** For a form of this page that must not do its work twice. */
  once: string
}

/** The most that the menu shows. */
const maxShownBusinesses = '100'

/**
 * Who is logged in; undefined for nobody, who gets the form. `businessId` chooses among the businesses of a hub; without it,
 * it is the one that this browser showed last, or the hub's oldest.
 */
export async function findVisit(
  context: Context,
  request: FastifyRequest,
  businessId?: string,
): Promise<ConsoleVisit | undefined> {
  const token = logInToken(request)
  const found = token === undefined ? undefined : await findPerson(context, token)
  if (!found) return undefined
  const person = { ...found, via: { address: readClientAddress(request.ip).address, requestId: request.id } }
  const places = await placesOf(context, person)
  const language = {
    ...languageOf(request),
    mails: mailRoute(context.config),
    once: context.ids.next(),
  }
  if ('businessId' in person.scope) {
    const business = await showBusinessInScope(context, person, person.scope.businessId)
    return { ...language, person, places, business, businesses: [] }
  }
  const { rows } = await listBusinessesInScope(context, person, { limit: maxShownBusinesses })
  const lastShown = lastShownBusiness(request)
  const named = businessId ?? lastShown
  const wanted = named !== undefined && isUuid(named) ? named.toLowerCase() : undefined
  const [first] = rows.toSorted(
    (one, other) => toMs(one.created_at) - toMs(other.created_at) || (one.id < other.id ? -1 : 1),
  )
  const business =
    rows.find(({ id }) => id === wanted) ?? (await businessBeyond(context, person, wanted)) ?? first
  const isRecalled = businessId === undefined && business !== first
  return { ...language, person, places, business, businesses: rows, lastShown, isRecalled }
}

const lastShownName = 'holdfast-business'
const yearSeconds = 31_536_000

/** The header by which a browser remembers something about the console for a year. */
export function consoleCookie(pair: string): string {
  return `${pair}; Path=/console; Max-Age=${yearSeconds}; HttpOnly; SameSite=Lax`
}

function lastShownBusiness({ headers }: FastifyRequest): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('=', 2))
  return pairs.find(([name]) => name === lastShownName)?.[1]
}

/** One that the menu does not show. */
async function businessBeyond(
  context: Context,
  person: PersonActor,
  id: string | undefined,
): Promise<ConsoleBusiness | undefined> {
  if (id === undefined) return undefined
  try {
    return await showBusinessInScope(context, person, id)
  } catch (error) {
    if (error instanceof Problem) return undefined // of another hub, or of none
    throw error
  }
}

/** A page of the console. */
export interface ConsolePage {
  /** Of the document; the name of the business follows it. */
  title: string
  visit: ConsoleVisit
  /** Which section of the header is the present one. */
  section?: SectionId
  body: Html
  /** For the head of the document, such as scripts; styles of all pages are there. */
  more?: Html
  /** Whether it uses the whole width. */
  wide?: boolean
  /** Whether it shows pages of this server in frames. */
  frames?: boolean
}

/** Styles of all pages of the console. */
export const consoleHead = html`<meta name="robots" content="noindex" />
  <link rel="stylesheet" href="/docs/console.css" />`

/** For pages that a script makes easier. */
export const consoleScript = html`<script type="module" src="/docs/console.js"></script>`

/** Sends a page in the frame of the console. */
export function sendConsolePage(
  reply: FastifyReply,
  { title, visit, section, body, more = html``, wide = false, frames = false }: ConsolePage,
): FastifyReply {
  const present = businessOf(visit)
  if (present !== undefined && present !== visit.lastShown)
    void reply.header('set-cookie', consoleCookie(`${lastShownName}=${present}`))
  // styles show it where there are such fields, and mark them
  const needed = html`<p class="soft needed">${visit.texts.frame.needed}</p>`
  return sendPage(reply, {
    title: `${title} – ${visit.business?.name ?? 'Holdfast'}`,
    locale: visit.locale,
    skip: visit.texts.frame.skip,
    main: html`<main id="main" class="text console${wide ? ' wide' : ''}" tabindex="-1">
      ${body}${needed}
    </main>`,
    more: html`${consoleHead} ${more}`,
    header: consoleHeader(visit, section),
    forms: true,
    frames,
  })
}

function consoleHeader(visit: ConsoleVisit, present: SectionId | undefined): Html {
  const { role } = visit.person
  const sections = consoleSections.filter((one) => personRoles.indexOf(one.role) <= personRoles.indexOf(role))
  return html`<header class="console-header">
    ${placeMenu(visit)}
    <button type="button" class="sections-button" popovertarget="sections">
      ☰ ${visit.texts.frame.menu}
    </button>
    <nav id="sections" popover aria-label="${visit.texts.frame.navigation}">
      ${sections.map(
        ({ id, path }) =>
          html`<a href="${pathOf(path, visit)}" ${id === present ? html`aria-current="page"` : ''}
            >${visit.texts.frame[id]}</a
          >`,
      )}
    </nav>
    ${personMenu(visit)}
  </header>`
}

/** A path within the console, at the business of this page. */
export function pathOf(
  path: string,
  visit: ConsoleVisit,
  query: Record<string, string | undefined> = {},
): string {
  const all = { business: businessOf(visit), ...query }
  const pairs = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs).toString()}`
}

/** What an address names the business by; undefined where there is but one. */
export function businessOf({ businesses, business }: ConsoleVisit): string | undefined {
  return businesses.length > 1 ? business?.id : undefined
}

function placeMenu({ person, places, business, businesses, texts }: ConsoleVisit): Html {
  const name = business?.name ?? places.find(({ isPresent }) => isPresent)?.name ?? 'Holdfast'
  const others = businesses.filter(({ id }) => id !== business?.id)
  const elsewhere = places.filter(({ isPresent }) => !isPresent)
  const mayAdd = person.role === 'owner' && 'hubId' in person.scope
  if (others.length + elsewhere.length === 0 && !mayAdd) return html`<bdi class="name">${name}</bdi>`
  return html`<details class="menu">
    <summary class="name"><bdi>${name}</bdi></summary>
    <ul>
      ${others.length === 0 ? '' : html`<li><a href="/console/businesses">${texts.businesses.title}</a></li>`}
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
      ${mayAdd ? html`<li><a href="/console/new-business">+ ${texts.start.newBusiness}</a></li>` : ''}
    </ul>
  </details>`
}

function personMenu(visit: ConsoleVisit): Html {
  const { person, texts } = visit
  const { name, email, role } = person
  return html`<details class="menu at-end">
    <summary><bdi>${name}</bdi></summary>
    <ul>
      <li class="soft"><bdi>${email}</bdi></li>
      <li><a href="/console/account">${texts.frame.account}</a></li>
      ${
        role === 'staff'
          ? ''
          : html`<li><a href="${pathOf('/console/calendars', visit)}">${texts.calendars.title}</a></li>`
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

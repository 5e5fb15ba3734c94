import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { listAudit } from '../../access/audit.ts'
import { listPeople } from '../../access/person.ts'
import { html, type Html } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import { type Instant, instantFromMs, isDate, readInstant } from '../../base/instants.ts'
import { mostPerPage } from '../../base/paging.ts'
import { face } from '../frame/faces.ts'
import { byDay, nextPage, pageOrFirst } from '../frame/lists.ts'
import { textFor } from '../frame/text-groups.ts'
import type { Context } from '../../bookings/context.ts'
import { listKeysInScope } from '../../catalogue/business-keys.ts'
import { choice, field, filledForm, hidden } from '../../pages/form.ts'
import { icon, type IconName } from '../../pages/icons.ts'
import { businessOf, pathOf } from '../frame/console-page.ts'
import { type BusinessVisit, consoleRoutes } from '../frame/console-route.ts'
import { emptyState } from '../frame/empty-state.ts'
import { clockText } from '../frame/formats.ts'

const path = '/console/audit'
const Choice = Type.Optional(Type.String({ maxLength: 600 }))

type Address = Record<string, string | undefined>
type Entry = Awaited<ReturnType<typeof listAudit>>['data'][number]

/** Registers the audit log of a business. */
export function auditPageRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [
    {
      path,
      name: 'AuditPage',
      summary: 'Who changed what in a business',
      role: 'owner',
      query: {
        actor: Choice,
        day: Choice,
        where: Type.Optional(
          Type.String({ maxLength: 600, description: 'Of a hub: `hub` for all that happened there.' }),
        ),
      },
      show: async (visit, { query }) => ({
        title: visit.texts.audit.title,
        body: await auditPage(context, visit, query),
      }),
    },
  ])
}

async function auditPage(context: Context, visit: BusinessVisit, address: Address): Promise<Html> {
  const { audit: t } = visit.texts
  const query = readAddress(visit, address)
  const [page, actors] = await Promise.all([
    pageOrFirst(address['cursor'], (cursor) => listAudit(context, visit.person, { ...query, cursor })),
    actorsOf(context, visit),
  ])
  const { actor, day, where } = address
  const kept = { ...(actor && { actor }), ...(day && { day }), ...(where && { where }) }
  const isFiltered = Object.keys(kept).length > 0
  const { timezone } = visit.business
  const days = byDay(page.data, {
    ...{ now: context.clock.now(), locale: visit.locale },
    at: (entry) => [readInstant(entry.at), timezone],
  })
  return html`<h1>${t.title}</h1>
    <p>${t.what}</p>
    ${filterForm(visit, address, actors)}
    ${
      page.data.length > 0
        ? days.map(
            ({ heading, items }) =>
              html`<h2>${heading}</h2>
                <ul class="rows of-changes">
                  ${items.map((entry) => html`<li>${row(visit, entry)}</li>`)}
                </ul>`,
          )
        : emptyState(
            'audit',
            isFiltered ? t.nothingFound : t.empty,
            isFiltered ? html`<a class="button" href="${pathOf(path, visit)}">${t.showAll}</a>` : undefined,
          )
    }
    ${nextPage(visit, path, page.next_cursor, kept)}`
}

/** Reads the filters in an address. Ignores invalid ones. */
function readAddress({ business, person }: BusinessVisit, { actor, day, where }: Address) {
  const isWholeHub = where === 'hub' && 'hubId' in person.scope
  return {
    limit: 50,
    ...(!isWholeHub && { business_id: business.id }),
    ...(actor !== undefined && isUuid(actor) && { actor: actor.toLowerCase() }),
    ...(day !== undefined && isDate(day) && dayIn(business.timezone, day)),
  }
}

/** Returns a day in a zone, including clock changes. */
function dayIn(timeZone: string, text: string): { from: Instant; to: Instant } {
  const day = Temporal.PlainDate.from(text)
  const start = (date: Temporal.PlainDate) => instantFromMs(date.toZonedDateTime(timeZone).epochMilliseconds)
  return { from: start(day), to: start(day.add({ days: 1 })) }
}

interface Named {
  id: string
  name: string
}

/** Returns the people and keys by which entries can be filtered. */
async function actorsOf(context: Context, { person, business, texts }: BusinessVisit): Promise<Named[]> {
  const [people, { page: keys }] = await Promise.all([
    listPeople(context, person.scope),
    listKeysInScope(context, person, { businessId: business.id, query: { limit: mostPerPage } }),
  ])
  return [
    ...people.map(({ user_id: id, name }) => ({ id, name })),
    ...keys.data.map(({ id, label, last_four }) => ({
      id,
      name: texts.audit.key({ name: label ?? `…${last_four}` }),
    })),
  ]
}

function filterForm(visit: BusinessVisit, address: Address, actors: Named[]): Html {
  const { audit: t, bookings } = visit.texts
  const { actor = '', day = '', where = '' } = address
  const state = filledForm({ actor: actor.toLowerCase(), day: isDate(day) ? day : '', where })
  const options = [['', t.anybody] as const, ...actors.map(({ id, name }) => [id, name] as const)]
  const places = [['', visit.business.name] as const, ['hub', t.wholeHub] as const]
  return html`<form method="get" action="${path}" class="filters" data-apply>
    ${hidden({ business: businessOf(visit) })} ${choice(state, { name: 'actor', label: t.who, options })}
    ${field(state, { name: 'day', label: t.day, type: 'date' })}
    ${'hubId' in visit.person.scope ? choice(state, { name: 'where', label: t.where, options: places }) : ''}
    <button type="submit">${bookings.show}</button>
  </form>`
}

/** Subjects that have their own page. */
const pages: Record<string, string> = {
  booking: '/console/bookings',
  service: '/console/services',
  staff: '/console/people',
  location: '/console/locations',
  resource: '/console/resources',
  block: '/console/block',
  webhook: '/console/developers/webhooks',
}

/** Renders a change as a row: time, author, change, and the author's address. */
function row(visit: BusinessVisit, entry: Entry): Html {
  const { at, action, subject, business_id, address } = entry
  const isHere = business_id === visit.business.id
  const page = isHere && !action.endsWith('.deleted') ? pages[subject.type] : undefined
  const cells = html`<time class="row-time" datetime="${at}"
      >${clockText(readInstant(at), { timezone: visit.business.timezone, locale: visit.locale })}</time
    >
    ${authorOf(visit, entry)}
    <span class="row-service">${actionText(visit, action)}</span>
    <bdi class="end soft">${address ?? ''}</bdi>`
  return page === undefined
    ? html`<div class="row">${cells}</div>`
    : html`<a class="row" href="${pathOf(`${page}/${subject.id}`, visit)}">${cells}</a>`
}

const authorSigns: Record<Entry['actor']['type'], IconName> = {
  key: 'developers',
  session: 'website',
  manage_link: 'mails',
  person: 'account',
  command_line: 'developers',
  system: 'settings',
}

/** Renders the author: the face of a person, the sign of anything else. */
function authorOf({ texts: { audit: t } }: BusinessVisit, { actor: { type, name } }: Entry): Html {
  const text = name === null ? t.actors[type] : type === 'key' ? t.key({ name }) : name
  const sign =
    type === 'person' && name !== null
      ? face(name)
      : html`<span class="face">${icon(authorSigns[type])}</span>`
  return html`<span class="row-who">${sign} <bdi>${text}</bdi></span>`
}

/** Returns "Booking: cancelled", or the name in the API for actions without a text. */
function actionText({ texts: { audit } }: BusinessVisit, action: string): string {
  const [subject = '', verb = ''] = action.split('.')
  const [what, done] = [textFor(audit.subjects, subject), textFor(audit.verbs, verb)]
  return what === undefined || done === undefined ? action : `${what}: ${done}`
}

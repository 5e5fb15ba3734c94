import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { searchText } from '../../base/search-text.ts'
import { listAll, mostPerPage } from '../../base/paging.ts'
import type { Context } from '../../bookings/context.ts'
import { readToday } from '../../bookings/numbers.ts'
import { listBusinessesInScope } from '../../catalogue/business.ts'
import { hidden } from '../../pages/form.ts'
import { businessOf, type ConsoleVisit } from '../frame/console-page.ts'
import { nextPage, searchField } from '../frame/lists.ts'
import { consoleRoutes } from '../frame/console-route.ts'
import { emptyState } from '../frame/empty-state.ts'
import { face } from '../frame/faces.ts'
import { momentText } from '../frame/formats.ts'

const path = '/console/businesses'
/** Maximum number of businesses to list without a search. */
const fewEnough = 20
/** Maximum number of pages that a search reads. */
const maxPages = 20
const maxFound = 100

type Business = Awaited<ReturnType<typeof listBusinessesInScope>>['data'][number]

/** Registers the list of a hub's businesses, with today's bookings. */
export function businessesRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [
    {
      path,
      name: 'BusinessesPage',
      summary: 'The businesses of a hub, and what is on today',
      role: 'front_desk',
      withoutBusiness: true,
      query: { q: Type.Optional(Type.String({ maxLength: 600, description: 'A part of the name.' })) },
      show: async (visit, { query }) => {
        if (!('hubId' in visit.person.scope)) throw new Problem('not_found', 'This is for people of a hub.')
        return {
          title: visit.texts.businesses.title,
          body: await businessesPage(context, visit, {
            q: query['q']?.trim() ?? '',
            cursor: query['cursor'],
          }),
        }
      },
    },
  ])
}

async function businessesPage(
  context: Context,
  visit: ConsoleVisit,
  { q, cursor }: { q: string; cursor: string | undefined },
): Promise<Html> {
  const { businesses: t, bookings } = visit.texts
  const { data, next_cursor: next } =
    q === ''
      ? await listBusinessesInScope(context, visit.person, { limit: mostPerPage, cursor })
      : { data: await found(context, visit, q), next_cursor: null }
  const today = await readToday(context, data)
  const isSearchable = q !== '' || cursor !== undefined || next !== null || data.length > fewEnough
  return html`<h1>${t.title}</h1>
    ${
      isSearchable
        ? html`<form method="get" action="${path}" class="filters" role="search">
            ${hidden({ business: businessOf(visit) })} ${searchField(t.search, q)}
            <button type="submit" class="main">${bookings.show}</button>
          </form>`
        : ''
    }
    ${
      data.length > 0
        ? html`<ul class="rows">
            ${data.map((business) => row(visit, business, today.get(business.id)))}
          </ul>`
        : emptyState('building', q === '' ? t.empty : t.nothingFound)
    }
    ${nextPage(visit, path, next)}`
}

/** Finds businesses by name. Compares here, because databases disagree on upper and lower case. */
async function found(context: Context, { person }: ConsoleVisit, q: string): Promise<Business[]> {
  const isFound = ({ name }: Business) => searchText(name).includes(searchText(q))
  const all = await listAll(
    async (query) => {
      const page = await listBusinessesInScope(context, person, query)
      return { ...page, data: page.data.filter(isFound) }
    },
    { items: maxFound, pages: maxPages },
  )
  return all.slice(0, maxFound)
}

type Today = Awaited<ReturnType<typeof readToday>>

function row(visit: ConsoleVisit, { id, name, timezone }: Business, today: ReturnType<Today['get']>): Html {
  const t = visit.texts.businesses
  const next = today?.next_starts_at ?? null
  const isPresent = id === visit.business?.id
  return html`<li class="item">
    ${face(name)}
    <a href="/console?business=${id}" ${isPresent ? html`aria-current="true"` : ''}><bdi>${name}</bdi></a>
    <span class="soft">${t.today({ count: today?.bookings ?? 0 })}</span>
    <span class="soft"
      >${next === null ? t.nothingNext : t.next({ when: momentText(next, { timezone, locale: visit.locale }) })}</span
    >
  </li>`
}

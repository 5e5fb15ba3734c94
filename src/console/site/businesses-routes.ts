import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Problem } from '../../base/errors.ts'
import { searchText } from '../../base/search-text.ts'
import type { Context } from '../../bookings/context.ts'
import { readToday } from '../../bookings/numbers.ts'
import { cursorOfBusiness, listBusinessesInScope } from '../../catalogue/business.ts'
import { pageOf } from '../../base/wire.ts'
import { html, type Html } from '../../pages/page.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'
import { consoleRoutes } from '../frame/console-route.ts'
import { momentText } from '../frame/formats.ts'

const path = '/console/businesses'
const perPage = '100'
/** More than this are found by their name. */
const fewEnough = 20
/** A search reads at most so many pages. */
const maxPages = 20
const maxFound = 100

type Business = Awaited<ReturnType<typeof listBusinessesInScope>>['rows'][number]

/** The businesses of a hub, with what is on today. */
export function businessesRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [
    {
      path,
      name: 'BusinessesPage',
      summary: 'The businesses of a hub, and what is on today',
      role: 'manager',
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
  const { businesses: t, bookings, setUp } = visit.texts
  const { data, next_cursor: next } =
    q === ''
      ? await businessPage(context, visit, cursor)
      : { data: await found(context, visit, q), next_cursor: null }
  const today = await readToday(context, data)
  const isSearchable = q !== '' || cursor !== undefined || next !== null || data.length > fewEnough
  return html`<h1>${t.title}</h1>
    ${
      isSearchable
        ? html`<form method="get" action="${path}" class="filters" role="search">
            <div>
              <label for="q">${t.search}</label>
              <input id="q" name="q" type="search" value="${q}" maxlength="200" dir="auto" />
            </div>
            <button type="submit" class="main">${bookings.show}</button>
          </form>`
        : ''
    }
    ${
      data.length > 0
        ? html`<ul class="rows">
            ${data.map((business) => row(visit, business, today.get(business.id)))}
          </ul>`
        : html`<p>${q === '' ? t.empty : t.nothingFound}</p>`
    }
    ${
      next === null
        ? ''
        : html`<p>
            <a class="button" href="${path}?${new URLSearchParams({ cursor: next }).toString()}"
              >${setUp.next}</a
            >
          </p>`
    }`
}

async function businessPage(context: Context, { person }: ConsoleVisit, cursor: string | undefined) {
  const query = { limit: perPage, ...(cursor !== undefined && { cursor }) }
  const { rows, limit } = await listBusinessesInScope(context, person, query)
  return pageOf(rows, limit, { present: (business) => business, cursor: cursorOfBusiness })
}

/** Compared here, as databases do not agree on what is upper and lower case. */
async function found(context: Context, visit: ConsoleVisit, q: string): Promise<Business[]> {
  const all: Business[] = []
  let cursor: string | null = null
  for (let pages = 0; pages < maxPages && all.length < maxFound; pages += 1) {
    const page: Awaited<ReturnType<typeof businessPage>> = await businessPage(
      context,
      visit,
      cursor ?? undefined,
    )
    all.push(...page.data.filter(({ name }) => searchText(name).includes(searchText(q))))
    cursor = page.next_cursor
    if (cursor === null) break
  }
  return all.slice(0, maxFound)
}

type Today = Awaited<ReturnType<typeof readToday>>

function row(visit: ConsoleVisit, { id, name, timezone }: Business, today: ReturnType<Today['get']>): Html {
  const t = visit.texts.businesses
  const next = today?.next_starts_at ?? null
  const isPresent = id === visit.business?.id
  return html`<li>
    <a href="/console?business=${id}" ${isPresent ? html`aria-current="true"` : ''}><bdi>${name}</bdi></a>
    <span>${t.today(today?.bookings ?? 0)}</span>
    <span class="soft"
      >${next === null ? t.nothingNext : t.next(momentText(next, { timezone, locale: visit.locale }))}</span
    >
  </li>`
}

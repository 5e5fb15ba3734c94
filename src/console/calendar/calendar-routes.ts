import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { dateOf } from '../../availability/hours-rules.ts'
import { dayMs } from '../../availability/zone-rules.ts'
import { Problem } from '../../base/errors.ts'
import { isUuid } from '../../base/ids.ts'
import { isDate, offsetIntervalAt } from '../../base/instants.ts'
import { type Catalogues, catalogueCache, readCalendar } from '../../bookings/calendar.ts'
import type { Context } from '../../bookings/context.ts'
import { invalidCredentials } from '../../access/authentication.ts'
import { Unchanged } from '../../availability/availability-schemas.ts'
import { knownTags } from '../../http/conditional.ts'
import { Media, problems, StrictObject } from '../../base/wire.ts'
import { html, type Html } from '../../pages/page.ts'
import { calendarGrid } from './calendar-grid.ts'
import { calendarList } from './calendar-list.ts'
import {
  calendarBar,
  type CalendarChoice,
  type CalendarView,
  chosenView,
  livePath,
  nowOf,
  views,
  weekOf,
} from './calendar-page.ts'
import { type ConsoleVisit, findVisit, pathOf, sendConsolePage } from '../frame/console-page.ts'
import { page, tags } from '../frame/console-route.ts'
import { placeStyles } from './day-layout.ts'
import { sendLogIn } from '../frame/gate-page.ts'
import { startPanel } from '../site/start-page.ts'

const CalendarAddress = StrictObject({
  view: Type.Optional(Type.String({ maxLength: 40, description: '`day`, `week` or `list`.' })),
  date: Type.Optional(Type.String({ maxLength: 40, description: 'Such as 2026-12-01; else today.' })),
  location: Type.Optional(Type.String({ maxLength: 40, description: 'The id of a location; else all.' })),
  who: Type.Optional(Type.String({ maxLength: 40, description: 'The id of a column; else all.' })),
  hours: Type.Optional(Type.String({ maxLength: 40, description: '`all`: also closed hours.' })),
  business: Type.Optional(Type.String({ maxLength: 40, description: 'Of a hub: the business to look at.' })),
  done: Type.Optional(Type.String({ maxLength: 40, description: 'What was done just before, to say so.' })),
})

type Address = Partial<Record<'view' | 'date' | 'location' | 'who' | 'hours' | 'business', string>>

/** The calendar: the first page of the console, or the form to log in. */
export function calendarPageRoutes(app: FastifyInstance, context: Context): void {
  const catalogues = catalogueCache()
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/console',
    {
      schema: {
        operationId: 'showConsole',
        tags,
        summary: 'The console, for people who are logged in: the calendar',
        description: 'Everybody else gets the form to log in.',
        querystring: CalendarAddress,
        response: { 200: page },
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request, request.query.business)
      if (!visit) return sendLogIn(reply, { next: request.url })
      const title = visit.texts.calendar.title
      if (!visit.business)
        return sendConsolePage(reply, {
          title,
          visit,
          section: 'calendar',
          body: noBusiness(visit),
        })
      const found = await readView(context, catalogues, { visit, address: request.query })
      const { cookie } = request.headers
      const panel = found.view
        ? await startPanel(context, visit, { catalogue: found.view.calendar.catalogue, cookie })
        : ''
      return sendConsolePage(reply, {
        title,
        visit,
        section: 'calendar',
        wide: true,
        more: html`<link rel="stylesheet" href="/console/calendar.css" />
          <link rel="stylesheet" href="/docs/console-calendar.css" />
          <script type="module" src="/widget/calendar.js"></script>`,
        body: html`${doneNote(visit, request.query.done)} ${panel}
        ${found.view ? calendarBody(found.view, found.tag) : ''}`,
      })
    },
  )
  livePart(app, context, catalogues)
  routes.get(
    '/console/calendar.css',
    {
      schema: {
        operationId: 'showCalendarStyles',
        tags,
        summary: 'Styles of the calendar: where rows and lanes stand',
        description: 'The policy of the console allows no styles within a page.',
        response: { 200: Media('text/css', 'The styles.') },
      },
    },
    (_request, reply) =>
      reply
        .headers({ 'cache-control': 'public, max-age=3600', 'x-content-type-options': 'nosniff' })
        .type('text/css; charset=utf-8')
        .send(placeStyles()),
  )
}

/** What the script of the page asks for every few seconds. */
function livePart(app: FastifyInstance, context: Context, catalogues: Catalogues): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/console/calendar',
    {
      schema: {
        operationId: 'showLiveCalendar',
        tags,
        summary: 'The part of the calendar page that changes',
        description: 'Send the `ETag` back as `If-None-Match`: it also changes every minute.',
        querystring: CalendarAddress,
        response: {
          200: Media('text/html', 'The part of the page.'),
          304: Unchanged,
          ...problems('invalid_credentials', 'not_found'),
        },
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request, request.query.business)
      if (!visit) throw invalidCredentials('The log-in has ended; log in again at /console.')
      if (!visit.business) throw new Problem('not_found', 'There is no business.')
      const { tag, view } = await readView(context, catalogues, { visit, address: request.query, request })
      void reply.headers({
        etag: `"${tag}"`,
        'cache-control': 'private, no-cache',
        'x-content-type-options': 'nosniff',
      })
      if (!view) return reply.code(304).send(null)
      return reply.type('text/html; charset=utf-8').send(calendarPart(view, tag).text)
    },
  )
}

/** Of a hub: its owners add the first one. */
function noBusiness({ person, texts }: ConsoleVisit): Html {
  return html`<h1>${texts.frame.noBusiness}</h1>
    ${
      person.role === 'owner'
        ? html`<p><a class="button main" href="/console/new-business">${texts.start.newBusiness}</a></p>`
        : ''
    }`
}

function doneNote({ texts }: ConsoleVisit, done: string | undefined): Html {
  const notes: Record<string, string> = {
    booked: texts.book.done,
    moved: texts.move.done,
    blocked: texts.block.done,
    removed: texts.block.removed,
  }
  const note = done !== undefined && Object.hasOwn(notes, done) ? notes[done] : undefined
  return note === undefined ? html`` : html`<p class="notice" role="status">${note}</p>`
}

interface ReadView {
  tag: string
  /** Undefined where the caller knows it. */
  view: CalendarView | undefined
}

async function readView(
  context: Context,
  catalogues: Catalogues,
  { visit, address, request }: { visit: ConsoleVisit; address: Address; request?: FastifyRequest },
): Promise<ReadView> {
  const nowMs = nowOf(context)
  const choice = choiceOf(address, visit, nowMs)
  const dates = choice.view === 'week' ? weekOf(choice.date) : [choice.date]
  const query = {
    from: dates[0] ?? choice.date,
    to: dates.at(-1) ?? choice.date,
    ...(choice.location !== undefined && { location_id: choice.location }),
    ...(visit.business && { business_id: visit.business.id }),
  }
  const minute = Math.floor(nowMs / 60_000) // the line of the present time moves, and what is over is not free
  const tagNow = (tag: string) => `${tag}-${minute}`
  const knows = (tag: string) => request !== undefined && knownTags(request)(tagNow(tag))
  const read = (of: typeof query) => readCalendar({ ...context, catalogues }, visit.person, of, knows)
  const { tag, calendar } = await read(query).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error
    const { location_id: _, ...everywhere } = query // a location of another business, or of none
    return read(everywhere)
  })
  if (!calendar) return { tag: tagNow(tag), view: undefined }
  return { tag: tagNow(tag), view: chosenView(calendar, { visit, choice, nowMs }) }
}

/** What does not fit is as if it were not there. */
function choiceOf(address: Address, { business }: ConsoleVisit, nowMs: number): CalendarChoice {
  const id = (text: string | undefined) =>
    text !== undefined && isUuid(text) ? text.toLowerCase() : undefined
  const { date } = address
  const timezone = business?.timezone ?? 'UTC'
  const today = dateOf(Math.floor((nowMs + offsetIntervalAt(nowMs, timezone).offsetMs) / dayMs))
  return {
    view: views.find((view) => view === address.view),
    date: date !== undefined && isDate(date) ? date : today,
    location: id(address.location),
    who: id(address.who),
    allHours: address.hours === 'all',
  }
}

function calendarBody(view: CalendarView, tag: string): Html {
  const { calendar, visit } = view
  const t = visit.texts.calendar
  if (calendar.columns.length === 0)
    return html`${calendarBar(view)}
      <p>${t.nothingYet}</p>
      ${visit.person.role === 'staff' ? '' : html`<p><a class="button" href="${pathOf('/console/services/new', visit)}">${visit.texts.services.add}</a></p>`}`
  return html`${calendarBar(view)}
    <p id="cal-status" class="cal-status" role="status" data-texts="${JSON.stringify(visit.texts.live)}"></p>
    ${calendarPart(view, tag)}`
}

/** What is shown again when something has changed. */
function calendarPart(view: CalendarView, tag: string): Html {
  const { calendar, choice, visit, nowMs } = view
  const parts = choice.view === 'list' ? ['list'] : choice.view === undefined ? ['grid', 'list'] : ['grid']
  return html`<div
    id="calendar"
    class="${choice.view === undefined ? 'by-width' : ''}"
    data-live="${livePath(visit, choice)}"
    data-tag="${tag}"
    data-now="${nowMs}"
    data-zone="${calendar.timezone}"
    data-locale="${visit.locale}"
    data-business="${calendar.businessId}"
  >
    ${calendar.complete ? '' : html`<p class="alert">${visit.texts.calendar.incomplete}</p>`}
    ${parts.includes('grid') ? html`<div class="as-grid">${calendarGrid(view)}</div>` : ''}
    ${parts.includes('list') ? html`<div class="as-list">${calendarList(view)}</div>` : ''}
  </div>`
}

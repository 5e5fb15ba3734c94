import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { hasRole } from '../../access/actor.ts'
import { invalidCredentials } from '../../access/authentication.ts'
import { Unchanged } from '../../availability/availability-schemas.ts'
import { dateOf } from '../../availability/hours-rules.ts'
import { dayMs } from '../../availability/zone-rules.ts'
import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import { isDate, offsetIntervalAt } from '../../base/instants.ts'
import { readCalendar } from '../../bookings/calendar.ts'
import type { Context } from '../../bookings/context.ts'
import { knownTags, sendNotModified } from '../../http/conditional.ts'
import { Media, problems, StrictObject } from '../../base/wire.ts'
import {
  businessOf,
  panelScripts,
  type ConsoleVisit,
  doneNotice,
  findReader,
  findScriptSender,
  pathOf,
  sendConsolePage,
} from '../frame/console-page.ts'
import { inTimeOf, notFound, page, tags } from '../frame/console-route.ts'
import { emptyState } from '../frame/empty-state.ts'
import { sendLogIn } from '../frame/gate-page.ts'
import { startPanel } from '../site/start-page.ts'
import { calendarGrid } from './calendar-grid.ts'
import { calendarList } from './calendar-list.ts'
import { calendarBar, furtherColumns, livePath } from './calendar-page.ts'
import { type CalendarChoice, type CalendarView, chosenView, nowOf, views, weekOf } from './calendar-view.ts'
import { placeStyles } from './day-layout.ts'
import { movedNotice } from './moved-notice.ts'
import { undoNoticeOf } from '../bookings/undo.ts'
import { maxUndoLength, togetherNotice } from '../bookings/undo-together.ts'
import { sourcesOf } from './busy-sources.ts'
import { seeOther } from '../../pages/page.ts'
import { styleRoute, stylesOf } from '../../pages/style-routes.ts'

export const CalendarAddress = StrictObject({
  view: Type.Optional(Type.String({ maxLength: 40, description: '`day`, `week` or `list`.' })),
  date: Type.Optional(Type.String({ maxLength: 40, description: 'Such as 2026-12-01; else today.' })),
  location: Type.Optional(Type.String({ maxLength: 40, description: 'The id of a location; else all.' })),
  who: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'The id of a column, or `all`; else all, or in lists of staff their own.',
    }),
  ),
  hours: Type.Optional(Type.String({ maxLength: 40, description: '`all`: also closed hours.' })),
  resources: Type.Optional(
    Type.String({ maxLength: 40, description: '`true`: also columns of rooms and equipment.' }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: 'For further columns.' })),
  business: Type.Optional(Type.String({ maxLength: 40, description: 'Of a hub: the business to look at.' })),
  panel: Type.Optional(
    Type.String({ maxLength: 600, description: 'The page in the panel, for the script.' }),
  ),
  done: Type.Optional(Type.String({ maxLength: 40, description: 'What was done just before, to say so.' })),
  undo: Type.Optional(
    Type.String({
      maxLength: maxUndoLength,
      description: 'After a change: the booking and its former place or status, to undo it.',
    }),
  ),
})

type Address = Partial<
  Record<'view' | 'date' | 'location' | 'who' | 'hours' | 'resources' | 'cursor' | 'business', string>
>

/** Registers the calendar, which is the first page of the console, or the log-in form. */
export function calendarPageRoutes(app: FastifyInstance, context: Context): void {
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
        response: {
          ...{ 200: page, 404: page },
          303: Type.Null({
            description: 'Where a person has several businesses: to the address that names one.',
          }),
        },
      },
    },
    async (request, reply) => {
      const found = await findReader(context, request, request.query.business)
      if (!found) return sendLogIn(context, reply, { next: request.url })
      const { visit } = found
      if (found.elsewhere) return sendConsolePage(reply.code(404), { visit, ...notFound(visit) })
      if (request.query.business === undefined && businessOf(visit) !== undefined)
        return seeOther(reply, pathOf('/console', visit, request.query))
      const title = visit.texts.calendar.title
      if (!visit.business)
        return sendConsolePage(reply, {
          title,
          visit,
          section: 'calendar',
          body: noBusiness(visit),
        })
      const { cookie } = request.headers
      const { done, undo, ...address } = request.query
      // browsers on computers say so, and then a large salon does without the hidden list of phones
      const isDesktop = request.headers['sec-ch-ua-mobile'] === '?0'
      const asked = { visit, address: request.query, isDesktop }
      const { shown = html`` } = await inTimeOf(context, { request, visit }, () =>
        readView(context, asked, async (view, tag) => {
          const panel = await startPanel(context, visit, {
            ...{ catalogue: view.calendar.catalogue, cookie, address },
          })
          return html`${panel} ${await calendarBody(view, tag)}`
        }),
      )
      return sendConsolePage(reply, {
        title,
        visit,
        section: 'calendar',
        wide: true,
        ...panelScripts,
        styles: '/console/calendar.css',
        body: html`${await doneOf(context, visit, { done, undo, date: address.date })} ${shown}`,
      })
    },
  )
  livePart(app, context)
  styleRoute(app, {
    url: '/console/calendar.css',
    operationId: 'showCalendarStyles',
    summary: 'The styles of the calendar page, with the positions of rows and lanes',
    styles: [stylesOf('console.css'), placeStyles(), stylesOf('console-calendar.css', 'page.css')].join('\n'),
  })
}

/** Registers the route that the page's script polls every few seconds. */
function livePart(app: FastifyInstance, context: Context): void {
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
          303: Type.Null({ description: 'A browser that opens it as a page: to the calendar.' }),
          304: Unchanged,
          ...problems('invalid_credentials', 'not_found', 'change_not_allowed'),
        },
      },
    },
    async (request, reply) => {
      if (request.headers['sec-fetch-dest'] === 'document')
        return seeOther(reply, request.url.replace('/console/calendar', '/console'))
      const { business } = request.query
      const visit = await findScriptSender(context, request, { business, at: business })
      if (!visit) throw invalidCredentials('The log-in has ended; log in again at /console.')
      if (!visit.business) throw new Problem('not_found', 'There is no business.')
      const asked = { visit, address: request.query, request }
      const read = () => readView(context, asked, calendarPart)
      const { tag, shown } = await inTimeOf(context, { request, visit }, read)
      void reply.headers({
        etag: `"${tag}"`,
        'cache-control': 'no-store', // shown to nobody after logging out; the script keeps the tag itself
        'x-content-type-options': 'nosniff',
      })
      if (!shown) return sendNotModified(reply)
      return reply.type('text/html; charset=utf-8').send(shown.text)
    },
  )
}

/** Renders the page of a hub without a business, to which its owners add the first one. */
function noBusiness({ person, texts }: ConsoleVisit): Html {
  return html`<h1>${texts.frame.noBusiness}</h1>
    ${
      person.role === 'owner'
        ? html`<p><a class="button main" href="/console/new-business">${texts.start.newBusiness}</a></p>`
        : ''
    }`
}

/** Renders the notice of what was done just before. */
async function doneOf(
  context: Context,
  visit: ConsoleVisit,
  { done = '', undo, date = '' }: Partial<Record<'done' | 'undo' | 'date', string | undefined>>,
): Promise<Html> {
  if (done === 'moved') return movedNotice(context, visit, undo)
  const { booking } = visit.texts
  if (done === 'class_cancelled')
    return togetherNotice(context, visit, {
      ...{ text: visit.texts.class.cancelled, undo, fields: { date } },
      action: pathOf('/console/class', visit),
    })
  if (done !== 'arrived' && done !== 'completed') return doneNotice(doneNotes(visit), done)
  return undoNoticeOf(context, { visit, text: booking.done[done], undo, to: { to: 'list' } })
}

function doneNotes({ texts }: ConsoleVisit): Record<string, string> {
  return {
    undone: texts.live.undone,
    class_final_refund: `${texts.class.cancelled} ${texts.live.final.refund}`,
    class_final_open: `${texts.class.cancelled} ${texts.live.final.open}`,
    blocked: texts.block.done,
    removed: texts.block.removed,
  }
}

/** Maximum number of columns of a page that has both the grid and the list. */
const columnsOfBoth = 12

/** Maximum number of columns on a page. */
const columnsOfPage = 100

interface AskedView {
  visit: ConsoleVisit
  address: Address
  /** The request of a script, which may know the tag. */
  request?: FastifyRequest
  /** True if the browser is not that of a phone. False if unknown. */
  isDesktop?: boolean
}

/** Reads the calendar at an address and presents it. `shown` is undefined if the caller knows it. */
async function readView(
  context: Context,
  { visit, address, request, isDesktop = false }: AskedView,
  show: (view: CalendarView, tag: string) => Promise<Html>,
): Promise<{ tag: string; shown: Html | undefined }> {
  const nowMs = nowOf(context)
  const choice = choiceOf(address, visit, nowMs)
  const dates = choice.view === 'week' ? weekOf(choice.date, visit.locale) : [choice.date]
  const minute = Math.floor(nowMs / 60_000) // the line of the current time moves, and past time is no longer free
  const tagNow = (tag: string) => `${tag}-${minute}`
  const knows = (tag: string) => request !== undefined && knownTags(request)(tagNow(tag))
  const read = async (of: CalendarChoice, columnId?: string) => {
    const query = {
      from: dates[0] ?? choice.date,
      to: dates.at(-1) ?? choice.date,
      ...(of.location !== undefined && { location_id: of.location }),
      ...(of.cursor !== undefined && { cursor: of.cursor }),
      ...(columnId !== undefined && { column_id: columnId }),
      ...(of.resources && { resources: 'true' as const }),
      ...(visit.business && { business_id: visit.business.id }),
    }
    const asked = { query, knows, isGone: visit.isGone, columnsAtOnce: columnsOfPage }
    return readCalendar(context, visit.person, asked, async (calendar, { tag, slices }) => {
      const isPart = calendar.nextCursor !== null || of.cursor !== undefined
      const wanted = of.who ?? (of.view === 'week' ? (visit.person.staffId ?? undefined) : undefined)
      const isElsewhere = isPart && wanted !== undefined && !calendar.columns.some(({ id }) => id === wanted)
      if (isElsewhere && columnId === undefined) return { elsewhere: wanted }
      const sources = await sourcesOf(context, visit, { calendar, nowMs })
      const isLarge = isDesktop && calendar.columns.length > columnsOfBoth
      const chosen = { ...of, view: of.view ?? (isLarge ? 'day' : undefined) }
      return show(await chosenView(calendar, { visit, choice: chosen, nowMs, slices, sources }), tagNow(tag))
    })
  }
  const found = await read(choice).catch((error: unknown) => {
    if (!(error instanceof Problem) || !['not_found', 'validation_failed'].includes(error.code)) throw error
    // an unknown location, or one of another business; a cursor of another list
    return read({ ...choice, location: undefined, cursor: undefined })
  })
  if (found.shown === undefined || !('elsewhere' in found.shown))
    return { tag: tagNow(found.tag), shown: found.shown }
  const only = await read({ ...choice, cursor: undefined }, found.shown.elsewhere)
  const shown = only.shown === undefined || 'elsewhere' in only.shown ? undefined : only.shown
  return { tag: tagNow(only.tag), shown }
}

/** Reads the choices in an address. Ignores invalid ones. */
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
    everyone: address.who === 'all',
    allHours: address.hours === 'all',
    resources: address.resources === 'true',
    cursor: address.cursor,
  }
}

async function calendarBody(view: CalendarView, tag: string): Promise<Html> {
  const { calendar, visit } = view
  const t = visit.texts.calendar
  if (calendar.columns.length === 0)
    return html`${calendarBar(view)}
    ${emptyState(
      'calendar',
      t.nothingYet,
      hasRole(visit.person, 'manager')
        ? html`<a class="button main" href="${pathOf('/console/services/new', visit)}"
            >${visit.texts.services.add}</a
          >`
        : html``,
    )}`
  return html`${calendarBar(view)}
    <p id="cal-status" class="cal-status" role="status" data-texts="${JSON.stringify(visit.texts.live)}"></p>
    ${await calendarPart(view, tag)} ${furtherColumns(view)}`
}

/** Renders the part that is replaced after a change. */
async function calendarPart(view: CalendarView, tag: string): Promise<Html> {
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
    ${parts.includes('grid') ? html`<div class="as-grid">${await calendarGrid(view)}</div>` : ''}
    ${parts.includes('list') ? html`<div class="as-list">${await calendarList(view)}</div>` : ''}
  </div>`
}

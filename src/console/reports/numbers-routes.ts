import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import { type Static, Type } from 'typebox'
import { hasRole } from '../../access/actor.ts'
import { html, type Html } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import { isDate, toMs } from '../../base/instants.ts'
import type { Slices } from '../../base/slices.ts'
import type { Context } from '../../bookings/context.ts'
import { turnsFor } from '../../bookings/costly.ts'
import { readNumbers } from '../../bookings/numbers.ts'
import { maxNumbersDays, numbersErrors } from '../../bookings/numbers-rules.ts'
import type { Numbers } from '../../bookings/numbers-schemas.ts'
import { locationKind } from '../../catalogue/catalogue-kinds.ts'
import { problems, StrictObject } from '../../base/wire.ts'
import { choice, field, faultSummary, type FormState, hidden } from '../../pages/form.ts'
import { sendFile } from '../bookings/bookings-routes.ts'
import { businessOf, findVisit, pathOf } from '../frame/console-page.ts'
import { type BusinessVisit, consoleRoutes, seeOther, tags } from '../frame/console-route.ts'
import { csvRow, csvStart } from '../../base/csv.ts'
import { sendLogIn } from '../frame/gate-page.ts'
import { listItems } from '../frame/lists.ts'
import { barPlot, plotLegend, shareBar } from './numbers-plots.ts'
import { zoneNames } from '../team/zone-names.ts'

const path = '/console/numbers'

const Choice = Type.Optional(Type.String({ maxLength: 600 }))
const numbersQuery = {
  range: Type.Optional(
    Type.String({
      maxLength: 600,
      description: '`week` (else), `weeks`, `year`, or `own` with `from` and `to`.',
    }),
  ),
  from: Choice,
  to: Choice,
  shown: Type.Optional(
    Type.String({ maxLength: 600, description: 'The days that the form showed: other ones were typed.' }),
  ),
  location: Choice,
}

const ranges = ['week', 'weeks', 'year', 'own'] as const

/** The days in an address, or their faults. */
interface Asked {
  range: (typeof ranges)[number]
  from: string
  to: string
  location: string | undefined
  state: FormState
}

type Counted = Static<typeof Numbers>
type CountedColumn = Counted['columns'][number]

/** Registers reports on bookings and workload, as a page and as a file. */
export function numbersPageRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [
    {
      path,
      name: 'NumbersPage',
      summary: 'The numbers of a business',
      role: 'manager',
      query: numbersQuery,
      show: async (visit, { query }) => ({
        title: visit.texts.numbers.title,
        section: 'numbers',
        body: await numbersPage(context, visit, askedBy(context, visit, query)),
      }),
    },
  ])
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    `${path}.csv`,
    {
      schema: {
        operationId: 'exportNumbers',
        tags,
        summary: 'Numbers as a file for a spreadsheet, for managers who are logged in',
        description: 'A row for each week and each of those who were booked.',
        querystring: StrictObject({ business: Choice, ...numbersQuery }),
        response: {
          200: {
            description: 'The file, or the form to log in.',
            content: { 'text/csv': { schema: Type.String() }, 'text/html': { schema: Type.String() } },
          },
          303: Type.Null({ description: 'To the page: for those who may not, or for days that are none.' }),
          ...problems('not_found'),
        },
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request, request.query.business)
      if (!visit) return sendLogIn(reply, { next: path })
      const { business, person } = visit
      const toPage = () => {
        const { business: _named, ...query } = request.query
        return seeOther(reply, pathOf(path, visit, query))
      }
      if (!hasRole(person, 'manager') || !business) return toPage()
      const asked = askedBy(context, { ...visit, business }, request.query)
      if (Object.keys(asked.state.faults).length > 0) return toPage()
      const end = await turnsFor(context, 'export').take(business.id, visit.isGone)
      try {
        const rows = await countedFor(context, { ...visit, business }, asked, csvRows)
        return await sendFile(reply, 'numbers.csv', rows, end)
      } catch (error) {
        end()
        throw error
      }
    },
  )
}

/** Reads the days in an address, with the input. The default is the current week. */
function askedBy(
  context: Context,
  { business, texts }: BusinessVisit,
  query: Record<string, string | undefined>,
): Asked {
  const today = Temporal.Instant.fromEpochMilliseconds(toMs(context.clock.now()))
    .toZonedDateTimeISO(business.timezone)
    .toPlainDate()
  const monday = today.subtract({ days: today.dayOfWeek - 1 })
  const range = hasTypedDays(query) ? 'own' : (ranges.find((one) => one === query['range']) ?? 'week')
  const weeksBefore = (weeks: number) => ({
    from: monday.subtract({ days: 7 * weeks }).toString(),
    to: monday.subtract({ days: 1 }).toString(),
  })
  const usual = {
    week: { from: monday.toString(), to: monday.add({ days: 6 }).toString() },
    weeks: weeksBefore(4),
    year: weeksBefore(52),
  }
  const days = range === 'own' ? { from: query['from'] ?? '', to: query['to'] ?? '' } : usual[range]
  const { location } = query
  const wanted = location !== undefined && isUuid(location) ? location.toLowerCase() : undefined
  const faults = range === 'own' ? faultsOfDays(days, texts.numbers) : {}
  return {
    range,
    ...days,
    location: wanted,
    state: { typed: { range, location: wanted ?? '', ...days }, faults },
  }
}

/** Returns true if somebody entered days, whatever the chosen range. */
function hasTypedDays({ range, from = '', to = '', shown }: Record<string, string | undefined>): boolean {
  if (from === '' && to === '') return false
  return shown === undefined ? range === undefined : shown !== `${from}/${to}`
}

function faultsOfDays(
  { from, to }: { from: string; to: string },
  texts: BusinessVisit['texts']['numbers'],
): Record<string, string> {
  const faults = { ...(!isDate(from) && { from: texts.noDay }), ...(!isDate(to) && { to: texts.noDay }) }
  if (Object.keys(faults).length > 0) return faults
  if (to < from) return { to: texts.endsBefore }
  return numbersErrors({ from, to }).length > 0
    ? { to: texts.tooLong({ weeks: Math.floor(maxNumbersDays / 7) }) }
    : {}
}

function countedFor<Shown>(
  context: Context,
  { person, business, isGone }: BusinessVisit,
  { from, to, location }: Asked,
  show: (numbers: Counted, slices: Slices) => Promise<Shown>,
): Promise<Shown> {
  const query = {
    from,
    to,
    business_id: business.id,
    ...(location !== undefined && { location_id: location }),
  }
  return readNumbers(context, person, { query, isGone }, show)
}

async function numbersPage(context: Context, visit: BusinessVisit, asked: Asked): Promise<Html> {
  const { numbers: texts, setUp } = visit.texts
  const of = { kind: locationKind, businessId: visit.business.id }
  const places = await listItems(context, visit.person, of)
  const head = html`<h1>${texts.title}</h1>
    ${rangeForm(visit, asked, places)}`
  const { faults } = asked.state
  if (Object.keys(faults).length > 0)
    return html`${head} ${faultSummary(asked.state, { ...setUp, notSaved: '' })}`
  const { range, from, to, location } = asked
  const address = { range, location, ...(range === 'own' && { from, to }) }
  const shown = await countedFor(
    context,
    visit,
    asked,
    async (numbers, slices) =>
      html`<p class="soft">
          ${texts.of({ from: longDay(from, visit.locale), to: longDay(to, visit.locale), zone: zoneNames(visit.locale)(numbers.timezone) })}
        </p>
        ${
          isEmpty(numbers)
            ? html`<p>${texts.empty}</p>
                <p><a href="${pathOf('/console', visit)}">${visit.texts.bookings.toCalendar}</a></p>`
            : await counted(visit, numbers, slices)
        }`,
  )
  return html`${head} ${shown}
    <p class="actions not-printed">
      <a class="button" href="${pathOf(`${path}.csv`, visit, address)}">${texts.save}</a>
      ${
        visit.person.role === 'owner'
          ? html`<a class="button" href="${pathOf('/console/bookings.csv', visit, { when: 'all' })}"
              >${texts.saveBookings}</a
            >`
          : ''
      }
    </p>`
}

function rangeForm(
  visit: BusinessVisit,
  { state, from, to }: Asked,
  places: { id: string; name: string }[],
): Html {
  const { numbers: texts, bookings } = visit.texts
  const options = ranges.map((one) => [one, texts.ranges[one]] as const)
  const named = places.map(({ id, name }) => [id, name] as const)
  return html`<form method="get" action="${path}" class="filters not-printed">
    ${hidden({ business: businessOf(visit), shown: `${from}/${to}` })}
    ${choice(state, { name: 'range', label: texts.range, options })}
    ${field(state, { name: 'from', label: texts.from, type: 'date' })}
    ${field(state, { name: 'to', label: texts.to, type: 'date' })}
    ${
      places.length > 1
        ? choice(state, {
            name: 'location',
            label: bookings.location,
            options: [['', bookings.everywhere], ...named],
          })
        : ''
    }
    <button type="submit" class="main">${bookings.show}</button>
  </form>`
}

function isEmpty({ weeks }: Counted): boolean {
  return weeks.every(({ bookings, cancellations }) => bookings + cancellations === 0)
}

async function counted(visit: BusinessVisit, numbers: Counted, slices: Slices): Promise<Html> {
  const { numbers: texts } = visit.texts
  const { weeks } = numbers
  const label = (date: string) => shortDay(date, visit.locale)
  const bookings = weeks.map(({ from, ...week }) => ({
    label: label(from),
    parts: [
      { look: 'full' as const, value: week.bookings - week.no_shows },
      { look: 'hatched' as const, value: week.no_shows },
      { look: 'outline' as const, value: week.cancellations },
    ],
  }))
  const busy = weeks.map(({ from, ...week }) => ({
    label: label(from),
    parts: [{ look: 'full' as const, value: shareOf(week) ?? 0 }],
  }))
  const percent = (value: number) => percentText(value, visit.locale)
  const axis = (value: number) => new Intl.NumberFormat(visit.locale).format(value)
  return html`<h2>${texts.whoTitle}</h2>
    ${await whoTable(visit, numbers, slices)}
    <div class="plots">
      <figure>
        <figcaption>${texts.bookingsByWeek}</figcaption>
        ${barPlot(bookings, { title: texts.bookingsPlot, axis })}
        ${plotLegend([
          ['full', texts.tookPlace],
          ['hatched', texts.noShows],
          ['outline', texts.cancelled],
        ])}
      </figure>
      <figure>
        <figcaption>${texts.busyByWeek}</figcaption>
        ${barPlot(busy, { title: texts.busyPlot, axis: percent, top: 1 })}
      </figure>
    </div>
    <h2>${texts.weeksTitle}</h2>
    ${await weekTable(visit, numbers, slices)}
    ${isWide(numbers) ? html`<p class="soft">${texts.tooWide}</p>` : ''}
    <p class="soft">${texts.how}</p>`
}

async function whoTable(visit: BusinessVisit, { columns, weeks }: Counted, slices: Slices): Promise<Html> {
  const { numbers: texts } = visit.texts
  const sum = (list: number[]) => list.reduce((total, value) => total + value, 0)
  const rows = columns.map((column) => ({
    name: nameOf(column),
    bookings: sum(column.bookings),
    cancellations: sum(column.cancellations),
    no_shows: sum(column.no_shows),
    booked_minutes: sum(column.booked_minutes),
    open_minutes: sum(column.open_minutes),
  }))
  const total = {
    bookings: sum(weeks.map((week) => week.bookings)),
    cancellations: sum(weeks.map((week) => week.cancellations)),
    no_shows: sum(weeks.map((week) => week.no_shows)),
    booked_minutes: sum(weeks.map((week) => week.booked_minutes)),
    open_minutes: sum(weeks.map((week) => week.open_minutes)),
  }
  const cells = (row: typeof total) =>
    html`<td>${busyCell(shareOf(row), visit.locale)}</td>
      <td>${row.bookings}</td>
      <td>${row.no_shows}</td>
      <td>${row.cancellations}</td>
      <td>${texts.hours({ hours: hoursText(row.booked_minutes, visit.locale) })}</td>`
  return scrolled(
    texts.whoTitle,
    html`<table class="numbers">
      <thead>
        <tr>
          ${[texts.who, texts.busy, texts.bookings, texts.noShows, texts.cancelled, texts.booked].map(
            (text) => html`<th scope="col">${text}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${await slices.map(
          rows,
          (row) =>
            html`<tr>
              <th scope="row">${row.name}</th>
              ${cells(row)}
            </tr>`,
        )}
        <tr class="total">
          <th scope="row">${texts.all}</th>
          ${cells(total)}
        </tr>
      </tbody>
    </table>`,
  )
}

function busyCell(share: number | undefined, locale: string): Html {
  if (share === undefined) return html`–`
  return html`<span class="busy">${shareBar(share)} <span>${percentText(share, locale)}</span></span>`
}

/**
 * Maximum number of columns, because more would make a page of tens of thousands of cells. The file contains
 * all.
 */
const columnsOfTable = 50

const isWide = ({ columns }: Counted) => columns.length > columnsOfTable

async function weekTable(visit: BusinessVisit, numbers: Counted, slices: Slices): Promise<Html> {
  const { numbers: texts } = visit.texts
  const { weeks } = numbers
  const columns = isWide(numbers) ? [] : numbers.columns
  const share = (minutes: { booked_minutes: number; open_minutes: number }) => {
    const busy = shareOf(minutes)
    return html`<td>${busy === undefined ? '–' : percentText(busy, visit.locale)}</td>`
  }
  return scrolled(
    texts.weeksTitle,
    html`<table class="numbers">
      <thead>
        <tr>
          ${[texts.week, texts.bookings, texts.noShows, texts.cancelled, texts.busy].map(
            (text) => html`<th scope="col">${text}</th>`,
          )}
          ${columns.map((column) => html`<th scope="col">${nameOf(column)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${await slices.map(
          [...weeks.entries()],
          ([at, week]) =>
            html`<tr>
              <th scope="row">${spanOf(week, visit.locale)}</th>
              <td>${week.bookings}</td>
              <td>${week.no_shows}</td>
              <td>${week.cancellations}</td>
              ${share(week)}
              ${columns.map(({ booked_minutes, open_minutes }) =>
                share({ booked_minutes: booked_minutes[at] ?? 0, open_minutes: open_minutes[at] ?? 0 }),
              )}
            </tr>`,
        )}
      </tbody>
    </table>`,
  )
}

/** Makes a table scroll sideways on phones, also by keyboard. */
function scrolled(name: string, table: Html): Html {
  return html`<div class="scrolled" role="region" aria-label="${name}" tabindex="0">${table}</div>`
}

function nameOf({ staff, service, location }: CountedColumn): Html {
  if (staff) return html`<bdi>${staff.name}</bdi>`
  return html`<bdi>${service?.name ?? '–'}</bdi>${
      location ? html` <span class="soft"><bdi>${location.name}</bdi></span>` : ''
    }`
}

/** Returns the share of the open time; undefined without any. */
function shareOf({ booked_minutes, open_minutes }: { booked_minutes: number; open_minutes: number }) {
  return open_minutes === 0 ? undefined : booked_minutes / open_minutes
}

/** Formats, cached because a table has thousands of numbers and creating one takes longer than using it. */
const formats = new LRUCache<string, Intl.NumberFormat>({ max: 100 })

function numberFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const name = JSON.stringify([locale, options])
  const format = formats.get(name) ?? new Intl.NumberFormat(locale, options)
  formats.set(name, format)
  return format
}

function percentText(share: number, locale: string): string {
  const maximumFractionDigits = share < 0.1 ? 1 : 0
  return numberFormat(locale, { style: 'percent', maximumFractionDigits }).format(share)
}

function hoursText(minutes: number, locale: string): string {
  return numberFormat(locale, { maximumFractionDigits: 1 }).format(minutes / 60)
}

function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, { ...options, timeZone: 'UTC' })
}

function longDay(date: string, locale: string): string {
  const options = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const
  return dateFormat(locale, options).format(Date.parse(date))
}

function shortDay(date: string, locale: string): string {
  return dateFormat(locale, { day: 'numeric', month: 'short' }).format(Date.parse(date))
}

function spanOf({ from, to }: { from: string; to: string }, locale: string): string {
  const options = { day: 'numeric', month: 'short', year: 'numeric' } as const
  return dateFormat(locale, options).formatRange(Date.parse(from), Date.parse(to))
}

/** Returns a row for each week and column. The first row contains the headings. */
async function csvRows({ weeks, columns }: Counted, slices: Slices): Promise<string[]> {
  const names = [
    ...['from', 'to', 'person', 'service', 'location', 'bookings', 'no_shows', 'cancellations'],
    ...['booked_minutes', 'open_minutes'],
  ]
  const rows = [csvStart + csvRow(names)]
  for (const [at, { from, to }] of weeks.entries()) {
    const ofWeek = await slices.map(columns, ({ staff, service, location, ...column }) =>
      csvRow([
        ...[from, to, staff?.name ?? null, service?.name ?? null, location?.name ?? null],
        ...[column.bookings[at] ?? 0, column.no_shows[at] ?? 0, column.cancellations[at] ?? 0],
        ...[column.booked_minutes[at] ?? 0, column.open_minutes[at] ?? 0],
      ]),
    )
    rows.push(ofWeek.join(''))
  }
  return rows
}

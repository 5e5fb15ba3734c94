import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { hasRole } from '../../access/actor.ts'
import { csvDate, type CsvForm, csvFormOf, csvNumber, csvRow, csvStart } from '../../base/csv.ts'
import { html, type Html } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import type { Slices } from '../../base/slices.ts'
import { StrictObject } from '../../base/wire.ts'
import type { Context } from '../../bookings/context.ts'
import { turnsFor } from '../../bookings/costly.ts'
import { readNumbers } from '../../bookings/numbers.ts'
import { locationKind, staffKind } from '../../catalogue/catalogue-kinds.ts'
import { moneyText } from '../../mails/times-and-money.ts'
import { choice, faultSummary, type FormState, hidden } from '../../pages/form.ts'
import { sendFile } from '../bookings/bookings-routes.ts'
import { businessOf, findVisit, pathOf } from '../frame/console-page.ts'
import { type BusinessVisit, consoleRoutes, fileResponses, inTimeOf, tags } from '../frame/console-route.ts'
import { emptyState } from '../frame/empty-state.ts'
import { sendLogIn } from '../frame/gate-page.ts'
import { listItems } from '../frame/lists.ts'
import {
  type AskedPeriod,
  type Dates,
  periodAddress,
  periodFields,
  periodQuery,
  readPeriod,
} from '../frame/period.ts'
import { zoneNames } from '../team/zone-names.ts'
import { changeText, countText, daysText, percentText } from './report-formats.ts'
import { type Counted, moneyIn, namedIn, nameOf, type Report, shareOf, takenIn } from './report-tools.ts'
import { reportsOf, shareOfAll, workloadOf } from './reports.ts'
import { firstWeekday } from '../frame/formats.ts'
import { seeOther } from '../../pages/page.ts'

const path = '/console/numbers'

const Choice = Type.Optional(Type.String({ maxLength: 600 }))
const numbersQuery = { ...periodQuery, location: Choice, person: Choice }

/** The days in an address, or their faults. */
interface Asked extends AskedPeriod {
  location: string | undefined
  person: string | undefined
  state: FormState
}

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
        description:
          'A row for each week and each of those who were booked, or the rows of one report. In the form that spreadsheets read in the language of the browser.',
        querystring: StrictObject({ business: Choice, report: Choice, ...numbersQuery }),
        response: fileResponses('To the page: for those who may not, or for invalid days.'),
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request, request.query.business)
      if (!visit) return sendLogIn(context, reply, { next: path })
      const { business, person } = visit
      const toPage = () => {
        const { business: _named, report: _report, ...query } = request.query
        return seeOther(reply, pathOf(path, visit, query))
      }
      if (!hasRole(person, 'manager') || !business) return toPage()
      const asked = inTimeOf(context, { request, visit }, () =>
        askedBy(context, { ...visit, business }, request.query),
      )
      if (Object.keys(asked.state.faults).length > 0) return toPage()
      const end = await turnsFor(context, 'export').take(business.id, visit.isGone)
      try {
        const form = csvFormOf(visit.locale)
        const named = request.query.report
        const rows = await countedFor(context, { ...visit, business }, asked, async (numbers, slices) => {
          const one = reportsOf({ ...visit, business }, numbers).find(({ id }) => id === named)
          return one ? reportRows(one, form) : csvRows(visit.texts.numbers, numbers, { slices, form })
        })
        return await sendFile(reply, 'numbers.csv', rows, end)
      } catch (error) {
        end()
        throw error
      }
    },
  )
}

/** Reads the days in an address, with the input. The default is the current month. */
function askedBy(context: Context, visit: BusinessVisit, query: Record<string, string | undefined>): Asked {
  const { typed, faults, ...period } = readPeriod(context, visit, query)
  const idIn = (text: string | undefined) =>
    text !== undefined && isUuid(text) ? text.toLowerCase() : undefined
  const [location, person] = [idIn(query['location']), idIn(query['person'])]
  return {
    ...period,
    ...{ location, person },
    state: { typed: { ...typed, location: location ?? '', person: person ?? '' }, faults },
  }
}

function countedFor<Shown>(
  context: Context,
  { person, business, isGone, locale }: BusinessVisit,
  { from, to, location, person: staff }: Dates & Pick<Asked, 'location' | 'person'>,
  show: (numbers: Counted, slices: Slices) => Promise<Shown>,
): Promise<Shown> {
  const query = {
    ...{ from, to, business_id: business.id },
    ...(location !== undefined && { location_id: location }),
    ...(staff !== undefined && { staff_id: staff }),
  }
  return readNumbers(context, person, { query, isGone, firstWeekday: firstWeekday(locale) }, show)
}

async function numbersPage(context: Context, visit: BusinessVisit, asked: Asked): Promise<Html> {
  const { numbers: texts, setUp } = visit.texts
  const businessId = visit.business.id
  const [places, people] = await Promise.all([
    listItems(context, visit.person, { kind: locationKind, businessId }),
    listItems(context, visit.person, { kind: staffKind, businessId }),
  ])
  const head = html`<h1>${texts.title}</h1>
    ${rangeForm(visit, asked, { places, people })}`
  const { faults } = asked.state
  if (Object.keys(faults).length > 0)
    return html`${head} ${faultSummary(asked.state, { ...setUp, notSaved: '' })}`
  const { from, to, location, person, before } = asked
  const address = { location, person, ...periodAddress(asked) }
  const file = (report?: string) => pathOf(`${path}.csv`, visit, { ...address, report })
  const earlier = await countedFor(context, visit, { ...asked, ...before }, async (numbers) => ({
    ...numbers.total,
    share: shareOfAll(workloadOf(numbers)),
  }))
  const shown = await countedFor(context, visit, asked, async (numbers, slices) => {
    if (isEmpty(numbers.total))
      return emptyState(
        'numbers',
        texts.empty,
        html`<a class="button" href="${pathOf('/console', visit)}">${visit.texts.bookings.toCalendar}</a>`,
      )
    const reports = await slices.map(reportsOf(visit, numbers), (report) =>
      reportPart(visit, report, file(report.id)),
    )
    return html`<p class="soft">
        ${texts.of({
          days: daysText({ from, to }, visit.locale),
          before: daysText(before, visit.locale),
          zone: zoneNames(visit.locale)(numbers.timezone),
        })}
      </p>
      ${overview(visit, { ...numbers.total, share: shareOfAll(workloadOf(numbers)) }, earlier)}
      <div class="plots">${reports}</div>
      <p class="soft">${texts.how}</p>`
  })
  return html`${head} ${shown}
    <p class="actions not-printed">
      <a class="button" href="${file()}">${texts.save}</a>
      ${
        visit.person.role === 'owner'
          ? html`<a class="button" href="${pathOf('/console/bookings.csv', visit, { when: 'all' })}"
              >${texts.saveBookings}</a
            >`
          : ''
      }
    </p>`
}

interface Named {
  id: string
  name: string
}

/** Renders the choice of a period and of what counts. Choices apply at once; typed days have a button. */
function rangeForm(
  visit: BusinessVisit,
  asked: Asked,
  { places, people }: { places: Named[]; people: Named[] },
): Html {
  const { bookings } = visit.texts
  const named = (items: Named[]) => items.map(({ id, name }) => [id, name] as const)
  return html`<form method="get" action="${path}" class="filters not-printed" data-apply>
    ${hidden({ business: businessOf(visit) })} ${periodFields(visit, asked, asked.state)}
    ${
      places.length > 1
        ? choice(asked.state, {
            name: 'location',
            label: bookings.location,
            options: [['', bookings.everywhere], ...named(places)],
          })
        : ''
    }
    ${
      people.length > 1
        ? choice(asked.state, {
            name: 'person',
            label: bookings.person,
            options: [['', bookings.everyone], ...named(people)],
          })
        : ''
    }
    <button type="submit" class="${asked.range === 'own' ? 'main' : ''}">${bookings.show}</button>
  </form>`
}

function isEmpty({ bookings, cancellations, taken }: Counted['total']): boolean {
  return bookings + cancellations + taken.length === 0
}

type Totals = Counted['total'] & { share: number | undefined }

/** Renders the main numbers, each with that of the period before. */
function overview({ texts: { numbers: texts }, locale }: BusinessVisit, now: Totals, before: Totals): Html {
  const compared = (value: number, earlier: number, show: (value: number) => string) =>
    [
      show(value),
      earlier <= 0
        ? texts.before({ before: show(earlier) })
        : texts.change({ change: changeText(value / earlier - 1, locale), before: show(earlier) }),
    ] as const
  const plain = (value: number) => countText(value, locale)
  const percent = ({ share }: Totals) => (share === undefined ? '–' : percentText(share, locale))
  const tiles = [
    ...now.money.map(({ currency, booked }) => {
      const show = (amount: number) => moneyText({ amount, currency }, locale)
      const name = namedIn(texts.revenue, currency, now.money.length)
      return [name, ...compared(booked, moneyIn(before.money, currency).booked, show)] as const
    }),
    ...now.taken.map(({ currency }) => {
      const show = (amount: number) => moneyText({ amount, currency }, locale)
      const [taken, earlier] = [takenIn(now.taken, currency), takenIn(before.taken, currency)]
      return [namedIn(texts.taken, currency, now.taken.length), ...compared(taken, earlier, show)] as const
    }),
    [texts.bookings, ...compared(now.bookings, before.bookings, plain)] as const,
    [texts.busy, percent(now), texts.before({ before: percent(before) })] as const,
    [texts.newClients, ...compared(now.new_clients, before.new_clients, plain)] as const,
    [texts.noShows, ...compared(now.no_shows, before.no_shows, plain)] as const,
  ]
  return html`<dl class="tiles" aria-label="${texts.overview}">
    ${tiles.map(
      ([name, value, change]) =>
        html`<div>
          <dt>${name}</dt>
          <dd><strong>${value}</strong> <span class="soft">${change}</span></dd>
        </div>`,
    )}
  </dl>`
}

/** Renders a report: its sentence, its plot, and its folded table with the link to the file. */
function reportPart({ texts: { numbers: texts } }: BusinessVisit, report: Report, file: string): Html {
  const { title, sentence, plot, isWide, heads, rows } = report
  return html`<section class="report ${isWide === true ? 'wide' : ''}" id="${report.id}">
    <h2>${title}</h2>
    ${sentence === '' ? '' : html`<p>${sentence}</p>`}
    <div class="scrolled" role="region" aria-label="${title}" tabindex="0">${plot}</div>
    <details>
      <summary>${texts.asTable}<span class="unseen">: ${title}</span></summary>
      <div class="scrolled" role="region" aria-label="${texts.asTable}: ${title}" tabindex="0">
        <table class="numbers">
          <thead>
            <tr>
              ${heads.map((head) => html`<th scope="col">${typeof head === 'string' ? head : head.text}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${rows.map(
              ([first, ...cells]) =>
                html`<tr>
                  <th scope="row">${first?.text ?? ''}</th>
                  ${cells.map(({ text }) => html`<td>${text}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      <p>
        <a href="${file}" download>${texts.csv}<span class="unseen">: ${title}</span></a>
      </p>
    </details>
  </section>`
}

function reportRows({ heads, rows }: Report, form: CsvForm): string[] {
  const names = heads.flatMap((head) => (typeof head === 'string' ? [head] : head.file))
  return [
    csvStart + csvRow(names, form),
    ...rows.map((cells) =>
      csvRow(
        cells.flatMap(({ file }) => file(form)),
        form,
      ),
    ),
  ]
}

/** Returns a row for each week and column. The first row contains the headings. */
async function csvRows(
  texts: BusinessVisit['texts']['numbers'],
  { weeks, columns }: Counted,
  { slices, form }: { slices: Slices; form: CsvForm },
): Promise<string[]> {
  const names = [
    ...[texts.from, texts.to, texts.who, texts.bookings, texts.noShows, texts.cancelled],
    ...[texts.booked, texts.open, texts.busy, texts.gaps],
  ]
  const hours = (minutes: number) => csvNumber(minutes / 60, 2, form)
  const rows = [csvStart + csvRow(names, form)]
  for (const [at, { from, to }] of weeks.entries()) {
    const ofWeek = await slices.map(columns, (column) => {
      const [booked_minutes, open_minutes] = [column.booked_minutes[at] ?? 0, column.open_minutes[at] ?? 0]
      const share = shareOf({ booked_minutes, open_minutes })
      return csvRow(
        [
          ...[csvDate(from, form), csvDate(to, form), nameOf(column)],
          ...[column.bookings[at] ?? 0, column.no_shows[at] ?? 0, column.cancellations[at] ?? 0],
          ...[hours(booked_minutes), hours(open_minutes)],
          share === undefined ? null : csvNumber(share * 100, 1, form),
          column.waitlist_bookings[at] ?? 0,
        ],
        form,
      )
    })
    rows.push(ofWeek.join(''))
  }
  return rows
}

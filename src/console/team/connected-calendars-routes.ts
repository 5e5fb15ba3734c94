import type { Static } from 'typebox'
import type { FastifyInstance } from 'fastify'
import { hasRole } from '../../access/actor.ts'
import type { RateLimiter } from '../../access/rate-limits.ts'
import { html, type Html } from '../../base/html.ts'
import { readInstant } from '../../base/instants.ts'
import { presentPage, mostPerPage } from '../../base/paging.ts'
import type { Context } from '../../bookings/context.ts'
import {
  addBusyCalendar,
  calendarFault,
  deleteBusyCalendar,
  maxBusyCalendars,
  pageOfBusyCalendars,
  presentBusyCalendar,
} from '../../calendars/busy-calendar.ts'
import { lastFault } from '../../calendars/fetch-problems.ts'
import { CreateBusyCalendar } from '../../calendars/busy-calendar-schemas.ts'
import type { CalendarReader } from '../../calendars/busy-file.ts'
import { createFeed, deleteFeed, listFeeds, maxFeeds, rotateFeed } from '../../calendars/feed.ts'
import { CreateFeed } from '../../calendars/feed-schemas.ts'
import { locationKind, staffKind } from '../../catalogue/catalogue-kinds.ts'
import { choice, faultSummary, filledForm, type FormState, hidden } from '../../pages/form.ts'
import { accountList, accountRoutes, ownAccountsPage } from './calendar-account-routes.ts'
import { grantRoutes } from './calendar-grant-routes.ts'
import { ageText, backLink, calendarsPath, faultText, limitWords, visitorOf } from './calendar-parts.ts'
import { asksOnce } from '../developers/developers-page.ts'
import { listItems, nextPage } from '../frame/lists.ts'
import { doneNotice, pathOf } from '../frame/console-page.ts'
import {
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  consoleRoutes,
  FormFault,
  type ShownPage,
} from '../frame/console-route.ts'
import { dayText, momentOf } from '../frame/formats.ts'
import { type Codec, fieldsOf, optional, readRows, type Rows, text } from '../frame/form-rows.ts'
import { textFor } from '../frame/text-groups.ts'
import type { ConsoleLanguage, ConsoleTexts } from '../frame/texts.ts'

const path = calendarsPath
const newFeedPath = `${path}/feeds/new`
const newBusyPath = `${path}/busy/new`

/**
 * Registers calendars of staff: feeds that show bookings elsewhere, and busy calendars that make staff
 * unavailable here.
 */
export function calendarsRoutes(reader: CalendarReader, limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    consoleRoutes(app, context, [
      overview(context),
      newFeed(context),
      ...feedForms(context),
      newBusy(context, reader),
      removedBusy(context),
      ...accountRoutes(context, { reader, limiter }),
    ])
    grantRoutes(app, context, { reader, limiter })
  }
}

/** Returns the staff and locations of feeds and busy calendars, in list order. */
async function namesOf(context: Context, { person, business: { id: businessId } }: BusinessVisit) {
  const [staff, locations] = await Promise.all([
    listItems(context, person, { kind: staffKind, businessId }),
    listItems(context, person, { kind: locationKind, businessId }),
  ])
  return { staff, locations }
}

type Names = Awaited<ReturnType<typeof namesOf>>
type Busy = Static<typeof CreateBusyCalendar>
type Feed = Awaited<ReturnType<typeof listFeeds>>['data'][number]

function overview(context: Context): ConsoleRoute {
  return {
    path,
    name: 'CalendarsPage',
    summary: 'Calendars elsewhere: feeds and busy calendars',
    role: 'staff',
    show: (visit, { query }) =>
      hasRole(visit.person, 'manager')
        ? overviewPage(context, visit, { done: query['done'], cursor: query['cursor'] })
        : ownAccountsPage(context, visit, query['done']),
  }
}

async function overviewPage(
  context: Context,
  visit: BusinessVisit,
  {
    done,
    cursor,
    state = filledForm(),
  }: { done?: string | undefined; cursor?: string | undefined; state?: FormState },
): Promise<ShownPage> {
  const { calendars: t, setUp } = visit.texts
  const names = await namesOf(context, visit)
  const [accounts, feeds, busy] = await Promise.all([
    accountList(context, visit, names.staff),
    feedList(context, visit, names),
    busyList(context, visit, { names, cursor }),
  ])
  return {
    title: t.title,
    section: 'people',
    body: html`<h1>${t.title}</h1>
      ${doneNotice(t.done, done)} ${faultSummary(state, setUp)}
      <p>${t.what}</p>
      ${accounts}
      <div class="head">
        <h2>${t.feeds}</h2>
        <a class="button" href="${pathOf(newFeedPath, visit)}">${t.addFeed}</a>
      </div>
      <p class="soft">${t.feedsWhat({ most: maxFeeds })}</p>
      ${feeds}
      <div class="head">
        <h2>${t.busy}</h2>
        ${names.staff.length === 0 ? '' : html`<a class="button" href="${pathOf(newBusyPath, visit)}">${t.addBusy}</a>`}
      </div>
      <p class="soft">${t.busyWhat({ most: maxBusyCalendars })}</p>
      ${busy}`,
  }
}

async function feedList(context: Context, visit: BusinessVisit, names: Names): Promise<Html> {
  const t = visit.texts.calendars
  const { data } = await listFeeds(context, visitorOf(visit), { limit: mostPerPage })
  if (data.length === 0) return html`<p>${t.noFeeds}</p>`
  const setting = { timezone: visit.business.timezone, locale: visit.locale }
  return html`<ul class="rows">
    ${data.map((feed) => {
      const whose = whoseFeed(visit, feed, names)
      const action = (name: string) => pathOf(`${path}/feeds/${feed.id}/${name}`, visit)
      return html`<li class="key">
        <span class="row-what">
          <strong><bdi>${whose}</bdi></strong>
          <span class="soft"
            >${t.details[feed.detail]} ·
            ${t.since({ day: dayText(readInstant(feed.created_at), setting) })}</span
          >
        </span>
        ${asksOnce(t.rotate, { action: action('rotate'), why: t.rotateWhy({ whose }), button: t.rotateNow })}
        ${asksOnce(t.removeFeed, { action: action('remove'), why: t.removeFeedWhy({ whose }), button: t.removeFeedNow })}
      </li>`
    })}
  </ul>`
}

function whoseFeed(
  { texts: { calendars: t } }: BusinessVisit,
  { staff_id, location_id }: Pick<Feed, 'staff_id' | 'location_id'>,
  { staff, locations }: Names,
): string {
  const id = staff_id ?? location_id
  if (id === null) return t.wholeBusiness
  return [...staff, ...locations].find((one) => one.id === id)?.name ?? t.gone
}

function newFeed(context: Context): ConsoleRoute {
  const shown = async (visit: BusinessVisit, state: FormState): Promise<ShownPage> => {
    const t = visit.texts.calendars
    const at = fieldsOf(feedRows(visit, await namesOf(context, visit)), state)
    return {
      title: t.addFeed,
      section: 'people',
      body: html`${backLink(visit)}
        <h1>${t.addFeed}</h1>
        ${faultSummary(state, feedWords(visit.texts))}
        <form method="post" action="${pathOf(newFeedPath, visit)}" class="fields wide-fields">
          ${hidden({ once: visit.once })} ${at('staff_id', 'detail')}
          <p class="soft">${t.detailWhy}</p>
          <div class="actions"><button type="submit" class="main">${t.makeFeed}</button></div>
        </form>`,
    }
  }
  return {
    path: newFeedPath,
    name: 'NewFeedPage',
    summary: 'A new feed of a business',
    role: 'manager',
    show: (visit) => shown(visit, filledForm({ detail: 'busy' })),
    form: {
      words: feedWords,
      refusals: { calendar_limit_reached: 409 },
      rows: feedRows,
      act: async (visit, typed, _address, once) => {
        const input = checkedForm(CreateFeed, readRows(feedRows(visit), typed))
        // the stored result of the form contains no URL, so sending it again shows none
        let made: Awaited<ReturnType<typeof createFeed>> | undefined
        const next = await once(
          async (store) => {
            made = await createFeed(context, visitorOf(visit), input, store)
          },
          () => ({ path, query: { done: 'feedMade' } }),
        )
        return made ? { page: await addressPage(context, visit, made) } : next
      },
      again: shown,
    },
  }
}

function feedWords({ setUp, calendars }: ConsoleTexts) {
  return {
    ...setUp,
    problem: (code: string, detail: string) =>
      code === 'calendar_limit_reached'
        ? calendars.feedLimit({ most: maxFeeds })
        : setUp.problem(code, detail),
  }
}

/** Returns the rows of a feed. Staff and locations share one choice, with neither as an option. */
function feedRows({ texts: { calendars: t } }: ConsoleLanguage, names?: Names): Rows<Feed> {
  const named = (member: string, all: readonly { id: string; name: string }[] = []) =>
    all.map(({ id, name }) => [`${member} ${id}`, name] as const)
  const whole = ['', t.wholeBusiness] as const
  const options = [whole, ...named('staff_id', names?.staff), ...named('location_id', names?.locations)]
  const whose: Codec = {
    read: ({ of = '' }, name) => (of.startsWith(`${name} `) ? of.slice(name.length + 1) : undefined),
    show: () => ({}),
    input: (state, parts) => choice(state, { ...parts, name: 'of', options }),
    inputAt: () => 'of',
  }
  const details = (['busy', 'full'] as const).map((detail) => [detail, t.detailsLong[detail]] as const)
  return [
    ['staff_id', whose, t.feedOf],
    ['location_id', whose, t.feedOf],
    ['detail', text({ radios: details }), t.detail],
  ]
}

/** Returns the page with the URL of a feed, which nobody can look up again. */
async function addressPage(
  context: Context,
  visit: BusinessVisit,
  { feed, url }: Awaited<ReturnType<typeof createFeed>>,
): Promise<ShownPage> {
  const t = visit.texts.calendars
  const title = t.addressOf({ whose: whoseFeed(visit, feed, await namesOf(context, visit)) })
  return {
    title,
    section: 'people',
    body: html`<h1><bdi>${title}</bdi></h1>
      <p class="alert" role="status">${t.once}</p>
      <div class="fields wide-fields copied">
        <div>
          <label for="address">${t.address}</label>
          <input id="address" readonly value="${url}" />
        </div>
        <div class="actions"><button type="button" data-copy="address" hidden>${t.copy}</button></div>
        <p role="status" id="address-copied" hidden>${t.copied}</p>
      </div>
      <h2>${t.where}</h2>
      <ul>
        ${Object.values(t.programs).map((program) => html`<li>${program}</li>`)}
      </ul>
      <p><a class="button" href="${pathOf(path, visit)}">${t.saved}</a></p>`,
  }
}

function feedForms(context: Context): ConsoleRoute[] {
  const again = (visit: BusinessVisit, state: FormState) => overviewPage(context, visit, { state })
  return [
    {
      path: `${path}/feeds/:id/rotate`,
      name: 'FeedRotation',
      summary: 'Give a feed a new address',
      role: 'manager',
      form: {
        act: async (visit, _typed, { id }) => {
          const rotated = await rotateFeed(context, visitorOf(visit), id)
          return { page: await addressPage(context, visit, rotated) }
        },
        again,
      },
    },
    {
      path: `${path}/feeds/:id/remove`,
      name: 'FeedRemoval',
      summary: 'Delete a feed of a business',
      role: 'manager',
      form: {
        act: async (visit, _typed, { id }) => {
          await deleteFeed(context, visitorOf(visit), id)
          return { path, query: { done: 'feedRemoved' } }
        },
        again,
      },
    },
  ]
}

async function busyList(
  context: Context,
  visit: BusinessVisit,
  { names, cursor }: { names: Names; cursor: string | undefined },
): Promise<Html> {
  const { calendars: t } = visit.texts
  if (names.staff.length === 0)
    return html`<p>${t.noStaff} <a href="${pathOf('/console/people/new', visit)}">${t.addPerson}</a></p>`
  const query = { limit: mostPerPage, cursor }
  const page = await pageOfBusyCalendars(context, visitorOf(visit), query)
  const { data, next_cursor: next } = presentPage(page, (row) => ({
    ...presentBusyCalendar(row),
    fault: lastFault(row),
  }))
  if (data.length === 0) return html`<p>${t.noBusy}</p>`
  const now = context.clock.now()
  return html`<ul class="rows">
      ${data.map(({ id, staff_id, host, last_fetched_at, fault }) => {
        const name = names.staff.find((one) => one.id === staff_id)?.name ?? t.gone
        const read =
          last_fetched_at === null
            ? fault
              ? t.neverFetched
              : t.notFetched
            : t.fetched({
                when: momentOf(last_fetched_at, visit),
                age: ageText(readInstant(last_fetched_at), now, visit),
              })
        return html`<li class="key">
          <span class="row-what">
            <strong><bdi>${name}</bdi></strong>
            <span class="soft"><bdi>${host}</bdi> · ${read}</span>
            ${
              fault
                ? html`<span class="fault"
                    >${faultText(visit, fault)} ${last_fetched_at === null ? '' : t.stays}</span
                  >`
                : ''
            }
          </span>
          ${asksOnce(t.removeBusy, {
            action: pathOf(`${path}/busy/${id}/remove`, visit),
            ...{ why: t.removeBusyWhy({ name }), button: t.removeBusyNow },
          })}
        </li>`
      })}
    </ul>
    ${nextPage(visit, path, next)}`
}

function newBusy(context: Context, reader: CalendarReader): ConsoleRoute {
  const shown = async (visit: BusinessVisit, state: FormState): Promise<ShownPage> => {
    const t = visit.texts.calendars
    const { staff } = await namesOf(context, visit)
    return {
      title: t.addBusy,
      section: 'people',
      body: html`${backLink(visit)}
        <h1>${t.addBusy}</h1>
        ${faultSummary(state, busyWords(visit.texts))}
        <form method="post" action="${pathOf(newBusyPath, visit)}" class="fields wide-fields">
          ${hidden({ once: visit.once })} ${fieldsOf(busyRows(visit, staff), state)()}
          <div class="actions"><button type="submit" class="main">${t.addBusy}</button></div>
        </form>`,
    }
  }
  return {
    path: newBusyPath,
    name: 'NewBusyCalendarPage',
    summary: 'A new busy calendar of a staff member',
    role: 'manager',
    show: async (visit) => {
      const { staff } = await namesOf(context, visit)
      return shown(visit, filledForm(staff.length === 1 ? { staff_id: staff[0]?.id ?? '' } : {}))
    },
    form: {
      words: busyWords,
      refusals: { calendar_limit_reached: 409 },
      rows: busyRows,
      act: async (visit, typed, _address, once) => {
        const input = checkedForm(CreateBusyCalendar, readRows(busyRows(visit), typed))
        return once(
          async (store) => {
            const fault = await calendarFault(context, visitorOf(visit), input, reader)
            if (fault) {
              const { asked } = visit.texts.calendars
              throw new FormFault({ url: `${faultText(visit, fault)} ${asked({ origin: fault.origin })}` })
            }
            return addBusyCalendar(context, visitorOf(visit), { ...input, once: true }, store)
          },
          () => ({ path, query: { done: 'busyMade' } }),
        )
      },
      again: shown,
    },
  }
}

function busyRows({ texts: { calendars: t } }: ConsoleLanguage, staff: Names['staff'] = []): Rows<Busy> {
  const options = [['', '–'] as const, ...staff.map(({ id, name }) => [id, name] as const)]
  const needed = { required: true, usual: undefined }
  const url = { type: 'url', max: 2_000, spell: (typed: string) => typed.trim() } as const
  return [
    ['staff_id', optional({ ...needed, options }), t.person],
    ['url', optional({ ...needed, ...url }), t.url, t.urlHint],
  ]
}

function busyWords(texts: ConsoleTexts) {
  const words = limitWords(texts)
  const { faults } = texts.calendars
  return {
    ...words,
    fault: (code: string, detail: string) => textFor(faults, code) ?? words.fault(code, detail),
  }
}

function removedBusy(context: Context): ConsoleRoute {
  return {
    path: `${path}/busy/:id/remove`,
    name: 'BusyCalendarRemoval',
    summary: 'Remove a busy calendar of a staff member',
    role: 'manager',
    form: {
      act: async (visit, _typed, { id }) => {
        await deleteBusyCalendar(context, visitorOf(visit), id)
        return { path, query: { done: 'busyRemoved' } }
      },
      again: (visit, state) => overviewPage(context, visit, { state }),
    },
  }
}

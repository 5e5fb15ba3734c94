import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { openBookingPage } from '../../access/page-key.ts'
import { changePerson } from '../../access/person.ts'
import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { formatInstant } from '../../base/instants.ts'
import { publicUrl } from '../../base/public-url.ts'
import type { Context } from '../../bookings/context.ts'
import { changeBusinessInScope, createBusinessOfHub } from '../../catalogue/business.ts'
import { changeInCatalogue, createAllInCatalogue, createInCatalogue } from '../../catalogue/catalogue.ts'
import { writableLocations, writableServices, writableStaff } from '../../catalogue/catalogue-kinds.ts'
import { ChangeLocation, CreateLocation, CreateStaff } from '../../catalogue/location-and-staff-schemas.ts'
import { CreateService } from '../../catalogue/service-schemas.ts'
import type { StoreResponse } from '../../database/idempotency.ts'
import { compileCreation } from '../../base/validation.ts'
import { problems, StrictObject } from '../../base/wire.ts'
import {
  type Faults,
  faultSummary,
  field,
  filledForm,
  type FormState,
  hidden,
  linesOf,
  type Typed,
} from '../../pages/form.ts'
import { CalendarAddress } from '../calendar/calendar-routes.ts'
import { AtBusiness, consoleCookie, findScriptSender, pathOf } from '../frame/console-page.ts'
import {
  addForms,
  assertNoFaults,
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  consoleRoutes,
  formMedia,
  type Once,
  refusedForms,
} from '../frame/console-route.ts'
import { emptyState } from '../frame/empty-state.ts'
import { fieldsOf, fillRows, readRows, type Row } from '../frame/form-rows.ts'
import { slugFor } from '../frame/shown-form.ts'
import { newService, serviceRows, shortServiceFields, usualGridMinutes } from '../services/service-form.ts'
import { closeOnDays, holidayFields, holidayPlaceQuery } from '../team/holidays-form.ts'
import { hoursFaults, usualWeek } from '../team/hours-form.ts'
import { locationRows } from '../team/people-form.ts'
import { emptyBusinessForm, newBusinessFields, newBusinessOf } from './new-business-form.ts'
import { privateLinkNote } from './public-address.ts'
import { freshOffer, isTrade, offerFields, readOffer } from './offer-form.ts'
import {
  hidingCookie,
  nextStep,
  type Progress,
  readProgress,
  type StartStep,
  stepList,
  stepPath,
  testPath,
} from './start-page.ts'
import { seeOther } from '../../pages/page.ts'

/** Registers the steps from nothing to the first booking, and a new business of a hub. */
export function startRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [
    hoursStep(context),
    holidaysStep(context),
    serviceStep(context),
    peopleStep(context),
    pageStep(context),
    newBusinessPage(context),
  ])
  addHiding(app, context)
}

/** Creates something once, however often the form is sent. Undefined if it was sent before. */
type CreateOnce = <Row>(run: (store: StoreResponse<unknown>) => Promise<Row>) => Promise<Row | undefined>

type Query = Record<string, string | undefined>

/** The parts of a step's page. Without fields, it has no form. */
interface StepParts {
  above?: Html
  fields?: Html
}

/** A step: a form that leads to the next one. */
interface Step {
  step: StartStep
  name: string
  summary: string
  query?: ConsoleRoute['query']
  /** Returns the initial values of the form. */
  fresh: (visit: BusinessVisit, progress: Progress, query: Query) => Typed
  parts: (
    visit: BusinessVisit,
    state: FormState,
    progress: Progress,
    query: Query,
  ) => StepParts | Promise<StepParts>
  save: (
    visit: BusinessVisit,
    typed: Typed,
    progress: Progress,
    sent: { create: CreateOnce; query: Query },
  ) => Promise<void>
  rows?: (visit: BusinessVisit) => readonly Row[]
  fieldOf?: () => string
}

function stepRoute(context: Context, { step, name, summary, query: queryOf, ...form }: Step): ConsoleRoute {
  const page = async (visit: BusinessVisit, state: FormState, query: Query) => {
    const { start, setUp } = visit.texts
    const progress = await readProgress(context, visit)
    const { above = html``, fields } = await form.parts(visit, state, progress, query)
    return {
      title: start.titles[step],
      body: html`${stepList(visit, progress, step)}
        <h1>${start.titles[step]}</h1>
        ${faultSummary(state, setUp)} ${above}
        ${
          fields === undefined
            ? ''
            : html`<form method="post" class="fields wide-fields">
                ${hidden({ once: visit.once })} ${fields}
                <div class="actions save">
                  <button type="submit" class="main">${start.goOn}</button>
                  <a class="button" href="${stepPath(nextStep(step), visit)}">${start.later}</a>
                </div>
              </form>`
        }`,
    }
  }
  return {
    path: `/console/start/${step}`,
    name,
    summary,
    role: 'owner',
    ...(queryOf && { query: queryOf }),
    show: async (visit, { query }) =>
      page(visit, filledForm(form.fresh(visit, await readProgress(context, visit), query)), query),
    form: {
      ...(form.rows && { rows: form.rows }),
      ...(form.fieldOf && { fieldOf: form.fieldOf }),
      act: async (visit, typed, { query }, once) => {
        const next = { path: `/console/start/${nextStep(step)}` }
        const create = createOnce(once, next)
        await form.save(visit, typed, await readProgress(context, visit), { create, query })
        return next
      },
      again: (visit, state, { query }) => page(visit, state, query),
    },
  }
}

function createOnce(once: Once, next: { path: string }): CreateOnce {
  return async <Row>(run: (store: StoreResponse<unknown>) => Promise<Row>) => {
    let created: Row | undefined
    await once(
      async (store) => (created = await run(store)),
      () => next,
    )
    return created
  }
}

/**
 * Returns the step for hours. The first location stands for the business itself, and its hours are those for
 * clients.
 */
function hoursStep(context: Context): ConsoleRoute {
  const rows = (visit: BusinessVisit) =>
    locationRows(visit)
      .filter(([name]) => name === 'weekly_hours' || name === 'address')
      .toReversed()
  return stepRoute(context, {
    step: 'hours',
    name: 'FirstHours',
    summary: 'Opening hours, on the way to the first booking',
    fresh: (visit, { locations: [first] }) => fillRows(rows(visit), first ?? { weekly_hours: usualWeek }),
    parts: (visit, state) => ({ fields: fieldsOf(rows(visit), state)() }),
    rows,
    save: async (visit, typed, { locations: [first] }, { create }) => {
      assertNoFaults(hoursFaults(visit, typed))
      const { person, business } = visit
      const kind = writableLocations
      const body = readRows(rows(visit), typed)
      if (first) {
        const change = checkedForm(ChangeLocation, body)
        await changeInCatalogue(context, person, { kind, id: first.id, change })
        return
      }
      const given = { ...body, name: business.name, business_id: business.id }
      const input = checkedForm(CreateLocation, given, compileCreation)
      await create((store) => createInCatalogue(context, person, { kind, input }, store))
    },
  })
}

/** Returns the step for public holidays, on which the first location is closed. */
function holidaysStep(context: Context): ConsoleRoute {
  return stepRoute(context, {
    step: 'holidays',
    name: 'FirstHolidays',
    summary: 'Public holidays, on the way to the first booking',
    query: holidayPlaceQuery,
    fresh: () => ({}),
    parts: async (visit, _state, { locations: [location] }, query) => {
      if (!location) return { above: missingStep(visit, 'hours') }
      const path = '/console/start/holidays'
      const { place, days } = await holidayFields(context, visit, { location, path, query })
      return { above: place, fields: days }
    },
    save: async (visit, typed, { locations: [location] }) => {
      if (location) await closeOnDays(context, visit, { location, typed })
    },
  })
}

const ownTrade = 'other'

/**
 * Returns the step for services: the usual ones of a trade, or one of the owner's own. It makes booking
 * possible, so the business gets its booking page.
 */
function serviceStep(context: Context): ConsoleRoute {
  return stepRoute(context, {
    step: 'service',
    name: 'FirstService',
    summary: 'The first services, on the way to the first booking',
    query: { trade: Type.Optional(Type.String({ maxLength: 20 })) },
    fresh: (visit, { services }, { trade }) =>
      isTrade(trade) ? freshOffer(visit, trade) : newService(visit, services),
    parts: (visit, state, { services }, { trade }) => {
      const { start } = visit.texts
      if (trade === undefined && Object.keys(state.faults).length === 0)
        return { above: tradeChoice(visit, services) }
      const back = html`<p>
        <a class="back" href="${stepPath('service', visit)}">${start.otherTrade}</a>
      </p>`
      if (isTrade(trade)) return { above: back, fields: offerFields(visit, state, trade) }
      const fields = html`${shortServiceFields(visit, state)}
        <p class="soft">${start.moreServices}</p>`
      return { above: back, fields }
    },
    rows: serviceRows,
    save: async (visit, typed, { locations, services, staff }, { create, query: { trade } }) => {
      const { person, business } = visit
      const links = {
        location_ids: locations.map(({ id }) => id),
        staff_ids: staff.map(({ id }) => id),
        business_id: business.id,
      }
      const own = {
        ...readRows(serviceRows(visit), typed),
        ...links,
        slot_interval_minutes: usualGridMinutes,
      }
      const isEmpty = !isTrade(trade) && (typed['name'] ?? '') === '' && services.length > 0 // a returning visitor only continues
      const offered = isEmpty
        ? []
        : isTrade(trade)
          ? readOffer(visit, { typed, trade, given: links })
          : [checkedForm(CreateService, own, compileCreation)]
      const inputs = offered
        .filter(({ name }) => !services.some((service) => service.name === name))
        .map((one, index) => ({ position: services.length + index + 1, ...one }))
      if (inputs.length > 0)
        await create((store) =>
          createAllInCatalogue(context, person, { kind: writableServices, inputs }, store),
        )
      await openBookingPage(context, person, business.id)
      await nameLink(context, visit)
    },
  })
}

/** Names the link of the booking page after the business, unless the name is taken. */
async function nameLink(context: Context, visit: BusinessVisit): Promise<void> {
  const { id, name, slug: present } = visit.business
  const slug = slugFor(name, visit)
  if (present !== null || slug === undefined) return
  try {
    await changeBusinessInScope(context, visit.person, { id, change: { slug } })
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'validation_failed') throw error // another business has it
  }
}

/** Renders the trades to choose from. */
function tradeChoice(visit: BusinessVisit, services: readonly { name: string }[]): Html {
  const { start, templates: words } = visit.texts
  const trades = [...Object.entries(words.trades), [ownTrade, start.tradeOther] as const]
  const names = services.map(({ name }) => name).join(', ')
  return html`${
      services.length === 0
        ? ''
        : html`<p>${start.known({ names })}</p>
            <p><a class="button main" href="${stepPath('people', visit)}">${start.next}</a></p>`
    }
    <h2>${start.trade}</h2>
    <p class="soft">${start.tradeHint}</p>
    <ul class="rows">
      ${trades.map(
        ([trade, name]) =>
          html`<li><a href="${pathOf('/console/start/service', visit, { trade })}">${name}</a></li>`,
      )}
    </ul>`
}

/** Returns the step for staff: the owner alone, several people, or nobody in particular. */
function peopleStep(context: Context): ConsoleRoute {
  return stepRoute(context, {
    step: 'people',
    name: 'FirstPeople',
    summary: 'Who works there, on the way to the first booking',
    fresh: (_visit, { staff }) => ({ who: staff.length > 0 ? 'several' : 'alone' }),
    parts: (visit, state, { staff }) => {
      const { start } = visit.texts
      const option = (value: string, label: string | Html, hint: string) =>
        html`<label class="choice"
            ><input
              type="radio"
              name="who"
              value="${value}"
              aria-describedby="who-${value}"
              ${state.typed['who'] === value ? html`checked` : ''}
            /><span>${label}</span></label
          >
          <p class="soft" id="who-${value}">${hint}</p>`
      const fields = html`${staff.length === 0 ? '' : html`<p>${start.known({ names: staff.map(({ name }) => name).join(', ') })}</p>`}
        <fieldset>
          <legend>${start.who}</legend>
          ${staff.length > 0 ? '' : option('alone', start.alone, start.aloneHint({ name: visit.person.name }))}
          ${option('several', start.several, start.severalHint)}
          ${field(state, { name: 'names', label: start.names, hint: start.namesHint, rows: 6, max: 2_000 })}
          ${staff.length > 0 ? '' : option('nobody', start.nobody, start.nobodyHint)}
        </fieldset>`
      return { fields }
    },
    fieldOf: () => 'names',
    save: async (visit, typed, { services, staff }, { create }) => {
      const { person } = visit
      const listed = linesOf(typed['names']) // even if the choice still says otherwise
      if (typed['who'] === 'nobody' && listed.length === 0) return
      const isAlone = typed['who'] === 'alone' && listed.length === 0
      const names = isAlone ? [person.name] : listed
      assertNoFaults(namesFault(visit, names, staff.length))
      const fresh = [...new Set(names)].filter((name) => !staff.some((member) => member.name === name))
      const ids = await addStaff(context, visit, fresh, create)
      if (ids.length === 0) return
      for (const { id, staff_ids, capacity } of services) {
        if (capacity > 1 && staff_ids.length > 0) continue // not everyone gives a class
        const change = { staff_ids: [...staff_ids, ...ids] }
        await changeInCatalogue(context, person, { kind: writableServices, id, change })
      }
      const own = fresh.findIndex((name) => name === person.name || person.name.startsWith(`${name} `))
      if (ids[own] !== undefined && 'businessId' in person.scope)
        await changePerson(context, person, { id: person.keyId, change: { staff_id: ids[own] } })
    },
  })
}

function namesFault({ texts: { start } }: BusinessVisit, names: string[], known: number): Faults {
  if (names.length === 0 && known === 0) return { names: start.needNames }
  if (names.length > maxNames || names.some((name) => name.length > 200)) return { names: start.namesHint }
  return {}
}

/** Adds staff members, unless the form was sent before. */
async function addStaff(
  context: Context,
  { person, business }: BusinessVisit,
  names: string[],
  create: CreateOnce,
): Promise<string[]> {
  const add = (name: string, store?: StoreResponse<unknown>) => {
    const given = { name, business_id: business.id, location_ids: [] }
    const input = checkedForm(CreateStaff, given, compileCreation)
    return createInCatalogue(context, person, { kind: writableStaff, input }, store)
  }
  const [first, ...others] = names
  const added = first === undefined ? undefined : await create((store) => add(first, store))
  if (!added) return []
  const ids = [added.id]
  for (const name of others) ids.push((await add(name)).id)
  return ids
}

/** Maximum number of names. More are added on their own page. */
const maxNames = 20

/** Returns the step with the booking page and its uses. */
function pageStep(context: Context): ConsoleRoute {
  return {
    path: '/console/start/page',
    name: 'FirstBookingPage',
    summary: 'The booking page, on the way to the first booking',
    role: 'owner',
    show: async (visit, { query }) => {
      const progress = await readProgress(context, visit)
      const { start } = visit.texts
      const { locations, services, booking, pageKey: key } = progress
      const missing = locations.length === 0 ? 'hours' : services.length === 0 ? 'service' : undefined
      return {
        title: start.titles.page,
        frames: true,
        body: html`${stepList(visit, progress, 'page')}
          <h1>${start.titles.page}</h1>
          ${
            missing
              ? missingStep(visit, missing)
              : key === undefined
                ? html`<p>${start.closed}</p>`
                : query['open'] === 'test'
                  ? testPage(visit, `/book/${visit.business.slug ?? key}`)
                  : readyPage(visit, {
                      server: publicUrl(context.config),
                      path: `/book/${visit.business.slug ?? key}`,
                      booking,
                    })
          }`,
      }
    },
  }
}

function missingStep(visit: BusinessVisit, step: StartStep): Html {
  const { start } = visit.texts
  return html`<p>${start.notYet}</p>
    <p><a class="button main" href="${stepPath(step, visit)}">${start.steps[step]}</a></p>`
}

function readyPage(
  visit: BusinessVisit,
  { server, path, booking }: { server: string; path: string; booking: Progress['booking'] },
): Html {
  const { start, website } = visit.texts
  const note = privateLinkNote(visit, server)
  const date = booking && formatInstant(booking.starts_at, visit.business.timezone).slice(0, 10)
  return html`<p>${booking ? start.booked : start.tryIt}</p>
    <p>${website.link}: <a href="${path}">${server}${path}</a></p>
    ${note === undefined ? '' : html`<p class="soft">${note}</p>`}
    <div class="actions">
      ${
        booking
          ? html`<a class="button main" href="${pathOf('/console', visit, { date })}">${start.seeIt}</a>`
          : html`<a class="button main" href="${testPath(visit)}">${start.testBooking}</a>`
      }
      <a class="button" href="${pathOf('/console', visit)}">${start.toCalendar}</a>
      <a class="button" href="${pathOf('/console/website', visit)}">${start.toWebsite}</a>
    </div>
    <iframe class="phone" src="${path}?preview" title="${start.titles.page}"></iframe>`
}

/** Renders the booking page in a frame, where the owner books like a client. */
function testPage(visit: BusinessVisit, path: string): Html {
  const { start } = visit.texts
  return html`<p>${start.tryIt}</p>
    <p><a class="button main" href="${stepPath('page', visit)}">${start.backToConsole}</a></p>
    <iframe class="phone" src="${path}?preview" title="${start.testBooking}"></iframe>`
}

function newBusinessPage(context: Context): ConsoleRoute {
  const page = (visit: BusinessVisit, state: FormState, isFresh: boolean) => {
    const { start, setUp } = visit.texts
    const { scope } = visit.person
    if (!('hubId' in scope))
      return {
        title: start.newBusiness,
        body: html`<h1>${start.newBusiness}</h1>
          ${emptyState(
            'building',
            start.notInHub,
            html`<a class="button" href="${pathOf('/console', visit)}">${setUp.toStart}</a>`,
          )}`,
      }
    return {
      title: start.newBusiness,
      body: html`<h1>${start.newBusiness}</h1>
        ${faultSummary(state, setUp)}
        <form method="post" class="fields wide-fields">
          ${hidden({ once: visit.once })} ${newBusinessFields(visit, state, { isFresh })}
          <div class="actions"><button type="submit" class="main">${start.goOn}</button></div>
        </form>`,
    }
  }
  return {
    path: '/console/new-business',
    name: 'NewBusiness',
    summary: 'A new business of a hub',
    role: 'owner',
    withoutBusiness: true,
    show: (visit) => Promise.resolve(page(visit, emptyBusinessForm(visit), true)),
    form: {
      act: async (visit, typed, _address, once) => {
        const { person: by, texts } = visit
        const { business, faults } = newBusinessOf(typed, visit)
        assertNoFaults('hubId' in by.scope ? faults : { '': texts.start.notInHub })
        const { hubId } = by.scope as { hubId: string } // as checked above
        return once(
          (store) => createBusinessOfHub(context, { by, hubId }, business, store),
          ({ id }) => ({ path: '/console/start/hours', query: { business: id } }),
        )
      },
      again: (visit, state) => Promise.resolve(page(visit, state, false)),
    },
  }
}

/** Adds the route that hides the steps above the calendar in this browser. */
function addHiding(app: FastifyInstance, context: Context): void {
  addForms(app, context, (scope) => {
    scope.withTypeProvider<TypeBoxTypeProvider>().post(
      '/console/start/hide',
      {
        schema: {
          operationId: 'hideStart',
          tags: ['Console'],
          summary: 'Hide the steps to the first booking',
          description: 'In this browser; their pages stay.',
          consumes: formMedia,
          querystring: CalendarAddress,
          body: StrictObject({ at_business: AtBusiness }),
          response: {
            303: Type.Null({ description: 'To the calendar at the same address.' }),
            ...problems('change_not_allowed'),
            ...refusedForms,
          },
        },
      },
      async (request, reply) => {
        const { business, ...address } = request.query
        const visit = await findScriptSender(context, request, { at: request.body.at_business, business })
        if (visit?.business) void reply.header('set-cookie', consoleCookie(hidingCookie(visit.business.id)))
        const path = visit ? pathOf('/console', visit, address) : '/console'
        return seeOther(reply, path)
      },
    )
  })
}

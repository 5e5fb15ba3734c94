import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import { Problem } from '../../base/errors.ts'
import type { Context } from '../../bookings/context.ts'
import {
  type CatalogueItem,
  type CatalogueKind,
  changeInCatalogue,
  createInCatalogue,
  type CreationInput,
  listCatalogue,
  locationKind,
  serviceKind,
  showOfCatalogue,
  staffKind,
  type WritableKind,
  writableLocations,
  writableServices,
  writableStaff,
} from '../../catalogue/catalogue.ts'
import type { Location, Service, StaffMember } from '../../catalogue/catalogue-types.ts'
import {
  ChangeLocation,
  ChangeStaff,
  CreateLocation,
  CreateStaff,
} from '../../catalogue/location-and-staff-schemas.ts'
import { ChangeService, CreateService } from '../../catalogue/service-schemas.ts'
import { type StoreResponse, storeNothing } from '../../database/idempotency.ts'
import { compileCreation } from '../../base/validation.ts'
import { html, type Html } from '../page.ts'
import { allOf } from './all-of.ts'
import { consoleScript, pathOf, type SectionId } from '../../console/frame/console-page.ts'
import {
  assertNoFaults,
  assertOfBusiness,
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  consoleRoutes,
} from '../../console/frame/console-route.ts'
import {
  type Faults,
  faultsOf,
  faultSummary,
  filledForm,
  type FormState,
  hidden,
  ticked,
  tickedOf,
  type Typed,
} from '../form.ts'
import { holidayNotice, holidayOf, holidayQuery } from '../../console/team/holiday-notice.ts'
import { hoursFaults, hoursText, nextDaysText, usualHours } from '../../console/team/hours-form.ts'
import {
  locationFieldOf,
  locationFields,
  locationOf,
  staffFieldOf,
  staffFields,
  staffOf,
  typedLocation,
  typedStaff,
} from '../../console/team/people-form.ts'
import {
  idleStartsOf,
  newService,
  serviceFieldOf,
  serviceFields,
  serviceOf,
  serviceSummary,
  startFaults,
  typedService,
} from '../../console/services/service-form.ts'
import { slugFaults } from '../../console/frame/shown-form.ts'
import type { ConsoleTexts } from './texts/en.ts'
import { wallFields } from '../../console/frame/wall-clock.ts'

/** Of the address of a page for a new item. */
const newId = 'new'
const perPage = '100'

/** What a business offers, with whom and where: services, staff members and locations. */
export function setUpRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [
    serviceList(context),
    peopleList(context),
    itemPage(context, servicePage(context)),
    itemPage(context, staffPage(context)),
    itemPage(context, locationPage()),
  ])
}

function serviceList(context: Context): ConsoleRoute {
  return {
    path: '/console/services',
    name: 'ServicesPage',
    summary: 'The services of a business',
    role: 'manager',
    show: async (visit, { query }) => {
      const { texts } = visit
      const words = texts.services
      const page = await listPage(context, visit, { kind: serviceKind, cursor: query['cursor'] })
      const rows = page.data.map((service) => ({
        ...service,
        path: `/console/services/${service.id}`,
        about: html`${serviceSummary(service, visit)}`,
      }))
      return {
        title: words.title,
        section: 'services',
        body: html`<div class="head">
            <h1>${words.title}</h1>
            ${addButton(visit, '/console/services', words.add)}
          </div>
          ${doneNotice(texts, query['done'])}
          ${rows.length === 0 ? html`<p>${words.empty}</p>` : rowsOf(visit, words.activity, rows)}
          ${nextPage(visit, '/console/services', page.next_cursor)}`,
      }
    },
  }
}

function peopleList(context: Context): ConsoleRoute {
  return {
    path: '/console/people',
    name: 'PeoplePage',
    summary: 'The staff and locations of a business',
    role: 'manager',
    query: holidayQuery,
    show: async (visit, { query }) => {
      const { texts } = visit
      const [page, locations] = await Promise.all([
        listPage(context, visit, { kind: staffKind, cursor: query['cursor'] }),
        allOf(context, visit.person, { kind: locationKind, businessId: visit.business.id }),
      ])
      const staff = page.data as StaffMember[] // managers see all of it
      const { date: today } = wallFields(context.clock.now(), visit.business.timezone)
      const aboutHours = ({ weekly_hours, date_overrides }: Location | StaffMember, none: string) => {
        const others = nextDaysText(date_overrides, today, visit)
        return html`${weekly_hours ? hoursText(weekly_hours, visit) : none}${others === '' ? '' : html`<br />${others}`}`
      }
      const people = staff.map((member) => ({
        ...member,
        path: `/console/people/${member.id}`,
        about: aboutHours(member, texts.staff.asLocation),
      }))
      const places = locations.map((location) => ({
        ...location,
        path: `/console/locations/${location.id}`,
        about: aboutHours(location, texts.locations.always),
      }))
      return {
        title: texts.frame.people,
        section: 'people',
        body: html`${doneNotice(texts, query['done'])}
          ${await holidayNotice(context, visit, { query, locations })}
          <div class="head">
            <h1>${texts.staff.title}</h1>
            ${addButton(visit, '/console/people', texts.staff.add)}
          </div>
          <p>
            <a href="${pathOf('/console/calendars', visit)}">${texts.calendars.title}</a>
            ${
              visit.person.role === 'owner'
                ? html` · <a href="${pathOf('/console/users', visit)}">${texts.frame.users}</a>`
                : ''
            }
          </p>
          ${people.length === 0 ? html`<p>${texts.staff.empty}</p>` : rowsOf(visit, texts.staff.activity, people)}
          ${nextPage(visit, '/console/people', page.next_cursor)}
          <div class="head">
            <h2>${texts.locations.title}</h2>
            ${addButton(visit, '/console/locations', texts.locations.add)}
          </div>
          ${places.length === 0 ? html`<p>${texts.locations.empty}</p>` : rowsOf(visit, texts.locations.activity, places)}`,
      }
    },
  }
}

function listPage<Row extends { id: string; name: string }, Shown>(
  context: Context,
  { person, business }: BusinessVisit,
  { kind, cursor }: { kind: CatalogueKind<Row, Shown>; cursor: string | undefined },
) {
  const query = { business_id: business.id, limit: perPage, ...(cursor !== undefined && { cursor }) }
  return listCatalogue(context, person, { kind, query })
}

function addButton(visit: BusinessVisit, path: string, text: string): Html {
  return html`<a class="button" href="${pathOf(`${path}/${newId}`, visit)}">${text}</a>`
}

function nextPage(visit: BusinessVisit, path: string, cursor: string | null): Html {
  if (cursor === null) return html``
  return html`<p>
    <a class="button" href="${pathOf(path, visit, { cursor })}">${visit.texts.setUp.next}</a>
  </p>`
}

/** That something was saved, after the page that did it. */
function doneNotice({ setUp }: ConsoleTexts, done: string | undefined, activity?: ActivityWords): Html {
  const texts: Record<string, string> = { ...setUp.done, ...activity?.done }
  const text = done !== undefined && Object.hasOwn(texts, done) ? texts[done] : undefined
  return text === undefined ? html`` : html`<p class="notice" role="status">${text}</p>`
}

/** How a kind says that an item is taken off, and taken up again. */
type ActivityWords = ConsoleTexts['services']['activity']

interface ListRow {
  name: string
  path: string
  about: Html
  active: boolean
}

/** Inactive ones stand below. */
function rowsOf(visit: BusinessVisit, { inactive }: ActivityWords, rows: ListRow[]): Html {
  const row = ({ name, path, about, active }: ListRow) =>
    html`<li>
      <a href="${pathOf(path, visit)}"><bdi>${name}</bdi></a>
      <span class="soft">${active ? about : inactive}</span>
    </li>`
  const inOrder = [...rows.filter(({ active }) => active), ...rows.filter(({ active }) => !active)]
  return html`<ul class="rows">
    ${inOrder.map(row)}
  </ul>`
}

/** A page with the form of one item, new or existing. */
interface ItemPage<Row extends CatalogueItem & { name: string }, Creation, Change extends object> {
  path: string
  name: string
  summary: string
  section: SectionId
  /** The group of the texts with its words. */
  words: 'services' | 'staff' | 'locations'
  /** The page that lists them. */
  list: string
  kind: WritableKind<Row, Creation, Change> & CatalogueKind<Row, unknown>
  create: TSchema
  change: TSchema
  /** How a new one begins. */
  fresh: (visit: BusinessVisit) => Promise<Typed>
  typed: (visit: BusinessVisit, row: Row) => Promise<Typed>
  bodyOf: (typed: Typed) => Record<string, unknown>
  fieldOf: (pointer: string, typed: Typed) => string
  fields: (visit: BusinessVisit, state: FormState) => Promise<Html>
  /** What the operation does not know of. */
  faults: (visit: BusinessVisit, typed: Typed) => Faults
  /** Throws a FormFault for what takes reading. */
  check?: (visit: BusinessVisit, id: string, typed: Typed) => Promise<void>
  /** Whether its page has something to say of what is saved. */
  stays?: (visit: BusinessVisit, typed: Typed) => Promise<boolean>
  /** What the list is told of it. */
  saved?: (id: string, typed: Typed) => Record<string, string>
  /** What else is saved with it. */
  after?: (visit: BusinessVisit, id: string, typed: Typed) => Promise<void>
}

function itemPage<
  Row extends CatalogueItem & { name: string },
  Creation extends CreationInput,
  Change extends object,
>(context: Context, page: ItemPage<Row, Creation, Change>): ConsoleRoute {
  const { kind } = page
  const find = async (visit: BusinessVisit, id: string) => {
    const row = (await showOfCatalogue(context, visit.person, { kind, id })) as Row // managers see all of it
    assertOfBusiness(visit, row.business_id)
    return row
  }
  const pageOf = async (
    visit: BusinessVisit,
    { state, row, done }: { state: FormState; row: Row | undefined; done?: string | undefined },
  ) => {
    const { texts } = visit
    const { new: newTitle, activity } = texts[page.words]
    const title = row?.name ?? newTitle
    return {
      title,
      section: page.section,
      more: consoleScript,
      body: html`<p><a class="back" href="${pathOf(page.list, visit)}">← ${texts.setUp.back}</a></p>
        <h1><bdi>${title}</bdi></h1>
        ${doneNotice(texts, done, activity)} ${faultSummary(state, texts.setUp)}
        ${row && !row.active ? html`<p class="alert">${activity.isInactive}</p>` : ''}
        <form method="post" class="fields wide-fields">
          ${hidden({ once: visit.once })} ${await page.fields(visit, state)}
          <div class="actions"><button type="submit" class="main">${texts.setUp.save}</button></div>
        </form>
        ${row ? activityForm(activity, row.active) : ''}`,
    }
  }
  return {
    path: `${page.path}/:id`,
    name: page.name,
    summary: page.summary,
    role: 'manager',
    show: async (visit, { id, query }) => {
      const row = id === newId ? undefined : await find(visit, id)
      const state = filledForm(row ? await page.typed(visit, row) : await page.fresh(visit))
      return pageOf(visit, { state, row, done: query['done'] })
    },
    form: {
      fieldOf: page.fieldOf,
      act: async (visit, typed, { id }, once) => {
        if (id !== newId) await find(visit, id)
        const { active } = typed
        if (active !== undefined && id !== newId) {
          const change = { active: active === 'on' } as unknown as Change // each kind has it
          await changeInCatalogue(context, visit.person, { kind, id, change })
          return {
            path: `${page.path}/${id}`,
            query: { done: active === 'on' ? 'activated' : 'deactivated' },
          }
        }
        assertSound(visit, { page, id, typed })
        await page.check?.(visit, id, typed)
        const save = async (store: StoreResponse<unknown>) => {
          const saved = await saveItem(context, visit, { page, id, body: page.bodyOf(typed), store })
          await page.after?.(visit, saved.id, typed)
          return saved
        }
        const stays = await page.stays?.(visit, typed)
        const next = (saved: { id: string }) => ({
          path: stays === true ? `${page.path}/${saved.id}` : page.list,
          query: { done: stays === true ? 'savedBut' : 'saved', ...page.saved?.(id, typed) },
        })
        return id === newId ? once(save, next) : next(await save(storeNothing))
      },
      again: async (visit, state, { id }) => {
        const row = id === newId ? undefined : await find(visit, id)
        return pageOf(visit, { state, row })
      },
    },
  }
}

function saveItem<
  Row extends CatalogueItem & { name: string },
  Creation extends CreationInput,
  Change extends object,
>(
  context: Context,
  { person, business }: BusinessVisit,
  {
    page: { kind, create, change },
    id,
    body,
    store,
  }: {
    page: ItemPage<Row, Creation, Change>
    id: string
    body: Record<string, unknown>
    store: StoreResponse<unknown>
  },
): Promise<Row> {
  const checked = checkedItem({ create, change }, { id, body, businessId: business.id })
  if (id !== newId) return changeInCatalogue(context, person, { kind, id, change: checked as Change }) // as its schema says
  return createInCatalogue(context, person, { kind, input: checked as Creation }, store)
}

function checkedItem(
  { create, change }: { create: TSchema; change: TSchema },
  { id, body, businessId }: { id: string; body: Record<string, unknown>; businessId: string },
): unknown {
  if (id !== newId) return checkedForm(change, body)
  return checkedForm(create, { ...body, business_id: businessId }, compileCreation)
}

/** Throws a FormFault where the form itself finds faults, with those that the API would find. */
function assertSound(
  visit: BusinessVisit,
  {
    page,
    id,
    typed,
  }: {
    page: Pick<ItemPage<never, unknown, object>, 'create' | 'change' | 'faults' | 'bodyOf' | 'fieldOf'>
    id: string
    typed: Typed
  },
): void {
  const faults = page.faults(visit, typed)
  if (Object.keys(faults).length === 0) return // the operation finds the others
  try {
    checkedItem(page, { id, body: page.bodyOf(typed), businessId: visit.business.id })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const fieldOf = (pointer: string) => page.fieldOf(pointer, typed)
    Object.assign(faults, { ...faultsOf(error.parts.errors ?? [], visit.texts.setUp, fieldOf), ...faults })
  }
  assertNoFaults(faults)
}

/** To take an item off, which another click undoes. */
function activityForm(words: ActivityWords, isActive: boolean): Html {
  return html`<form method="post">
    <input type="hidden" name="active" value="${isActive ? '' : 'on'}" />
    <button type="submit">${isActive ? words.deactivate : words.activate}</button>
    <p class="soft">${isActive ? words.deactivateHint : ''}</p>
  </form>`
}

function servicePage(context: Context) {
  const choices = async ({
    person,
    business: { id: businessId },
  }: Pick<BusinessVisit, 'person' | 'business'>) => {
    const [locations, staff] = await Promise.all([
      allOf(context, person, { kind: locationKind, businessId }),
      allOf(context, person, { kind: staffKind, businessId }),
    ])
    return { locations, staff: staff as StaffMember[] } // managers see all of it
  }
  return {
    path: '/console/services',
    name: 'ServicePage',
    summary: 'A service of a business',
    section: 'services' as const,
    words: 'services' as const,
    list: '/console/services',
    kind: writableServices as typeof writableServices & CatalogueKind<Service, unknown>,
    create: CreateService,
    change: ChangeService,
    fresh: async ({ person, business, locale }: BusinessVisit) => {
      const services = await allOf(context, person, { kind: serviceKind, businessId: business.id })
      const { staff, locations } = await choices({ person, business })
      const ids = (all: { id: string; active: boolean }[]) =>
        all.flatMap(({ id, active }) => (active ? [id] : []))
      return {
        ...newService(services, { timezone: business.timezone, locale }),
        ...tickedOf('staff.', ids(staff)),
        ...tickedOf('location.', ids(locations)),
      }
    },
    typed: (_visit: BusinessVisit, row: Service) => Promise.resolve(typedService(row)),
    bodyOf: serviceOf,
    fieldOf: serviceFieldOf,
    faults: (visit: BusinessVisit, typed: Typed) => ({
      ...startFaults(visit, typed),
      ...slugFaults(visit, typed),
    }),
    stays: async (visit: BusinessVisit, typed: Typed) => idleStartsOf(typed, await choices(visit)).length > 0,
    fields: async (visit: BusinessVisit, state: FormState) =>
      serviceFields(visit, state, await choices(visit)),
  }
}

function staffPage(context: Context) {
  const servicesAt = ({ person, business }: BusinessVisit) =>
    allOf(context, person, { kind: serviceKind, businessId: business.id })
  return {
    path: '/console/people',
    name: 'StaffPage',
    summary: 'A staff member of a business',
    section: 'people' as const,
    words: 'staff' as const,
    list: '/console/people',
    kind: writableStaff as typeof writableStaff & CatalogueKind<StaffMember, unknown>,
    create: CreateStaff,
    change: ChangeStaff,
    fresh: async (visit: BusinessVisit) => {
      const offered = (await servicesAt(visit)).filter(({ active }) => active)
      const ofSomebody = offered.filter(({ staff_ids }) => staff_ids.length > 0) // the others are such as rooms
      return {
        ...tickedOf(
          'service.',
          ofSomebody.map(({ id }) => id),
        ),
        hours: 'none',
      }
    },
    typed: async (visit: BusinessVisit, row: StaffMember) => {
      const services = await servicesAt(visit)
      return typedStaff(
        row,
        services.filter(({ staff_ids }) => staff_ids.includes(row.id)).map(({ id }) => id),
      )
    },
    bodyOf: staffOf,
    saved: (staff: string, typed: Typed) => holidayOf({ staff }, typed),
    fieldOf: staffFieldOf,
    fields: async (visit: BusinessVisit, state: FormState) => {
      const { person, business } = visit
      const locations = await allOf(context, person, { kind: locationKind, businessId: business.id })
      return staffFields(visit, state, { services: await servicesAt(visit), locations })
    },
    faults: (visit: BusinessVisit, typed: Typed) => ({
      ...hoursFaults(visit, typed),
      ...slugFaults(visit, typed),
    }),
    check: async (visit: BusinessVisit, id: string, typed: Typed) => {
      const [left] = leftAlone(await servicesAt(visit), id, ticked(typed, 'service.'))
      assertNoFaults(left ? { services: visit.texts.staff.onlyOne(left.name) } : {})
    },
    after: async (visit: BusinessVisit, id: string, typed: Typed) => {
      const wanted = ticked(typed, 'service.')
      for (const service of await servicesAt(visit)) {
        const does = service.staff_ids.includes(id)
        if (does === wanted.includes(service.id)) continue
        const others = service.staff_ids.filter((one) => one !== id)
        const change = { staff_ids: does ? others : [...others, id] }
        await changeInCatalogue(context, visit.person, { kind: writableServices, id: service.id, change })
      }
    },
  }
}

/** Services that would be left to nobody, which would then need nobody. */
function leftAlone(services: Service[], staffId: string, wanted: string[]): Service[] {
  return services.filter(
    ({ id, active, staff_ids }) =>
      active && staff_ids.length === 1 && staff_ids[0] === staffId && !wanted.includes(id),
  )
}

function locationPage() {
  return {
    path: '/console/locations',
    name: 'LocationPage',
    summary: 'A location of a business',
    section: 'people' as const,
    words: 'locations' as const,
    list: '/console/people',
    kind: writableLocations as typeof writableLocations & CatalogueKind<Location, unknown>,
    create: CreateLocation,
    change: ChangeLocation,
    fresh: ({ business }: BusinessVisit) => Promise.resolve({ timezone: business.timezone, ...usualHours() }),
    typed: (_visit: BusinessVisit, row: Location) => Promise.resolve(typedLocation(row)),
    bodyOf: locationOf,
    saved: (location: string, typed: Typed) => holidayOf({ location }, typed),
    fieldOf: locationFieldOf,
    fields: (visit: BusinessVisit, state: FormState) => Promise.resolve(locationFields(visit, state)),
    faults: hoursFaults,
  }
}

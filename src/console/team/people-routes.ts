import type { FastifyInstance } from 'fastify'
import { html } from '../../base/html.ts'
import type { Context } from '../../bookings/context.ts'
import { type CatalogueKind, changeInCatalogue } from '../../catalogue/catalogue.ts'
import {
  locationKind,
  serviceKind,
  staffKind,
  writableLocations,
  writableServices,
  writableStaff,
} from '../../catalogue/catalogue-kinds.ts'
import {
  ChangeLocation,
  ChangeStaff,
  CreateLocation,
  CreateStaff,
  type Location,
  type StaffMember,
} from '../../catalogue/location-and-staff-schemas.ts'
import type { WeeklyHours } from '../../catalogue/catalogue-types.ts'
import type { Service } from '../../catalogue/service-schemas.ts'
import { type FormState, ticked, tickedOf, type Typed } from '../../pages/form.ts'
import { listHead, listItems, nextPage } from '../frame/lists.ts'
import { wallFields } from '../frame/formats.ts'
import { emptyState } from '../frame/empty-state.ts'
import { faceOf, thumbnail } from '../frame/faces.ts'
import { doneNotice, pathOf } from '../frame/console-page.ts'
import {
  assertNoFaults,
  type BusinessVisit,
  type ConsoleRoute,
  consoleRoutes,
} from '../frame/console-route.ts'
import { fillRows } from '../frame/form-rows.ts'
import { addButton, itemPage, listPage, rowsOf } from '../frame/item-page.ts'
import { slugFaults } from '../frame/shown-form.ts'
import { holidayNotice, holidayOf, holidayQuery } from './holiday-notice.ts'
import { holidaysPage } from './holidays-form.ts'
import { hoursFaults, hoursOn, hoursText, nextDaysText, typedWeek, usualWeek } from './hours-form.ts'
import { locationFields, locationRows, servicesName, staffFields, staffRows } from './people-form.ts'

/** Registers the page that lists staff and locations of a business. */
export function teamRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [
    peopleList(context),
    itemPage(context, staffPage(context)),
    itemPage(context, locationPage()),
    holidaysPage(context),
  ])
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
        listItems(context, visit.person, { kind: locationKind, businessId: visit.business.id }),
      ])
      const staff = page.data as StaffMember[] // managers see all of it
      const { date: today } = wallFields(context.clock.now(), visit.business.timezone)
      const aboutHours = (
        { weekly_hours, date_overrides }: Location | StaffMember,
        { none, whose }: { none: string; whose: 'person' | 'place' },
      ) => {
        const others = nextDaysText(date_overrides, today, { ...visit, whose })
        return html`${weekly_hours ? hoursText(weekly_hours, visit) : none}${others === '' ? '' : html`<br />${others}`}`
      }
      const todayText = (hours: string | undefined, none: string) =>
        hours === '' ? none : hours && texts.staff.today({ hours })
      const open = locations.filter(({ active }) => active)
      const people = staff.map((member) => {
        const places = open.filter(
          ({ id }) => member.location_ids.length === 0 || member.location_ids.includes(id),
        )
        const isClosed = places.length > 0 && places.every((one) => hoursOn(one, today, visit) === '')
        const own = hoursOn(member, today, visit) ?? (places[0] && hoursOn(places[0], today, visit))
        return {
          ...member,
          path: `/console/people/${member.id}`,
          mark: faceOf(member),
          about: aboutHours(member, { none: texts.staff.asLocation, whose: 'person' }),
          ends: [todayText(isClosed ? '' : own, texts.staff.awayToday)],
        }
      })
      const places = locations.map((location) => ({
        ...location,
        path: `/console/locations/${location.id}`,
        mark: thumbnail(location),
        ends: [todayText(hoursOn(location, today, visit), texts.locations.closedToday)],
        about: aboutHours(location, { none: texts.locations.always, whose: 'place' }),
      }))
      const addMember = addButton(visit, '/console/people', texts.staff.add)
      return {
        title: texts.frame.people,
        section: 'people',
        body: html`${doneNotice(texts.setUp.done, query['done'])}
          ${await holidayNotice(context, visit, { query, locations })}
          ${listHead(visit, {
            title: texts.staff.title,
            main: people.length === 0 ? '' : addMember,
            more: [
              html`<a href="${pathOf('/console/calendars', visit)}">${texts.calendars.title}</a>`,
              ...(visit.person.role === 'owner'
                ? [html`<a href="${pathOf('/console/users', visit)}">${texts.frame.users}</a>`]
                : []),
            ],
          })}
          ${people.length === 0 ? emptyState('people', texts.staff.empty, addMember) : rowsOf(visit, texts.staff.activity, people)}
          ${nextPage(visit, '/console/people', page.next_cursor)}
          <div class="head">
            <h2>${texts.locations.title}</h2>
            ${addButton(visit, '/console/locations', texts.locations.add, false)}
          </div>
          ${places.length === 0 ? html`<p>${texts.locations.empty}</p>` : rowsOf(visit, texts.locations.activity, places)}`,
      }
    },
  }
}

function staffPage(context: Context) {
  const servicesAt = ({ person, business }: BusinessVisit) =>
    listItems(context, person, { kind: serviceKind, businessId: business.id })
  /** Returns the hours of a person. Somebody without own hours may start with those of the first location. */
  const usualHours = async ({ person, business }: BusinessVisit, own: WeeklyHours | null): Promise<Typed> => {
    const locations = await listItems(context, person, { kind: locationKind, businessId: business.id })
    const first = locations.find(({ active, weekly_hours: hours }) => active && hours && hours.length > 0)
    return typedWeek(own, first?.weekly_hours ?? usualWeek)
  }
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
      // the others need no staff, such as rooms, or are classes, which not everyone gives
      const ofEverybody = offered.filter(({ staff_ids, capacity }) => staff_ids.length > 0 && capacity === 1)
      return {
        ...fillRows(staffRows(visit), {}),
        ...(await usualHours(visit, null)),
        ...tickedServices(ofEverybody),
      }
    },
    more: async (visit: BusinessVisit, row: StaffMember) => ({
      ...(await usualHours(visit, row.weekly_hours)),
      ...tickedServices((await servicesAt(visit)).filter(({ staff_ids }) => staff_ids.includes(row.id))),
    }),
    rows: staffRows,
    below: (visit: BusinessVisit, { id, active }: StaffMember) =>
      Promise.resolve(
        visit.person.role === 'owner' && active
          ? html`<p>
              <a class="button" href="${pathOf('/console/users/new', visit, { staff: id })}"
                >${visit.texts.users.giveLogIn}</a
              >
            </p>`
          : html``,
      ),
    saved: (staff: string, typed: Typed) => holidayOf({ staff }, typed),
    fields: async (visit: BusinessVisit, state: FormState) => {
      const { person, business } = visit
      const locations = await listItems(context, person, { kind: locationKind, businessId: business.id })
      return staffFields(visit, state, { services: await servicesAt(visit), locations })
    },
    faults: (visit: BusinessVisit, typed: Typed) => ({
      ...hoursFaults(visit, typed),
      ...slugFaults(visit, typed),
    }),
    check: async (visit: BusinessVisit, id: string, typed: Typed) => {
      const [left] = leftAlone(await servicesAt(visit), id, ticked(typed, `${servicesName}.`))
      assertNoFaults(left ? { [servicesName]: visit.texts.staff.onlyOne({ service: left.name }) } : {})
    },
    after: async (visit: BusinessVisit, id: string, typed: Typed) => {
      const wanted = ticked(typed, `${servicesName}.`)
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

function tickedServices(services: Service[]): Typed {
  return tickedOf(
    `${servicesName}.`,
    services.map(({ id }) => id),
  )
}

/** Returns services that would lose their last staff member, and would then need none. */
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
    fresh: (visit: BusinessVisit) => {
      const { timezone } = visit.business
      return Promise.resolve(fillRows(locationRows(visit), { timezone, weekly_hours: usualWeek }))
    },
    rows: locationRows,
    saved: (location: string, typed: Typed) => holidayOf({ location }, typed),
    below: (visit: BusinessVisit, { id }: Location) =>
      Promise.resolve(
        html`<p>
          <a class="button" href="${pathOf(`/console/locations/${id}/holidays`, visit)}"
            >${visit.texts.holidays.title}</a
          >
        </p>`,
      ),
    fields: (visit: BusinessVisit, state: FormState) => Promise.resolve(locationFields(visit, state)),
    faults: hoursFaults,
  }
}

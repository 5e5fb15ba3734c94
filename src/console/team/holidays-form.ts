import { html, type Html } from '../../base/html.ts'
import type { Context } from '../../bookings/context.ts'
import { changeInCatalogue, showOfCatalogue } from '../../catalogue/catalogue.ts'
import { locationKind, writableLocations } from '../../catalogue/catalogue-kinds.ts'
import { countryOfZone, listHolidayPlaces, listHolidays } from '../../catalogue/holidays.ts'
import { ChangeLocation, type Location } from '../../catalogue/location-and-staff-schemas.ts'
import { choice, filledForm, hidden, tick, ticked, type Typed } from '../../pages/form.ts'
import { businessOf, pathOf } from '../frame/console-page.ts'
import {
  assertOfBusiness,
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
} from '../frame/console-route.ts'
import { wallFields } from '../frame/formats.ts'
import { overrideName } from './hours-form.ts'
import { type Static, Type } from 'typebox'

/* Public holidays to tick, on which a location is then closed. */

const Short = Type.Optional(Type.String({ maxLength: 20 }))

/** The parameters of pages with public holidays. */
export const holidayPlaceQuery = { country: Short, region: Short }

type Query = { [Name in keyof typeof holidayPlaceQuery]?: Static<typeof Short> }

const dayName = 'day.'

/** Renders the choice of country and region, and the holidays until the end of next year. */
export async function holidayFields(
  context: Context,
  visit: BusinessVisit,
  { location, path, query }: { location: Location; path: string; query: Query },
): Promise<{ place: Html; days: Html }> {
  const { locale, texts } = visit
  const { holidays: words } = texts
  const { language } = new Intl.Locale(locale)
  const guessed = query.country ?? (await countryOfZone(location.timezone, locale)) ?? ''
  const { countries, regions } = await listHolidayPlaces(guessed, locale)
  const country = countries.some(({ code }) => code === guessed) ? guessed : undefined
  const region = regions.some(({ code }) => code === query.region) ? query.region : undefined
  const { date: today } = wallFields(context.clock.now(), location.timezone)
  const year = Number(today.slice(0, 4))
  const all =
    country === undefined
      ? []
      : await Promise.all(
          [year, year + 1].map((one) => listHolidays({ country, region }, { year: one, language })),
        )
  const known = new Map(location.date_overrides.map((override) => [override.date, override]))
  const state = filledForm({ country: country ?? '', region: region ?? '' })
  const options = (places: { code: string; name: string }[]) =>
    places.map(({ code, name }) => [code, name] as const)
  const day = ({ date, name }: { date: string; name: string }) => {
    const override = known.get(date)
    const shown = html`${overrideName(override ?? { date, hours: [] }, visit, { hasHours: override !== undefined })}
      <span class="soft"><bdi>${name}</bdi></span>`
    return override
      ? html`<p class="choice">✓ <span>${shown}</span></p>`
      : tick(filledForm({ [`${dayName}${date}`]: 'on' }), `${dayName}${date}`, shown)
  }
  return {
    place: html`<form method="get" action="${path}" class="fields wide-fields" data-apply>
      ${hidden({ business: businessOf(visit) })}
      <div class="beside">
        ${choice(state, { name: 'country', label: words.country, options: [['', '–'], ...options(countries)] })}
        ${
          regions.length === 0
            ? ''
            : choice(state, {
                ...{ name: 'region', label: words.region },
                options: [['', words.wholeCountry], ...options(regions)],
              })
        }
      </div>
      <button type="submit">${words.show}</button>
    </form>`,
    days: html`<fieldset>
      <legend>${words.closedOn}</legend>
      ${all
        .flat()
        .filter(({ date }) => date >= today)
        .map(day)}
      <p class="soft">${words.hint}</p>
    </fieldset>`,
  }
}

/** Closes a location on the ticked days. Days that have hours of their own already keep them. */
export async function closeOnDays(
  context: Context,
  { person }: BusinessVisit,
  { location, typed }: { location: Location; typed: Typed },
): Promise<void> {
  const known = new Set(location.date_overrides.map(({ date }) => date))
  const added = ticked(typed, dayName).flatMap((date) => (known.has(date) ? [] : [{ date, hours: [] }]))
  if (added.length === 0) return
  const date_overrides = [...location.date_overrides, ...added].toSorted((one, other) =>
    one.date < other.date ? -1 : 1,
  )
  const change = checkedForm(ChangeLocation, { date_overrides })
  await changeInCatalogue(context, person, { kind: writableLocations, id: location.id, change })
}

/** Returns the page of the public holidays of a location. */
export function holidaysPage(context: Context): ConsoleRoute {
  const find = async (visit: BusinessVisit, id: string) => {
    const location = await showOfCatalogue(context, visit.person, { kind: locationKind, id })
    assertOfBusiness(visit, location.business_id)
    return location
  }
  const show: Required<ConsoleRoute>['show'] = async (visit, { id, query }) => {
    const { holidays: words, setUp } = visit.texts
    const location = await find(visit, id)
    const path = `/console/locations/${id}`
    const { place, days } = await holidayFields(context, visit, { location, path: `${path}/holidays`, query })
    return {
      title: words.title,
      section: 'people',
      body: html`<p><a class="back" href="${pathOf(path, visit)}">${location.name}</a></p>
        <h1>${words.title}</h1>
        ${place}
        <form method="post" class="fields wide-fields">
          ${days}
          <div class="actions save"><button type="submit" class="main">${setUp.save}</button></div>
        </form>`,
    }
  }
  return {
    path: '/console/locations/:id/holidays',
    name: 'HolidaysPage',
    summary: 'The public holidays of a location',
    role: 'manager',
    query: holidayPlaceQuery,
    show,
    form: {
      act: async (visit, typed, { id }) => {
        await closeOnDays(context, visit, { location: await find(visit, id), typed })
        return { path: '/console/people', query: { done: 'saved' } }
      },
      again: (visit, _state, address) => show(visit, address),
    },
  }
}

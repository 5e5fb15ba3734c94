import Holidays from 'date-holidays'

/* Public holidays of countries and regions, from the package date-holidays. Runs in a worker (holidays.ts). */

interface PublicHoliday {
  /** Such as `2027-12-25`. */
  date: string
  name: string
}

interface HolidayPlace {
  country: string
  region?: string | undefined
}

interface Named {
  code: string
  name: string
}

/** A country or region without known holidays. */
export class UnknownPlace extends Error {
  readonly pointer: '/country' | '/region'

  constructor(pointer: '/country' | '/region') {
    super('has no known holidays')
    this.pointer = pointer
  }
}

/** Returns the public holidays of a year, by date. Throws UnknownPlace. */
function listHolidays(
  { country, region }: HolidayPlace,
  { year, language }: { year: number; language: string },
): PublicHoliday[] {
  const known = new Holidays()
  if (!Object.hasOwn(known.getCountries(), country)) throw new UnknownPlace('/country')
  if (region !== undefined && !Object.hasOwn(statesOf(known, country), region))
    throw new UnknownPlace('/region')
  const rules = new Holidays(country, region ?? '', { types: ['public'] })
  const found = rules.getHolidays(year, language)
  const names = Map.groupBy(found, ({ date }) => date.slice(0, 10))
  return [...names]
    .map(([date, some]) => ({ date, name: some.map(({ name }) => name).join(', ') }))
    .toSorted((one, other) => (one.date < other.date ? -1 : 1))
}

/** Returns the regions of a country. Despite its types, the package has none for some countries. */
function statesOf(known: Holidays, country: string, language?: string): Record<string, string> {
  return { ...known.getStates(country, language) }
}

/** Returns the countries with known holidays, by name, and the regions of one of them. */
function listHolidayPlaces(
  country: string | undefined,
  language: string,
): { countries: Named[]; regions: Named[] } {
  const known = new Holidays()
  const names = new Intl.DisplayNames(language, { type: 'region' })
  const byName = new Intl.Collator(language)
  const sorted = (places: Named[]) => places.toSorted((one, other) => byName.compare(one.name, other.name))
  const countries = Object.keys(known.getCountries()).map((code) => ({ code, name: names.of(code) ?? code }))
  const states = country === undefined ? {} : statesOf(known, country, language)
  const regions = Object.entries(states).map(([code, name]) => ({ code, name }))
  return { countries: sorted(countries), regions: sorted(regions) }
}

/** Guesses the country of a time zone, preferably that of the reader's language. */
function countryOfZone(timezone: string, locale: string): string | undefined {
  const all = Object.keys(new Holidays().getCountries())
  const { region } = new Intl.Locale(locale)
  const has = (country: string) => zonesOf(country).includes(timezone)
  return region !== undefined && has(region) ? region : all.find(has)
}

function zonesOf(country: string): string[] {
  const locale = new Intl.Locale(`und-${country}`) as Intl.Locale & {
    getTimeZones: () => string[] | undefined
  }
  return locale.getTimeZones() ?? []
}

/** The questions that can be asked. */
export const holidayLists = { listHolidays, listHolidayPlaces, countryOfZone }

import { Problem, validationProblem } from '../base/errors.ts'

/* Public holidays of countries and regions, suggested by the package date-holidays. */

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

/** Loads the package when it is used: it holds the rules of all countries. */
async function load() {
  try {
    return (await import('date-holidays')).default
  } catch {
    throw new Problem('unavailable', 'This server has no list of public holidays.')
  }
}

/** Returns the public holidays of a year, by date. Throws validation_failed for an unknown country or region. */
export async function listHolidays(
  { country, region }: HolidayPlace,
  { year, language }: { year: number; language: string },
): Promise<PublicHoliday[]> {
  const Holidays = await load()
  const known = new Holidays()
  if (!Object.hasOwn(known.getCountries(), country)) throw unknown('/country')
  if (region !== undefined && !Object.hasOwn(statesOf(known, country), region)) throw unknown('/region')
  const rules = new Holidays(country, region ?? '', { types: ['public'] })
  const found = rules.getHolidays(year, language)
  const names = Map.groupBy(found, ({ date }) => date.slice(0, 10))
  return [...names]
    .map(([date, some]) => ({ date, name: some.map(({ name }) => name).join(', ') }))
    .toSorted((one, other) => (one.date < other.date ? -1 : 1))
}

/** Returns the regions of a country. Despite its types, the package has none for some countries. */
function statesOf(
  known: InstanceType<Awaited<ReturnType<typeof load>>>,
  country: string,
  language?: string,
): Record<string, string> {
  return { ...known.getStates(country, language) }
}

function unknown(pointer: string): Problem {
  return validationProblem([{ pointer, code: 'unknown_reference', detail: 'has no known holidays' }])
}

/** Returns the countries with known holidays, by name, and the regions of one of them. */
export async function listHolidayPlaces(
  country: string | undefined,
  language: string,
): Promise<{ countries: Named[]; regions: Named[] }> {
  const Holidays = await load()
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
export async function countryOfZone(timezone: string, locale: string): Promise<string | undefined> {
  const Holidays = await load()
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

import { readTexts } from '../../base/languages.ts'

/** Cities of zones by language, where the zone has another name, and countries. From Unicode CLDR 45. */
const places = readTexts<string>('places')

/** Returns a function that names a zone in a language, such as "Vienna (Austria)" for Europe/Vienna. */
export function zoneNames(locale: string): (zone: string) => string {
  const cities = new Map(Object.entries(places.get(new Intl.Locale(locale).language) ?? {}))
  const countries = new Map(Object.entries(places.get('countries') ?? {}))
  const names = new Intl.DisplayNames(locale, { type: 'region' })
  return (zone) => {
    const city = cities.get(zone) ?? zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ')
    const country = countries.get(zone)
    return country === undefined ? city : `${city} (${names.of(country) ?? country})`
  }
}

import { closest } from 'fastest-levenshtein'
import type { Fault } from '../errors.ts'
import { isTimeZone } from '../instants.ts'

/** The time zone that was probably meant by a name that is none. */
export function nearestTimeZone(name: string): string {
  return closest(name, Intl.supportedValuesOf('timeZone'))
}

/** What is wrong with the name of a time zone, with the one that was probably meant. */
export function timeZoneFaults(name: string): Fault[] {
  if (isTimeZone(name)) return []
  const detail = `must be a time zone in the form Region/City; did you mean ${nearestTimeZone(name)}?`
  return [{ pointer: '', code: 'invalid_format', detail }]
}

import { closest } from 'fastest-levenshtein'
import type { FieldError } from './errors.ts'
import { isTimeZone } from './instants.ts'

/** Returns the time zone that an invalid name probably means. */
export function nearestTimeZone(name: string): string {
  return closest(name, Intl.supportedValuesOf('timeZone'))
}

/** Finds the faults of a time-zone name and suggests the one it probably means. */
export function timeZoneErrors(name: string): FieldError[] {
  if (isTimeZone(name)) return []
  const detail = `must be a time zone in the form Region/City; did you mean ${nearestTimeZone(name)}?`
  return [{ pointer: '', code: 'invalid_format', detail }]
}

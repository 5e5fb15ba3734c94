import { closest, distance } from 'fastest-levenshtein'
import { isLine, isWebAddress } from '../contact-formats.ts'
import { UsageError } from '../errors.ts'
import { isTimeZone } from '../instants.ts'

/* Checks of what operators say of hubs and businesses. Each throws a UsageError that names the fix. */

const longestName = 200
/** So many wrong characters still leave an id recognisable. */
const mostSlips = 3

/** A name of 1 to 200 code points, trimmed and NFC. */
export function checkName(text: string): string {
  const name = text.trim().normalize('NFC')
  const length = Array.from(name).length // code points
  if (isLine(name) && length >= 1 && length <= longestName) return name
  throw new UsageError(`A name is one line of 1 to ${longestName} characters.`)
}

/** An IANA time zone that the runtime knows. */
export function checkTimeZone(name: string): string {
  if (isTimeZone(name)) return name
  const near = closest(name, Intl.supportedValuesOf('timeZone'))
  throw new UsageError(`There is no time zone "${name}"; did you mean ${near}? The form is Region/City.`)
}

/** A colour such as #1a2b3c. */
export function checkColor(text: string): string {
  if (/^#[0-9a-f]{6}$/i.test(text)) return text
  throw new UsageError(`A brand colour has the form #1a2b3c; "${text}" is none.`)
}

/** An http or https address. */
export function checkLogoUrl(text: string): string {
  if (isWebAddress(text)) return text
  throw new UsageError(`The address of a brand logo begins with https:// or http://; "${text}" is none.`)
}

/** A UsageError for an id that nothing has, with the one that was probably meant. */
export function unknownId(noun: string, id: string, known: { id: string; name: string }[]): UsageError {
  const wanted = id.toLowerCase()
  const near = known.find(({ name }) => name.toLowerCase() === wanted) ?? nearest(wanted, known)
  const hint = near ? `did you mean ${near.id} (${near.name})?` : `"holdfast ${noun} list" shows them.`
  return new UsageError(`There is no ${noun} with the id ${id}; ${hint}`)
}

/** The row whose id begins with the same characters, or differs by a slip or two. */
function nearest(
  wanted: string,
  known: { id: string; name: string }[],
): { id: string; name: string } | undefined {
  const begins = known.filter(({ id }) => wanted.length >= 4 && id.startsWith(wanted))
  if (begins.length === 1) return begins[0]
  if (wanted.length < 30 || known.length === 0) return undefined // too little to guess from
  const ids = known.map(({ id }) => id)
  const near = closest(wanted, ids)
  return distance(wanted, near) <= mostSlips ? known.find(({ id }) => id === near) : undefined
}

import { isLine, isText } from './contact-formats.ts'
import type { FieldError } from './errors.ts'

/*
 * Metadata: values that developers keep with a hold, booking or client. Sessions may write them, but only keys and people
 * read them.
 */

/** Entries of one hold, booking or client. */
export const maxMetadata = 20
const maxName = 40
const maxValue = 500

/** A sentence for descriptions. */
export const metadataLimits = `Values of your own: at most ${maxMetadata}, names of ${maxName} characters, texts of ${maxValue}.`

/** Rejects metadata with too many or too long entries. Counts code points. */
export function metadataErrors(metadata: Record<string, unknown>): FieldError[] {
  const entries = Object.entries(metadata)
  const long = (text: string, max: number) => Array.from(text).length > max
  const isFaulty = ([name, value]: [string, unknown]) =>
    name === '' ||
    long(name, maxName) ||
    typeof value !== 'string' ||
    long(value, maxValue) ||
    !isLine(name) ||
    !isText(value)
  if (entries.length <= maxMetadata && !entries.some(isFaulty)) return []
  const detail = `must have at most ${maxMetadata} entries with names of 1 to ${maxName} and texts of at most ${maxValue} characters, none of them a control character`
  return [{ pointer: '', code: 'out_of_range', detail }]
}

/** Returns the metadata of a row. */
export function metadataOf({ metadata_json }: { metadata_json: string | null }): Record<string, string> {
  return JSON.parse(metadata_json ?? '{}') as Record<string, string> // only validated entries are written
}

/** Returns the text of a row, sorted by name; null without an entry. */
export function metadataText(metadata: Record<string, string> = {}): string | null {
  const entries = Object.entries(metadata).toSorted()
  return entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries))
}

import { Problem } from './errors.ts'

const maxNesting = 20

/** Trims a text and brings it to NFC; one that is not well-formed stays as it is, for validation to refuse. */
export function trimmed(text: string): string {
  return text.isWellFormed() ? text.trim().normalize('NFC') : text
}

/** Trims the strings of a JSON value and brings them to NFC. Throws malformed_json when it is nested too deep. */
export function normalise(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return trimmed(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxNesting) {
    throw new Problem('malformed_json', `The body is nested deeper than ${maxNesting} levels.`)
  }
  if (Array.isArray(value)) return value.map((entry) => normalise(entry, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, normalise(member, depth + 1)]),
  )
}

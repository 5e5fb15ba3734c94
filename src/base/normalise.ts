import { Problem } from './errors.ts'

const maxNesting = 20

/**
 * Trims a text and normalises it to NFC. A text that is not well-formed stays unchanged, so that validation refuses it.
 */
export function trimmed(text: string): string {
  return text.isWellFormed() ? text.trim().normalize('NFC') : text
}

/**
 * Trims the strings of a JSON value and normalises them to NFC. Throws malformed_json if the value is nested too
 * deeply.
 */
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

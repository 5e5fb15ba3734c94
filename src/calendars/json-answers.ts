import { FetchFailed } from './calendar-http.ts'

/* Reads the JSON answers of providers without trusting their form. */

export type Fields = Record<string, unknown>

/** Parses JSON. Throws a FetchFailed. */
export function parseJson(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    throw new FetchFailed('invalid_response')
  }
}

/** Returns the fields of an object; none for anything else. */
export function fieldsIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

/** Returns a field that is a text with at least one character. */
export function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns the objects of a field that is a list. */
export function listIn(fields: Fields, name: string): Fields[] {
  const value = fields[name]
  return Array.isArray(value) ? value.map(fieldsIn) : []
}

import type { Draft } from './draft.ts'

/** Details of the visitor that the page already knows. */
export type Prefill = Partial<Omit<Draft, 'fields'>>

/** Fields with their names in the API and its maximum length in characters. */
const fields = [
  ['firstName', 'first_name', 100],
  ['lastName', 'last_name', 100],
  ['email', 'email', 254],
  ['phone', 'phone', 32],
  ['notes', 'notes', 1000],
] as const

/**
 * Reads the details that the page provides. Omits texts that are too long, because half an address helps
 * nobody.
 */
export function readPrefill(given: (name: string) => string | null): Prefill {
  const read: Prefill = {}
  for (const [field, name, max] of fields) {
    const text = given(name)?.trim() ?? ''
    const line = field === 'notes' ? text : text.replaceAll(/\p{Cc}+/gu, ' ')
    if (line.length <= max) read[field] = line
  }
  return read
}

/** Fills fields that the visitor has not changed: empty ones, and those with the value from `before`. */
export function withPrefill(draft: Draft, prefill: Prefill, before: Prefill): Draft {
  const filled = { ...draft }
  for (const [field] of fields)
    if (draft[field] === (before[field] ?? '')) filled[field] = prefill[field] ?? ''
  return filled
}

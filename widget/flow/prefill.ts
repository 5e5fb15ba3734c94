import type { Draft } from './draft.ts'

/** What a page knows of its visitor already. */
export type Prefill = Partial<Omit<Draft, 'fields'>>

/** Fields by their names in the API, with the longest text that it takes, in characters. */
const fields = [
  ['firstName', 'first_name', 100],
  ['lastName', 'last_name', 100],
  ['email', 'email', 254],
  ['phone', 'phone', 32],
  ['notes', 'notes', 1000],
] as const

/** Reads what the page gives. What is longer than its field is left out: half an address helps nobody. */
export function readPrefill(given: (name: string) => string | null): Prefill {
  const read: Prefill = {}
  for (const [field, name, max] of fields) {
    const text = given(name)?.trim() ?? ''
    const line = field === 'notes' ? text : text.replaceAll(/\p{Cc}+/gu, ' ')
    if (line.length <= max) read[field] = line
  }
  return read
}

/** Fills what the visitor has not written into: what is empty still, or as `before` has filled it. */
export function withPrefill(draft: Draft, prefill: Prefill, before: Prefill): Draft {
  const filled = { ...draft }
  for (const [field] of fields)
    if (draft[field] === (before[field] ?? '')) filled[field] = prefill[field] ?? ''
  return filled
}

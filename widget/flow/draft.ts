import type { FieldValue } from '../api/api-types.ts'
import type * as rules from './draft-rules.ts'

/** What judges the input and writes it for the API: a file that is loaded later. */
export type DraftRules = typeof rules

/** The visitor's input so far; custom fields by ID. */
export interface Draft {
  firstName: string
  lastName: string
  email: string
  phone: string
  notes: string
  fields: Record<string, FieldValue>
}

export const emptyDraft: Draft = { firstName: '', lastName: '', email: '', phone: '', notes: '', fields: {} }

/** An error of a field. */
export type Fault = 'required' | 'email' | 'invalid'
/** Errors by field name, or by `field:` and the custom field's ID. */
export type Faults = Record<string, Fault>

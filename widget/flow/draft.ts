import type { FieldValue } from '../api/api-types.ts'

/** The visitor's input so far; custom fields by ID. */
export interface Draft {
  firstName: string
  lastName: string
  email: string
  phone: string
  notes: string
  /** The code of a coupon. */
  coupon?: string
  fields: Record<string, FieldValue>
}

export const emptyDraft: Draft = { firstName: '', lastName: '', email: '', phone: '', notes: '', fields: {} }

/** An error of a field. */
export type Fault = 'required' | 'tick' | 'email' | 'phone' | 'coupon' | 'invalid'
/** Errors by field name, or by `field:` and the custom field's ID. */
export type Faults = Record<string, Fault>

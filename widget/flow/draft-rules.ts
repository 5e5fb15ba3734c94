import type { CustomField, FieldValue, ProblemDocument } from '../api/api-types.ts'
import type { Draft, Faults } from './draft.ts'

/* Judged when the visitor submits: the first step does without it. */

/** One `@` and a domain with a dot, as the API requires. */
const email = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/
const phone = /^[\d ()+.-]{1,32}$/

export function fieldName(id: string): string {
  return `field:${id}`
}

/** Finds what the API would refuse. */
export function faultsIn(draft: Draft, fields: CustomField[]): Faults {
  const errors: Faults = {}
  for (const name of ['firstName', 'lastName', 'email'] as const) {
    if (draft[name].trim() === '') errors[name] = 'required'
  }
  if (!errors['email'] && !email.test(draft.email.trim())) errors['email'] = 'email'
  if (draft.phone.trim() !== '' && !phone.test(draft.phone.trim())) errors['phone'] = 'invalid'
  for (const field of fields) {
    const value = valueOf(field, draft.fields[field.id])
    const name = fieldName(field.id)
    if (value === undefined) {
      if (field.required) errors[name] = 'required'
    } else if (field.type === 'email' && !email.test(String(value))) errors[name] = 'email'
    else if (field.type === 'number' && !Number.isFinite(value)) errors[name] = 'invalid'
    else if (field.type === 'url' && !URL.canParse(String(value))) errors[name] = 'invalid'
    else if (field.type === 'phone' && !phone.test(String(value))) errors[name] = 'invalid'
  }
  return errors
}

/** A field's value as the API expects it; undefined when empty. */
function valueOf(field: CustomField, typed: FieldValue | undefined): FieldValue | undefined {
  if (typed === undefined) return field.type === 'boolean' && field.required ? false : undefined
  if (Array.isArray(typed)) return typed.length === 0 ? undefined : typed
  if (typeof typed !== 'string') return typed
  const text = typed.trim()
  if (text === '') return undefined
  return field.type === 'number' ? Number(text) : text
}

/** The body of `POST /bookings`. */
export function bookingBody(holdId: string, draft: Draft, fields: CustomField[]) {
  const answers = fields.flatMap((field) => {
    const value = valueOf(field, draft.fields[field.id])
    return value === undefined ? [] : [{ field_id: field.id, value }]
  })
  return {
    hold_id: holdId,
    client: {
      first_name: draft.firstName.trim(),
      last_name: draft.lastName.trim(),
      email: draft.email.trim(),
      ...(draft.phone.trim() !== '' && { phone: draft.phone.trim() }),
    },
    ...(answers.length > 0 && { custom_field_values: answers }),
    ...(draft.notes.trim() !== '' && { notes: draft.notes.trim() }),
  }
}

const byPointer: Record<string, keyof Draft> = {
  '/client/first_name': 'firstName',
  '/client/last_name': 'lastName',
  '/client/email': 'email',
  '/client/phone': 'phone',
  '/notes': 'notes',
}

/** The errors of a refused request, by field. `sent` is its body. */
export function fieldErrorsOf(
  problem: ProblemDocument,
  sent: ReturnType<typeof bookingBody>,
  fields: CustomField[],
): Faults {
  const errors: Faults = {}
  const answers = sent.custom_field_values || []
  for (const { pointer } of problem.errors ?? []) {
    const name = byPointer[pointer]
    const index = /^\/custom_field_values\/(\d+)/.exec(pointer)?.[1]
    const answer = index === undefined ? undefined : answers[Number(index)]
    if (name) errors[name] = name === 'email' ? 'email' : 'invalid'
    else if (answer) errors[fieldName(answer.field_id)] = 'invalid'
    else if (pointer.startsWith('/custom_field_values')) {
      for (const field of fields.filter(({ required }) => required)) {
        if (!answers.some(({ field_id }) => field_id === field.id)) errors[fieldName(field.id)] = 'required'
      }
    }
  }
  return errors
}

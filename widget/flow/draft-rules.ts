import type { CustomField, FieldValue, ProblemDocument } from '../api/api-types.ts'
import type { Draft, Faults } from './draft.ts'

/* Judged when the visitor submits: the first step does without it. */

/** One `@` and a domain with a dot, as the API requires. */
const email = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/
const phone = /^(?=.*\d)[\d ()+.-]{1,32}$/

/**
 * A number as people write it, in what the API takes: digits of any script, and a space for each slash, dash or other space.
 * Behind a country code, `(0)` is not dialled (ITU-T E.123).
 */
function phoneNumber(text: string): string {
  return text
    .replaceAll(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) % 16))
    .replaceAll(/[/\s\u2010-\u2015]+/g, ' ')
    .replace(/^(\s*(?:\+|00).*?)\( ?0 ?\)/, '$1')
    .replaceAll(/ +/g, ' ')
    .trim()
}

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
  if (draft.phone.trim() !== '' && !phone.test(phoneNumber(draft.phone))) errors['phone'] = 'phone'
  for (const field of fields) {
    const value = valueOf(field, draft.fields[field.id])
    const name = fieldName(field.id)
    if (value === undefined) {
      if (field.required) errors[name] = 'required'
    } else if (field.type === 'email' && !email.test(String(value))) errors[name] = 'email'
    else if (field.type === 'number' && !Number.isFinite(value)) errors[name] = 'invalid'
    else if (field.type === 'url' && !URL.canParse(String(value))) errors[name] = 'invalid'
    else if (field.type === 'phone' && !phone.test(String(value))) errors[name] = 'phone'
  }
  return errors
}

/** The faults of fields that hold what they held when they were judged. */
export function faultsLeft(errors: Faults, judged: Draft, draft: Draft): Faults {
  const valuesOf = ({ fields, ...texts }: Draft): Record<string, unknown> => ({
    ...texts,
    ...Object.fromEntries(Object.entries(fields).map(([id, value]) => [fieldName(id), value])),
  })
  const before = valuesOf(judged)
  const now = valuesOf(draft)
  return Object.fromEntries(Object.entries(errors).filter(([name]) => before[name] === now[name]))
}

/** A field's value as the API expects it; undefined when empty. */
function valueOf(field: CustomField, typed: FieldValue | undefined): FieldValue | undefined {
  if (typed === undefined) return field.type === 'boolean' && field.required ? false : undefined
  if (Array.isArray(typed)) return typed.length === 0 ? undefined : typed
  if (typeof typed !== 'string') return typed
  const text = typed.trim()
  if (text === '') return undefined
  if (field.type === 'phone') return phoneNumber(text)
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
      ...(draft.phone.trim() !== '' && { phone: phoneNumber(draft.phone) }),
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
    if (name) errors[name] = name === 'email' || name === 'phone' ? name : 'invalid'
    else if (answer) errors[fieldName(answer.field_id)] = 'invalid'
    else if (pointer.startsWith('/custom_field_values')) {
      for (const field of fields.filter(({ required }) => required)) {
        if (!answers.some(({ field_id }) => field_id === field.id)) errors[fieldName(field.id)] = 'required'
      }
    }
  }
  return errors
}

import type { Business, CustomField, FieldValue, ProblemDocument, Service } from '../api/api-types.ts'
import type { Draft, Faults } from './draft.ts'
import { feesField } from './fee-rules.ts'

/* Validation of the details when the visitor submits. The first step does not need it. */

/** One `@` and a domain with a dot, as the API requires. */
const email = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/
const phone = /^(?=.*\d)[\d ()+.-]{1,32}$/

/**
 * Converts a number as people write it into the format of the API: digits of any script, and a space for each
 * slash, dash or other space. Removes `(0)` after a country code, because it is not dialled (ITU-T E.123).
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

/** The fields of services that the form contains. */
export type Asked = Pick<Service, 'client_fields' | 'custom_fields'>

const termsConsent = { key: 'terms', type: 'consent', required: true } as const

const strictest = ['required', 'optional', 'hidden'] as const

/**
 * Returns what services ask together: the strictest of their client fields, all custom fields, and consent to
 * the terms of the business.
 */
export function askedBy(services: Service[], business: Pick<Business, 'id' | 'terms'> | null): Asked {
  const use = (name: keyof Service['client_fields']) =>
    strictest.find((one) => services.some(({ client_fields }) => client_fields[name] === one)) ?? 'optional'
  const terms = business?.terms ? [{ ...termsConsent, id: business.id, label: business.terms }] : []
  const fields = [...services.flatMap(({ custom_fields }) => custom_fields), ...terms]
  return {
    client_fields: { phone: use('phone'), last_name: use('last_name') },
    custom_fields: fields.filter(({ id }, index) => fields.findIndex((one) => one.id === id) === index),
  }
}

/** Returns the faults that the API would refuse. */
export function faultsIn(draft: Draft, { client_fields: uses, custom_fields }: Asked): Faults {
  const errors: Faults = {}
  const { firstName, lastName, email: address, phone: number } = shownTexts(draft, uses)
  if (firstName === '') errors['firstName'] = 'required'
  if (lastName === '' && uses.last_name === 'required') errors['lastName'] = 'required'
  if (!email.test(address)) errors['email'] = address === '' ? 'required' : 'email'
  if (number === '' ? uses.phone === 'required' : !phone.test(phoneNumber(number)))
    errors['phone'] = number === '' ? 'required' : 'phone'
  for (const field of custom_fields) {
    const value = valueOf(field, draft.fields[field.id])
    const name = fieldName(field.id)
    if (value === undefined || (value === false && field.required)) {
      if (field.required) errors[name] = isTick(field) ? 'tick' : 'required'
    } else if (field.type === 'email' && !email.test(String(value))) errors[name] = 'email'
    else if (field.type === 'number' && !Number.isFinite(value)) errors[name] = 'invalid'
    else if (field.type === 'url' && !URL.canParse(String(value))) errors[name] = 'invalid'
    else if (field.type === 'phone' && !phone.test(String(value))) errors[name] = 'phone'
  }
  return errors
}

/**
 * Returns the texts without fields that the service does not ask for, because the page may have prefilled
 * those.
 */
function shownTexts(draft: Draft, uses: Asked['client_fields']) {
  const shown = (name: Exclude<keyof Draft, 'fields'>, use?: string) =>
    use === 'hidden' ? '' : (draft[name] ?? '').trim()
  return {
    firstName: shown('firstName'),
    lastName: shown('lastName', uses.last_name),
    email: shown('email'),
    phone: shown('phone', uses.phone),
    notes: shown('notes'),
    coupon: shown('coupon'),
  }
}

function isTick({ type }: CustomField): boolean {
  return type === 'boolean' || type === 'consent'
}

/** Returns the faults of fields whose value has not changed since the validation. */
export function faultsLeft(errors: Faults, judged: Draft, draft: Draft): Faults {
  const valuesOf = ({ fields, ...texts }: Draft): Record<string, unknown> => ({
    ...texts,
    ...Object.fromEntries(Object.entries(fields).map(([id, value]) => [fieldName(id), value])),
  })
  const before = valuesOf(judged)
  const now = valuesOf(draft)
  return Object.fromEntries(Object.entries(errors).filter(([name]) => before[name] === now[name]))
}

/** Returns a field's value in the API's format; undefined if empty. */
function valueOf(field: CustomField, typed: FieldValue | undefined): FieldValue | undefined {
  if (typed === undefined || (field.type === 'consent' && typed !== true)) return undefined
  if (Array.isArray(typed)) return typed.length === 0 ? undefined : typed
  if (typeof typed !== 'string') return typed
  const text = typed.trim()
  if (text === '') return undefined
  if (field.type === 'phone') return phoneNumber(text)
  return field.type === 'number' ? Number(text) : text
}

/** The field of the sentence by which the visitor agrees to text messages. Empty: they do not. */
export const textsField = 'texts'

/** Returns the body of `POST /bookings`. */
export function bookingBody(holdId: string, draft: Draft, { client_fields, custom_fields }: Asked) {
  const answers = custom_fields.flatMap((field) => {
    const value = valueOf(field, draft.fields[field.id])
    const { id: field_id, label: text } = field
    return value === undefined ? [] : [{ field_id, value, ...(field.type === 'consent' && { text }) }]
  })
  const { firstName, lastName, email, phone, notes, coupon } = shownTexts(draft, client_fields)
  const consent = draft.fields[textsField]
  const fees = draft.fields[feesField]
  return {
    hold_id: holdId,
    client: {
      first_name: firstName,
      ...(lastName !== '' && { last_name: lastName }),
      email,
      ...(phone !== '' && { phone: phoneNumber(phone) }),
    },
    ...(answers.length > 0 && { custom_field_values: answers }),
    ...(phone !== '' && consent && { text_consent: String(consent) }),
    ...(notes !== '' && { notes }),
    ...(coupon !== '' && { coupon }),
    ...(fees && { fee_consent: String(fees) }),
  }
}

const byPointer: Record<string, keyof Draft> = {
  '/client/first_name': 'firstName',
  '/client/last_name': 'lastName',
  '/client/email': 'email',
  '/client/phone': 'phone',
  '/notes': 'notes',
  '/coupon': 'coupon',
}

/** Returns the errors of a refused request by field. `sent` is its body. */
export function fieldErrorsOf(
  problem: ProblemDocument,
  sent: ReturnType<typeof bookingBody>,
  fields: CustomField[],
): Faults {
  const errors: Faults = {}
  const answers = sent.custom_field_values || []
  for (const { pointer, code } of problem.errors ?? []) {
    const name = byPointer[pointer]
    const index = /^\/custom_field_values\/(\d+)/.exec(pointer)?.[1]
    const answer = index === undefined ? undefined : answers[Number(index)]
    if (name && code === 'required') errors[name] = 'required'
    else if (name) errors[name] = name === 'email' || name === 'phone' || name === 'coupon' ? name : 'invalid'
    else if (answer) errors[fieldName(answer.field_id)] = 'invalid'
    else if (pointer.startsWith('/custom_field_values')) {
      for (const field of fields.filter(({ required }) => required)) {
        if (!answers.some(({ field_id }) => field_id === field.id))
          errors[fieldName(field.id)] = isTick(field) ? 'tick' : 'required'
      }
    }
  }
  return errors
}

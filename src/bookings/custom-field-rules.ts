import { isCalendarDate, isEmail, isLine, isPhone, isText, isWebAddress } from '../base/contact-formats.ts'
import type { FieldError } from '../base/errors.ts'
import type { Instant } from '../base/instants.ts'
import type { ClientFields, CustomField } from '../catalogue/catalogue-types.ts'

export type FieldValue = string | number | boolean | string[]

/** An answer. Without a value, it counts as not given. */
export interface FieldAnswer {
  field_id: string
  value?: FieldValue
  /** The text shown for a consent. */
  text?: string
}

/** A stored answer. A consent includes the text shown and the time at which it was given. */
export interface KeptAnswer {
  field_id: string
  value: FieldValue
  text?: string
  agreed_at?: Instant
}

/**
 * Returns the terms of a business as a consent of each of its services, with the ID of the business. Only
 * sessions have to give it.
 */
export function termsFields(
  business: { id: string; terms: string | null },
  required: boolean,
): CustomField[] {
  const { id, terms } = business
  return terms === null ? [] : [{ id, key: 'terms', label: terms, type: 'consent', required }]
}

/** Terms are too long for an error. */
function shortLabel({ label }: CustomField): string {
  return label.length > maxLineLength ? `${label.slice(0, 80)}…` : label
}

const maxLineLength = 500
const maxTextLength = 5_000

/** Returns every error in the answers, with pointers. */
export function customFieldErrors(fields: CustomField[], answers: FieldAnswer[]): FieldError[] {
  const fieldErrors = answers.flatMap((answer, index) =>
    answerErrors(fields, answers.slice(0, index), answer).map((fieldError) => ({
      ...fieldError,
      pointer: `/custom_field_values/${index}${fieldError.pointer}`,
    })),
  )
  const missing = fields.filter(
    (field) =>
      field.required && !answers.some((answer) => answer.field_id === field.id && isGiven(answer.value)),
  )
  return [
    ...fieldErrors,
    ...missing.map((field) => ({
      pointer: '/custom_field_values',
      code: 'required',
      detail: `must hold a value for "${shortLabel(field)}" (field_id ${field.id})`,
    })),
  ]
}

/** Combines the client fields of several services. A field that one of them requires is required. */
export function strictestFields(services: readonly ClientFields[]): ClientFields {
  const rank = { hidden: 0, optional: 1, required: 2 } as const
  const strictest = (name: keyof ClientFields) =>
    services.map((fields) => fields[name]).reduce((one, other) => (rank[other] > rank[one] ? other : one))
  return { phone: strictest('phone'), last_name: strictest('last_name') }
}

/** Returns errors for missing details of a client, with pointers into the body. */
export function clientFieldErrors(
  { phone, last_name }: ClientFields,
  client: { phone?: string | null | undefined; last_name?: string | null | undefined },
): FieldError[] {
  const uses = { phone, last_name }
  return (['last_name', 'phone'] as const)
    .filter((name) => uses[name] === 'required' && !client[name])
    .map((name) => ({
      pointer: `/client/${name}`,
      code: 'required',
      detail: 'is required for this service',
    }))
}

/** Rejects the phone of a client who agrees to text messages unless it has a `number` (E.164) that they can reach. */
export function textNumberErrors(number: string | undefined): FieldError[] {
  if (number !== undefined) return []
  const detail = 'must begin with its country for text messages, such as +49 30 1234567'
  return [{ pointer: '/client/phone', code: 'invalid_format', detail }]
}

/** Returns the answers to store. A repeated answer keeps its stored form. */
export function keptAnswers(
  fields: CustomField[],
  answers: FieldAnswer[],
  { now, before = [] }: { now: Instant; before?: KeptAnswer[] },
): KeptAnswer[] {
  return answers.flatMap(({ field_id, value }) => {
    if (value === undefined) return []
    const present = before.find((answer) => answer.field_id === field_id)
    if (present?.agreed_at !== undefined && value === true) return [present]
    const consent = fields.find(({ id, type }) => id === field_id && type === 'consent')
    return [{ field_id, value, ...(consent && { text: consent.label, agreed_at: now }) }]
  })
}

function answerErrors(fields: CustomField[], before: FieldAnswer[], answer: FieldAnswer): FieldError[] {
  const field = fields.find(({ id }) => id === answer.field_id)
  if (!field) {
    return [{ pointer: '/field_id', code: 'unknown_field', detail: 'is not a custom field of this service' }]
  }
  if (before.some(({ field_id }) => field_id === answer.field_id)) {
    return [{ pointer: '/field_id', code: 'repeated', detail: 'is answered twice' }]
  }
  if (answer.text !== undefined && field.type !== 'consent')
    return [{ pointer: '/text', code: 'not_allowed', detail: 'is for the type consent only' }]
  if (!isGiven(answer.value)) return []
  const expected = expectation(field, answer.value)
  if (expected) return [{ pointer: '/value', code: 'wrong_value', detail: `must be ${expected}` }]
  if (answer.value === false && field.required)
    return [
      { pointer: '/value', code: 'must_be_true', detail: `must be true: "${shortLabel(field)}" is required` },
    ]
  if (answer.text === undefined || answer.text === field.label) return []
  const detail = 'is not the text of the consent as it is now; show that, and ask again'
  return [{ pointer: '/text', code: 'text_changed', detail }]
}

function isGiven(value: FieldValue | undefined): value is FieldValue {
  return value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
}

/** Returns the expected value; undefined if it is valid. */
function expectation(field: CustomField, value: FieldValue): string | undefined {
  const options = field.options ?? []
  const check = (isValid: boolean, expected: string) => (isValid ? undefined : expected)
  const text = typeof value === 'string' ? value : undefined
  switch (field.type) {
    case 'text':
      return check(
        text !== undefined && isLine(text) && codePoints(text) <= maxLineLength,
        `one line of at most ${maxLineLength} characters`,
      )
    case 'textarea':
      return check(
        text !== undefined && isText(text) && codePoints(text) <= maxTextLength,
        `text of at most ${maxTextLength} characters`,
      )
    case 'number':
      return check(typeof value === 'number' && Number.isFinite(value), 'a number')
    case 'boolean':
    case 'consent':
      return check(typeof value === 'boolean', 'true or false')
    case 'select':
      return check(text !== undefined && options.includes(text), `one of: ${options.join(', ')}`)
    case 'multi_select':
      return check(areChosen(value, options), `a list without repeats of: ${options.join(', ')}`)
    case 'date':
      return check(text !== undefined && isCalendarDate(text), 'a date such as 2026-12-24')
    case 'email':
      return check(text !== undefined && isEmail(text), 'an email address')
    case 'phone':
      return check(text !== undefined && isPhone(text), 'a phone number of digits, spaces and + ( ) - .')
    case 'url':
      return check(text !== undefined && isWebAddress(text), 'a URL that begins with http:// or https://')
  }
}

function codePoints(text: string): number {
  return Array.from(text).length
}

function areChosen(value: FieldValue, options: string[]): boolean {
  return (
    Array.isArray(value) &&
    value.every((one) => options.includes(one)) &&
    new Set(value).size === value.length
  )
}

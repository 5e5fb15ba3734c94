import { isCalendarDate, isEmail, isLine, isPhone, isText, isWebAddress } from '../base/contact-formats.ts'
import type { FieldError } from '../base/errors.ts'
import type { CustomField } from '../catalogue/catalogue-types.ts'

export type FieldValue = string | number | boolean | string[]

/** Without a value it counts as not given. */
export interface FieldAnswer {
  field_id: string
  value?: FieldValue
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
      detail: `must hold a value for "${field.label}" (field_id ${field.id})`,
    })),
  ]
}

function answerErrors(fields: CustomField[], before: FieldAnswer[], answer: FieldAnswer): FieldError[] {
  const field = fields.find(({ id }) => id === answer.field_id)
  if (!field) {
    return [{ pointer: '/field_id', code: 'unknown_field', detail: 'is not a custom field of this service' }]
  }
  if (before.some(({ field_id }) => field_id === answer.field_id)) {
    return [{ pointer: '/field_id', code: 'repeated', detail: 'is answered twice' }]
  }
  const expected = isGiven(answer.value) ? expectation(field, answer.value) : undefined
  return expected ? [{ pointer: '/value', code: 'wrong_value', detail: `must be ${expected}` }] : []
}

function isGiven(value: FieldValue | undefined): value is FieldValue {
  return value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
}

/** What the value must be; undefined when it is valid. */
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
      return check(typeof value === 'boolean', 'true or false')
    case 'select':
      return check(text !== undefined && options.includes(text), `one of: ${options.join(', ')}`)
    case 'multi_select':
      return check(areChosen(value, options), `a list without repeats of: ${options.join(', ')}`)
    case 'date':
      return check(text !== undefined && isCalendarDate(text), 'a date such as 2026-12-24')
    case 'email':
      return check(text !== undefined && isEmail(text), 'an e-mail address')
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

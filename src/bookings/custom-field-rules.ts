import type { CustomField } from '../catalogue/catalogue-types.ts'
import { isCalendarDate, isEmail, isLine, isPhone, isText, isWebAddress } from '../contact-formats.ts'
import type { Fault } from '../errors.ts'

/** What a client can answer to a custom field; which of them, the type of the field says. */
export type FieldValue = string | number | boolean | string[]

/** An answer to a custom field. Without a value it counts as not given. */
export interface FieldAnswer {
  field_id: string
  value?: FieldValue
}

const longestLine = 500
const longestText = 5_000

/** Every fault of the answers to a service's custom fields, each with a pointer to it. */
export function customFieldFaults(fields: CustomField[], answers: FieldAnswer[]): Fault[] {
  const faults = answers.flatMap((answer, index) =>
    answerFaults(fields, answers.slice(0, index), answer).map((fault) => ({
      ...fault,
      pointer: `/custom_field_values/${index}${fault.pointer}`,
    })),
  )
  const missing = fields.filter(
    (field) =>
      field.required && !answers.some((answer) => answer.field_id === field.id && isGiven(answer.value)),
  )
  return [
    ...faults,
    ...missing.map((field) => ({
      pointer: '/custom_field_values',
      code: 'required',
      detail: `must hold a value for "${field.label}" (field_id ${field.id})`,
    })),
  ]
}

function answerFaults(fields: CustomField[], before: FieldAnswer[], answer: FieldAnswer): Fault[] {
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

/** What the value should have been; undefined when it is right. */
function expectation(field: CustomField, value: FieldValue): string | undefined {
  const options = field.options ?? []
  const check = (right: boolean, expected: string) => (right ? undefined : expected)
  const text = typeof value === 'string' ? value : undefined
  switch (field.type) {
    case 'text':
      return check(
        text !== undefined && isLine(text) && codePoints(text) <= longestLine,
        `one line of at most ${longestLine} characters`,
      )
    case 'textarea':
      return check(
        text !== undefined && isText(text) && codePoints(text) <= longestText,
        `text of at most ${longestText} characters`,
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
      return check(
        text !== undefined && isWebAddress(text),
        'an address that begins with http:// or https://',
      )
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

import type { FieldError } from '../base/errors.ts'
import type { ClientFields, CustomField, Money } from './catalogue-types.ts'
import { duplicateErrors } from './schedule-rules.ts'

/** The smallest grid on which slots start, in minutes. */
export const minSlotInterval = 5

/** Default horizon of a new service. */
export const usualAdvanceDays = 365

/** The largest amount. Fits into 32 bits in every currency. */
export const maxMinorUnits = 999_999_999

/** The largest capacity, and so the largest party. */
export const maxCapacity = 500

/** Default deadline for cancelling and moving, in minutes before the start: one day. */
export const usualChangeMinutes = 1_440

/** Default number of times that a client may move a booking. */
export const usualReschedules = 3

/** Default for the details that a service requires of its clients. */
export const usualClientFields: ClientFields = { phone: 'optional', last_name: 'required' }

/** Default grid: the duration, but no finer than the smallest grid. */
export function defaultSlotInterval(durationMinutes: number): number {
  return Math.max(durationMinutes, minSlotInterval)
}

const currencies = new Set(Intl.supportedValuesOf('currency'))

/** Checks a currency code (ISO 4217). */
export function currencyErrors(code: string): FieldError[] {
  if (currencies.has(code)) return []
  return [
    { pointer: '', code: 'not_allowed', detail: 'must be the code of a currency (ISO 4217), such as EUR' },
  ]
}

/** Checks that a deposit has the same currency as the price, and at most its amount. */
export function depositErrors({
  price,
  deposit,
}: {
  price?: Money | null
  deposit?: Money | null
}): FieldError[] {
  if (!deposit) return []
  const step = payableStep(deposit.currency)
  if (Number.isInteger(deposit.amount) && deposit.amount % step !== 0) {
    const detail = `must be a multiple of ${step}: payment processors take no other amounts of ${deposit.currency}`
    return [{ pointer: '/deposit/amount', code: 'not_allowed', detail }]
  }
  if (!price) return []
  if (price.currency !== deposit.currency) {
    const detail = `must be ${price.currency}, the currency of the price`
    return [{ pointer: '/deposit/currency', code: 'not_allowed', detail }]
  }
  if (deposit.amount <= price.amount) return []
  return [
    {
      pointer: '/deposit/amount',
      code: 'out_of_range',
      detail: `must be at most the price, ${price.amount}`,
    },
  ]
}

/** A custom field. Without an ID it is new, or the existing field with its key. */
type CustomFieldInput = Partial<Pick<CustomField, 'id' | 'required'>> & Omit<CustomField, 'id' | 'required'>

const fieldKey = /^[a-z][a-z0-9_]*$/

export function fieldKeyErrors(key: string): FieldError[] {
  if (fieldKey.test(key)) return []
  const detail = 'must begin with a letter from a to z; after it letters, digits and _'
  return [{ pointer: '', code: 'invalid_format', detail }]
}

/** Returns errors of a custom field beyond its members. */
export function fieldErrors(field: Partial<CustomFieldInput>): FieldError[] {
  return [...optionsErrors(field), ...(field.type === 'consent' ? consentErrors(field) : [])]
}

const consentLink = /\[([^[\]]+)\]\((https:\/\/[^\s()]+)\)/

/** Checks that a consent has at most one link and is required. */
function consentErrors({ label = '', required }: Partial<CustomFieldInput>): FieldError[] {
  const rest = label.replace(consentLink, '')
  return [
    ...(rest.includes('](')
      ? [{ pointer: '/label', code: 'invalid_format', detail: 'may have one link, [text](https://…)' }]
      : []),
    ...(required === false
      ? [{ pointer: '/required', code: 'not_allowed', detail: 'cannot be false for the type consent' }]
      : []),
  ]
}

/** Splits a label into the texts before, in and after its link. Without a link, all of it is before. */
export function labelParts(label: string): {
  before: string
  link?: { text: string; url: string }
  after: string
} {
  const found = consentLink.exec(label)
  if (!found) return { before: label, after: '' }
  const [whole, text = '', url = ''] = found
  return {
    before: label.slice(0, found.index),
    link: { text, url },
    after: label.slice(found.index + whole.length),
  }
}

/** Checks that the select types, and only they, have options. */
function optionsErrors(field: Partial<Pick<CustomField, 'type' | 'options'>>): FieldError[] {
  const { type } = field
  if (type === undefined) return []
  const chooses = type === 'select' || type === 'multi_select'
  const hasOptions = 'options' in field
  if (chooses && !hasOptions) {
    return [{ pointer: '/options', code: 'required', detail: `is required for the type ${type}` }]
  }
  if (chooses || !hasOptions) return []
  return [
    { pointer: '/options', code: 'not_allowed', detail: 'is for the types select and multi_select only' },
  ]
}

/** Returns errors for repeated keys and IDs. */
export function customFieldsErrors(fields: (Partial<CustomFieldInput> | undefined)[]): FieldError[] {
  return [
    ...duplicateErrors(
      fields.map((field) => field?.key),
      '/key',
    ),
    ...duplicateErrors(
      fields.map((field) => field?.id?.toLowerCase()),
      '/id',
    ),
  ]
}

/** Returns errors for IDs that no field of the service has. */
export function fieldIdErrors(fields: CustomFieldInput[], existing: CustomField[]): FieldError[] {
  return fields.flatMap(({ id }, index) => {
    if (id === undefined || existing.some((field) => field.id === id)) return []
    const pointer = `/custom_fields/${index}/id`
    const detail = 'is not the id of a custom field of this service; leave it out for a new one'
    return [{ pointer, code: 'unknown_reference', detail }]
  })
}

/**
 * Sets each field's ID: the given one, otherwise that of the existing field with its key, otherwise a new
 * one.
 */
export function withFieldIds(
  fields: CustomFieldInput[],
  existing: CustomField[],
  nextId: () => string,
): CustomField[] {
  const taken = new Set(fields.map(({ id }) => id))
  return fields.map(({ id, key, label, type, required = type === 'consent', options }) => {
    const same = existing.find((field) => field.key === key && !taken.has(field.id))
    const whole = { id: id ?? same?.id ?? nextId(), key, label, type, required }
    return options === undefined ? whole : { ...whole, options }
  })
}

/*
 * Not Intl.NumberFormat, which has the digits that people write (none for HUF) instead of those that
 * amounts are counted in.
 */
const digitsOtherThanTwo = new Map([
  ...of(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...of(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...of(4, 'CLF UYW'),
])

function of(digits: number, codes: string): [string, number][] {
  return codes.split(' ').map((code) => [code, digits])
}

/**
 * Returns the decimal digits of a currency's minor unit (ISO 4217): two for EUR, none for JPY, three for KWD.
 */
export function minorDigits(currency: string): number {
  return digitsOtherThanTwo.get(currency) ?? 2
}

/** Formats minor units: "25.00 EUR", "500 JPY". */
export function amountText({ amount, currency }: { amount: number; currency: string }): string {
  const digits = minorDigits(currency)
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`
}

/**
 * Returns the step of payable amounts. Processors require a final 0 of three digits, and whole ariary, whose
 * minor unit is a fifth.
 */
function payableStep(currency: string): number {
  if (currency === 'MGA') return 100
  return minorDigits(currency) === 3 ? 10 : 1
}

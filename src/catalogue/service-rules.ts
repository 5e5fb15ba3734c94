import type { Fault } from '../errors.ts'
import type { CustomField, Money } from './catalogue-types.ts'
import { payableStep } from './currency-rules.ts'
import { repetitionFaults } from './hours-rules.ts'

/** The smallest grid on which slots start, in minutes. */
export const leastSlotInterval = 5

/** How many days ahead a service can be booked that does not say it. */
export const usualAdvanceDays = 365

/** The grid of a service that names none: its duration, but no finer than the smallest grid. */
export function defaultSlotInterval(durationMinutes: number): number {
  return Math.max(durationMinutes, leastSlotInterval)
}

const currencies = new Set(Intl.supportedValuesOf('currency'))

/** What is wrong with the code of a currency (ISO 4217). */
export function currencyFaults(code: string): Fault[] {
  if (currencies.has(code)) return []
  return [
    { pointer: '', code: 'not_allowed', detail: 'must be the code of a currency (ISO 4217), such as EUR' },
  ]
}

/** A deposit is a part of the price: where both are given, in one currency and no more than it. */
export function depositFaults({ price, deposit }: { price?: Money | null; deposit?: Money | null }): Fault[] {
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

/** A custom field as it is given; without an id it is new, or the one with its key. */
export type CustomFieldInput = Partial<Pick<CustomField, 'id' | 'required'>> &
  Omit<CustomField, 'id' | 'required'>

const fieldKey = /^[a-z][a-z0-9_]*$/

/** What is wrong with the key of a custom field. */
export function fieldKeyFaults(key: string): Fault[] {
  if (fieldKey.test(key)) return []
  const detail = 'must begin with a letter from a to z; after it letters, digits and _'
  return [{ pointer: '', code: 'invalid_format', detail }]
}

/** Options are what one chooses from: needed there, and nowhere else. */
export function fieldOptionsFaults(field: Partial<Pick<CustomField, 'type' | 'options'>>): Fault[] {
  const { type } = field
  if (type === undefined) return []
  const chooses = type === 'select' || type === 'multi_select'
  const given = 'options' in field
  if (chooses && !given) {
    return [{ pointer: '/options', code: 'required', detail: `is required for the type ${type}` }]
  }
  if (chooses || !given) return []
  return [
    { pointer: '/options', code: 'not_allowed', detail: 'is for the types select and multi_select only' },
  ]
}

/** Keys and ids that two fields of a service share. */
export function customFieldsFaults(fields: (Partial<CustomFieldInput> | undefined)[]): Fault[] {
  return [
    ...repetitionFaults(
      fields.map((field) => field?.key),
      '/key',
    ),
    ...repetitionFaults(
      fields.map((field) => field?.id?.toLowerCase()),
      '/id',
    ),
  ]
}

/** Ids that no field of the service has: answers of the past would be asked for in vain. */
export function fieldIdFaults(fields: CustomFieldInput[], existing: CustomField[]): Fault[] {
  return fields.flatMap(({ id }, index) => {
    if (id === undefined || existing.some((field) => field.id === id)) return []
    const pointer = `/custom_fields/${index}/id`
    const detail = 'is not the id of a custom field of this service; leave it out for a new one'
    return [{ pointer, code: 'unknown_reference', detail }]
  })
}

/** The fields with their ids: the given one, else that of the existing field with this key, else a new one. */
export function withFieldIds(
  fields: CustomFieldInput[],
  existing: CustomField[],
  nextId: () => string,
): CustomField[] {
  const taken = new Set(fields.map(({ id }) => id))
  return fields.map(({ id, key, label, type, required = false, options }) => {
    const same = existing.find((field) => field.key === key && !taken.has(field.id))
    const whole = { id: id ?? same?.id ?? nextId(), key, label, type, required }
    return options === undefined ? whole : { ...whole, options }
  })
}

import { minorDigits } from '../base/money.ts'
import type { FieldError } from '../base/errors.ts'
import type {
  ClientFields,
  CustomField,
  Fee,
  Money,
  Need,
  PaymentMode,
  Step,
  Terms,
} from './catalogue-types.ts'
import { feeConflicts } from './fee-rules.ts'
import { duplicateErrors } from './schedule-rules.ts'

/** The smallest grid on which slots start, in minutes. */
export const minSlotInterval = 5

/** Default horizon of a new service. */
export const usualAdvanceDays = 365

/** The largest amount. Fits into 32 bits in every currency. */
export const maxMinorUnits = 999_999_999

/** The largest capacity, and so the largest party. */
export const maxCapacity = 500

/** Most appointments of one series: those of a year, one a week. */
export const maxRepeats = 52

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

/** Limits on the parts of a service. */
export const maxSteps = 9
export const maxNeeds = 5
/** Limit on a service's length, in minutes: one day. */
export const maxDuration = 1_440

/** The parts of a service that decide its length, price and needs. */
interface Parts {
  duration_minutes: number
  price: Money | null
  steps: Step[] | null
  needs: Need[]
  terms: Terms[]
}

/** Returns the steps of a service with the terms of a person. Without steps, it is one staffed step. */
export function stepsOf(service: Omit<Parts, 'needs' | 'price'>, staffId: string | null): Step[] {
  const { steps, duration_minutes } = termsOf(service, staffId) ?? {}
  if (steps) return steps
  if (duration_minutes !== undefined) return oneStep(duration_minutes)
  return service.steps ?? oneStep(service.duration_minutes)
}

function oneStep(minutes: number): Step[] {
  return [{ minutes, staffed: true }]
}

/** Returns the length of a service with the terms of a person, in minutes. */
export function minutesOf(service: Omit<Parts, 'needs' | 'price'>, staffId: string | null): number {
  const { steps, duration_minutes } = termsOf(service, staffId) ?? {}
  return steps ? sumOf(steps) : (duration_minutes ?? service.duration_minutes)
}

/** Returns the price of a service for one client with the terms of a person; null if it has none. */
export function priceFor(service: Pick<Parts, 'price' | 'terms'>, staffId: string | null): Money | null {
  return termsOf(service, staffId)?.price ?? service.price
}

/**
 * Returns the lowest price of a service for one client, by a person or anyone; null if it has none. `isFrom` means
 * that others who give the service are dearer.
 */
export function lowestPrice(
  service: Pick<Parts, 'price' | 'terms'> & { staff_ids: readonly string[] },
  staffId: string | null,
): { price: Money | null; isFrom: boolean } {
  const people = staffId === null ? service.staff_ids : [staffId]
  const prices = (people.length > 0 ? people : [null]).flatMap((id) => priceFor(service, id) ?? [])
  const [lowest = null, ...others] = prices.toSorted((one, other) => one.amount - other.amount)
  return { price: lowest, isFrom: lowest !== null && others.some(({ amount }) => amount > lowest.amount) }
}

function termsOf({ terms }: Pick<Parts, 'terms'>, staffId: string | null): Terms | undefined {
  // most services have no terms, and this runs for each slot
  return terms.length === 0 ? undefined : terms.find(({ staff_id }) => staff_id === staffId)
}

/** Returns the length of steps, in minutes. */
export function sumOf(steps: readonly Step[]): number {
  return steps.reduce((sum, { minutes }) => sum + minutes, 0)
}

/** Returns true for a service that takes one stretch of one thing: no needs, pauses or other lengths. */
export function isPlainService(service: Omit<Parts, 'price'>): boolean {
  const { needs, terms, steps } = service
  if (needs.length > 0 || (steps && steps.length > 1)) return false
  return terms.every(
    ({ staff_id: staffId, steps: own }) =>
      (own === undefined || own.length === 1) && minutesOf(service, staffId) === service.duration_minutes,
  )
}

/** Returns a service without steps and needs, with the length of a booking in minutes. */
export function withLength<Of extends Parts>(service: Of, duration_minutes: number): Of {
  return { ...service, duration_minutes, steps: null, needs: [], terms: [] }
}

/** A need as callers write it. */
type NeedInput = Pick<Need, 'resource_ids'> & Partial<Need>

export function completeNeed({ resource_ids, quantity = 1, during = 'all' }: NeedInput): Need {
  return { resource_ids, quantity, during }
}

/** Checks that a service has a length. */
function lengthErrors(service: object): FieldError[] {
  if ('duration_minutes' in service || 'steps' in service) return []
  return [{ pointer: '/duration_minutes', code: 'required', detail: 'is required unless there are steps' }]
}

/** Returns errors of a new service beyond its members. */
export function newServiceErrors(service: ChargedParts): FieldError[] {
  const payment = paymentOf(service)
  const { price = null, deposit = null, fees = [], no_show_percent = null } = service
  return [
    ...lengthErrors(service),
    ...chargeErrors(service),
    ...missingParts({ payment, price, deposit }),
    ...feeConflicts({ fees, no_show_percent, payment, price }, service),
  ]
}

/** The members of a service that decide what is charged when it is booked. */
interface ChargedParts {
  price?: Money | null
  deposit?: Money | null
  payment?: PaymentMode
  fees?: Fee[]
  no_show_percent?: number | null
}

/** Returns the mode of a service: with a deposit, that is charged unless the service says otherwise. */
export function paymentOf({ payment, deposit }: Pick<ChargedParts, 'payment' | 'deposit'>): PaymentMode {
  return payment ?? (deposit ? 'deposit' : 'none')
}

/** Returns deposit and mode after a change. One follows from the other: only the mode `deposit` has a deposit. */
export function changedPayment(
  service: { deposit: Money | null; payment: PaymentMode },
  { deposit, payment }: ChargedParts,
): { deposit: Money | null; payment: PaymentMode } {
  if (payment !== undefined && payment !== 'deposit') return { deposit: null, payment }
  const now = deposit === undefined ? service.deposit : deposit
  const other = service.payment === 'deposit' ? 'none' : service.payment
  const implied = now ? 'deposit' : other
  return { deposit: now, payment: payment ?? implied }
}

/** Checks the deposit and the mode of one request. */
export function chargeErrors(service: ChargedParts): FieldError[] {
  const { deposit, payment } = service
  if (!deposit || payment === undefined || payment === 'deposit') return depositErrors(service)
  const detail = `is for payment deposit only, not for ${payment}`
  return [{ pointer: '/deposit', code: 'not_allowed', detail }]
}

/** Finds the amount that the mode of a complete service lacks, or that no payment processor takes. */
export function missingParts({
  payment,
  price,
  deposit,
}: {
  payment: PaymentMode
  price: Money | null
  deposit: Money | null
}): FieldError[] {
  if (payment === 'deposit' && !deposit) {
    return [{ pointer: '/deposit', code: 'required', detail: 'is required with payment deposit' }]
  }
  if (payment !== 'full' && payment !== 'card') return []
  if (!price) {
    return [{ pointer: '/price', code: 'required', detail: `is required with payment ${payment}` }]
  }
  if (payment === 'card') return []
  const step = payableStep(price.currency)
  if (price.amount % step === 0) return []
  return [{ pointer: '/price/amount', code: 'not_allowed', detail: unpayable(price.currency, step) }]
}

/** Returns why no payment processor moves an amount. Undefined if they do. */
export function unpayableDetail({ amount, currency }: Money): string | undefined {
  const step = payableStep(currency)
  return amount % step === 0 ? undefined : unpayable(currency, step)
}

function unpayable(currency: string, step: number): string {
  return `must be a multiple of ${step}: payment processors take no other amounts of ${currency}`
}

/** Returns the amount that one person pays when booking a service at a price. Null: nothing. */
export function prepaymentOf(
  { payment, deposit }: { payment: PaymentMode; deposit: Money | null },
  price: Money | null,
): Money | null {
  if (payment === 'full') return price && price.amount > 0 ? price : null
  return deposit
}

/** A service of a booking, with its people and the price for each of them. */
interface PricedService {
  service: { payment: PaymentMode; deposit: Money | null }
  people: number
  price: Money | null
}

/**
 * Returns the amount to pay when booking services: the sum of their deposits and full prices. It is of kind `full` if
 * nothing is left to pay. Of kind `card` and amount 0 if only a card is saved. Undefined if nothing is due.
 */
export function prepaymentFor(
  services: readonly PricedService[],
): (Money & { kind: 'deposit' | 'full' | 'card' }) | undefined {
  const sum = (amounts: (Money | null)[]) => {
    const [first] = amounts.filter((one) => one !== null)
    const amount = amounts.reduce(
      (all, one, index) => all + (one?.amount ?? 0) * (services[index]?.people ?? 1),
      0,
    )
    return first && { amount, currency: first.currency }
  }
  const due = sum(services.map(({ service, price }) => prepaymentOf(service, price)))
  const price = sum(services.map((one) => one.price))
  if (due) return { ...due, kind: price && due.amount >= price.amount ? 'full' : 'deposit' }
  const savesCard = services.some(({ service }) => service.payment === 'card')
  return savesCard && price ? { amount: 0, currency: price.currency, kind: 'card' } : undefined
}

/** Checks the length of all steps together. */
export function stepsErrors(steps: ({ minutes?: number } | undefined)[]): FieldError[] {
  const sum = steps.reduce((minutes, step) => minutes + (step?.minutes ?? 0), 0)
  if (sum <= maxDuration) return []
  const detail = `must last at most ${maxDuration} minutes in all, and these last ${sum}`
  return [{ pointer: '', code: 'out_of_range', detail }]
}

/** Checks the members of a person's terms. */
export function termErrors(terms: object): FieldError[] {
  if ('steps' in terms && 'duration_minutes' in terms) {
    const detail = 'is not allowed beside steps, whose sum it is'
    return [{ pointer: '/duration_minutes', code: 'not_allowed', detail }]
  }
  if ('steps' in terms || 'duration_minutes' in terms || 'price' in terms) return []
  return [{ pointer: '', code: 'required', detail: 'must have a price, steps or duration_minutes' }]
}

/** Returns errors for repeated people. */
export function termsErrors(terms: ({ staff_id?: string } | undefined)[]): FieldError[] {
  return duplicateErrors(
    terms.map((one) => one?.staff_id?.toLowerCase()),
    '/staff_id',
  )
}

type WholeService = Parts & { deposit: Money | null; payment: PaymentMode; staff_ids: string[] }

/**
 * Returns errors among the parts of a complete service. Each is at a member of the creation or change, because
 * the other part may have been there before.
 */
export function partErrors(service: WholeService, given: object): FieldError[] {
  return [
    ...lengthConflicts(service, given),
    ...staffConflicts(service, given),
    ...priceConflicts(service, given),
  ]
}

function lengthConflicts({ steps, duration_minutes }: WholeService, given: object): FieldError[] {
  if (!steps || sumOf(steps) === duration_minutes) return []
  const remedy = 'steps' in given ? 'leave it out' : 'change the steps instead, or set them to null'
  const detail = `must be ${sumOf(steps)}, the sum of the steps: ${remedy}`
  return [{ pointer: '/duration_minutes', code: 'not_allowed', detail }]
}

/** Finds needs for known resources that are at none of the service's locations. */
export function needConflicts(
  { needs, location_ids }: Pick<Parts, 'needs'> & { location_ids: string[] },
  resources: ReadonlyMap<string, { name: string; location_id: string }>,
  given: object,
): FieldError[] {
  return needs.flatMap(({ resource_ids }, need) =>
    resource_ids.flatMap((id, index): FieldError[] => {
      const resource = resources.get(id)
      if (!resource || location_ids.includes(resource.location_id)) return []
      if ('needs' in given) {
        const detail = `is ${resource.name}, which is at none of the service's locations`
        return [{ pointer: `/needs/${need}/resource_ids/${index}`, code: 'not_allowed', detail }]
      }
      const detail = `must keep the location of ${resource.name}, which the service needs: change needs as well`
      return [{ pointer: '/location_ids', code: 'not_allowed', detail }]
    }),
  )
}

/** Finds terms of people who do not provide the service, and work without them at its start or end. */
function staffConflicts({ steps, terms, staff_ids }: WholeService, given: object): FieldError[] {
  const strangers = terms.flatMap(({ staff_id }, index): FieldError[] => {
    if (staff_ids.includes(staff_id)) return []
    if ('terms' in given) {
      const detail = 'is not one of the staff_ids of this service'
      return [{ pointer: `/terms/${index}/staff_id`, code: 'unknown_reference', detail }]
    }
    const detail = `must keep ${staff_id}, who has terms: change terms as well`
    return [{ pointer: '/staff_ids', code: 'not_allowed', detail }]
  })
  const ofService = staff_ids.length === 0 ? [] : edgeErrors(steps ?? [], '/steps')
  const ofTerms = terms.flatMap((one, index) => edgeErrors(one.steps ?? [], `/terms/${index}/steps`))
  return [
    ...strangers,
    ...('steps' in given || ofService.length === 0 ? ofService : [mustStayUnstaffed]),
    ...ofTerms,
  ]
}

const mustStayUnstaffed: FieldError = {
  pointer: '/staff_ids',
  code: 'not_allowed',
  detail: 'must be empty while the first or last step has no staff: change steps as well',
}

function edgeErrors(steps: Step[], pointer: string): FieldError[] {
  const edges = new Set([0, steps.length - 1])
  return steps.flatMap(({ staffed }, index) => {
    if (staffed || !edges.has(index)) return []
    const detail = 'must be true for the first and the last step'
    return [{ pointer: `${pointer}/${index}/staffed`, code: 'not_allowed', detail }]
  })
}

/** Finds prices of terms in another currency, or below the deposit. */
function priceConflicts({ terms, price, deposit, payment }: WholeService, given: object): FieldError[] {
  const priced = terms.flatMap((one, index) => (one.price ? [{ ...one.price, index }] : []))
  const currency = price?.currency ?? deposit?.currency ?? priced[0]?.currency
  const at = (index: number, member: string) =>
    'terms' in given ? `/terms/${index}/price/${member}` : 'deposit' in given ? '/deposit' : '/price'
  return priced.flatMap((one): FieldError[] => {
    if (one.currency !== currency) {
      const pointer = at(one.index, 'currency')
      const detail = `must be ${currency}, as all prices of the service`
      return [{ pointer, code: 'not_allowed', detail: pointer === '/price' ? otherCurrency(one) : detail }]
    }
    const step = payableStep(one.currency)
    if (payment === 'full' && one.amount % step !== 0) {
      const pointer = 'terms' in given ? `/terms/${one.index}/price/amount` : '/payment'
      return [{ pointer, code: 'not_allowed', detail: unpayable(one.currency, step) }]
    }
    if (!deposit || deposit.amount <= one.amount) return []
    const pointer = at(one.index, 'amount')
    const detail =
      pointer === '/deposit'
        ? `must be at most ${one.amount}, a price in terms`
        : `must be at least the deposit, ${deposit.amount}`
    return [{ pointer, code: 'out_of_range', detail }]
  })
}

function otherCurrency({ currency }: Money): string {
  return `must be in ${currency}, as the prices in terms: change terms as well`
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
function depositErrors({ price, deposit }: { price?: Money | null; deposit?: Money | null }): FieldError[] {
  if (!deposit) return []
  const step = payableStep(deposit.currency)
  if (Number.isInteger(deposit.amount) && deposit.amount % step !== 0) {
    return [{ pointer: '/deposit/amount', code: 'not_allowed', detail: unpayable(deposit.currency, step) }]
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

/** Formats minor units: "25.00 EUR", "500 JPY". */
export function amountText({ amount, currency }: { amount: number; currency: string }): string {
  const digits = minorDigits(currency)
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`
}

/**
 * Returns the step of payable amounts. Processors require a final 0 of three digits, and whole ariary, whose
 * minor unit is a fifth.
 */
export function payableStep(currency: string): number {
  if (currency === 'MGA') return 100
  return minorDigits(currency) === 3 ? 10 : 1
}

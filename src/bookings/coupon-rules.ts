import { type FieldError, validationProblem } from '../base/errors.ts'
import type { Instant } from '../base/instants.ts'
import { type Discount, discountOf } from '../database/discount-rules.ts'
import type { CouponsTable } from '../database/tables.ts'

export const maxCodeLength = 40

/** Checks the characters of a code. */
export function codeErrors(code: string): FieldError[] {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(code)) return []
  const detail = 'must have only the letters A to Z, digits, - and _, and begin with a letter or digit'
  return [{ pointer: '', code: 'invalid_format', detail }]
}

/** Returns a code as it is stored. */
export function storedCode(code: string): string {
  return code.toUpperCase()
}

/** The members of a coupon that depend on each other. */
interface Parts {
  percent?: number | null | undefined
  amount?: number | null | undefined
  currency?: string | null | undefined
  valid_from?: string | null | undefined
  valid_until?: string | null | undefined
}

/**
 * Checks that a coupon has one kind of reduction, and ends after it begins. A member that is undefined was given, but is
 * invalid.
 */
export function couponErrors(coupon: Parts): FieldError[] {
  const errors: FieldError[] = []
  const has = (name: keyof Parts) => Object.hasOwn(coupon, name) && coupon[name] !== null
  if (has('percent') === has('amount')) {
    const detail = has('percent')
      ? 'cannot be together with `amount`; leave one out'
      : 'is required, or `amount`'
    errors.push({ pointer: '/percent', code: has('percent') ? 'not_allowed' : 'required', detail })
  }
  if (has('amount') && !has('currency'))
    errors.push({ pointer: '/currency', code: 'required', detail: 'is required with `amount`' })
  if (!has('amount') && has('currency'))
    errors.push({ pointer: '/currency', code: 'not_allowed', detail: 'is only for `amount`; leave it out' })
  const { valid_from, valid_until } = coupon
  const [from, until] = [valid_from, valid_until].map((text) => (text ? Date.parse(text) : Number.NaN))
  if (from !== undefined && until !== undefined && until <= from)
    errors.push({ pointer: '/valid_until', code: 'out_of_range', detail: 'must be after `valid_from`' })
  return errors
}

type Limits = Pick<CouponsTable, 'active' | 'valid_from' | 'valid_until' | 'max_uses' | 'uses'>

/** Returns true if another booking may use a coupon now. */
export function isUsable({ active, valid_from, valid_until, max_uses, uses }: Limits, now: Instant): boolean {
  const isNow = (valid_from === null || valid_from <= now) && (valid_until === null || valid_until > now)
  return active === 1 && isNow && (max_uses === null || uses < max_uses)
}

/** Returns what a booking by a coupon agrees on. */
function discountBy(coupon: CouponsTable): Discount {
  const { code, percent, amount, currency } = coupon
  return { code, percent, amount, currency, service_ids: servicesOf(coupon) }
}

/** Returns the services that a coupon is for. Null: all. */
export function servicesOf({
  service_ids_json: json,
}: Pick<CouponsTable, 'service_ids_json'>): string[] | null {
  return json === null ? null : (JSON.parse(json) as string[]) // only validated IDs are written
}

/** Returns the discount for services with these prices; undefined if it takes nothing off. */
export function usefulDiscount(
  coupon: CouponsTable,
  services: Parameters<typeof discountOf>[1],
): Discount | undefined {
  const discount = discountBy(coupon)
  return discountOf(discount, services) > 0 ? discount : undefined
}

/** The one refusal of every code, so that nobody learns which codes exist. */
export function notValid(pointer: string) {
  const detail = 'is not a coupon that is valid for this booking: check the code, or leave it out'
  return validationProblem([{ pointer, code: 'not_valid', detail }])
}

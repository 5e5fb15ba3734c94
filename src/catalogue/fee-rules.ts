import type { FieldError } from '../base/errors.ts'
import type { Fee, Money, PaymentMode } from './catalogue-types.ts'
import { duplicateErrors } from './schedule-rules.ts'

/** Most fees for late cancellations of one service. */
export const maxFees = 3

/** The fees of a service. */
export interface FeeRules {
  fees: Fee[]
  no_show_percent: number | null
}

/** Returns fees with the longest time first. */
export function sortedFees(fees: readonly Fee[]): Fee[] {
  return fees.toSorted((one, other) => other.within_minutes - one.within_minutes)
}

/** Returns errors for repeated times. */
export function feesErrors(fees: readonly ({ within_minutes?: number } | undefined)[]): FieldError[] {
  return duplicateErrors(
    fees.map((fee) => fee?.within_minutes?.toString()),
    '/within_minutes',
  )
}

/** Returns errors of fees without a card or a price, at a member of the creation or change. */
export function feeConflicts(
  { fees, no_show_percent, payment, price }: FeeRules & { payment: PaymentMode; price: Money | null },
  given: object,
): FieldError[] {
  if (!hasFees({ fees, no_show_percent })) return []
  const [fee] = ['fees', 'no_show_percent'].filter((name) => name in given && isSet(given, name))
  if (payment === 'none') {
    const detail = fee
      ? 'needs payment card, deposit or full, because a fee is charged to the card'
      : 'cannot be none while there are fees: remove fees and no_show_percent as well'
    return [{ pointer: `/${fee ?? 'payment'}`, code: 'not_allowed', detail }]
  }
  if (price) return []
  return [{ pointer: '/price', code: 'required', detail: 'is required with fees, which are parts of it' }]
}

function isSet(given: object, name: string): boolean {
  const value = (given as Record<string, unknown>)[name]
  return Array.isArray(value) ? value.length > 0 : value !== null
}

/** True if a late cancellation or a no-show costs something. */
export function hasFees({ fees, no_show_percent }: FeeRules): boolean {
  return fees.length > 0 || no_show_percent !== null
}

import type { Service } from '../api/api-types.ts'
import { isAsking } from './request-rules.ts'

/** When clients may move and cancel. */
export type ChangeRules = Pick<
  Service,
  'cancel_until_minutes' | 'reschedule_until_minutes' | 'max_reschedules'
> & {
  /** False if a late cancellation or a no-show costs a fee, which its own sentences state. */
  isFree?: boolean
}

/**
 * Returns the strictest rules of several services; undefined without one. Clients cannot move a booking that the business
 * confirms.
 */
export function strictestRules(
  services: (ChangeRules & Pick<Service, 'confirmation' | 'fees' | 'no_show_percent'>)[],
): ChangeRules | undefined {
  if (services.length === 0) return undefined
  const longest = (minutes: (number | null)[]) =>
    minutes.some((one) => one === null) ? null : Math.max(...minutes.map((one) => one ?? 0))
  return {
    cancel_until_minutes: longest(services.map((one) => one.cancel_until_minutes)),
    reschedule_until_minutes: longest(
      services.map((one) => (isAsking(one) ? null : one.reschedule_until_minutes)),
    ),
    max_reschedules: Math.min(...services.map((one) => one.max_reschedules)),
    isFree: services.every(({ fees, no_show_percent }) => !fees?.length && !no_show_percent),
  }
}

import type { Money } from '../api/api-types.ts'

/** Returns the price minus the deposit, to pay on site. Undefined without a deposit or a remainder. */
export function leftOnSite(
  price: Money | null | undefined,
  deposit: Money | null | undefined,
): Money | undefined {
  if (!price || !deposit || price.currency !== deposit.currency) return undefined
  const amount = price.amount - deposit.amount
  return amount > 0 ? { amount, currency: price.currency } : undefined
}

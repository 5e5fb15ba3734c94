import type { Money } from '../catalogue/catalogue-types.ts'
import { amountText, minorDigits } from '../catalogue/currency-rules.ts'
import { currencyFaults } from '../catalogue/service-rules.ts'
import { UsageError } from '../errors.ts'

/** Reads an amount as people write it: "25 EUR", "25.50 EUR". Throws a UsageError. */
export function readMoney(text: string): Money {
  const [, whole = '', fraction = '', code = ''] =
    /^(\d{1,9})(?:\.(\d{1,4}))? ?([A-Za-z]{3})$/.exec(text.trim()) ?? []
  const currency = code.toUpperCase()
  const digits = currencyFaults(currency).length === 0 ? minorDigits(currency) : -1
  if (digits < 0 || fraction.length > digits) {
    throw new UsageError(`"${text}" is no amount of money; write "25 EUR" or "25.50 EUR".`)
  }
  return { amount: Number(whole + fraction.padEnd(digits, '0')), currency }
}

/** An amount for people, in the form in which it is read. */
export function moneyText(money: Money | null): string {
  return money ? amountText(money) : ''
}

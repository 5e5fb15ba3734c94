import type { Money, Terms } from '../../catalogue/catalogue-types.ts'
import { lowestPrice } from '../../catalogue/service-rules.ts'
import { moneyText } from '../../mails/times-and-money.ts'
import type { ConsoleLanguage } from './texts.ts'

/** Formats a price. One of 0 is the word for free; "from" says that others are dearer. Undefined without a price. */
export function priceText(
  { texts: { services: words }, locale }: ConsoleLanguage,
  price: Money | null,
  isFrom = false,
): string | undefined {
  if (price === null) return undefined
  const amount = moneyText(price, locale)
  return isFrom ? words.priceFrom({ amount }) : price.amount === 0 ? words.free : amount
}

/** Formats the price of a service by a person, or by anyone if `who` is empty. Undefined without a price. */
export function servicePriceText(
  language: ConsoleLanguage,
  service: { price: Money | null; terms: Terms[]; staff_ids: readonly string[] },
  who = '',
): string | undefined {
  const { price, isFrom } = lowestPrice(service, who || null)
  return priceText(language, price, isFrom)
}

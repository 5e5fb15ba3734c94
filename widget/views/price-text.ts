import type { Money } from '../api/api-types.ts'
import { fill, type Texts } from '../texts.ts'
import type { Formats } from '../times/formats.ts'

/** Formats a price. One of 0 is the word for free; "from" says that others are dearer. */
export function priceText(
  price: Money,
  { texts, formats }: { texts: Pick<Texts, 'from' | 'noCharge'>; formats: Formats },
  isFrom = false,
): string {
  const amount = formats.money(price)
  return isFrom ? fill(texts.from, { amount }) : price.amount ? amount : texts.noCharge
}

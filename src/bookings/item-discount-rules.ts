import { discountsOf, readDiscount } from '../database/discount-rules.ts'

interface PricedItem {
  service_id: string
  party_size: number
  /** For one person, in minor units. */
  amount: number | null
  currency: string | null
}

/** An item with the discount of its whole booking, as the database keeps it. */
export type Discounted<Item> = Item & { discount_json: string | null }

/**
 * Replaces the discount of each booking by that of each of its items, in minor units. Items of one booking have the same
 * name and come together.
 */
export function withDiscounts<Item extends PricedItem>(
  rows: readonly Discounted<Item>[],
  nameOf: (item: Item) => string,
): (Omit<Discounted<Item>, 'discount_json'> & { discount: number })[] {
  const items = rows.map(({ discount_json: _, ...item }) => ({ ...item, discount: 0 }))
  for (const [from, to] of runsOf(rows, nameOf)) {
    const discount = readDiscount(rows[from]?.discount_json ?? null)
    if (!discount) continue
    const priced = rows.slice(from, to).map(({ service_id, amount, currency, party_size }) => ({
      serviceId: service_id,
      price: amount === null || !currency ? null : { amount: amount * party_size, currency },
    }))
    for (const [index, off] of discountsOf(discount, priced).entries()) {
      const item = items[from + index]
      if (item) item.discount = off
    }
  }
  return items
}

/** Yields the start and end of each run of items with one name. */
export function* runsOf<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
): Generator<[from: number, to: number]> {
  for (let from = 0; from < items.length;) {
    const name = nameOf(items[from] as Item) // within the list
    let to = from + 1
    while (to < items.length && nameOf(items[to] as Item) === name) to += 1
    yield [from, to]
    from = to
  }
}

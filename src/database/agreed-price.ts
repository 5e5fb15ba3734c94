import { sql } from 'kysely'

/**
 * The price of a booking `b` for one person, in minor units: as agreed when it was booked; from before that was kept, the
 * present one of its service `s`. Null: none.
 */
export const priceAmount = sql<number | null>`
  case when b.agreed_currency is null then s.price_amount else b.agreed_amount end`

/** The currency of `priceAmount`. */
export const priceCurrency = sql<string | null>`
  case when b.agreed_currency is null then s.price_currency else nullif(b.agreed_currency, '') end`

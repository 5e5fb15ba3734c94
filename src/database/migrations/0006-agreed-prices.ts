import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'

/** The price at the time of booking. Older bookings have none and show the present price of their service. */
export async function agreedPrices(db: Kysely<unknown>, engine: Engine): Promise<void> {
  for (const statement of engine === 'postgres' ? inPostgres : inSqlite) await sql.raw(statement).execute(db)
}

const isMoney = `(agreed_amount is null) = (coalesce(agreed_currency, '') = '') and coalesce(agreed_amount, 0) >= 0`

/*
 * Not valid: otherwise every row would be read under a lock that blocks all other statements. The new columns of old
 * rows are null, which satisfies the constraint.
 */
const inPostgres = [
  `alter table bookings
    add column agreed_amount integer,
    add column agreed_currency text,
    add constraint bookings_agreed_price check (${isMoney}) not valid`,
]

const inSqlite = [
  `alter table bookings add column agreed_amount integer`,
  `alter table bookings add column agreed_currency text check (${isMoney})`,
]

import { type Kysely, sql } from 'kysely'

/**
 * Services that charge their whole price when booked. A service with a deposit has no mode: the deposit is it. So a
 * server of the previous release can still set and remove deposits. Neither column has a check of its values, so that
 * later modes need no new table.
 */
export async function paymentModes(db: Kysely<unknown>): Promise<void> {
  const statements = [
    'alter table services add column payment text check (payment is null or deposit_amount is null)',
    `alter table payments add column kind text not null default 'deposit'`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'

/** Indexes for the money of some days, and for all that is due. */
export async function paymentsByDay(db: Kysely<unknown>, _engine: Engine): Promise<void> {
  const statements = [
    `create index payments_by_arrival on payments (business_id, paid_at, id) where paid_at is not null`,
    `create index payments_due on payments (business_id, created_at, id) where status = 'due'`,
    `create index refunds_by_day on refunds (business_id, refunded_at) where refunded_at is not null`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

import { sql, type Kysely } from 'kysely'
import type { Engine } from '../database.ts'
import { bookingTables } from './bookings.ts'
import { catalogueTables } from './catalogue.ts'
import { overlapRules } from './claim-rules.ts'
import { idempotencyTables } from './idempotency.ts'
import { mailTables } from './mails.ts'
import { paymentTables } from './payments.ts'
import { rateLimitTables } from './rate-limits.ts'
import { strangerTables } from './strangers.ts'
import { webhookTables } from './webhooks.ts'

/** Everything of the first release: who calls, what is offered, what is held, booked and paid, what happened. */
export async function firstSchema(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const statements = [
    ...catalogueTables(engine),
    ...paymentTables(engine),
    ...bookingTables(engine),
    ...overlapRules(engine),
    ...strangerTables(engine),
    ...webhookTables(engine),
    ...mailTables(engine),
    ...idempotencyTables(engine),
    ...rateLimitTables(engine),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

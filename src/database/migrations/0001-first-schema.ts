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

/** The tables of the first release: callers, catalogue, holds, bookings, payments, events. */
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

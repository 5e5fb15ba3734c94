import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * Mail servers and Stripe accounts of businesses. Passwords and keys are encrypted. Payments name the account that took
 * them: docs/decisions/0020-no-keys-to-what-stays.md. Null: the account of this server.
 */
export async function ownAccounts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, table } = columnTypes(engine)
  const statements = [
    table(
      'own_mail_servers',
      `business_id ${id} primary key references businesses (id),
       host text not null,
       port integer not null check (port between 1 and 65535),
       user_name text not null,
       password_sealed text not null,
       from_email text not null,
       ${instant('set_at')} not null,
       ${instant('failed_at')},
       last_error text`,
    ),
    table(
      'own_stripe_accounts',
      `id ${id} primary key,
       business_id ${id} not null references businesses (id),
       key_last_four text not null,
       key_sealed text not null,
       webhook_secret_sealed text not null,
       ${instant('set_at')} not null,
       ${instant('ended_at')}`,
    ),
    `create unique index own_stripe_accounts_present on own_stripe_accounts (business_id) where ended_at is null`,
    `create index own_stripe_accounts_by_business on own_stripe_accounts (business_id, set_at)`,
    `alter table payments add column stripe_account_id ${id}`,
    `create index payments_by_business on payments (business_id, created_at, id)`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

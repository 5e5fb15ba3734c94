import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * Saved cards, and fees that are charged to them. A saved card is a payment of amount 0. A charge begins with the status
 * `charging`. A server of the previous release does not know that status: it fails to check such a payment and leaves it
 * to the others.
 */
export async function cardsAndFees(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { instant, json } = columnTypes(engine)
  const statements = [
    `alter table services add column fees_json ${json}`,
    `alter table services add column no_show_percent integer check (no_show_percent between 1 and 100)`,
    `alter table bookings add column fee_rules_json ${json}`,
    `alter table bookings add column fee_consent text`,
    `alter table bookings add column ${instant('fee_agreed_at')}`,
    `alter table bookings add column ${instant('agreed_starts_at')}`,
    ...(engine === 'postgres' ? inPostgres(engine) : inSqlite(engine)),
    `create unique index payments_by_occasion on payments (booking_id, occasion) where occasion is not null`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statuses = `status in ('preparing', 'due', 'paid', 'expired', 'refunded', 'charging', 'waived')`
const cardColumn = `card text check (card in ('works', 'needs_authentication', 'declined', 'fails_later'))`
const amounts = `amount > 0 or (amount = 0 and kind = 'card')`

function addedColumns(engine: Engine): string[] {
  const { instant } = columnTypes(engine)
  return [
    `saves_card integer not null default 0 check (saves_card in (0, 1))`,
    `reason text`,
    `occasion text`,
    instant('charge_begun_at'),
    `failure text`,
    `dispute text check (dispute in ('open', 'won', 'lost'))`,
    instant('disputed_at'),
  ]
}

function inPostgres(engine: Engine): string[] {
  return [
    `alter table payments drop constraint payments_status_check, add constraint payments_status_check check (${statuses}),
       drop constraint payments_amount_check, add constraint payments_amount_check check (${amounts})`,
    ...addedColumns(engine).map((column) => `alter table payments add column ${column}`),
    `alter table sandbox_checkouts add column ${cardColumn}`,
  ]
}

const paymentColumns =
  'id, business_id, booking_id, provider, amount, currency, status, order_digest, checkout_reference, ' +
  'payment_reference, closed_because, checks, expires_at, next_check_at, last_page_check_at, paid_at, ' +
  'refund_requested_at, refunded_at, created_at, stripe_account_id, kind, refund_total, refunded_amount'

/**
 * SQLite cannot change a constraint. Bookings and the sandbox's tables refer to the replaced table, so their foreign keys
 * are checked at the end: inserting the payments again satisfies them, and renaming a table would not.
 */
function inSqlite(engine: Engine): string[] {
  const { id, instant, table } = columnTypes(engine)
  return [
    'pragma defer_foreign_keys = on',
    `create table kept_payments as select ${paymentColumns} from payments`,
    `drop table payments`,
    table(
      'payments',
      `id ${id} primary key,
       business_id ${id} not null,
       booking_id ${id} not null,
       provider text not null check (provider in ('stripe', 'sandbox')),
       amount integer not null check (${amounts}),
       currency text not null,
       status text not null check (${statuses}),
       order_digest text not null,
       checkout_reference text,
       payment_reference text,
       closed_because text check (closed_because in ('expired', 'cancelled', 'confirmed')),
       checks integer not null default 0,
       ${instant('expires_at')} not null,
       ${instant('next_check_at')},
       ${instant('last_page_check_at')},
       ${instant('paid_at')},
       ${instant('refund_requested_at')},
       ${instant('refunded_at')},
       ${instant('created_at')} not null,
       stripe_account_id ${id},
       kind text not null default 'deposit',
       refund_total integer not null default 0 check (refund_total >= 0 and refund_total <= amount),
       refunded_amount integer not null default 0 check (refunded_amount >= 0 and refunded_amount <= amount),
       ${addedColumns(engine).join(',\n       ')},
       check (status not in ('paid', 'refunded') or (paid_at is not null and payment_reference is not null)),
       check ((status = 'refunded') = (refunded_at is not null))`,
    ),
    `insert into payments (${paymentColumns}) select ${paymentColumns} from kept_payments`,
    `drop table kept_payments`,
    `alter table sandbox_checkouts add column ${cardColumn}`,
    `create index payments_by_booking on payments (booking_id)`,
    `create index payments_by_reference on payments (payment_reference) where payment_reference is not null`,
    `create index payments_by_next_check on payments (next_check_at) where next_check_at is not null`,
    `create index payments_by_age on payments (created_at)`,
    `create index payments_by_business on payments (business_id, created_at, id)`,
  ]
}

import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * Refunds of a part of a payment. `refund_total` is what was asked back, `refunded_amount` what the processor has given
 * back. Every earlier refund was whole. A server of the previous release may still ask for a whole refund: it sets
 * `refund_requested_at` alone, and the next check of the payment adds the row.
 */
export async function refunds(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, table } = columnTypes(engine)
  const statements = [
    `alter table payments add column refund_total integer not null default 0
       check (refund_total >= 0 and refund_total <= amount)`,
    `alter table payments add column refunded_amount integer not null default 0
       check (refunded_amount >= 0 and refunded_amount <= amount)`,
    table(
      'refunds',
      `payment_id ${id} not null,
       number integer not null check (number > 0),
       business_id ${id} not null,
       amount integer not null check (amount > 0),
       status text not null check (status in ('requested', 'refunded', 'failed')),
       by_hand integer not null default 0 check (by_hand in (0, 1)),
       reason text,
       processor_reference text,
       ${instant('requested_at')} not null,
       ${instant('refunded_at')},
       primary key (payment_id, number),
       unique (payment_id, processor_reference)`,
    ),
    table(
      'sandbox_refunds',
      `payment_id ${id} not null references sandbox_checkouts (payment_id) on delete cascade,
       number integer not null,
       amount integer not null check (amount > 0),
       ${instant('refunded_at')} not null,
       primary key (payment_id, number)`,
    ),
    `insert into refunds (payment_id, number, business_id, amount, status, requested_at, refunded_at)
     select id, 1, business_id, amount, case when status = 'refunded' then 'refunded' else 'requested' end,
            refund_requested_at, refunded_at
       from payments where refund_requested_at is not null`,
    `update payments set refund_total = amount where refund_requested_at is not null`,
    `update payments set refunded_amount = amount where status = 'refunded'`,
    `insert into sandbox_refunds (payment_id, number, amount, refunded_at)
     select c.payment_id, 1, p.amount, c.refunded_at
       from sandbox_checkouts as c join payments as p on p.id = c.payment_id
      where c.refunded_at is not null`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

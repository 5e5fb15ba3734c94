import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** Deposits: the payments of bookings, and the built-in sandbox processor. */
export function paymentTables(engine: Engine): string[] {
  const { id, instant, table } = columnTypes(engine)
  return [
    // booking_id is the ID of the hold: a checkout opens before the booking exists, and the booking may never exist
    table(
      'payments',
      `id ${id} primary key,
       business_id ${id} not null,
       booking_id ${id} not null,
       provider text not null check (provider in ('stripe', 'sandbox')),
       amount integer not null check (amount > 0),
       currency text not null,
       status text not null check (status in ('preparing', 'due', 'paid', 'expired', 'refunded')),
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
       check (status not in ('paid', 'refunded') or (paid_at is not null and payment_reference is not null)),
       check ((status = 'refunded') = (refunded_at is not null))`,
    ),
    `create index payments_by_booking on payments (booking_id)`,
    `create index payments_by_reference on payments (payment_reference) where payment_reference is not null`,
    `create index payments_by_next_check on payments (next_check_at) where next_check_at is not null`,
    `create index payments_by_age on payments (created_at)`,
    table(
      'processor_events',
      `provider text not null,
       event_id text not null,
       ${instant('applied_at')} not null,
       primary key (provider, event_id)`,
    ),
    `create index processor_events_by_age on processor_events (applied_at)`,
    table(
      'sandbox_checkouts',
      `reference text primary key,
       payment_id ${id} not null unique references payments (id),
       service_name text not null,
       status text not null check (status in ('open', 'paid', 'expired')),
       ${instant('refunded_at')},
       ${instant('created_at')} not null`,
    ),
  ]
}

import type { Engine } from '../database.ts'
import { claimTable } from './claim-rules.ts'
import { columnTypes } from './column-types.ts'

/**
 * Bookings, and `claims`: holds, and the times of bookings. The rows that they reference are never deleted, so they
 * need no foreign keys. Each key would lock a row that everyone who books at that business locks
 * (docs/decisions/0020-no-keys-to-what-stays.md).
 */
export function bookingTables(engine: Engine): string[] {
  return [...tableOfBookings(engine), ...claimTable(engine)]
}

function tableOfBookings(engine: Engine): string[] {
  const { id, instant, json, table } = columnTypes(engine)
  return [
    table(
      'bookings',
      `id ${id} not null,
       business_id ${id} not null,
       service_id ${id} not null,
       location_id ${id} not null,
       staff_id ${id},
       chosen_staff_id ${id},
       ${instant('starts_at')} not null,
       ${instant('ends_at')} not null,
       party_size integer not null default 1 check (party_size >= 1),
       status text not null check (status in ('pending', 'confirmed', 'in_progress', 'completed', 'cancelled')),
       notes text,
       client_first_name text not null,
       client_last_name text not null,
       client_email text not null,
       client_phone text,
       client_search text not null,
       custom_field_values_json ${json} not null,
       owner_id ${id} not null,
       counted_client text,
       payment_id ${id} references payments (id),
       locale text,
       ${instant('scheduled_at')} not null,
       ${instant('confirmed_at')},
       ${instant('cancelled_at')},
       ${instant('no_show_at')},
       cancel_reason text,
       manage_generation integer not null check (manage_generation >= 1),
       manage_digest text not null unique,
       client_reschedules integer not null check (client_reschedules >= 0),
       ${instant('created_at')} not null,
       ${instant('updated_at')} not null,
       version integer not null check (version >= 1),
       primary key (business_id, id),
       check (ends_at > starts_at),
       check ((status = 'cancelled') = (cancelled_at is not null)),
       check (no_show_at is null or status = 'completed')`,
    ),
    `create index bookings_by_creation on bookings (business_id, created_at, id)`,
    `create index bookings_by_start on bookings (business_id, starts_at, id)`,
    `create index bookings_by_email on bookings (business_id, lower(client_email))`,
    `create index bookings_by_staff on bookings (staff_id, starts_at) where staff_id is not null and cancelled_at is null`,
    `create index bookings_by_counted_client on bookings (business_id, counted_client, starts_at)
      where counted_client is not null and cancelled_at is null`,
    `create index bookings_by_payment on bookings (payment_id) where payment_id is not null`,
    `create index bookings_unpaid on bookings (owner_id) where status = 'pending' and confirmed_at is null`,
  ]
}

import { sql, type Kysely } from 'kysely'
import type { Engine } from '../database.ts'
import { catalogueTables } from './0001-catalogue.ts'
import { idempotencyTables } from './0001-idempotency.ts'
import { atMost72Hours, overlapRules } from './0001-claim-rules.ts'
import { rateLimitTables } from './0001-rate-limits.ts'
import { columnTypes } from './column-types.ts'

/** Everything of the first release: who calls, what is offered, what is held and booked, what happened. */
export async function firstSchema(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const statements = [
    ...catalogueTables(engine),
    ...bookingTables(engine),
    ...idempotencyTables(engine),
    ...overlapRules(engine),
    ...rateLimitTables(engine),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

function bookingTables(engine: Engine): string[] {
  const { id, instant, json, table } = columnTypes(engine)
  return [
    table(
      'holds',
      `id ${id} not null,
       business_id ${id} not null references businesses (id),
       service_id ${id} not null,
       location_id ${id} not null,
       staff_id ${id},
       ${instant('starts_at')} not null,
       ${instant('ends_at')} not null,
       ${instant('expires_at')} not null,
       owner_id ${id} not null,
       owner_sequence integer,
       client_network text,
       ${instant('created_at')} not null,
       ${instant('released_at')},
       primary key (business_id, id),
       unique (owner_id, owner_sequence),
       check (ends_at > starts_at),
       foreign key (business_id, service_id) references services (business_id, id),
       foreign key (business_id, location_id) references locations (business_id, id),
       foreign key (business_id, staff_id) references staff (business_id, id)`,
    ),
    `create index holds_by_network on holds (client_network, expires_at) where client_network is not null`,
    `create index holds_by_expiry on holds (expires_at)`,
    table(
      'bookings',
      `id ${id} not null,
       business_id ${id} not null references businesses (id),
       service_id ${id} not null,
       location_id ${id} not null,
       staff_id ${id},
       ${instant('starts_at')} not null,
       ${instant('ends_at')} not null,
       status text not null check (status in ('pending', 'confirmed', 'in_progress', 'completed', 'cancelled')),
       notes text,
       client_first_name text not null,
       client_last_name text not null,
       client_email text not null,
       client_phone text,
       custom_field_values_json ${json} not null,
       owner_id ${id} not null,
       ${instant('cancelled_at')},
       ${instant('created_at')} not null,
       ${instant('updated_at')} not null,
       version integer not null check (version >= 1),
       primary key (business_id, id),
       check (ends_at > starts_at),
       check ((status = 'cancelled') = (cancelled_at is not null)),
       foreign key (business_id, service_id) references services (business_id, id),
       foreign key (business_id, location_id) references locations (business_id, id),
       foreign key (business_id, staff_id) references staff (business_id, id)`,
    ),
    `create index bookings_by_creation on bookings (business_id, created_at, id)`,
    `create index bookings_by_start on bookings (business_id, starts_at)`,
    `create index bookings_by_email on bookings (business_id, lower(client_email))`,
    `create index bookings_by_staff on bookings (staff_id, starts_at) where staff_id is not null and cancelled_at is null`,
    table(
      'events',
      `id ${id} not null,
       business_id ${id} not null references businesses (id),
       booking_id ${id} not null,
       type text not null,
       payload text not null,
       ${instant('occurred_at')} not null,
       primary key (business_id, id),
       foreign key (business_id, booking_id) references bookings (business_id, id)`,
    ),
    `create index events_by_booking on events (business_id, booking_id)`,
    table(
      'claims',
      `id ${id} primary key,
       business_id ${id} not null references businesses (id),
       resource_id ${id} not null,
       seat integer not null check (seat >= 0),
       occurrence_id ${id} not null,
       ${instant('starts_at')} not null,
       ${instant('ends_at')} not null,
       owner_id ${id},
       ${instant('expires_at')},
       booking_id ${id},
       check (ends_at > starts_at),
       check (${atMost72Hours(engine)}),
       check ((booking_id is null) = (expires_at is not null)),
       check ((booking_id is null) = (owner_id is not null)),
       check (booking_id is null or booking_id = id),
       foreign key (business_id, booking_id) references bookings (business_id, id)`,
    ),
    `create index claims_by_resource on claims (resource_id, starts_at)`,
    `create index claims_by_owner on claims (owner_id) where owner_id is not null`,
    `create index claims_by_expiry on claims (expires_at) where expires_at is not null`,
  ]
}

import { sql, type Kysely } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** What sessions may book from one address and for one client, whom a business blocks, and the secret of the server. */
export async function strangers(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, json, table } = columnTypes(engine)
  const statements = [
    `alter table businesses add column max_bookings_per_client integer default 5
       check (max_bookings_per_client between 1 and 100)`,
    `alter table businesses add column trusted_networks_json ${json}`,
    `alter table holds add column client_wider_network text`,
    `create index holds_by_wider_network on holds (client_wider_network, expires_at)
      where client_wider_network is not null`,
    `alter table bookings add column counted_client text`,
    `create index bookings_by_counted_client on bookings (business_id, counted_client, starts_at)
      where counted_client is not null and cancelled_at is null`,
    `create index bookings_unpaid on bookings (owner_id) where status = 'pending' and confirmed_at is null`,
    // id: of the booking, or of nothing else where a booking was refused
    table(
      'booking_attempts',
      `business_id ${id} not null references businesses (id),
       id ${id} not null,
       network text not null,
       wider_network text,
       ${instant('counted_at')} not null,
       primary key (business_id, id)`,
    ),
    `create index booking_attempts_by_network on booking_attempts (network, business_id, counted_at)`,
    `create index booking_attempts_by_wider_network on booking_attempts (wider_network, business_id, counted_at)
      where wider_network is not null`,
    `create index booking_attempts_by_age on booking_attempts (counted_at)`,
    table(
      'blocked_clients',
      `business_id ${id} not null references businesses (id),
       email text not null,
       ${instant('blocked_at')} not null,
       primary key (business_id, email)`,
    ),
    table('server_secrets', `name text primary key, secret text not null, ${instant('created_at')} not null`),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

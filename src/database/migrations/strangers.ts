import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** Bookings of sessions by address, blocked clients, and the secret of the server. */
export function strangerTables(engine: Engine): string[] {
  const { id, instant, table } = columnTypes(engine)
  return [
    // id: of the booking; random if a booking was refused
    table(
      'booking_attempts',
      `business_id ${id} not null,
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
}

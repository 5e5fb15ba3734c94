import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** People who log in, their access, their log-ins, and links to set a password. */
export async function people(db: Kysely<unknown>, engine: Engine): Promise<void> {
  for (const statement of [...personTables(engine), ...logInTables(engine)])
    await sql.raw(statement).execute(db)
}

function personTables(engine: Engine): string[] {
  const { id, instant, table } = columnTypes(engine)
  return [
    // email: in lower case. totp_step: step of the last accepted code, so that none is accepted twice (RFC 6238, 5.2)
    table(
      'users',
      `id ${id} primary key,
       email text not null unique,
       name text not null,
       password_hash text,
       ${instant('password_set_at')},
       totp_secret text,
       ${instant('totp_since')},
       totp_step integer not null default 0,
       ${instant('created_at')} not null,
       ${instant('disabled_at')},
       check ((password_hash is null) = (password_set_at is null)),
       check (totp_since is null or totp_secret is not null)`,
    ),
    table(
      'user_places',
      `id ${id} primary key,
       user_id ${id} not null references users (id),
       business_id ${id} references businesses (id),
       hub_id ${id} references hubs (id),
       role text not null check (role in ('owner', 'manager', 'staff')),
       staff_id ${id},
       ${instant('created_at')} not null,
       ${instant('disabled_at')},
       check ((business_id is null) <> (hub_id is null)),
       check (role <> 'staff' or staff_id is not null),
       check (staff_id is null or business_id is not null),
       foreign key (business_id, staff_id) references staff (business_id, id)`,
    ),
    `create unique index user_places_by_business on user_places (business_id, user_id) where business_id is not null`,
    `create unique index user_places_by_hub on user_places (hub_id, user_id) where hub_id is not null`,
    `create index user_places_by_user on user_places (user_id, created_at, id)`,
    table(
      'user_recovery_codes',
      `user_id ${id} not null references users (id),
       digest text not null,
       ${instant('used_at')},
       primary key (user_id, digest)`,
    ),
  ]
}

function logInTables(engine: Engine): string[] {
  const { id, instant, table } = columnTypes(engine)
  return [
    // confirmed_at: null until the second step is done. network: the address, or its IPv6 /64
    table(
      'user_logins',
      `id ${id} primary key,
       user_id ${id} not null references users (id),
       place_id ${id} not null references user_places (id),
       digest text not null unique,
       device text not null,
       address text,
       network text not null,
       ${instant('created_at')} not null,
       ${instant('confirmed_at')},
       ${instant('last_seen_at')} not null,
       ${instant('expires_at')} not null,
       ${instant('ended_at')}`,
    ),
    `create index user_logins_by_user on user_logins (user_id, created_at)`,
    `create index user_logins_by_expiry on user_logins (expires_at)`,
    // without a user: the link of the first owner, which has one row
    table(
      'user_links',
      `id ${id} primary key,
       user_id ${id} references users (id),
       digest text not null unique,
       ${instant('created_at')} not null,
       ${instant('expires_at')} not null,
       ${instant('used_at')}`,
    ),
    `create unique index user_links_of_first_owner on user_links ((user_id is null)) where user_id is null`,
    `create index user_links_by_user on user_links (user_id) where user_id is not null`,
    `create index user_links_by_expiry on user_links (expires_at)`,
  ]
}

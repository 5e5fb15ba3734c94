import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

const roles = `role in ('owner', 'manager', 'front_desk', 'staff')`

/** The role front_desk. Older servers that run next to newer ones refuse its requests. */
export async function frontDesk(db: Kysely<unknown>, engine: Engine): Promise<void> {
  for (const statement of changes[engine](engine)) await sql.raw(statement).execute(db)
}

const changes: Record<Engine, (engine: Engine) => string[]> = {
  postgres: () =>
    ['user_places', 'user_invitations'].map(
      (name) =>
        `alter table ${name} drop constraint ${name}_role_check, add constraint ${name}_role_check check (${roles})`,
    ),
  // SQLite cannot remove a constraint. Log-ins move along, because they refer to the replaced table
  sqlite: (engine) => [...newPlaces(engine), ...newLogIns(engine), ...renamed, ...newInvitations(engine)],
}

const placeColumns =
  'id, user_id, business_id, hub_id, role, staff_id, created_at, disabled_at, hub_disabled_at'

function newPlaces(engine: Engine): string[] {
  const { id, instant, table } = columnTypes(engine)
  return [
    table(
      'user_places_of_four_roles',
      `id ${id} primary key,
       user_id ${id} not null references users (id),
       business_id ${id} references businesses (id),
       hub_id ${id} references hubs (id),
       role text not null check (${roles}),
       staff_id ${id},
       ${instant('created_at')} not null,
       ${instant('disabled_at')},
       ${instant('hub_disabled_at')},
       check ((business_id is null) <> (hub_id is null)),
       check (role <> 'staff' or staff_id is not null),
       check (staff_id is null or business_id is not null),
       foreign key (business_id, staff_id) references staff (business_id, id)`,
    ),
    `insert into user_places_of_four_roles (${placeColumns}) select ${placeColumns} from user_places`,
  ]
}

const logInColumns =
  'id, user_id, place_id, digest, device, address, network, created_at, confirmed_at, last_seen_at, expires_at, ended_at'

function newLogIns(engine: Engine): string[] {
  const { id, instant, table } = columnTypes(engine)
  return [
    table(
      'user_logins_of_four_roles',
      `id ${id} primary key,
       user_id ${id} not null references users (id),
       place_id ${id} not null references user_places_of_four_roles (id),
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
    `insert into user_logins_of_four_roles (${logInColumns}) select ${logInColumns} from user_logins`,
  ]
}

/** Renaming also changes the reference of the log-ins. */
const renamed = [
  'drop table user_logins',
  'drop table user_places',
  'alter table user_places_of_four_roles rename to user_places',
  'alter table user_logins_of_four_roles rename to user_logins',
  `create unique index user_places_by_business on user_places (business_id, user_id) where business_id is not null`,
  `create unique index user_places_by_hub on user_places (hub_id, user_id) where hub_id is not null`,
  `create index user_places_by_user on user_places (user_id, created_at, id)`,
  `create index user_logins_by_user on user_logins (user_id, created_at)`,
  `create index user_logins_by_expiry on user_logins (expires_at)`,
]

const invitationColumns = 'id, email, business_id, hub_id, role, staff_id, invited_by, created_at, expires_at'

function newInvitations(engine: Engine): string[] {
  const { id, instant, table } = columnTypes(engine)
  return [
    table(
      'user_invitations_of_four_roles',
      `id ${id} primary key,
       email text not null,
       business_id ${id} references businesses (id),
       hub_id ${id} references hubs (id),
       role text not null check (${roles}),
       staff_id ${id},
       invited_by ${id} references users (id),
       ${instant('created_at')} not null,
       ${instant('expires_at')} not null,
       check ((business_id is null) <> (hub_id is null)),
       check (role <> 'staff' or staff_id is not null),
       check (staff_id is null or business_id is not null),
       foreign key (business_id, staff_id) references staff (business_id, id)`,
    ),
    `insert into user_invitations_of_four_roles (${invitationColumns}) select ${invitationColumns} from user_invitations`,
    'drop table user_invitations',
    'alter table user_invitations_of_four_roles rename to user_invitations',
    `create unique index user_invitations_by_business on user_invitations (business_id, email) where business_id is not null`,
    `create unique index user_invitations_by_hub on user_invitations (hub_id, email) where hub_id is not null`,
    `create index user_invitations_by_email on user_invitations (email)`,
    `create index user_invitations_by_expiry on user_invitations (expires_at)`,
  ]
}

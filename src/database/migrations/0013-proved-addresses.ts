import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * Proof of people's addresses, invitations, and changes of an address. All earlier accounts count as unproved, because
 * there is no record of their creator.
 */
export async function provedAddresses(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, table } = columnTypes(engine)
  const statements = [
    `alter table users add column ${instant('email_proved_at')}`,
    // since when the owner of a hub, rather than of the business, has disabled the person there
    `alter table user_places add column ${instant('hub_disabled_at')}`,
    // 1: it was emailed to the person's address, or the operator vouches for the recipient; 0: another person delivers
    // it
    `alter table user_links add column proves_address integer not null default 0 check (proves_address in (0, 1))`,
    `alter table user_mails add column invitation_id ${id}`,
    `alter table user_mails add column email_change_id ${id}`,
    // an address typed to request a new password; it may belong to nobody
    `alter table user_mails add column wished_email text`,
    table(
      'user_invitations',
      `id ${id} primary key,
       email text not null,
       business_id ${id} references businesses (id),
       hub_id ${id} references hubs (id),
       role text not null check (role in ('owner', 'manager', 'staff')),
       staff_id ${id},
       invited_by ${id} references users (id),
       ${instant('created_at')} not null,
       ${instant('expires_at')} not null,
       check ((business_id is null) <> (hub_id is null)),
       check (role <> 'staff' or staff_id is not null),
       check (staff_id is null or business_id is not null),
       foreign key (business_id, staff_id) references staff (business_id, id)`,
    ),
    `create unique index user_invitations_by_business on user_invitations (business_id, email) where business_id is not null`,
    `create unique index user_invitations_by_hub on user_invitations (hub_id, email) where hub_id is not null`,
    `create index user_invitations_by_email on user_invitations (email)`,
    `create index user_invitations_by_expiry on user_invitations (expires_at)`,
    // one for each person: a newer one replaces it
    table(
      'user_email_changes',
      `id ${id} not null unique,
       user_id ${id} primary key references users (id),
       email text not null,
       digest text not null unique,
       ${instant('created_at')} not null,
       ${instant('expires_at')} not null`,
    ),
    `create index user_email_changes_by_expiry on user_email_changes (expires_at)`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * The waiting list: entries, the times that they are offered, and its messages. Only new tables, and columns with a
 * default, which older servers ignore. Indexes give an entry one offer at a time, and an address a few active entries.
 */
export async function waitingList(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, table, json } = columnTypes(engine)
  const messages = (name: string, recipient: string) => [
    // offer_id: null unless the message offers a time
    table(
      name,
      `id ${id} primary key,
       business_id ${id} not null references businesses (id),
       entry_id ${id} not null,
       offer_id ${id},
       kind text not null check (kind in ('joined', 'offered', 'ended')),
       ${recipient} text not null,
       to_email text,
       status text not null default 'queued' check (status in ('queued', 'sent', 'failed')),
       last_error text,
       ${instant('sent_at')},
       ${instant('seen_at')},
       attempts integer not null default 0,
       ${instant('next_attempt_at')} not null,
       ${instant('created_at')} not null`,
    ),
    `create index ${name}_due on ${name} (next_attempt_at, id)`,
    `create index ${name}_of_entry on ${name} (entry_id)`,
    `create index ${name}_to on ${name} (business_id, ${recipient}, created_at)`,
    `create index ${name}_by_age on ${name} (created_at)`,
  ]
  const statements = [
    `alter table services add column waitlist integer not null default 1 check (waitlist in (0, 1))`,
    `alter table businesses add column offer_minutes integer not null default 60 check (offer_minutes between 15 and 1440)`,
    // no keys to the catalogue and the client, which stay or go without the entry
    table(
      'waitlist_entries',
      `id ${id} primary key,
       business_id ${id} not null references businesses (id),
       status text not null check (status in ('waiting', 'offered', 'booked', 'ended')),
       ended_because text check (ended_because in ('left', 'removed', 'passed', 'unanswered')),
       client_id ${id},
       service_id ${id} not null,
       location_id ${id} not null,
       staff_id ${id},
       party_size integer not null check (party_size >= 1),
       items_json ${json},
       "from" text not null,
       "to" text not null,
       weekdays_json ${json},
       "after" text,
       "before" text,
       first_name text not null,
       last_name text not null,
       email text,
       phone text,
       locale text,
       time_zone text,
       text_consent text,
       ${instant('text_agreed_at')},
       counted_client text,
       ordinal integer check (ordinal between 0 and 2),
       made_by text not null check (made_by in ('client', 'business')),
       owner_id ${id} not null,
       unanswered integer not null default 0,
       ${instant('created_at')} not null,
       ${instant('updated_at')} not null,
       ${instant('ended_at')},
       check ((status in ('booked', 'ended')) = (ended_at is not null)),
       check ((status = 'ended') = (ended_because is not null)),
       check ((counted_client is null) = (ordinal is null))`,
    ),
    `create unique index waitlist_entries_of_client on waitlist_entries (business_id, counted_client, ordinal)
      where ended_at is null and ordinal is not null`,
    `create index waitlist_entries_waiting on waitlist_entries (business_id, created_at, id) where ended_at is null`,
    `create index waitlist_entries_by_creation on waitlist_entries (business_id, created_at, id)`,
    `create index waitlist_entries_by_email on waitlist_entries (business_id, lower(email)) where email is not null`,
    `create index waitlist_entries_by_client on waitlist_entries (client_id) where client_id is not null`,
    `create index waitlist_entries_by_end on waitlist_entries (ended_at) where ended_at is not null`,
    // the ID is that of the hold, and of the booking that it becomes
    table(
      'waitlist_offers',
      `id ${id} primary key,
       business_id ${id} not null,
       entry_id ${id} not null,
       ${instant('starts_at')} not null,
       ${instant('ends_at')} not null,
       staff_id ${id},
       status text not null check (status in ('open', 'taken', 'declined', 'lapsed', 'skipped', 'withdrawn')),
       by_hand integer not null check (by_hand in (0, 1)),
       ${instant('expires_at')} not null,
       ${instant('created_at')} not null,
       ${instant('decided_at')},
       check ((status = 'open') = (decided_at is null))`,
    ),
    `create unique index waitlist_offers_open on waitlist_offers (entry_id) where status = 'open'`,
    `create index waitlist_offers_of_entry on waitlist_offers (entry_id, starts_at)`,
    `create index waitlist_offers_waiting on waitlist_offers (business_id, expires_at) where status = 'open'`,
    // one for each business with entries: when they are next compared with the free times
    table(
      'waitlist_sweeps',
      `business_id ${id} primary key references businesses (id),
       ${instant('due_at')} not null,
       ${instant('full_at')} not null,
       ${instant('swept_at')} not null,
       catalogue_version integer not null`,
    ),
    `create index waitlist_sweeps_due on waitlist_sweeps (due_at)`,
    ...messages('waitlist_mails', 'email'),
    ...messages('waitlist_texts', 'phone'),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * Services whose bookings the business confirms, and bookings that wait for it. Kinds of emails and notifications lose
 * their check, so that later ones need no new table. A server of the previous release does not know the new kinds and
 * confirms every booking at once. No service should ask for confirmation while one runs.
 */
export async function requests(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, table } = columnTypes(engine)
  const statements = [
    `alter table services add column confirmation text not null default 'automatic'`,
    `alter table services add column respond_within_minutes integer not null default 1440`,
    `alter table bookings add column ${instant('respond_by')}`,
    `alter table bookings add column ${instant('request_check_at')}`,
    `create index bookings_to_answer on bookings (business_id, respond_by, id) where respond_by is not null`,
    `create index bookings_to_check on bookings (request_check_at) where request_check_at is not null`,
    ...(engine === 'postgres' ? withoutChecks : [...newMails(engine), ...newPushes(engine)]),
    // since when all attempts to deliver have failed, and when that was reported
    `alter table webhooks add column ${instant('failing_since')}`,
    `alter table webhooks add column ${instant('told_at')}`,
    table(
      'webhook_mails',
      `id ${id} primary key,
       business_id ${id},
       webhook_id ${id} not null,
       to_email text not null,
       status text not null default 'queued' check (status in ('queued', 'sent', 'failed')),
       last_error text,
       ${instant('sent_at')},
       ${instant('seen_at')},
       attempts integer not null default 0,
       ${instant('next_attempt_at')} not null,
       ${instant('created_at')} not null`,
    ),
    `create index webhook_mails_due on webhook_mails (next_attempt_at, id)`,
    `create index webhook_mails_by_creation on webhook_mails (created_at)`,
    `create index webhook_mails_of_business on webhook_mails (business_id, created_at, id)`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const withoutChecks = ['mails', 'pushes'].map(
  (name) => `alter table ${name} drop constraint ${name}_kind_check`,
)

const mailColumns =
  'id, business_id, booking_id, audience, kind, occasion, to_email, recipient, status, attempts, attempts_left, ' +
  'last_error, next_attempt_at, created_at, sent_at, sent_with, seen_at, caused_by, waits_for, to_phone, delivered_at'

/** SQLite cannot remove a constraint. */
function newMails(engine: Engine): string[] {
  const { id, instant, table } = columnTypes(engine)
  return [
    table(
      'mails_of_any_kind',
      `id ${id} primary key,
       business_id ${id} not null,
       booking_id ${id} not null,
       audience text not null check (audience in ('client', 'business')),
       kind text not null,
       occasion text not null,
       to_email text not null,
       recipient text not null,
       status text not null check (status in ('queued', 'sent', 'failed', 'superseded')),
       attempts integer not null default 0,
       attempts_left integer not null check (attempts_left >= 0),
       last_error text,
       ${instant('next_attempt_at')},
       ${instant('created_at')} not null,
       ${instant('sent_at')},
       sent_with ${id},
       ${instant('seen_at')},
       caused_by text,
       waits_for text,
       to_phone text,
       ${instant('delivered_at')},
       unique (business_id, booking_id, audience, kind, occasion, recipient),
       check ((status = 'queued') = (next_attempt_at is not null)),
       check ((status = 'sent') = (sent_at is not null))`,
    ),
    `insert into mails_of_any_kind (${mailColumns}) select ${mailColumns} from mails`,
    'drop table mails',
    'alter table mails_of_any_kind rename to mails',
    `create index mails_due on mails (next_attempt_at, id) where status = 'queued'`,
    `create index mails_waiting on mails (business_id, audience, recipient, id) where status = 'queued'`,
    `create index mails_sent on mails (business_id, audience, recipient, sent_at)
      where status = 'sent' and sent_with is null`,
    `create index mails_by_creation on mails (business_id, created_at, id)`,
    `create index mails_failed on mails (business_id, created_at, id) where status = 'failed'`,
    `create index mails_due_by_text on mails (next_attempt_at, id) where status = 'queued' and to_phone is not null`,
  ]
}

const pushColumns =
  'device_id, occasion, business_id, booking_id, kind, attempts, next_attempt_at, created_at'

function newPushes(engine: Engine): string[] {
  const { id, instant, table } = columnTypes(engine)
  return [
    table(
      'pushes_of_any_kind',
      `device_id ${id} not null,
       occasion text not null,
       business_id ${id},
       booking_id ${id},
       kind text not null,
       attempts integer not null default 0,
       ${instant('next_attempt_at')},
       ${instant('created_at')} not null,
       check ((booking_id is null) = (kind = 'test')),
       check ((business_id is null) = (booking_id is null)),
       primary key (device_id, occasion)`,
    ),
    `insert into pushes_of_any_kind (${pushColumns}) select ${pushColumns} from pushes`,
    'drop table pushes',
    'alter table pushes_of_any_kind rename to pushes',
    `create index pushes_due on pushes (next_attempt_at) where next_attempt_at is not null`,
    `create index pushes_by_age on pushes (created_at)`,
  ]
}

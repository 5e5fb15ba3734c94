import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * Emails to be sent, each written together with the change that it reports. Their text is rendered when they are sent.
 * No foreign keys: docs/decisions/0020-no-keys-to-what-stays.md.
 */
export function mailTables(engine: Engine): string[] {
  const { id, instant, table } = columnTypes(engine)
  return [
    table(
      'mails',
      `id ${id} primary key,
       business_id ${id} not null,
       booking_id ${id} not null,
       audience text not null check (audience in ('client', 'business')),
       kind text not null
         check (kind in ('confirmed', 'changed', 'cancelled', 'reminder', 'deposit_due', 'booked')),
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
       unique (business_id, booking_id, audience, kind, occasion, recipient),
       check ((status = 'queued') = (next_attempt_at is not null)),
       check ((status = 'sent') = (sent_at is not null))`,
    ),
    `create index mails_due on mails (next_attempt_at, id) where status = 'queued'`,
    `create index mails_waiting on mails (business_id, audience, recipient, id) where status = 'queued'`,
    `create index mails_sent on mails (business_id, audience, recipient, sent_at)
      where status = 'sent' and sent_with is null`,
    `create index mails_by_creation on mails (business_id, created_at, id)`,
    // clients who opted out of a business's reminders
    table(
      'mail_opt_outs',
      `business_id ${id} not null,
       email text not null,
       ${instant('opted_out_at')} not null,
       primary key (business_id, email)`,
    ),
  ]
}

import { Type } from 'typebox'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import { Id, listParameters, Nullable, Page, ShownId, ShownInstant, StrictObject } from '../base/wire.ts'
import type { MailKind } from '../database/tables.ts'
import { mailKinds, noticeKinds, waitReasons } from './mail-rules.ts'

const Status = Type.Enum(['queued', 'sent', 'failed', 'kept'], {
  description: '`kept`: that of a test business, which reaches nobody.',
})
const Channel = Type.Enum(['email', 'text'], { description: '`text`: a text message to a phone.' })

export const Mail = Type.Object(
  {
    id: ShownId,
    booking_id: Nullable(ShownId, { description: 'Null if the email is not about a booking.' }),
    waitlist_entry_id: Nullable(ShownId, { description: 'The entry of the waiting list that it is about.' }),
    channel: Channel,
    kind: Type.Enum([...(Object.keys(mailKinds) as MailKind[]), 'card_due', ...noticeKinds], {
      description:
        '`booked`, and some of `changed` and `cancelled`, go to `notify_emails` of the business. `deposit_due` and `card_due` remind the client to pay, or to save a card. `link` goes to a person who logs in, `client_link` to a client who opens their page. `calendar` reports a busy calendar that cannot be read, and `webhook` one that fails. `waitlist_joined`, `offered` and `waitlist_ended` go to a client on the waiting list.',
    }),
    to: Type.String({ description: 'An email address, or a number (E.164).' }),
    status: Status,
    attempts: Type.Integer(),
    last_error: Nullable(Type.String(), { description: 'The last answer of the mail server.' }),
    waits_for: Nullable(Type.Enum([...waitReasons]), {
      description:
        'Why it waits. `retry`: the next attempt after `last_error`. `recipient_limit`, `business_limit`: an hour in which the recipient gets, or the business causes, no more emails. `deposit`: the client may still be paying. `charge`: it also reports the outcome of a charge, for which it waits half a minute at most. `server_limit`: the same for all text messages of the server. `quiet_hours`: text messages wait for their end. `turn`: other emails come first, or no server is running. `setup`: this server sends no emails. Null if it is not waiting or is being sent.',
    }),
    waits_until: Nullable(ShownInstant, { description: 'Null if that is unknown.' }),
    created_at: ShownInstant,
    sent_at: Nullable(ShownInstant),
    delivered_at: Nullable(ShownInstant, {
      description: 'When a text message arrived, as far as its provider reported that.',
    }),
  },
  {
    title: 'Mail',
    description:
      'An email or a text message about a booking or an entry of the waiting list, or an email to a person who logs in. Its text is rendered when it is sent, and links are not kept.',
    examples: [
      {
        id: exampleIds.mail,
        booking_id: exampleIds.booking,
        waitlist_entry_id: null,
        channel: 'email',
        kind: 'confirmed',
        to: 'ada@example.com',
        status: 'sent',
        attempts: 1,
        last_error: null,
        waits_for: null,
        waits_until: null,
        created_at: exampleTimes.createdAt,
        sent_at: exampleTimes.createdAt,
        delivered_at: null,
      },
    ],
  },
)

export const MailPage = Page(Mail, { title: 'MailPage', description: 'Emails, the newest first.' })

export const MailsQuery = StrictObject({
  ...listParameters,
  booking_id: Type.Optional(Type.String({ ...Id, description: 'Only emails about this booking.' })),
  status: Type.Optional(Status),
  channel: Type.Optional(Channel),
  business_id: Type.Optional(Type.String({ ...Id, description: 'For hub keys: one business of the hub.' })),
})

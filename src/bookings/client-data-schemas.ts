import { Type } from 'typebox'
import { exampleClient, exampleIds } from '../base/examples.ts'
import { ClientEmail, Id, Nullable, Ruled, ShownId, ShownInstant, StrictObject } from '../base/wire.ts'
import { EventBody } from '../webhooks/event-schemas.ts'
import { Booking } from './booking-schemas.ts'
import { Client } from './client-schemas.ts'
import { namedClientErrors } from './client-rules.ts'
import { Entry } from './waitlist-schemas.ts'

const business_id = Type.Optional(
  Type.String({ ...Id, description: 'Required for a hub key, optional for a business key.' }),
)
const wholeEmail = ClientEmail({
  minLength: 1,
  description: 'As the client gave it: capitals make no difference, a `+tag` does.',
})

const named = {
  business_id,
  email: Type.Optional(wholeEmail),
  client_id: Type.Optional(
    Type.String({
      ...Id,
      description: 'One client, in place of `email`, which means everybody who has the address.',
    }),
  ),
  booking_id: Type.Optional(
    Type.String({ ...Id, description: 'The client of a booking, in place of `client_id`.' }),
  ),
}

export const EraseClient = Ruled(
  StrictObject(named, {
    title: 'EraseClient',
    description: 'A client of a business.',
    examples: [{ email: exampleClient.email }],
  }),
  namedClientErrors,
)

export const ErasedClient = Type.Object(
  {
    business_id: ShownId,
    bookings: Type.Integer({ description: 'Bookings, also those ahead; they stay, without their client.' }),
    events: Type.Integer({ description: 'Events, and with them what is still delivered.' }),
    mails: Type.Integer({ description: 'Mails about the bookings. What waited is not sent.' }),
    kept_answers: Type.Integer({ description: 'Answers that are kept for repeated requests.' }),
    clients: Type.Integer({ description: 'Clients, with notes and tags.' }),
    reminder_opt_outs: Type.Integer({ description: 'Wishes for no more reminders.' }),
    blocks: Type.Integer({ description: 'Blocks, which stay in force without the address.' }),
    waitlist_entries: Type.Integer({ description: 'Entries of the waiting list. Active ones end.' }),
  },
  {
    title: 'ErasedClient',
    description: 'What was erased, in numbers.',
    examples: [
      {
        business_id: exampleIds.business,
        bookings: 3,
        events: 7,
        mails: 8,
        kept_answers: 1,
        clients: 1,
        reminder_opt_outs: 0,
        blocks: 0,
        waitlist_entries: 0,
      },
    ],
  },
)

export const ExportClient = Ruled(
  StrictObject(
    {
      ...named,
      cursor: Type.Optional(
        Type.String({ minLength: 1, maxLength: 500, description: '`next_cursor` of the page before.' }),
      ),
    },
    {
      title: 'ExportClient',
      description: 'A client of a business.',
      examples: [{ email: exampleClient.email }],
    },
  ),
  namedClientErrors,
)

const ExportedBooking = Type.Object({
  booking: Booking,
  locale: Nullable(Type.String(), { description: 'The language of mails to the client.' }),
  time_zone: Nullable(Type.String(), { description: "The client's time zone." }),
  events: Type.Array(
    Type.Object({
      id: ShownId,
      type: EventBody.properties.event,
      occurred_at: ShownInstant,
      payload: EventBody,
    }),
  ),
  mails: Type.Array(
    Type.Object({
      kind: Type.String(),
      to: Type.String(),
      status: Type.String(),
      created_at: ShownInstant,
      sent_at: Nullable(ShownInstant),
    }),
  ),
  payments: Type.Array(
    Type.Object({
      provider: Type.String(),
      amount: Type.Integer(),
      currency: Type.String(),
      status: Type.String(),
      checkout_reference: Nullable(Type.String(), {
        description: 'By which the payment processor knows it.',
      }),
      payment_reference: Nullable(Type.String()),
      created_at: ShownInstant,
    }),
  ),
})

export const ExportedClient = Type.Object(
  {
    email: Type.String({ description: 'Empty for one without an address.' }),
    business_id: ShownId,
    clients: Type.Array(Client, { description: 'The client, or everybody with the address.' }),
    blocked_at: Nullable(ShownInstant),
    reminders_ended_at: Nullable(ShownInstant, {
      description: 'When the client wished for no more reminders.',
    }),
    bookings: Type.Array(ExportedBooking, { description: 'The newest first, 100 a page.' }),
    waitlist: Type.Array(Entry, { description: 'Entries of the waiting list, on the first page.' }),
    next_cursor: Nullable(Type.String(), { description: 'For `cursor`; null on the last page.' }),
  },
  {
    title: 'ExportedClient',
    description: 'All that is kept about a client.',
    examples: [
      {
        email: exampleClient.email,
        business_id: exampleIds.business,
        clients: [],
        blocked_at: null,
        reminders_ended_at: null,
        bookings: [],
        waitlist: [],
        next_cursor: null,
      },
    ],
  },
)

import { Type } from 'typebox'
import { exampleClient, exampleIds, exampleTimes } from '../base/examples.ts'
import {
  StrictObject,
  Id,
  QueryInstant,
  Line,
  listParameters,
  Nullable,
  Page,
  ShownId,
  ShownInstant,
  Trimmed,
} from '../base/wire.ts'

export const BlockClient = StrictObject(
  {
    business_id: Type.Optional(
      Type.String({ ...Id, description: 'Required for a hub key, optional for a business key.' }),
    ),
    email: Type.String({
      format: 'email',
      minLength: 1,
      maxLength: 254,
      description: 'Capitals and `+tag` make no difference.',
    }),
  },
  {
    title: 'BlockClient',
    description: 'A client of a business.',
    examples: [{ email: exampleClient.email }],
  },
)

export const BlockedClient = Type.Object(
  {
    business_id: ShownId,
    email: Type.String({ description: 'In lower case, without `+tag`; empty for one who was erased.' }),
    blocked_at: ShownInstant,
  },
  {
    title: 'BlockedClient',
    description: 'A client for whom sessions cannot book.',
    examples: [
      { business_id: exampleIds.business, email: exampleClient.email, blocked_at: exampleTimes.createdAt },
    ],
  },
)

const Client = Type.Object(
  {
    email: Type.String({ description: 'In lower case; empty for one who gave none.' }),
    first_name: Type.String({ description: 'As in the latest booking, like the other fields.' }),
    last_name: Type.String(),
    phone: Nullable(Type.String()),
    visits: Type.Integer({ description: 'Bookings, past and ahead, neither cancelled nor no-shows.' }),
    no_shows: Type.Integer(),
    cancelled: Type.Integer(),
    last_at: Nullable(ShownInstant, { description: 'The start of the last booking that has begun.' }),
    next_at: Nullable(ShownInstant, { description: 'The start of the next booking.' }),
    latest_booking_id: Type.String({ ...ShownId, description: 'The booking that was made last.' }),
    blocked: Type.Boolean({ description: 'Whether sessions cannot book for this client.' }),
    business_id: ShownId,
  },
  {
    title: 'Client',
    description:
      'A client of a business: all bookings with one name and one e-mail address, or without any and with one phone. Capitals and accents of names make no difference.',
    examples: [
      {
        ...exampleClient,
        visits: 3,
        no_shows: 1,
        cancelled: 0,
        last_at: exampleTimes.createdAt,
        next_at: exampleTimes.startsAt,
        latest_booking_id: exampleIds.booking,
        blocked: false,
        business_id: exampleIds.business,
      },
    ],
  },
)

export const ClientPage = Page(Client, { title: 'ClientPage', description: 'Clients by name.' })

export const ClientsQuery = StrictObject({
  ...listParameters,
  business_id: Type.Optional(
    Type.String({ ...Id, description: 'Required for a hub key, optional for a business key.' }),
  ),
  email: Type.Optional(
    Trimmed(
      Type.String({
        format: 'email',
        minLength: 1,
        maxLength: 254,
        description: 'The whole e-mail address.',
      }),
    ),
  ),
  q: Type.Optional(
    Trimmed(
      Type.String({
        ...Line(3, 100),
        description:
          'A part of the name, e-mail or phone. Upper and lower case are the same, and so are letters with and without accents.',
        examples: ['lovelace'],
      }),
    ),
  ),
  before: Type.Optional(QueryInstant({ description: 'Counts only bookings that start before it.' })),
})

import { Type } from 'typebox'
import { exampleClient, exampleIds, exampleTimes } from '../base/examples.ts'
import { Metadata, MetadataFilter, ShownMetadata } from '../base/metadata-schemas.ts'
import {
  ClientEmail,
  Id,
  Line,
  listParameters,
  Nullable,
  OrNull,
  Page,
  Ruled,
  ShownId,
  ShownInstant,
  StrictObject,
  Text,
  Trimmed,
  UnlinkedName,
} from '../base/wire.ts'
import { TimeZone } from '../catalogue/catalogue-schemas.ts'
import { localeErrors } from '../catalogue/mail-settings-rules.ts'
import { maxNotes, maxTag, maxTags } from './client-rules.ts'

export const BlockClient = StrictObject(
  {
    business_id: Type.Optional(
      Type.String({ ...Id, description: 'Required for a hub key, optional for a business key.' }),
    ),
    email: ClientEmail({ minLength: 1, description: 'Capitals and `+tag` make no difference.' }),
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

const contact = {
  first_name: UnlinkedName(100),
  last_name: UnlinkedName(100),
  email: ClientEmail(),
  phone: Type.String({ format: 'phone', maxLength: 32 }),
  notes: Text(maxNotes, { description: 'For the business only. Clients never see them.' }),
  tags: Type.Array(Line(1, maxTag), {
    maxItems: maxTags,
    uniqueItems: true,
    description: 'Capitals make no difference: of `VIP` and `vip`, the first stays.',
  }),
  locale: Ruled(
    Type.String({ minLength: 1, maxLength: 35, description: "The client's language (BCP 47)." }),
    localeErrors,
  ),
  time_zone: Type.Unsafe<string>({ ...TimeZone, description: "The client's time zone (IANA)." }),
  metadata: Metadata,
}

export const Client = Type.Object(
  {
    id: ShownId,
    business_id: ShownId,
    first_name: Type.String(),
    last_name: Type.String({ description: 'Empty for one who gave none.' }),
    email: Nullable(Type.String()),
    phone: Nullable(Type.String()),
    notes: Nullable(Type.String(), { description: 'For the business only.' }),
    tags: Type.Array(Type.String()),
    locale: Nullable(Type.String()),
    time_zone: Nullable(Type.String()),
    metadata: ShownMetadata,
    blocked: Type.Boolean({ description: 'Whether sessions cannot book for this client.' }),
    booking_count: Type.Integer({
      description: 'Bookings, past and ahead, that are not cancelled. Includes no-shows.',
    }),
    no_show_count: Type.Integer({ description: 'Bookings that the client missed.' }),
    last_booking_at: Nullable(ShownInstant, {
      description: 'The latest start of a booking that is not cancelled, past or ahead. It may be a no-show.',
    }),
    created_at: ShownInstant,
  },
  {
    title: 'Client',
    description:
      'A client of a business: one name and one e-mail address, or without any one phone number. Capitals and accents make no difference. A booking with another address belongs to the client without any who has its name and phone number.',
    examples: [
      {
        ...{ id: exampleIds.client, business_id: exampleIds.business, ...exampleClient },
        ...{ notes: 'Allergic to ammonia', tags: ['colour'], locale: 'en', time_zone: 'Europe/Berlin' },
        ...{ metadata: {}, blocked: false, booking_count: 3, no_show_count: 1 },
        ...{ last_booking_at: exampleTimes.startsAt, created_at: exampleTimes.createdAt },
      },
    ],
  },
)

export const CreateClient = StrictObject(
  {
    business_id: Type.Optional(
      Type.String({ ...Id, description: 'Required for a hub key, optional for a business key.' }),
    ),
    first_name: contact.first_name,
    last_name: Type.Optional(contact.last_name),
    email: Type.Optional(contact.email),
    phone: Type.Optional(contact.phone),
    notes: Type.Optional(contact.notes),
    tags: Type.Optional(contact.tags),
    locale: Type.Optional(contact.locale),
    time_zone: Type.Optional(contact.time_zone),
    metadata: Type.Optional(contact.metadata),
  },
  {
    title: 'CreateClient',
    description: 'A new client.',
    examples: [{ ...exampleClient, notes: 'Allergic to ammonia', tags: ['colour'] }],
  },
)

export const ChangeClient = StrictObject(
  {
    first_name: Type.Optional(contact.first_name),
    last_name: Type.Optional(OrNull(contact.last_name)),
    email: Type.Optional(OrNull(contact.email)),
    phone: Type.Optional(OrNull(contact.phone)),
    notes: Type.Optional(OrNull(contact.notes)),
    tags: Type.Optional(contact.tags),
    locale: Type.Optional(OrNull(contact.locale)),
    time_zone: Type.Optional(OrNull(contact.time_zone)),
    metadata: Type.Optional(contact.metadata),
    blocked: Type.Optional(
      Type.Boolean({
        description: 'True: sessions cannot book with this e-mail address, as with `POST /clients/block`.',
      }),
    ),
  },
  {
    title: 'ChangeClient',
    description: 'The fields to change. `tags` and `metadata` replace the present ones.',
    examples: [{ notes: 'Allergic to ammonia' }],
  },
)

export const MergeClient = StrictObject(
  { into: Type.String({ ...Id, description: 'The client who stays.' }) },
  {
    title: 'MergeClient',
    description: 'The client who gets the bookings.',
    examples: [{ into: exampleIds.client }],
  },
)

export const ClientPage = Page(Client, {
  title: 'ClientPage',
  description: 'Clients by name, in the order of the language of the business.',
})

export const ClientsQuery = StrictObject({
  ...listParameters,
  business_id: Type.Optional(
    Type.String({ ...Id, description: 'Required for a hub key, optional for a business key.' }),
  ),
  email: Type.Optional(Trimmed(ClientEmail({ minLength: 1, description: 'The whole e-mail address.' }))),
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
  metadata: Type.Optional(MetadataFilter),
})

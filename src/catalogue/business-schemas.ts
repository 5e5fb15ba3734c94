import { type Static, Type } from 'typebox'
import { planNames } from '../access/actor.ts'
import { networkErrors } from '../base/client-network.ts'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import {
  listParameters,
  Nullable,
  OrNull,
  Page,
  Text,
  UnlinkedName,
  Ruled,
  ShownId,
  ShownInstant,
  StrictObject,
} from '../base/wire.ts'
import {
  colorErrors,
  leastOfferMinutes,
  maxBookingsPerClient,
  maxGap,
  maxOfferMinutes,
  maxRetentionDays,
  maxTermsLength,
  maxNetworks,
  onlineUrlErrors,
  usualBookingsPerClient,
  usualOfferMinutes,
} from './business-rules.ts'
import { maxNameLength, TimeZone } from './catalogue-schemas.ts'
import { changeMembers, creationMembers, entryMembers, shownMembers } from './field-schemas.ts'
import { imageUrlErrors, logoErrors } from './image-rules.ts'
import {
  longestReminderHours,
  maxNotifyEmails,
  maxReminders,
  plainLocaleErrors,
  quietHoursErrors,
  quietTimeErrors,
  textKinds,
  usualLocale,
} from './mail-settings-rules.ts'
import { maxSlugLength, minSlugLength, slugErrors } from './slug-rules.ts'

const BusinessName = UnlinkedName(maxNameLength)
const TrustedNetworks = Type.Array(
  Ruled(Type.String({ minLength: 1, maxLength: 64, examples: ['203.0.113.7/32'] }), networkErrors),
  {
    maxItems: maxNetworks,
    uniqueItems: true,
    description:
      'Address ranges (CIDR), such as that of its own tablet. Caps on holds and bookings do not count sessions from there.',
  },
)

const quietTime = Ruled(Type.String({ minLength: 1, maxLength: 5, examples: ['21:00'] }), quietTimeErrors)
const Locale = Ruled(
  Type.String({
    minLength: 1,
    maxLength: 35,
    description: `The language of its mails (BCP 47, without extensions); if absent at creation: ${usualLocale}.`,
    examples: ['de'],
  }),
  plainLocaleErrors,
)
const ReplyTo = Type.String({
  format: 'email',
  maxLength: 254,
  description: 'Where answers to its mails go.',
})
const NotifyEmails = Type.Array(Type.String({ format: 'email', maxLength: 254 }), {
  maxItems: maxNotifyEmails,
  uniqueItems: true,
  description: 'Who gets a mail about each booking, change and cancellation.',
})
const ReminderHours = Type.Array(Type.Integer({ minimum: 1, maximum: longestReminderHours }), {
  maxItems: maxReminders,
  uniqueItems: true,
  description:
    'How many hours before the start clients are reminded; if absent at creation: [24]. Empty: never.',
})
const QuietHours = Ruled(
  StrictObject(
    { from: quietTime, to: quietTime },
    {
      description:
        'Local times between which no reminder is sent; it is sent before they begin. Text messages wait until they end. Over midnight where `to` is earlier than `from`.',
      examples: [{ from: '21:00', to: '08:00' }],
    },
  ),
  quietHoursErrors,
)

const TextKinds = Type.Array(Type.Enum([...textKinds]), {
  maxItems: textKinds.length,
  uniqueItems: true,
  description:
    'Which messages also go as a text to clients who agreed to that, if this server sends text messages. Empty: none.',
})

/** The email settings, for changes. */
const mailChanges = {
  locale: Type.Optional(Locale),
  reply_to_email: Type.Optional(OrNull(ReplyTo)),
  notify_emails: Type.Optional(OrNull(NotifyEmails)),
  reminder_hours: Type.Optional(ReminderHours),
  quiet_hours: Type.Optional(OrNull(QuietHours)),
  text_kinds: Type.Optional(TextKinds),
}

/** The email settings alone, for the command line. */
export const ChangeMailSettings = StrictObject(mailChanges)

/** The identity of a business, as clients see it. */
const identity = {
  name: { shown: Type.String(), input: BusinessName },
  timezone: { shown: Type.String({ description: 'An IANA name.' }), input: TimeZone },
}

const presence = {
  brand_name: { shown: Nullable(Type.String()), input: BusinessName, usual: null },
  brand_color: {
    shown: Nullable(Type.String()),
    input: Ruled(Type.String({ minLength: 1, maxLength: 7, description: 'Such as #1a2b3c.' }), colorErrors),
    usual: null,
  },
  brand_logo_url: {
    shown: Nullable(Type.String()),
    input: Ruled(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description: 'The `url` of an uploaded picture, or an http or https address.',
      }),
      logoErrors,
    ),
    usual: null,
  },
  cover_url: {
    shown: Nullable(Type.String(), {
      description:
        'The wide picture on top of its booking page. An address that begins with `/` is one on this server.',
    }),
    input: Ruled(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description:
          'The wide picture on top of its booking page: the `url` of an uploaded one, or an https address.',
        examples: ['https://example.com/cover.jpg'],
      }),
      imageUrlErrors,
    ),
    usual: null,
  },
  max_bookings_per_client: {
    shown: Nullable(Type.Integer(), {
      description: 'Future bookings that sessions may make for one client; null: unlimited.',
    }),
    input: Type.Integer({
      minimum: 1,
      maximum: maxBookingsPerClient,
      description: `Future bookings that sessions may make for one client; if absent at creation: ${usualBookingsPerClient}. Null: unlimited.`,
    }),
    usual: usualBookingsPerClient,
  },
}

const LegalUrl = (description: string) =>
  Ruled(
    Type.String({ minLength: 1, maxLength: 2_048, description, examples: ['https://example.com/imprint'] }),
    onlineUrlErrors,
  )

const contact = {
  retention_days: {
    shown: Nullable(Type.Integer(), {
      description: 'How many days after their end clients are erased from bookings; null: never.',
    }),
    input: Type.Integer({
      minimum: 1,
      maximum: maxRetentionDays,
      description: 'Clients are erased from bookings that ended so many days ago; if absent: never.',
    }),
    usual: null,
  },
  phone: {
    shown: Nullable(Type.String(), { description: 'That clients may call.' }),
    input: Type.String({
      format: 'phone',
      minLength: 1,
      maxLength: 32,
      description: 'That clients may call. Shown where they look for the contact.',
      examples: ['+49 30 1234'],
    }),
    usual: null,
  },
  slug: {
    shown: Nullable(Type.String(), { description: 'Its name in links to the booking page.' }),
    input: Ruled(
      Type.String({
        minLength: minSlugLength,
        maxLength: maxSlugLength,
        description:
          'Its name in links to the booking page. Unique on the server: lower-case letters, digits and single hyphens.',
        examples: ['salon-spree'],
      }),
      slugErrors,
    ),
    usual: null,
  },
}

/** Texts and links that the law requires of its pages. */
export const legalFields = {
  imprint_url: {
    shown: Nullable(Type.String(), { description: 'Who runs the business.' }),
    input: LegalUrl('Who runs the business: shown on its booking page and in emails.'),
    usual: null,
  },
  privacy_url: {
    shown: Nullable(Type.String(), { description: 'Its privacy policy.' }),
    input: LegalUrl('Its privacy policy: shown on its booking page and in emails.'),
    usual: null,
  },
  terms: {
    shown: Nullable(Type.String(), { description: 'Clients agree to these terms when they book.' }),
    input: Text(maxTermsLength, {
      description:
        'Clients agree to these terms when they book. A session must send them as the `text` of a consent, whose `field_id` is the id of the business.',
    }),
    usual: null,
  },
  terms_language: {
    shown: Nullable(Type.String(), { description: 'The language of the terms (BCP 47).' }),
    input: Ruled(
      Type.String({
        minLength: 1,
        maxLength: 35,
        description: 'The language of the terms (BCP 47, without extensions).',
        examples: ['de'],
      }),
      plainLocaleErrors,
    ),
    usual: null,
  },
}

const gapMeans = 'The longest pause between two services of one visit, in minutes.'

const offerMeans =
  'For how many minutes a time that becomes free is kept for the client on the waiting list to whom it is offered.'

const visits = {
  max_gap_minutes: {
    shown: Type.Integer({ description: gapMeans }),
    input: Type.Integer({
      minimum: 0,
      maximum: maxGap,
      description: `${gapMeans} If absent at creation: 0, which means one right after the other.`,
    }),
    usual: 0,
  },
  offer_minutes: {
    shown: Type.Integer({ description: offerMeans }),
    input: Type.Integer({
      minimum: leastOfferMinutes,
      maximum: maxOfferMinutes,
      description: `${offerMeans} If absent at creation: ${usualOfferMinutes}.`,
    }),
    usual: usualOfferMinutes,
  },
}

/** In the order of the file format. */
export const businessFields = { ...identity, ...presence, ...contact, ...visits, ...legalFields }

const oddMembers = {
  trusted_networks: Type.Optional(TrustedNetworks),
  locale: Type.Optional(Locale),
  reply_to_email: Type.Optional(ReplyTo),
  notify_emails: Type.Optional(NotifyEmails),
  reminder_hours: Type.Optional(ReminderHours),
  quiet_hours: Type.Optional(QuietHours),
  text_kinds: Type.Optional(TextKinds),
}

/** Members of the business in a file. */
export const businessMembers = { ...entryMembers(businessFields), ...oddMembers }

export const CreateBusiness = StrictObject(
  {
    ...creationMembers(businessFields),
    ...oddMembers,
    test: Type.Optional(
      Type.Boolean({
        description:
          'True for a business for tests: its clock can be moved, and no email, text message or charge leaves it. Never changes. If absent: false.',
      }),
    ),
  },
  {
    title: 'CreateBusiness',
    description: 'A new business of the hub.',
    examples: [{ name: 'Salon Spree', timezone: 'Europe/Berlin' }],
  },
)

export const ChangeBusiness = StrictObject(
  {
    ...changeMembers(businessFields),
    trusted_networks: Type.Optional(OrNull(TrustedNetworks)),
    ...mailChanges,
  },
  {
    title: 'ChangeBusiness',
    description: 'The fields to change. Locations keep their time zones.',
    examples: [{ brand_name: 'Spree', brand_color: '#1a2b3c' }],
  },
)

export type BusinessCreation = Static<typeof CreateBusiness>
export type BusinessChange = Static<typeof ChangeBusiness>

export const Business = Type.Object(
  {
    id: ShownId,
    hub_id: Nullable(ShownId, { description: 'Null: no hub.' }),
    ...shownMembers(identity),
    plan: Type.Enum([...planNames], {
      description:
        'The plan in effect: the higher of its own and that of its hub. Only the operator changes plans.',
    }),
    ...shownMembers(presence),
    trusted_networks: Type.Array(Type.String(), {
      description: 'Address ranges (CIDR) that caps on holds and bookings do not count.',
    }),
    locale: Type.String({ description: 'The language of its mails (BCP 47).' }),
    reply_to_email: Nullable(Type.String(), { description: 'Where answers to its mails go.' }),
    notify_emails: Type.Array(Type.String(), { description: 'Who gets a mail about each booking.' }),
    reminder_hours: Type.Array(Type.Integer(), {
      description: 'How many hours before the start clients are reminded, the longest first.',
    }),
    quiet_hours: Nullable(Type.Object({ from: Type.String(), to: Type.String() }), {
      description: 'Local times between which no reminder is sent.',
    }),
    text_kinds: Type.Array(Type.Enum([...textKinds]), {
      description: 'Which messages also go as a text to clients who agreed to that.',
    }),
    ...shownMembers(contact),
    ...shownMembers(visits),
    ...shownMembers(legalFields),
    test: Type.Boolean({
      description: 'True for a test business. No email, text message or charge leaves it.',
    }),
    created_at: ShownInstant,
  },
  {
    title: 'Business',
    description: 'A provider of services.',
    examples: [
      {
        id: exampleIds.business,
        hub_id: null,
        name: 'Salon Spree',
        timezone: 'Europe/Berlin',
        plan: 'enterprise',
        brand_name: 'Salon Spree',
        brand_color: '#1f6f5c',
        brand_logo_url: 'https://example.com/salon-spree.png',
        cover_url: 'https://example.com/cover.jpg',
        max_bookings_per_client: usualBookingsPerClient,
        trusted_networks: ['203.0.113.7/32'],
        locale: 'de',
        reply_to_email: 'hello@salon-spree.example',
        notify_emails: ['hello@salon-spree.example'],
        reminder_hours: [24],
        quiet_hours: { from: '21:00', to: '08:00' },
        text_kinds: ['reminder'],
        retention_days: 365,
        phone: '+49 30 1234',
        slug: 'salon-spree',
        max_gap_minutes: 0,
        offer_minutes: usualOfferMinutes,
        imprint_url: 'https://example.com/imprint',
        privacy_url: 'https://example.com/privacy',
        terms: 'You can cancel free of charge until 24 hours before.',
        terms_language: 'en',
        test: false,
        created_at: exampleTimes.createdAt,
      },
    ],
  },
)

export type Business = Static<typeof Business>

export const BusinessPage = Page(Business, {
  title: 'BusinessPage',
  description: 'Businesses, sorted by name.',
})

export const BusinessesQuery = StrictObject({ ...listParameters })

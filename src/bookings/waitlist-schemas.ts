import { Type } from 'typebox'
import { exampleClient, exampleIds, exampleTimes } from '../base/examples.ts'
import {
  ClientEmail,
  Id,
  InstantText,
  listParameters,
  Nullable,
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
import { opensErrors, weekdays } from '../catalogue/schedule-rules.ts'
import { itemMembers, maxItems, PartySize } from './hold-schemas.ts'
import { itemsErrors } from './visit-rules.ts'
import { maxWindowDays, windowErrors } from './waitlist-rules.ts'

const Name = UnlinkedName(100)

function DateText(description: string) {
  return Type.String({ format: 'date', maxLength: 10, description, examples: ['2026-12-01'] })
}

function WallTime(description: string) {
  return Ruled(Type.String({ maxLength: 5, description, examples: ['17:00'] }), opensErrors)
}

const window = {
  from: DateText('The first date, in the zone of the location.'),
  to: DateText(`The last date, included: at most ${maxWindowDays - 1} days after \`from\`.`),
  weekdays: Type.Optional(
    Type.Array(Type.Enum([...weekdays]), {
      minItems: 1,
      maxItems: weekdays.length,
      uniqueItems: true,
      description: 'If absent: all.',
    }),
  ),
  after: Type.Optional(WallTime('The earliest local start.')),
  before: Type.Optional(WallTime('The latest local start.')),
}

const example = {
  service_id: exampleIds.service,
  location_id: exampleIds.location,
  from: '2026-12-01',
  to: '2026-12-11',
  weekdays: ['tuesday', 'friday'],
  after: '16:00',
}

/** The body of `POST /waitlist`. */
export const CreateEntry = Ruled(
  StrictObject(
    {
      service_id: Type.Optional(Id),
      location_id: Id,
      staff_id: Type.Optional(Id),
      party_size: Type.Optional(PartySize),
      items: Type.Optional(
        Type.Array(StrictObject(itemMembers), {
          minItems: 1,
          maxItems,
          description: 'The services of a visit, in place of `service_id`, `staff_id` and `party_size`.',
        }),
      ),
      ...window,
      client: StrictObject({
        first_name: Name,
        last_name: Type.Optional(Name),
        email: Type.Optional(
          ClientEmail({
            description:
              'Required for sessions. Without it, times are only offered by text message or by hand.',
          }),
        ),
        phone: Type.Optional(Type.String({ format: 'phone', maxLength: 32 })),
      }),
      locale: Type.Optional(
        Ruled(
          Type.String({
            minLength: 1,
            maxLength: 35,
            description: "The client's language (BCP 47), for messages.",
            examples: ['de'],
          }),
          localeErrors,
        ),
      ),
      time_zone: Type.Optional(
        Type.Unsafe<string>({
          ...TimeZone,
          description: "The client's time zone (IANA).",
          examples: ['Europe/Berlin'],
        }),
      ),
      text_consent: Type.Optional(
        Text(300, {
          description:
            'The sentence by which the client agreed to text messages, as it was shown. Needs a `client.phone` with its country.',
          examples: ['Send me text messages about this appointment'],
        }),
      ),
    },
    {
      title: 'CreateWaitlistEntry',
      description: 'A client who waits for a time, and the days and times that fit.',
      examples: [{ ...example, client: exampleClient }],
    },
  ),
  (entry: Parameters<typeof itemsErrors>[0] & Parameters<typeof windowErrors>[0]) => [
    ...itemsErrors(entry),
    ...windowErrors(entry),
  ],
)

const statuses = ['waiting', 'offered', 'booked', 'ended'] as const

const Named = Type.Object({ id: ShownId, name: Type.String() })

export const Entry = Type.Object(
  {
    id: ShownId,
    business_id: ShownId,
    status: Type.Enum([...statuses], {
      description: '`offered`: a time is kept for the client, see `offer`. `booked`: the client took one.',
    }),
    ended_because: Nullable(Type.Enum(['left', 'removed', 'passed', 'unanswered']), {
      description:
        'Why it ended: the client left, the business removed it, its dates are over, or three offers were not answered.',
    }),
    position: Nullable(Type.Integer(), {
      description:
        'Its place among the active entries for its first service there, from 1. Null: not active.',
    }),
    service_id: ShownId,
    location_id: ShownId,
    staff_id: Nullable(ShownId),
    party_size: Type.Integer(),
    location: Named,
    items: Type.Array(
      Type.Object({
        service: Named,
        staff: Nullable(Named, { description: 'Null: anyone.' }),
        party_size: Type.Integer(),
        starts: Type.Enum(['after', 'with']),
      }),
      { description: 'The services in order. `service_id` is the first.' },
    ),
    from: Type.String(),
    to: Type.String(),
    weekdays: Nullable(Type.Array(Type.Enum([...weekdays])), { description: 'Null: all.' }),
    after: Nullable(Type.String()),
    before: Nullable(Type.String()),
    client: Type.Object({
      id: Type.Optional(Nullable(ShownId)),
      first_name: Type.String(),
      last_name: Type.String(),
      email: Nullable(Type.String()),
      phone: Nullable(Type.String()),
    }),
    locale: Nullable(Type.String()),
    time_zone: Nullable(Type.String()),
    offer: Nullable(
      Type.Object({
        hold_id: ShownId,
        starts_at: ShownInstant,
        ends_at: ShownInstant,
        expires_at: ShownInstant,
      }),
      { description: 'The time that is kept for the client. It is a hold.' },
    ),
    booking_id: Nullable(ShownId, { description: 'The booking of the time that the client took.' }),
    created_at: ShownInstant,
    updated_at: ShownInstant,
  },
  {
    title: 'WaitlistEntry',
    description: 'A client who waits for a time.',
    examples: [
      {
        id: exampleIds.booking,
        business_id: exampleIds.business,
        status: 'waiting',
        ended_because: null,
        position: 2,
        ...{
          service_id: exampleIds.service,
          location_id: exampleIds.location,
          staff_id: null,
          party_size: 1,
        },
        location: { id: exampleIds.location, name: 'Mitte' },
        items: [
          {
            service: { id: exampleIds.service, name: 'Haircut' },
            ...{ staff: null, party_size: 1, starts: 'after' },
          },
        ],
        ...{ from: '2026-12-01', to: '2026-12-11', weekdays: ['tuesday', 'friday'] },
        ...{ after: '16:00', before: null },
        client: { ...exampleClient, id: exampleIds.client },
        ...{ locale: 'de', time_zone: null, offer: null, booking_id: null },
        ...{ created_at: exampleTimes.createdAt, updated_at: exampleTimes.createdAt },
      },
    ],
  },
)

export const EntryPage = Page(Entry, {
  title: 'WaitlistPage',
  description: 'Entries of the waiting list, the longest waiting first.',
})

export const EntriesQuery = StrictObject({
  ...listParameters,
  status: Type.Optional(
    Type.Enum([...statuses, 'active'], { description: '`active`: `waiting` and `offered`. If absent: all.' }),
  ),
  service_id: Type.Optional(Id),
  location_id: Type.Optional(Id),
  staff_id: Type.Optional(Id),
  email: Type.Optional(Trimmed(ClientEmail())),
  business_id: Type.Optional(Type.String({ ...Id, description: 'For hub keys: one business of the hub.' })),
})

/** The body of `POST /waitlist/{id}/offer`. */
export const OfferTime = StrictObject(
  {
    starts_at: InstantText,
    staff_id: Type.Optional(
      Type.String({ ...Id, description: 'For one service. If absent: the person of the entry, or anyone.' }),
    ),
  },
  {
    title: 'OfferTime',
    description: 'The time to offer.',
    examples: [{ starts_at: exampleTimes.startsAt }],
  },
)

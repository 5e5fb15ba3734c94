import { Type } from 'typebox'
import { exampleIds } from '../base/examples.ts'
import { timeZoneErrors } from '../base/time-zone-names.ts'
import {
  Id,
  Line,
  listParameters,
  Nullable,
  OrNull,
  Ruled,
  ShownId,
  StrictObject,
  Text,
} from '../base/wire.ts'
import { imageUrlErrors } from './image-rules.ts'
import type * as types from './catalogue-types.ts'
import { clientFieldUses, customFieldTypes, needTimes } from './catalogue-types.ts'
import {
  closesErrors,
  dateErrors,
  dateHoursErrors,
  dateOverridesErrors,
  duplicateErrors,
  opensErrors,
  weekdays,
  weeklyHoursErrors,
} from './schedule-rules.ts'
import { itemSlugErrors, maxSlugLength, minSlugLength } from './slug-rules.ts'

export const Money = Type.Object(
  { amount: Type.Integer(), currency: Type.String() },
  {
    title: 'Money',
    description: 'An amount in minor units of an ISO 4217 currency.',
    examples: [{ amount: 2500, currency: 'EUR' }],
  },
)

export const Steps = Type.Array(
  Type.Object({
    minutes: Type.Integer(),
    staffed: Type.Boolean({ description: 'False: the person may serve someone else.' }),
  }),
  {
    title: 'Steps',
    description: 'The length of a service in pieces, each with the person or without.',
    examples: [
      [
        { minutes: 30, staffed: true },
        { minutes: 35, staffed: false },
        { minutes: 25, staffed: true },
      ],
    ],
  },
)

export const Need = Type.Object(
  {
    resource_ids: Type.Array(ShownId, {
      description: 'In order of preference. One of them serves the need.',
    }),
    quantity: Type.Integer({ description: 'How many of the alike ones it takes.' }),
    during: Type.Enum([...needTimes], { description: 'The whole time, or the staffed steps only.' }),
  },
  {
    title: 'Need',
    description: 'A room or equipment that a service needs besides a person.',
    examples: [{ resource_ids: [exampleIds.resource], quantity: 1, during: 'all' }],
  },
)

export const Terms = Type.Unsafe<types.Terms>(
  Type.Object(
    {
      staff_id: ShownId,
      price: Type.Optional(Money),
      steps: Type.Optional(Steps),
      duration_minutes: Type.Optional(Type.Integer({ description: 'One staffed step of this length.' })),
    },
    {
      title: 'Terms',
      description: 'Another price or length of a service, given by one person.',
      examples: [
        {
          staff_id: exampleIds.staff,
          price: { amount: 6000, currency: 'EUR' },
          duration_minutes: 40,
        },
      ],
    },
  ),
)

const Hours = { opens: Type.String(), closes: Type.String() }

export const WeeklyHours = Type.Unsafe<types.WeeklyHours>(
  Type.Array(Type.Object({ weekday: Type.String(), ...Hours }), {
    title: 'WeeklyHours',
    description:
      'Opening hours in wall time. `closes` goes up to `24:00`; at or before `opens` it runs past midnight.',
    examples: [[{ weekday: 'monday', opens: '09:00', closes: '18:00' }]],
  }),
)

export const Timetable = Type.Unsafe<types.Timetable>(
  Type.Array(Type.Object({ weekday: Type.String(), starts: Type.Array(Type.String()) }), {
    title: 'Timetable',
    description: 'Wall times at which slots start, by weekday; on a weekday that is missing, none.',
    examples: [[{ weekday: 'monday', starts: ['09:00', '18:30'] }]],
  }),
)

export const DateOverrides = Type.Array(
  Type.Object({ date: Type.String({ format: 'date' }), hours: Type.Array(Type.Object(Hours)) }),
  {
    title: 'DateOverrides',
    description: 'Hours of single dates instead of the weekly ones; none means closed.',
    examples: [[{ date: '2026-12-24', hours: [{ opens: '09:00', closes: '12:00' }] }]],
  },
)

export const CustomField = Type.Object(
  {
    id: ShownId,
    key: Type.String(),
    label: Type.String({ description: 'Of a `consent`: with at most one link, `[text](https://…)`.' }),
    type: Type.Enum([...customFieldTypes]),
    required: Type.Boolean({ description: 'A `boolean` that is required has to be true.' }),
    options: Type.Optional(
      Type.Array(Type.String(), { description: 'Choices of `select` and `multi_select`.' }),
    ),
  },
  { title: 'CustomField', description: 'A question that the client answers when booking.' },
)

const use = Type.Enum([...clientFieldUses])

export const ClientFields = Type.Object(
  { phone: use, last_name: use },
  {
    title: 'ClientFields',
    description: 'What is asked of the client beside first name and e-mail.',
    examples: [{ phone: 'optional', last_name: 'required' }],
  },
)

export const CatalogueQuery = StrictObject({
  ...listParameters,
  business_id: Type.Optional(Type.String({ ...Id, description: 'For hub keys: one business of the hub.' })),
})

/*
 * Schemas for creating and changing services, locations and staff. HTTP, the command line and imported
 * files all use them and their rules.
 */

export const maxNameLength = 200
const maxWeeklyHours = 100
const maxHoursADay = 20
const maxOverrides = 1_000
export const maxReferences = 200

export const Name = Line(1, maxNameLength)
export const TimeZone = Ruled(
  Type.String({
    minLength: 1,
    maxLength: 100,
    timeZone: true,
    description: 'An IANA name, such as Europe/Berlin; upper and lower case are the same.',
  }),
  timeZoneErrors,
)

const maxUrlLength = 2_048
const maxPosition = 9_999
const maxDescriptionLength = 5_000

const Slug = Ruled(
  Type.String({
    minLength: minSlugLength,
    maxLength: maxSlugLength,
    description:
      'Its name in links to the booking page. Unique within the business: lower-case letters, digits and single hyphens.',
    examples: ['haircut'],
  }),
  itemSlugErrors,
)
const Position = Type.Integer({
  minimum: 1,
  maximum: maxPosition,
  description: 'Its place in lists; null: by name after those that have one.',
})
const ImageUrl = Ruled(
  Type.String({
    minLength: 1,
    maxLength: maxUrlLength,
    description: 'A picture: the `url` of an uploaded one, or an https address.',
    examples: ['https://example.com/haircut.jpg'],
  }),
  imageUrlErrors,
)

/** Fields that lists of services and staff show in addition to the name, and their order. */
export const listedFields = {
  slug: {
    shown: Nullable(Type.String(), { description: 'Its name in links to the booking page.' }),
    input: Slug,
    usual: null,
  },
  position: {
    shown: Nullable(Type.Integer(), {
      description: 'Its place in lists; null: by name after those that have one.',
    }),
    input: Position,
    usual: null,
  },
  description: { shown: Nullable(Type.String()), input: Text(maxDescriptionLength), usual: null },
  image_url: {
    shown: Nullable(Type.String(), {
      description: 'A picture. An address that begins with `/` is one on this server.',
    }),
    input: ImageUrl,
    usual: null,
  },
}

const wallTime = { minLength: 1, maxLength: 5 }
const hours = {
  opens: Ruled(Type.String({ ...wallTime, examples: ['09:00'] }), opensErrors),
  closes: Ruled(Type.String({ ...wallTime, examples: ['17:00'] }), closesErrors),
}

const WeeklyHoursInput = Ruled(
  Type.Array(StrictObject({ weekday: Type.Enum([...weekdays]), ...hours }), {
    maxItems: maxWeeklyHours,
    description:
      'Hours in wall time without overlap. `closes` goes up to `24:00`; at or before `opens` it runs past midnight. An empty list: never.',
  }),
  weeklyHoursErrors,
)

const DateOverridesInput = Ruled(
  Type.Array(
    StrictObject({
      date: Ruled(Type.String({ minLength: 1, maxLength: 10, examples: ['2026-12-24'] }), dateErrors),
      hours: Ruled(Type.Array(StrictObject(hours), { maxItems: maxHoursADay }), dateHoursErrors),
    }),
    {
      maxItems: maxOverrides,
      description:
        'Hours of single dates instead of the weekly ones, each date once; no hours: closed that day.',
    },
  ),
  dateOverridesErrors,
)

export const newHours = {
  weekly_hours: Type.Optional(WeeklyHoursInput),
  date_overrides: Type.Optional(DateOverridesInput),
}

export const changedHours = {
  weekly_hours: Type.Optional(OrNull(WeeklyHoursInput)),
  date_overrides: Type.Optional(DateOverridesInput),
}

const idsRule = (ids: (string | undefined)[]) => duplicateErrors(ids.map((id) => id?.toLowerCase()))

/** Returns the schema of a list of distinct IDs. */
export function Ids(min: number, description: string) {
  return Ruled(Type.Array(Id, { minItems: min, maxItems: maxReferences, description }), idsRule)
}

export const businessId = {
  business_id: Type.Optional(
    Type.String({
      ...Id,
      description: 'For hub keys: its business. Required unless a location or staff member is named.',
    }),
  ),
}

export const activity = {
  active: Type.Optional(
    Type.Boolean({ description: 'False deactivates it, as deleting does; true reactivates it.' }),
  ),
}

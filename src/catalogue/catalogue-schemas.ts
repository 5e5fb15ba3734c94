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
import { onlineUrlErrors } from './business-rules.ts'
import { customFieldTypes } from './catalogue-types.ts'
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

const Hours = { opens: Type.String(), closes: Type.String() }

const WeeklyHours = Type.Array(Type.Object({ weekday: Type.String(), ...Hours }), {
  title: 'WeeklyHours',
  description:
    'Opening hours in wall time. `closes` goes up to `24:00`; at or before `opens` it runs past midnight.',
  examples: [[{ weekday: 'monday', opens: '09:00', closes: '18:00' }]],
})

const Timetable = Type.Array(Type.Object({ weekday: Type.String(), starts: Type.Array(Type.String()) }), {
  title: 'Timetable',
  description: 'Wall times at which slots start, by weekday; on a weekday that is missing, none.',
  examples: [[{ weekday: 'monday', starts: ['09:00', '18:30'] }]],
})

const DateOverrides = Type.Array(
  Type.Object({ date: Type.String({ format: 'date' }), hours: Type.Array(Type.Object(Hours)) }),
  {
    title: 'DateOverrides',
    description: 'Hours of single dates instead of the weekly ones; none means closed.',
    examples: [[{ date: '2026-12-24', hours: [{ opens: '09:00', closes: '12:00' }] }]],
  },
)

const CustomField = Type.Object(
  {
    id: ShownId,
    key: Type.String(),
    label: Type.String(),
    type: Type.Enum([...customFieldTypes]),
    required: Type.Boolean(),
    options: Type.Optional(
      Type.Array(Type.String(), { description: 'Choices of `select` and `multi_select`.' }),
    ),
  },
  { title: 'CustomField', description: 'A question that the client answers when booking.' },
)

export const Service = Type.Object(
  {
    id: ShownId,
    business_id: ShownId,
    name: Type.String(),
    slug: Nullable(Type.String(), { description: 'Its name in links to the booking page.' }),
    position: Nullable(Type.Integer(), {
      description: 'Its place in lists; null: by name after those that have one.',
    }),
    category: Nullable(Type.String(), { description: 'What it is listed under.' }),
    description: Nullable(Type.String()),
    image_url: Nullable(Type.String(), { description: 'A picture, by https.' }),
    duration_minutes: Type.Integer(),
    buffer_before_minutes: Type.Integer(),
    buffer_after_minutes: Type.Integer(),
    slot_interval_minutes: Type.Integer({ description: 'The grid for slot starts.' }),
    timetable: Nullable(Timetable, { description: 'In place of the grid. Null: the grid.' }),
    min_notice_minutes: Type.Integer(),
    max_advance_days: Nullable(Type.Integer(), { description: 'Null: no own limit.' }),
    cancel_until_minutes: Nullable(Type.Integer(), {
      description: 'Minutes before the start until which the client may cancel. Null: never.',
    }),
    reschedule_until_minutes: Nullable(Type.Integer(), {
      description: 'Minutes before the start until which the client may move it. Null: never.',
    }),
    max_reschedules: Type.Integer({ description: 'How often a client may move one booking.' }),
    capacity: Type.Integer({
      description:
        'Without staff: concurrent clients at one location. With staff: clients who share one appointment.',
    }),
    price: Nullable(Money),
    deposit: Nullable(Money),
    location_ids: Type.Array(ShownId),
    staff_ids: Type.Array(ShownId, { description: 'Staff who provide it; empty: needs no staff.' }),
    custom_fields: Type.Array(CustomField),
    active: Type.Boolean({ description: 'Nobody can book an inactive service.' }),
  },
  {
    title: 'Service',
    description: 'A bookable service.',
    examples: [
      {
        id: exampleIds.service,
        business_id: exampleIds.business,
        name: 'Haircut',
        slug: 'haircut',
        position: 1,
        category: 'Hair',
        description: null,
        image_url: null,
        duration_minutes: 30,
        buffer_before_minutes: 0,
        buffer_after_minutes: 10,
        slot_interval_minutes: 15,
        timetable: null,
        min_notice_minutes: 0,
        max_advance_days: null,
        cancel_until_minutes: 1440,
        reschedule_until_minutes: 1440,
        max_reschedules: 3,
        capacity: 1,
        price: { amount: 3500, currency: 'EUR' },
        deposit: null,
        location_ids: [exampleIds.location],
        staff_ids: [exampleIds.staff],
        custom_fields: [],
        active: true,
      },
    ],
  },
)

const weekdayHours = [{ weekday: 'monday', opens: '09:00', closes: '18:00' }]

export const Location = Type.Object(
  {
    id: ShownId,
    business_id: ShownId,
    name: Type.String(),
    timezone: Type.String({ description: 'An IANA name.' }),
    address: Nullable(Type.String()),
    online_url: Nullable(Type.String(), { description: 'Where clients meet online.' }),
    weekly_hours: Nullable(WeeklyHours, { description: 'Null: always open. Empty: never.' }),
    date_overrides: DateOverrides,
    active: Type.Boolean(),
  },
  {
    title: 'Location',
    description: 'A place where services take place.',
    examples: [
      {
        id: exampleIds.location,
        business_id: exampleIds.business,
        name: 'Mitte',
        timezone: 'Europe/Berlin',
        address: null,
        online_url: null,
        weekly_hours: weekdayHours,
        date_overrides: [],
        active: true,
      },
    ],
  },
)

/** A staff member; sessions get what clients see. */
export const StaffMember = Type.Object(
  {
    id: ShownId,
    name: Type.String(),
    slug: Nullable(Type.String(), { description: 'Its name in links to the booking page.' }),
    description: Nullable(Type.String()),
    image_url: Nullable(Type.String(), { description: 'A picture, by https.' }),
    business_id: Type.Optional(ShownId),
    position: Type.Optional(
      Nullable(Type.Integer(), {
        description: 'Its place in lists; null: by name after those that have one.',
      }),
    ),
    email: Type.Optional(Nullable(Type.String())),
    location_ids: Type.Optional(Type.Array(ShownId, { description: 'Empty: everywhere.' })),
    weekly_hours: Type.Optional(Nullable(WeeklyHours, { description: 'Null: the hours of the location.' })),
    date_overrides: Type.Optional(DateOverrides),
    active: Type.Optional(Type.Boolean()),
  },
  {
    title: 'StaffMember',
    description:
      'A provider of services. Sessions see `id`, `name`, `slug`, `description` and `image_url` only.',
    examples: [
      {
        id: exampleIds.staff,
        name: 'Anna Weber',
        slug: 'anna',
        description: null,
        image_url: null,
        business_id: exampleIds.business,
        position: 1,
        email: 'anna@example.com',
        location_ids: [],
        weekly_hours: null,
        date_overrides: [],
        active: true,
      },
    ],
  },
)

export const CatalogueQuery = StrictObject({
  ...listParameters,
  business_id: Type.Optional(Type.String({ ...Id, description: 'For hub keys: one business of the hub.' })),
})

/*
 * Shared by creations and changes of services, locations and staff. HTTP, the command line and imported files all use
 * these schemas and their rules.
 */

const maxNameLength = 200
const maxWeeklyHours = 100
const maxHoursADay = 20
const maxOverrides = 1_000
const maxReferences = 200

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

const maxCategoryLength = 60
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
const Description = Text(maxDescriptionLength)
const ImageUrl = Ruled(
  Type.String({
    minLength: 1,
    maxLength: maxUrlLength,
    description: 'A picture, by https.',
    examples: ['https://example.com/haircut.jpg'],
  }),
  onlineUrlErrors,
)

/** What lists of services and people show beside the name, and in which order. */
export const newShown = {
  slug: Type.Optional(Slug),
  position: Type.Optional(Position),
  description: Type.Optional(Description),
  image_url: Type.Optional(ImageUrl),
}

export const changedShown = {
  slug: Type.Optional(OrNull(Slug)),
  position: Type.Optional(OrNull(Position)),
  description: Type.Optional(OrNull(Description)),
  image_url: Type.Optional(OrNull(ImageUrl)),
}

/** Of services. */
export const Category = Type.String({
  format: 'line',
  minLength: 1,
  maxLength: maxCategoryLength,
  description: 'What it is listed under.',
  examples: ['Hair'],
})

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

/** A list of distinct ids. */
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

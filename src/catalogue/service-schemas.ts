import { type Static, Type } from 'typebox'
import { exampleIds } from '../base/examples.ts'
import { Id, Line, OrNull, Ruled, StrictObject } from '../base/wire.ts'
import { activity, businessId, Category, changedShown, Ids, Name, newShown } from './catalogue-schemas.ts'
import { customFieldTypes } from './catalogue-types.ts'
import { duplicateErrors, opensErrors, startsErrors, timetableErrors, weekdays } from './schedule-rules.ts'
import {
  currencyErrors,
  customFieldsErrors,
  depositErrors,
  fieldKeyErrors,
  fieldOptionsErrors,
  maxCapacity,
  maxMinorUnits,
  minSlotInterval,
  usualAdvanceDays,
  usualChangeMinutes,
  usualReschedules,
} from './service-rules.ts'

const maxFields = 50
const maxOptions = 100
const minutesAYear = 525_600
const tenYearsOfDays = 3_650
const thirtyDaysOfMinutes = 43_200
const mostReschedules = 100

function Amount(min: number, description: string) {
  return StrictObject(
    {
      amount: Type.Integer({ minimum: min, maximum: maxMinorUnits }),
      currency: Ruled(Type.String({ minLength: 1, maxLength: 3 }), currencyErrors),
    },
    { description, examples: [{ amount: 2500, currency: 'EUR' }] },
  )
}

function Minutes(min: number, max: number, description?: string) {
  return Type.Integer({ minimum: min, maximum: max, ...(description !== undefined && { description }) })
}

const field = {
  key: Ruled(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'A name for programs, unique in the service.',
    }),
    fieldKeyErrors,
  ),
  label: Line(1, 200),
  type: Type.Enum([...customFieldTypes]),
  required: Type.Optional(Type.Boolean({ description: 'Whether a booking needs an answer; if absent: no.' })),
  options: Type.Optional(
    Ruled(
      Type.Array(Line(1, 200), {
        minItems: 1,
        maxItems: maxOptions,
        description: 'Choices. Only for `select` and `multi_select`.',
      }),
      (options: (string | undefined)[]) => duplicateErrors(options),
    ),
  ),
}

const NewField = Ruled(StrictObject(field), fieldOptionsErrors)

const ChangedField = Ruled(
  StrictObject({
    id: Type.Optional(
      Type.String({
        ...Id,
        description: 'The id of an existing field, so that past answers keep it.',
      }),
    ),
    ...field,
  }),
  fieldOptionsErrors,
)

const fieldList = { maxItems: maxFields, description: 'Questions for the client when booking.' }
const NewFields = Ruled(Type.Array(NewField, fieldList), customFieldsErrors)
/** For changes and imported files. */
export const ChangedFields = Ruled(Type.Array(ChangedField, fieldList), customFieldsErrors)

const numbers = {
  buffer_before_minutes: Type.Optional(
    Minutes(0, 720, 'Time before each booking in which nothing else can be.'),
  ),
  buffer_after_minutes: Type.Optional(
    Minutes(0, 720, 'Time after each booking in which nothing else can be.'),
  ),
  slot_interval_minutes: Type.Optional(
    Minutes(
      minSlotInterval,
      1_440,
      'The grid on which slots start; if absent: the duration, but at least 5.',
    ),
  ),
  min_notice_minutes: Type.Optional(
    Minutes(0, minutesAYear, 'How long before its start a slot can be booked at the latest.'),
  ),
  max_reschedules: Type.Optional(
    Minutes(
      0,
      mostReschedules,
      `How often a client may move one booking; if absent at creation: ${usualReschedules}.`,
    ),
  ),
  capacity: Type.Optional(
    Minutes(
      1,
      maxCapacity,
      'Without staff: concurrent clients at one location. With staff: clients who share one appointment.',
    ),
  ),
}

/** A slot every quarter of an hour. */
const maxStartsADay = 96

const timetable = Ruled(
  Type.Array(
    StrictObject({
      weekday: Type.Enum([...weekdays]),
      starts: Ruled(
        Type.Array(Ruled(Type.String({ maxLength: 5 }), opensErrors), {
          minItems: 1,
          maxItems: maxStartsADay,
          description: 'From 00:00 to 23:59, the earliest first.',
        }),
        startsErrors,
      ),
    }),
    {
      maxItems: weekdays.length,
      description:
        'Wall times at which slots start, in place of the grid; each weekday at most once. Empty: never.',
      examples: [[{ weekday: 'monday', starts: ['09:00', '18:30'] }]],
    },
  ),
  timetableErrors,
)

const duration = Minutes(1, 1_440)
const locationIds = Ids(1, 'Where it is offered.')
const staffIds = Ids(0, 'Staff who provide it; empty: needs no staff.')
/** For changes and imported files too. */
export const maxAdvance = Type.Integer({
  minimum: 0,
  maximum: tenYearsOfDays,
  description: `Days ahead that it can be booked; if absent at creation: ${usualAdvanceDays}. Null: no own limit; sessions never book more than 730 days ahead.`,
})
const changeUntil = (what: string) =>
  Minutes(
    0,
    thirtyDaysOfMinutes,
    `How many minutes before the start a client may still ${what}; if absent at creation: ${usualChangeMinutes}. Null: never.`,
  )
/** For changes and imported files too. */
export const cancelUntil = changeUntil('cancel a booking')
export const rescheduleUntil = changeUntil('move a booking')
const price = Amount(0, 'In minor units: 2500 EUR is 25.00 euros.')
const deposit = Amount(
  1,
  'What is paid in advance: at most the price, and in its currency, where there is one.',
)

/** Shared by creations and files. */
export const serviceMembers = {
  name: Name,
  ...newShown,
  category: Type.Optional(Category),
  duration_minutes: duration,
  ...numbers,
  max_advance_days: Type.Optional(maxAdvance),
  timetable: Type.Optional(timetable),
  cancel_until_minutes: Type.Optional(cancelUntil),
  reschedule_until_minutes: Type.Optional(rescheduleUntil),
  price: Type.Optional(price),
  deposit: Type.Optional(deposit),
}

export const CreateService = Ruled(
  StrictObject(
    {
      ...businessId,
      ...serviceMembers,
      location_ids: locationIds,
      staff_ids: Type.Optional(staffIds),
      custom_fields: Type.Optional(NewFields),
      ...activity,
    },
    {
      title: 'CreateService',
      description: 'A new service. Absent fields get their defaults.',
      examples: [
        {
          name: 'Massage',
          duration_minutes: 45,
          buffer_after_minutes: 15,
          price: { amount: 6000, currency: 'EUR' },
          location_ids: [exampleIds.location],
          staff_ids: [exampleIds.staff],
        },
      ],
    },
  ),
  depositErrors,
)

export const ChangeService = Ruled(
  StrictObject(
    {
      name: Type.Optional(Name),
      ...changedShown,
      category: Type.Optional(OrNull(Category)),
      duration_minutes: Type.Optional(duration),
      ...numbers,
      max_advance_days: Type.Optional(OrNull(maxAdvance)),
      timetable: Type.Optional(OrNull(timetable)),
      cancel_until_minutes: Type.Optional(OrNull(cancelUntil)),
      reschedule_until_minutes: Type.Optional(OrNull(rescheduleUntil)),
      price: Type.Optional(OrNull(price)),
      deposit: Type.Optional(OrNull(deposit)),
      location_ids: Type.Optional(locationIds),
      staff_ids: Type.Optional(staffIds),
      custom_fields: Type.Optional(ChangedFields),
      ...activity,
    },
    {
      title: 'ChangeService',
      description: 'The fields to change. Lists are replaced as a whole.',
      examples: [{ duration_minutes: 60 }],
    },
  ),
  depositErrors,
)

export type ServiceCreation = Static<typeof CreateService>
export type ServiceChange = Static<typeof ChangeService>

import { Type, type Static } from 'typebox'
import { exampleIds } from '../examples.ts'
import { Closed, Id, Line, OrNull, Ruled, Text } from '../wire.ts'
import { customFieldTypes } from './catalogue-types.ts'
import { repetitionFaults } from './hours-rules.ts'
import { activity, businessId, Ids, Name } from './schedule-schemas.ts'
import {
  currencyFaults,
  customFieldsFaults,
  depositFaults,
  fieldKeyFaults,
  fieldOptionsFaults,
  leastSlotInterval,
  usualAdvanceDays,
} from './service-rules.ts'

const mostFields = 50
const mostOptions = 100
/** An amount fits into 32 bits, whatever the currency. */
const mostMinorUnits = 999_999_999
const minutesAYear = 525_600
const tenYearsOfDays = 3_650

function Amount(least: number, description: string) {
  return Closed(
    {
      amount: Type.Integer({ minimum: least, maximum: mostMinorUnits }),
      currency: Ruled(Type.String({ minLength: 1, maxLength: 3 }), currencyFaults),
    },
    { description, examples: [{ amount: 2500, currency: 'EUR' }] },
  )
}

function Minutes(least: number, most: number, description?: string) {
  return Type.Integer({ minimum: least, maximum: most, ...(description !== undefined && { description }) })
}

const field = {
  key: Ruled(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Its name for programs: unique in the service.',
    }),
    fieldKeyFaults,
  ),
  label: Line(1, 200),
  type: Type.Enum([...customFieldTypes]),
  required: Type.Optional(Type.Boolean({ description: 'Whether a booking needs an answer; if absent: no.' })),
  options: Type.Optional(
    Ruled(
      Type.Array(Line(1, 200), {
        minItems: 1,
        maxItems: mostOptions,
        description: 'For `select` and `multi_select`, and only there: what may be chosen.',
      }),
      (options: (string | undefined)[]) => repetitionFaults(options),
    ),
  ),
}

const NewField = Ruled(Closed(field), fieldOptionsFaults)

const ChangedField = Ruled(
  Closed({
    id: Type.Optional(
      Type.String({
        ...Id,
        description: 'Of a field that is to stay the same, so that past answers keep theirs.',
      }),
    ),
    ...field,
  }),
  fieldOptionsFaults,
)

const fieldList = { maxItems: mostFields, description: 'What is asked when the service is booked.' }
const NewFields = Ruled(Type.Array(NewField, fieldList), customFieldsFaults)
/** For changes and imported files. */
export const ChangedFields = Ruled(Type.Array(ChangedField, fieldList), customFieldsFaults)

const numbers = {
  buffer_before_minutes: Type.Optional(
    Minutes(0, 720, 'Time before each booking in which nothing else can be.'),
  ),
  buffer_after_minutes: Type.Optional(
    Minutes(0, 720, 'Time after each booking in which nothing else can be.'),
  ),
  slot_interval_minutes: Type.Optional(
    Minutes(
      leastSlotInterval,
      1_440,
      'The grid on which slots start; if absent: the duration, but at least 5.',
    ),
  ),
  min_notice_minutes: Type.Optional(
    Minutes(0, minutesAYear, 'How long before its start a slot can be booked at the latest.'),
  ),
  capacity: Type.Optional(
    Minutes(
      1,
      500,
      'Without staff: how many clients at once at one location. With staff: how many share one appointment.',
    ),
  ),
}

const duration = Minutes(1, 1_440)
const locationIds = Ids(1, 'Where it is given.')
const staffIds = Ids(0, 'Who gives it; empty: it needs nobody.')
/** For changes and imported files too. */
export const maxAdvance = Type.Integer({
  minimum: 0,
  maximum: tenYearsOfDays,
  description: `How many days ahead it can be booked; if absent at creation: ${usualAdvanceDays}. Null: no limit of its own; sessions never book more than 730 days ahead.`,
})
const price = Amount(0, 'In minor units: 2500 EUR is 25.00 euros.')
const deposit = Amount(
  1,
  'What is paid in advance: at most the price, and in its currency, where there is one.',
)

/** The fields of a service that mean the same in creations and in files. */
export const serviceMembers = {
  name: Name,
  description: Type.Optional(Text(5_000)),
  duration_minutes: duration,
  ...numbers,
  max_advance_days: Type.Optional(maxAdvance),
  price: Type.Optional(price),
  deposit: Type.Optional(deposit),
}

export const CreateService = Ruled(
  Closed(
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
      description: 'A new service. What is absent gets its default.',
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
  depositFaults,
)

export const ChangeService = Ruled(
  Closed(
    {
      name: Type.Optional(Name),
      description: Type.Optional(OrNull(Text(5_000))),
      duration_minutes: Type.Optional(duration),
      ...numbers,
      max_advance_days: Type.Optional(OrNull(maxAdvance)),
      price: Type.Optional(OrNull(price)),
      deposit: Type.Optional(OrNull(deposit)),
      location_ids: Type.Optional(locationIds),
      staff_ids: Type.Optional(staffIds),
      custom_fields: Type.Optional(ChangedFields),
      ...activity,
    },
    {
      title: 'ChangeService',
      description: 'What is to be different; lists are replaced as a whole.',
      examples: [{ duration_minutes: 60 }],
    },
  ),
  depositFaults,
)

export type ServiceCreation = Static<typeof CreateService>
export type ServiceChange = Static<typeof ChangeService>

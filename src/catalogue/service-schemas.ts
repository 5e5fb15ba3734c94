import { type Static, Type } from 'typebox'
import { exampleIds } from '../base/examples.ts'
import { Id, Line, Nullable, OrNull, Ruled, ShownId, StrictObject, UnlinkedName } from '../base/wire.ts'
import {
  activity,
  businessId,
  ClientFields,
  CustomField,
  Ids,
  listedFields,
  maxNameLength,
  maxReferences,
  Money,
  Need,
  Steps,
  Terms,
  Timetable,
} from './catalogue-schemas.ts'
import { clientFieldUses, customFieldTypes, needTimes, paymentModes } from './catalogue-types.ts'
import { changeMembers, creationMembers, entryMembers, shownMembers } from './field-schemas.ts'
import { feesErrors, maxFees } from './fee-rules.ts'
import { duplicateErrors, opensErrors, startsErrors, timetableErrors, weekdays } from './schedule-rules.ts'
import {
  answeredBeforeMinutes,
  confirmations,
  maxResponseMinutes,
  minResponseMinutes,
  requestNoticeMinutes,
  usualResponseMinutes,
} from './request-rules.ts'
import {
  currencyErrors,
  customFieldsErrors,
  defaultSlotInterval,
  chargeErrors,
  fieldKeyErrors,
  fieldErrors,
  maxCapacity,
  maxDuration,
  maxMinorUnits,
  maxNeeds,
  maxRepeats,
  maxSteps,
  minSlotInterval,
  newServiceErrors,
  stepsErrors,
  termErrors,
  termsErrors,
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
const maxRepeatsMeans =
  'How many appointments a visitor may book at once as a series; 1: no series. Keys and people: up to 52.'
const maxCategoryLength = 60
const capacityMeans =
  'Without staff: concurrent clients at one location. With staff: clients who share one appointment.'

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

const steps = Ruled(
  Type.Array(
    StrictObject({
      minutes: Minutes(1, maxDuration),
      staffed: Type.Boolean({ description: 'False: the person may serve someone else meanwhile.' }),
    }),
    {
      minItems: 1,
      maxItems: maxSteps,
      description: `Its length in pieces, each with the person or without; the first and the last with. At most ${maxDuration} minutes in all.`,
      examples: [
        [
          { minutes: 30, staffed: true },
          { minutes: 35, staffed: false },
          { minutes: 25, staffed: true },
        ],
      ],
    },
  ),
  stepsErrors,
)

const needQuantity = Type.Integer({
  minimum: 1,
  maximum: maxCapacity,
  description: 'How many of the alike ones it takes; if absent: 1.',
})
const needDuring = Type.Enum([...needTimes], {
  description: 'The whole time, or the staffed steps only; if absent: `all`.',
})

/** Shared by requests and files, which name the resources in different ways. */
export const needMembers = {
  quantity: Type.Optional(needQuantity),
  during: Type.Optional(needDuring),
}

export const needList = {
  maxItems: maxNeeds,
  description: 'Rooms and equipment that it needs besides a person, all at once.',
}

const needs = Type.Array(
  StrictObject({
    resource_ids: Ids(
      1,
      'In order of preference. One of them serves the need; each is at a location of the service.',
    ),
    ...needMembers,
  }),
  { ...needList, examples: [[{ resource_ids: [exampleIds.resource] }]] },
)

/** Shared by requests and files, which name the person in different ways. */
export const termMembers = {
  price: Type.Optional(Amount(0, 'In the currency of the service.')),
  steps: Type.Optional(steps),
  duration_minutes: Type.Optional(Minutes(1, maxDuration, 'One staffed step of this length.')),
}

export const termList = {
  maxItems: maxReferences,
  description: 'Other prices and lengths of its staff, each person once.',
}

const terms = Ruled(
  Type.Array(Ruled(StrictObject({ staff_id: Id, ...termMembers }), termErrors), {
    ...termList,
    examples: [[{ staff_id: exampleIds.staff, price: { amount: 6000, currency: 'EUR' } }]],
  }),
  termsErrors,
)

const field = {
  key: Ruled(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'A name for programs, unique in the service.',
    }),
    fieldKeyErrors,
  ),
  label: Type.String({
    ...Line(1, 500),
    description: 'Of a `consent`: the sentence to agree to, with at most one link, `[text](https://…)`.',
  }),
  type: Type.Enum([...customFieldTypes], {
    description: '`consent` is a tick that is always required, and is kept with the text and the time.',
  }),
  required: Type.Optional(
    Type.Boolean({
      description:
        'Whether a booking needs an answer, and for `boolean` the answer true; if absent: no, but for a `consent`.',
    }),
  ),
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

const NewField = Ruled(StrictObject(field), fieldErrors)

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
  fieldErrors,
)

const fieldList = { maxItems: maxFields, description: 'Questions for the client when booking.' }
const NewFields = Ruled(Type.Array(NewField, fieldList), customFieldsErrors)
/** For changes and imported files. */
export const ChangedFields = Ruled(Type.Array(ChangedField, fieldList), customFieldsErrors)

const use = Type.Optional(Type.Enum([...clientFieldUses]))

const clientFields = StrictObject(
  { phone: use, last_name: use },
  {
    description:
      'What to ask of the client beside first name and e-mail. If absent at creation: phone `optional`, last name `required`.',
    examples: [{ phone: 'required' }],
  },
)

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

const changeUntil = (what: string) =>
  Minutes(
    0,
    thirtyDaysOfMinutes,
    `How many minutes before the start a client may still ${what}; if absent at creation: ${usualChangeMinutes}. Null: never.`,
  )

/** The description and start times of a service. */
const offered = {
  name: { shown: Type.String(), input: UnlinkedName(maxNameLength) },
  slug: listedFields.slug,
  position: listedFields.position,
  category: {
    shown: Nullable(Type.String(), { description: 'What it is listed under.' }),
    input: Type.String({
      format: 'line',
      minLength: 1,
      maxLength: maxCategoryLength,
      description: 'What it is listed under.',
      examples: ['Hair'],
    }),
    usual: null,
  },
  description: listedFields.description,
  image_url: listedFields.image_url,
  duration_minutes: { shown: Type.Integer(), input: Minutes(1, maxDuration) },
  buffer_before_minutes: {
    shown: Type.Integer(),
    input: Minutes(0, 720, 'Time before each booking in which nothing else can be.'),
    usual: 0,
  },
  buffer_after_minutes: {
    shown: Type.Integer(),
    input: Minutes(0, 720, 'Time after each booking in which nothing else can be.'),
    usual: 0,
  },
  slot_interval_minutes: {
    shown: Type.Integer({ description: 'The grid for slot starts.' }),
    input: Minutes(
      minSlotInterval,
      1_440,
      'The grid on which slots start; if absent: the duration, but at least 5.',
    ),
    usual: ({ duration_minutes }: { duration_minutes: number }) => defaultSlotInterval(duration_minutes),
  },
}

const noShowMeans =
  'The part of the price that a no-show costs, in percent, less what was paid. Null: nothing.'
const waitlistMeans = 'Whether clients may join the waiting list for it.'

/** The limits on booking and on changes by clients. */
const limits = {
  min_notice_minutes: {
    shown: Type.Integer(),
    input: Minutes(0, minutesAYear, 'How long before its start a slot can be booked at the latest.'),
    usual: 0,
  },
  max_advance_days: {
    shown: Nullable(Type.Integer(), { description: 'Null: no own limit.' }),
    input: Type.Integer({
      minimum: 0,
      maximum: tenYearsOfDays,
      description: `Days ahead that it can be booked; if absent at creation: ${usualAdvanceDays}. Null: no own limit; sessions never book more than 730 days ahead.`,
    }),
    usual: usualAdvanceDays,
    always: true as const, // absent meant no limit in older files
  },
  cancel_until_minutes: {
    shown: Nullable(Type.Integer(), {
      description: 'Minutes before the start until which the client may cancel. Null: never.',
    }),
    input: changeUntil('cancel a booking'),
    usual: usualChangeMinutes,
  },
  reschedule_until_minutes: {
    shown: Nullable(Type.Integer(), {
      description: 'Minutes before the start until which the client may move it. Null: never.',
    }),
    input: changeUntil('move a booking'),
    usual: usualChangeMinutes,
  },
  max_reschedules: {
    shown: Type.Integer({ description: 'How often a client may move one booking.' }),
    input: Minutes(
      0,
      mostReschedules,
      `How often a client may move one booking; if absent at creation: ${usualReschedules}.`,
    ),
    usual: usualReschedules,
  },
  max_repeats: {
    shown: Type.Integer({ description: maxRepeatsMeans }),
    input: Minutes(1, maxRepeats, `${maxRepeatsMeans} If absent at creation: 1.`),
    usual: 1,
  },
  confirmation: {
    shown: Type.Enum([...confirmations], {
      description: '`request`: a booking by a session is `pending` until the business confirms it.',
    }),
    input: Type.Enum([...confirmations], {
      description: `\`request\`: a booking by a session is \`pending\` until the business confirms it, and starts at least ${requestNoticeMinutes} minutes ahead. If absent at creation: \`automatic\`.`,
    }),
    usual: 'automatic',
  },
  respond_within_minutes: {
    shown: Type.Integer({ description: 'How long the business has to answer a request.' }),
    input: Minutes(
      minResponseMinutes,
      maxResponseMinutes,
      `How long the business has to answer a request, at most until ${answeredBeforeMinutes} minutes before its start; if absent at creation: ${usualResponseMinutes}. Without an answer it is cancelled.`,
    ),
    usual: usualResponseMinutes,
  },
  capacity: {
    shown: Type.Integer({ description: capacityMeans }),
    input: Minutes(1, maxCapacity, capacityMeans),
    usual: 1,
  },
  waitlist: {
    shown: Type.Boolean({ description: waitlistMeans }),
    input: Type.Boolean({ description: `${waitlistMeans} If absent at creation: true.` }),
    usual: true,
  },
  no_show_percent: {
    shown: Nullable(Type.Integer(), { description: noShowMeans }),
    input: Type.Integer({ minimum: 1, maximum: 100, description: noShowMeans, examples: [100] }),
    usual: null,
  },
}

/** In the order of the file format. */
export const serviceFields = { ...offered, ...limits }

const locationIds = Ids(1, 'Where it is offered.')
const staffIds = Ids(0, 'Staff who provide it; empty: needs no staff.')
const price = Amount(0, 'In minor units: 2500 EUR is 25.00 euros.')
const deposit = Amount(
  1,
  'What is paid in advance: at most the price, and in its currency, where there is one.',
)

const paymentMeans =
  'What is paid when booking. `deposit`: the deposit. `full`: the price, of all people and services together. `card`: nothing, but a card is saved.'
const payment = Type.Enum([...paymentModes], {
  description: `${paymentMeans} If absent: \`deposit\` with a deposit, else \`none\`. A change to \`none\`, \`full\` or \`card\` removes the deposit.`,
})

const feesMean =
  'Fees for clients who cancel late, of the price, less what was paid. Of several, that with the shortest time counts. They are charged to the card, which the checkout saves.'

const fee = {
  within_minutes: Minutes(1, thirtyDaysOfMinutes, 'The time before the start in which it applies.'),
  percent: Type.Integer({ minimum: 1, maximum: 100, description: 'The part of the price.' }),
}

const feeExample = [{ within_minutes: 1440, percent: 50 }]

const fees = Ruled(
  Type.Array(StrictObject(fee), {
    maxItems: maxFees,
    description: `${feesMean} Each time once, in any order: they are stored with the longest first.`,
    examples: [feeExample],
  }),
  feesErrors,
)

export const Service = Type.Object(
  {
    id: ShownId,
    business_id: ShownId,
    ...shownMembers(offered),
    steps: Nullable(Steps, { description: 'Null: one step, with the person.' }),
    timetable: Nullable(Timetable, { description: 'In place of the grid. Null: the grid.' }),
    ...shownMembers(limits),
    price: Nullable(Money),
    deposit: Nullable(Money),
    payment: Type.Enum([...paymentModes], { description: paymentMeans }),
    fees: Type.Array(Type.Object({ within_minutes: Type.Integer(), percent: Type.Integer() }), {
      description: `${feesMean} The longest time first.`,
    }),
    location_ids: Type.Array(ShownId),
    staff_ids: Type.Array(ShownId, { description: 'Staff who provide it; empty: needs no staff.' }),
    needs: Type.Array(Need, { description: 'Rooms and equipment that it needs, all at once.' }),
    terms: Type.Array(Terms, { description: 'Other prices and lengths of its staff.' }),
    client_fields: ClientFields,
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
        steps: null,
        timetable: null,
        min_notice_minutes: 0,
        max_advance_days: null,
        cancel_until_minutes: 1440,
        reschedule_until_minutes: 1440,
        max_reschedules: 3,
        max_repeats: 1,
        confirmation: 'automatic',
        respond_within_minutes: 1440,
        capacity: 1,
        waitlist: true,
        no_show_percent: null,
        price: { amount: 3500, currency: 'EUR' },
        deposit: null,
        payment: 'none',
        fees: [],
        location_ids: [exampleIds.location],
        staff_ids: [exampleIds.staff],
        needs: [],
        terms: [],
        client_fields: { phone: 'optional', last_name: 'required' },
        custom_fields: [],
        active: true,
      },
    ],
  },
)

export type Service = Static<typeof Service>

const oddMembers = {
  duration_minutes: Type.Optional(
    Minutes(1, maxDuration, 'Required unless there are steps, whose sum it is.'),
  ),
  steps: Type.Optional(steps),
  timetable: Type.Optional(timetable),
  price: Type.Optional(price),
  deposit: Type.Optional(deposit),
  payment: Type.Optional(payment),
  fees: Type.Optional(fees),
  client_fields: Type.Optional(clientFields),
}

/** Members of a service in a file. */
export const serviceMembers = { ...entryMembers(serviceFields), ...oddMembers }

export const CreateService = Ruled(
  StrictObject(
    {
      ...businessId,
      ...creationMembers(serviceFields),
      ...oddMembers,
      location_ids: locationIds,
      staff_ids: Type.Optional(staffIds),
      needs: Type.Optional(needs),
      terms: Type.Optional(terms),
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
  newServiceErrors,
)

export const ChangeService = Ruled(
  StrictObject(
    {
      ...changeMembers(serviceFields),
      steps: Type.Optional(OrNull(steps)),
      timetable: Type.Optional(OrNull(timetable)),
      price: Type.Optional(OrNull(price)),
      deposit: Type.Optional(OrNull(deposit)),
      payment: Type.Optional(payment),
      fees: Type.Optional(fees),
      location_ids: Type.Optional(locationIds),
      staff_ids: Type.Optional(staffIds),
      needs: Type.Optional(needs),
      terms: Type.Optional(terms),
      client_fields: Type.Optional(clientFields),
      custom_fields: Type.Optional(ChangedFields),
      ...activity,
    },
    {
      title: 'ChangeService',
      description: 'The fields to change. Lists are replaced as a whole.',
      examples: [{ duration_minutes: 60 }],
    },
  ),
  chargeErrors,
)

export type ServiceCreation = Static<typeof CreateService>
export type ServiceChange = Static<typeof ChangeService>

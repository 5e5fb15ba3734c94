import { Type } from 'typebox'
import { exampleIds } from '../examples.ts'
import { Closed, Id, listParameters, Nullable, ShownId } from '../wire.ts'
import { customFieldTypes } from './catalogue-types.ts'

const Money = Type.Object(
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

const DateOverrides = Type.Array(
  Type.Object({ date: Type.String({ format: 'date' }), hours: Type.Array(Type.Object(Hours)) }),
  {
    title: 'DateOverrides',
    description: 'Hours of single dates in place of the weekly ones; none means closed.',
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
      Type.Array(Type.String(), { description: 'What `select` and `multi_select` offer.' }),
    ),
  },
  { title: 'CustomField', description: 'A question that a service asks when it is booked.' },
)

export const Service = Type.Object(
  {
    id: ShownId,
    business_id: ShownId,
    name: Type.String(),
    description: Nullable(Type.String()),
    duration_minutes: Type.Integer(),
    buffer_before_minutes: Type.Integer(),
    buffer_after_minutes: Type.Integer(),
    slot_interval_minutes: Type.Integer({ description: 'The grid on which slots start.' }),
    min_notice_minutes: Type.Integer(),
    max_advance_days: Nullable(Type.Integer(), { description: 'Null: no limit of its own.' }),
    capacity: Type.Integer({
      description:
        'Without staff: how many clients at once at one location. With staff: how many share one appointment.',
    }),
    price: Nullable(Money),
    deposit: Nullable(Money),
    location_ids: Type.Array(ShownId),
    staff_ids: Type.Array(ShownId, { description: 'Who gives it; empty: it needs nobody.' }),
    custom_fields: Type.Array(CustomField),
    active: Type.Boolean({ description: 'An inactive one cannot be booked any more.' }),
  },
  {
    title: 'Service',
    description: 'Something that can be booked.',
    examples: [
      {
        id: exampleIds.service,
        business_id: exampleIds.business,
        name: 'Haircut',
        description: null,
        duration_minutes: 30,
        buffer_before_minutes: 0,
        buffer_after_minutes: 10,
        slot_interval_minutes: 15,
        min_notice_minutes: 0,
        max_advance_days: null,
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
    weekly_hours: Nullable(WeeklyHours, { description: 'Null: always open. Empty: never.' }),
    date_overrides: DateOverrides,
    active: Type.Boolean(),
  },
  {
    title: 'Location',
    description: 'Where services are given.',
    examples: [
      {
        id: exampleIds.location,
        business_id: exampleIds.business,
        name: 'Mitte',
        timezone: 'Europe/Berlin',
        address: null,
        weekly_hours: weekdayHours,
        date_overrides: [],
        active: true,
      },
    ],
  },
)

/** A staff member; sessions get `id` and `name` only. */
export const StaffMember = Type.Object(
  {
    id: ShownId,
    name: Type.String(),
    business_id: Type.Optional(ShownId),
    email: Type.Optional(Nullable(Type.String())),
    location_ids: Type.Optional(Type.Array(ShownId, { description: 'Empty: everywhere.' })),
    weekly_hours: Type.Optional(Nullable(WeeklyHours, { description: 'Null: the hours of the location.' })),
    date_overrides: Type.Optional(DateOverrides),
    active: Type.Optional(Type.Boolean()),
  },
  {
    title: 'StaffMember',
    description: 'Somebody who gives services. A session token is shown `id` and `name` only.',
    examples: [
      {
        id: exampleIds.staff,
        name: 'Anna Weber',
        business_id: exampleIds.business,
        email: 'anna@example.com',
        location_ids: [],
        weekly_hours: null,
        date_overrides: [],
        active: true,
      },
    ],
  },
)

export const CatalogueQuery = Closed({
  ...listParameters,
  business_id: Type.Optional(Type.String({ ...Id, description: 'For hub keys: one business of the hub.' })),
})

import { type Static, Type } from 'typebox'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import { Id, listParameters, Nullable, Page, ShownId, ShownInstant, StrictObject } from '../base/wire.ts'

const maxAddress = 2_000

/** The form of the console that connects an account. */
export const ConnectCalendarAccount = StrictObject({
  staff_id: Type.String({ ...Id, description: 'Whose account it is.' }),
  url: Type.String({
    format: 'line',
    minLength: 1,
    maxLength: maxAddress,
    description: 'Address of the CalDAV server (https).',
  }),
  user_name: Type.String({ format: 'line', minLength: 1, maxLength: 320 }),
  password: Type.String({ format: 'line', minLength: 1, maxLength: 1_000 }),
})

export type CalendarAccountConnection = Static<typeof ConnectCalendarAccount>

const Calendar = Type.String({
  format: 'line',
  minLength: 1,
  maxLength: maxAddress,
  description: 'A `calendar` of the account.',
})

const choice = {
  keeps_busy: Type.Array(Calendar, {
    maxItems: 5,
    uniqueItems: true,
    description: 'The calendars whose times keep the staff member busy.',
  }),
  writes_to: Nullable(Calendar, { description: 'The calendar into which bookings are written; null: none.' }),
}

export const ChangeCalendarAccount = StrictObject(
  { keeps_busy: Type.Optional(choice.keeps_busy), writes_to: Type.Optional(choice.writes_to) },
  {
    title: 'ChangeCalendarAccount',
    description: 'Which calendars of an account count, and which one receives bookings.',
    examples: [{ writes_to: 'https://caldav.example.com/anna/main/' }],
  },
)

export type CalendarAccountChange = Static<typeof ChangeCalendarAccount>

const example = {
  id: exampleIds.calendarAccount,
  business_id: exampleIds.business,
  staff_id: exampleIds.staff,
  kind: 'caldav',
  host: 'caldav.example.com',
  user_name: 'anna@example.com',
  calendars: [{ calendar: 'https://caldav.example.com/anna/main/', name: 'Main', writable: true }],
  keeps_busy: ['https://caldav.example.com/anna/main/'],
  writes_to: 'https://caldav.example.com/anna/main/',
  last_fetched_at: exampleTimes.createdAt,
  last_error: null,
  waiting: 0,
  last_write_error: null,
  connected_at: exampleTimes.createdAt,
  created_at: exampleTimes.createdAt,
}

export const CalendarAccount = Type.Object(
  {
    ...{ id: ShownId, business_id: ShownId, staff_id: ShownId },
    kind: Type.Union([Type.Literal('caldav'), Type.Literal('google'), Type.Literal('microsoft')]),
    host: Type.String({ description: 'Of its server.' }),
    user_name: Type.String(),
    calendars: Type.Array(
      Type.Object({ calendar: Type.String(), name: Type.String(), writable: Type.Boolean() }),
      { description: 'All its calendars that contain events, as listed when it was connected.' },
    ),
    ...choice,
    last_fetched_at: Nullable(ShownInstant, {
      description: 'When all its times were last known to be right; null before the first time.',
    }),
    last_error: Nullable(Type.String({ description: 'Why the last fetch failed; the last copy stays.' })),
    waiting: Type.Integer({ minimum: 0, description: 'Bookings that wait to be written.' }),
    last_write_error: Nullable(Type.String({ description: 'Why the last write failed; it is repeated.' })),
    connected_at: ShownInstant,
    created_at: ShownInstant,
  },
  {
    title: 'CalendarAccount',
    description: 'An account of a staff member at a calendar server. Credentials are never shown.',
    examples: [example],
  },
)

export const CalendarAccountPage = Page(CalendarAccount, {
  title: 'CalendarAccountPage',
  description: 'Calendar accounts, the newest first.',
})

export const CalendarAccountsQuery = StrictObject({
  ...listParameters,
  staff_id: Type.Optional(Type.String({ ...Id, description: 'Only those of this staff member.' })),
  business_id: Type.Optional(Type.String({ ...Id, description: 'For hub keys: one business of the hub.' })),
})

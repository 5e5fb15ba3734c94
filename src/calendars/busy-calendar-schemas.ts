import { type Static, Type } from 'typebox'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import { Id, listParameters, Nullable, Page, ShownId, ShownInstant, StrictObject } from '../base/wire.ts'

export const CreateBusyCalendar = StrictObject(
  {
    staff_id: Type.String({ ...Id, description: 'Whose calendar it is.' }),
    url: Type.String({
      format: 'line',
      minLength: 1,
      maxLength: 2_000,
      description: 'Of an iCalendar file (https or webcal). Secret: no answer shows it.',
    }),
  },
  {
    title: 'CreateBusyCalendar',
    description: 'A calendar elsewhere whose times keep a staff member busy.',
    examples: [
      { staff_id: exampleIds.staff, url: 'https://calendar.example.com/ical/anna/private-4f1c/basic.ics' },
    ],
  },
)

export type BusyCalendarCreation = Static<typeof CreateBusyCalendar>

export const BusyCalendar = Type.Object(
  {
    id: ShownId,
    business_id: ShownId,
    staff_id: ShownId,
    host: Type.String({ description: 'Of its address, which is secret.' }),
    last_fetched_at: Nullable(ShownInstant, {
      description: 'When its times were last known to be right; null before the first time.',
    }),
    last_error: Nullable(Type.String({ description: 'Why the last fetch failed; the last copy stays.' })),
    busy_until: Nullable(ShownInstant, { description: 'Up to when its times are known.' }),
    created_at: ShownInstant,
  },
  {
    title: 'BusyCalendar',
    description: 'A calendar elsewhere whose times keep a staff member busy. Asked every 15 minutes.',
    examples: [
      {
        id: exampleIds.busyCalendar,
        business_id: exampleIds.business,
        staff_id: exampleIds.staff,
        host: 'calendar.example.com',
        last_fetched_at: exampleTimes.createdAt,
        last_error: null,
        busy_until: exampleTimes.endsAt,
        created_at: exampleTimes.createdAt,
      },
    ],
  },
)

export const BusyCalendarPage = Page(BusyCalendar, {
  title: 'BusyCalendarPage',
  description: 'Busy calendars, the newest first.',
})

export const BusyCalendarsQuery = StrictObject({
  ...listParameters,
  staff_id: Type.Optional(Type.String({ ...Id, description: 'Only those of this staff member.' })),
  business_id: Type.Optional(Type.String({ ...Id, description: 'For hub keys: one business of the hub.' })),
})

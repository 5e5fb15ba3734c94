import { type Instant, isTimeZone } from '../base/instants.ts'
import { type ForeignRow, readForeignTables } from '../database/foreign-postgres.ts'
import {
  clientNamed,
  hourOf,
  joinHours,
  locationIn,
  membersOf,
  newSource,
  textOf,
  utcInstant,
  weeklyOf,
  wholeOf,
} from './source-parts.ts'
import type { Source, SourceBooking } from './source-types.ts'

/*
 * Reads the PostgreSQL database of cal.com or cal.diy. Its bookings are in UTC, hours in the zone of their schedule.
 * https://github.com/calcom/cal.com/blob/main/packages/prisma/schema.prisma
 */

const tables = [
  ...[{ name: 'users' }, { name: 'EventType' }, { name: 'Schedule' }, { name: 'Availability' }],
  ...[{ name: 'Booking' }, { name: 'Attendee' }, { name: '_user_eventtype', isOptional: true }],
  ...[
    { name: 'Host', isOptional: true },
    { name: 'OutOfOfficeEntry', isOptional: true },
  ],
]

/** Columns that are not read. */
const secrets = ['password', 'twoFactorSecret', 'backupCodes', 'identityProviderId', 'metadata']

type Tables = ReadonlyMap<string, readonly ForeignRow[]>

interface Reading {
  tables: Tables
  source: Source
  /** The name of the business, for locations. */
  name: string
  timezone: string
  now: Instant
}

interface CalcomOptions {
  /** The name and zone of the business. */
  name: string
  timezone: string
  now: Instant
}

/** Reads a database by its address. Throws a UsageError. */
export async function readCalcom(url: string, options: CalcomOptions): Promise<Source> {
  return calcomSource(await readForeignTables(url, { tables, secrets }), options)
}

function calcomSource(read: Tables, options: CalcomOptions): Source {
  const reading = { tables: read, source: newSource('calcom', 'booking'), ...options }
  const hosts = hostsOf(reading)
  readPeople(reading, new Set([...hosts.values()].flat()))
  readServices(reading, hosts)
  readBookings(reading, hosts)
  readAbsences(reading)
  return reading.source
}

function rowsOf({ tables: read }: Pick<Reading, 'tables'>, name: string): readonly ForeignRow[] {
  return read.get(name) ?? []
}

function remark({ source }: Reading, what: string, detail: string, isLeftOut = false): void {
  source.remarks.push({ what, detail, isLeftOut })
}

/** Returns the users who give each event type. */
function hostsOf(reading: Reading): Map<string, string[]> {
  const hosts = new Map<string, string[]>()
  const add = (type: unknown, user: unknown) => {
    const [key, id] = [textOf(type), textOf(user)]
    const list = hosts.get(key) ?? []
    if (id !== '' && !list.includes(id)) hosts.set(key, [...list, id])
  }
  for (const { id, userId } of rowsOf(reading, 'EventType')) add(id, userId)
  for (const { eventTypeId, userId } of rowsOf(reading, 'Host')) add(eventTypeId, userId)
  for (const { A: type, B: user } of rowsOf(reading, '_user_eventtype')) add(type, user)
  return hosts
}

function nameOf(user: ForeignRow): string {
  return textOf(user['name']) || textOf(user['username']) || textOf(user['email'])
}

function readPeople(reading: Reading, hosts: ReadonlySet<string>): void {
  const { source, timezone } = reading
  const busy = new Set(rowsOf(reading, 'Booking').map(({ userId }) => textOf(userId)))
  const schedules = Map.groupBy(rowsOf(reading, 'Schedule'), ({ userId }) => textOf(userId))
  const hours = Map.groupBy(rowsOf(reading, 'Availability'), ({ scheduleId }) => textOf(scheduleId))
  for (const user of rowsOf(reading, 'users')) {
    const key = textOf(user['id'])
    if (!hosts.has(key) && !busy.has(key)) continue
    const own = schedules.get(key) ?? []
    const schedule = own.find(({ id }) => id === user['defaultScheduleId']) ?? own[0]
    const what = `user ${key} (${nameOf(user)})`
    if (own.length > 1) remark(reading, what, 'has several schedules; the default one counts')
    if (!schedule) remark(reading, what, 'has no schedule; they get no hours')
    const zone = [textOf(schedule?.['timeZone']), textOf(user['timeZone']), timezone].find(
      (one) => one !== '' && isTimeZone(one),
    )
    const rows = hours.get(textOf(schedule?.['id'])) ?? []
    const email = textOf(user['email'])
    source.people.push({
      key,
      entry: { name: nameOf(user), ...(email !== '' && { email }), ...hoursOf(reading, rows, what) },
      locations: [locationIn(source, zone ?? timezone, reading.name)],
    })
  }
}

function hoursOf(reading: Reading, rows: readonly ForeignRow[], what: string) {
  const weekly = new Map<number, [string, string][]>()
  const dates = new Map<string, [string, string][]>()
  const today = reading.now.slice(0, 10)
  for (const { days, startTime, endTime, date } of rows) {
    const [from, to] = [hourOf(startTime), hourOf(endTime)]
    if (from === undefined || to === undefined) {
      remark(reading, what, 'has hours that cannot be read', true)
      continue
    }
    const until = to === '00:00' && from > to ? '24:00' : to
    const span: [string, string] = [from, until]
    const day = textOf(date).slice(0, 10)
    if (day !== '') {
      if (day >= today) dates.set(day, [...(dates.get(day) ?? []), span])
      continue
    }
    // its weeks begin on Sunday
    for (const one of Array.isArray(days) ? days : []) {
      const index = (Number(one) + 6) % 7
      weekly.set(index, [...(weekly.get(index) ?? []), span])
    }
  }
  return {
    weekly_hours: weeklyOf(weekly),
    date_overrides: [...dates]
      .map(([date, spans]) => ({ date, hours: joinHours(spans) }))
      .toSorted((one, other) => (one.date < other.date ? -1 : 1)),
  }
}

function readServices(reading: Reading, hosts: ReadonlyMap<string, string[]>): void {
  const { source } = reading
  const people = new Map(source.people.map((person) => [person.key, person]))
  const titles = Map.groupBy(rowsOf(reading, 'EventType'), ({ title }) => textOf(title))
  for (const type of rowsOf(reading, 'EventType')) {
    const key = textOf(type['id'])
    const title = textOf(type['title'])
    const staff = (hosts.get(key) ?? []).filter((id) => people.has(id))
    const first = people.get(staff[0] ?? '')
    const isRepeated = (titles.get(title)?.length ?? 0) > 1
    const name = isRepeated && first ? `${title} (${first.entry.name})` : title
    const what = `event type ${key} (${name})`
    const isHidden = type['hidden'] === true
    if (isHidden)
      remark(reading, what, 'is hidden there, so clients cannot book it here until you activate it')
    else if (staff.length === 0)
      remark(reading, what, 'has no host, so clients cannot book it until you name somebody')
    if (type['schedulingType'] === 'collective')
      remark(reading, what, 'takes all its hosts together there; here each of them gives it alone')
    if (typeof type['scheduleId'] === 'number')
      remark(reading, what, 'has its own schedule there; here the hours of its hosts count')
    const places = [...new Set(staff.flatMap((id) => people.get(id)?.locations ?? []))]
    source.services.push({
      key,
      entry: { name, ...fieldsOf(type), ...((isHidden || staff.length === 0) && { active: false }) },
      locations: places.length > 0 ? places : [locationIn(source, reading.timezone, reading.name)],
      staff,
    })
  }
}

function fieldsOf(type: ForeignRow) {
  const text = textOf(type['description'])
  const interval = wholeOf(type['slotInterval'], 5, 1_440)
  const days = type['periodType'] === 'ROLLING' ? wholeOf(type['periodDays'], 0, 3_650) : undefined
  const price = wholeOf(type['price'], 1, 1_000_000_000)
  const currency = textOf(type['currency']).toUpperCase()
  return {
    duration_minutes: wholeOf(type['length'], 1, 100_000) ?? 0,
    buffer_before_minutes: wholeOf(type['beforeEventBuffer'], 0, 720) ?? 0,
    buffer_after_minutes: wholeOf(type['afterEventBuffer'], 0, 720) ?? 0,
    min_notice_minutes: wholeOf(type['minimumBookingNotice'], 0, 525_600) ?? 0,
    capacity: wholeOf(type['seatsPerTimeSlot'], 1, 10_000) ?? 1,
    ...(text !== '' && { description: text }),
    ...(interval !== undefined && { slot_interval_minutes: interval }),
    ...(days !== undefined && { max_advance_days: days }),
    ...(price !== undefined && currency !== '' && { price: { amount: price, currency } }),
    ...(type['requiresConfirmation'] === true && { confirmation: 'request' as const }),
  }
}

function readBookings(reading: Reading, hosts: ReadonlyMap<string, string[]>): void {
  const attendees = Map.groupBy(rowsOf(reading, 'Attendee'), ({ bookingId }) => textOf(bookingId))
  const types = new Map(rowsOf(reading, 'EventType').map((type) => [textOf(type['id']), type]))
  for (const booking of rowsOf(reading, 'Booking')) {
    const key = textOf(booking['uid']) || textOf(booking['id'])
    const service = textOf(booking['eventTypeId'])
    const starts_at = utcInstant(booking['startTime'])
    const ends_at = utcInstant(booking['endTime'])
    const own = (attendees.get(textOf(booking['id'])) ?? []).toSorted(
      (one, other) => Number(one['id']) - Number(other['id']),
    )
    const status = textOf(booking['status']).toLowerCase()
    const fault =
      !starts_at || !ends_at || ends_at <= starts_at
        ? 'has no valid times'
        : !types.has(service)
          ? 'has no event type'
          : own.length === 0
            ? 'has no attendee'
            : ['pending', 'awaiting_host'].includes(status)
              ? 'waits for a confirmation: answer it there first'
              : undefined
    if (fault !== undefined || !starts_at || !ends_at) {
      remark(reading, `booking ${key}`, fault ?? 'has no valid times', true)
      continue
    }
    const staff = textOf(booking['userId']) || hosts.get(service)?.[0]
    const isCancelled = status === 'cancelled' || status === 'rejected'
    const parts = { service, location: undefined, staff, starts_at, ends_at, party_size: 1 }
    const created_at = utcInstant(booking['createdAt'])
    // with seats, each attendee becomes a booking
    const hasSeats = typeof types.get(service)?.['seatsPerTimeSlot'] === 'number'
    for (const [index, attendee] of (hasSeats ? own : own.slice(0, 1)).entries()) {
      const others = hasSeats ? [] : own.slice(1)
      reading.source.bookings.push({
        ...{ ...parts, created_at, key: index === 0 ? key : `${key} ${textOf(attendee['id'])}` },
        client: clientOf(reading, attendee, booking),
        state: isCancelled ? 'cancelled' : attendee['noShow'] === true ? 'no_show' : 'booked',
        notes: notesOf(booking, others),
      })
    }
  }
}

function clientOf({ source }: Reading, attendee: ForeignRow, booking: ForeignRow): string {
  const { attendeePhoneNumber, smsReminderNumber } = membersOf(booking['responses'])
  const zone = textOf(attendee['timeZone'])
  return clientNamed(source, {
    ...{ name: textOf(attendee['name']), email: textOf(attendee['email']) },
    ...{ locale: textOf(attendee['locale']), zone: isTimeZone(zone) ? zone : '' },
    phone: textOf(attendee['phoneNumber']) || textOf(attendeePhoneNumber) || textOf(smsReminderNumber),
  })
}

/** Answers that are elsewhere, or that only cal.com needs. */
const known = new Set([
  ...['name', 'email', 'guests', 'location', 'title', 'rescheduleReason', 'notes'],
  ...['attendeePhoneNumber', 'smsReminderNumber'],
])

function notesOf(booking: ForeignRow, guests: readonly ForeignRow[]): SourceBooking['notes'] {
  const answers = { ...membersOf(booking['customInputs']), ...membersOf(booking['responses']) }
  const place = textOf(booking['location'])
  const lines = Object.entries(answers).flatMap(([name, value]) => {
    const text = Array.isArray(value)
      ? value.map(textOf).join(', ')
      : typeof value === 'boolean'
        ? String(value)
        : textOf(value)
    return known.has(name) || text === '' ? [] : [`${name}: ${text}`]
  })
  return [
    textOf(booking['description']) || textOf(answers['notes']),
    ...lines,
    place.startsWith('integrations:') ? '' : place,
    guests.length === 0
      ? ''
      : `+ ${guests.map(({ name, email }) => `${textOf(name)} ${textOf(email)}`).join(', ')}`,
  ]
    .filter(Boolean)
    .join('\n')
}

function readAbsences(reading: Reading): void {
  const people = new Set(reading.source.people.map(({ key }) => key))
  for (const entry of rowsOf(reading, 'OutOfOfficeEntry')) {
    const [starts_at, ends_at] = [utcInstant(entry['start']), utcInstant(entry['end'])]
    const staff = textOf(entry['userId'])
    const key = textOf(entry['uuid']) || textOf(entry['id'])
    if (!starts_at || !ends_at || ends_at <= starts_at || !people.has(staff))
      remark(reading, `absence ${key}`, 'has no valid times or no host', true)
    else if (ends_at > reading.now)
      reading.source.blocks.push({
        key,
        staff,
        location: undefined,
        starts_at,
        ends_at,
        reason: textOf(entry['notes']),
      })
  }
}

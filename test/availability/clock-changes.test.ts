import { describe, expect, test } from 'vitest'
import { openingsOf, type Schedule } from '../../src/availability/hours-rules.ts'
import { AvailabilityRules, zoneAround } from '../../src/availability/offer-rules.ts'
import { dayMs } from '../../src/availability/zone-rules.ts'
import type { Hours, Weekday } from '../../src/catalogue/catalogue-types.ts'
import type { Location } from '../../src/catalogue/location-and-staff-schemas.ts'
import type { Service } from '../../src/catalogue/service-schemas.ts'
import { isWhole, testIn } from '../support/long.ts'
import { dateAfter, wallClock, type WallTime } from '../support/wall-clock.ts'

/*
 * Around each clock change, slots are compared with those of a walker. The walker goes through the days five minutes at
 * a time and reads the clock on the wall.
 */

const minuteMs = 60_000
const stepMs = 5 * minuteMs

const weekdays: Weekday[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

function daily(...hours: Hours[]): Schedule {
  const weekly_hours = weekdays.flatMap((weekday) => hours.map((one) => ({ weekday, ...one })))
  return { weekly_hours, date_overrides: [] }
}

/** Hours that begin, end or lie in the times at which zones change their clocks. */
const schedules: Record<string, Schedule> = {
  'always open': { weekly_hours: null, date_overrides: [] },
  'the whole day': daily({ opens: '00:00', closes: '24:00' }),
  'past midnight': daily({ opens: '22:30', closes: '04:15' }),
  'in the small hours': daily({ opens: '00:30', closes: '01:30' }, { opens: '02:15', closes: '03:45' }),
  'by day': daily({ opens: '09:00', closes: '12:30' }, { opens: '13:15', closes: '17:00' }),
}

const services = [
  { duration_minutes: 30, slot_interval_minutes: 30 },
  { duration_minutes: 50, slot_interval_minutes: 45 },
]

/** Returns the hours in which a schedule is open at a wall time, at most one. */
function openHours(schedule: Schedule, { date, minutes }: WallTime): string | undefined {
  if (schedule.weekly_hours === null) return date
  const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
  const found = [0, -1].flatMap((daysAgo) => {
    const day = dateAfter(date, daysAgo)
    const weekday = weekdays[(new Date(day).getUTCDay() + 6) % 7]
    return (schedule.weekly_hours ?? [])
      .filter((hours) => hours.weekday === weekday)
      .filter(({ opens, closes }) => {
        const [from, until] = [minutesOf(opens), minutesOf(closes)]
        const to = until <= from ? until + 24 * 60 : until
        const now = minutes - daysAgo * 24 * 60
        return from <= now && now < to
      })
      .map(({ opens }) => `${day} ${opens}`)
  })
  return found[0]
}

/** Returns the starts of all slots in a time, as the walker finds them. */
function walk(
  schedule: Schedule,
  timeZone: string,
  span: { from: number; to: number; service: (typeof services)[number] },
): number[] {
  const clock = wallClock(timeZone)
  const { service } = span
  const starts: number[] = []
  let openedAt = 0
  let hours: string | undefined
  const open = (at: number) => openHours(schedule, clock(at))
  // far enough before the time to have seen the opening of hours that are open at its beginning
  for (let at = span.from - dayMs; at < span.to; at += stepMs) {
    const now = open(at)
    if (now !== hours) openedAt = at
    hours = now
    if (at < span.from || now === undefined) continue
    if ((at - openedAt) % (service.slot_interval_minutes * minuteMs) !== 0) continue
    let end = at
    while (end < at + service.duration_minutes * minuteMs && open(end) !== undefined) end += stepMs
    if (end >= at + service.duration_minutes * minuteMs) starts.push(at)
  }
  return starts
}

function offered(
  schedule: Schedule,
  timeZone: string,
  span: { from: number; to: number; service: (typeof services)[number] },
): number[] {
  const days = { first: Math.floor(span.from / dayMs) - 1, last: Math.ceil(span.to / dayMs) + 1 }
  const zone = zoneAround(timeZone, days)
  const offer = {
    service: { ...span.service, min_notice_minutes: 0, max_advance_days: null } as Service,
    location: { ...schedule, timezone: timeZone } as Location,
    staff: [],
  }
  const nowMs = span.from - dayMs // within the horizon
  const rules = new AvailabilityRules(offer, days, { zone, nowMs, blocks: [] })
  return rules.gridTimes(span).filter((at) => typeof rules.workingAt(at, true) !== 'string')
}

/** Returns the changes of a zone's offset from 2024 to 2030. */
function changesOf(timeZone: string): number[] {
  const changes: number[] = []
  const start = Temporal.Instant.from('2024-01-01T00:00:00Z').toZonedDateTimeISO(timeZone)
  for (let next = start.getTimeZoneTransition('next'); next; next = next.getTimeZoneTransition('next')) {
    if (next.epochMilliseconds >= Date.UTC(2031, 0, 1)) break
    changes.push(next.epochMilliseconds)
  }
  return changes
}

const oddZones = [
  'Africa/Cairo', // at midnight
  'Africa/Casablanca', // back during Ramadan
  'America/Havana',
  'America/New_York',
  'America/Nuuk',
  'America/Santiago', // at midnight
  'America/St_Johns', // half an hour off
  'Asia/Beirut', // at midnight
  'Asia/Gaza',
  'Asia/Kathmandu', // a quarter of an hour off, never changes
  'Atlantic/Azores',
  'Australia/Lord_Howe', // by half an hour
  'Europe/Berlin',
  'Pacific/Chatham', // three quarters of an hour off
]
/** North and south, and a change of half an hour. */
const brief = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']
const zones = isWhole ? Intl.supportedValuesOf('timeZone') : oddZones

describe('around changes of the clocks', () => {
  for (const timeZone of zones)
    testIn(brief.includes(timeZone))(`slots are those that the clock on the wall shows: ${timeZone}`, () => {
      // a time without changes must be right, too
      const changes = isWhole ? changesOf(timeZone) : changesOf(timeZone).slice(0, 6)
      const moments = [Date.UTC(2026, 4, 13, 12), ...changes]
      for (const moment of moments) {
        const from = Math.floor((moment - 1.2 * dayMs) / stepMs) * stepMs
        for (const [name, schedule] of Object.entries(schedules)) {
          for (const service of services) {
            const span = { from, to: from + 2.4 * dayMs, service }
            const place = `${timeZone}, ${name}, around ${new Date(moment).toISOString()}`
            expect(offered(schedule, timeZone, span), place).toEqual(walk(schedule, timeZone, span))
          }
        }
      }
    })

  test('a wall time that is skipped is not offered, one that is repeated is offered twice', () => {
    const always: Schedule = { weekly_hours: null, date_overrides: [] }
    const service = { duration_minutes: 30, slot_interval_minutes: 30 }
    const shown = (from: string, to: string) =>
      offered(always, 'Europe/Berlin', { from: Date.parse(from), to: Date.parse(to), service }).map((at) =>
        Temporal.Instant.fromEpochMilliseconds(at)
          .toZonedDateTimeISO('Europe/Berlin')
          .toString({ timeZoneName: 'never', smallestUnit: 'minute' })
          .slice(11),
      )
    expect(shown('2026-03-29T01:00+01:00', '2026-03-29T04:00+02:00')).toEqual([
      ...['01:00+01:00', '01:30+01:00', '03:00+02:00', '03:30+02:00'],
    ])
    expect(shown('2026-10-25T02:00+02:00', '2026-10-25T03:30+01:00')).toEqual([
      ...['02:00+02:00', '02:30+02:00', '02:00+01:00', '02:30+01:00', '03:00+01:00'],
    ])
  })

  test('a day without a midnight begins with its first moment', () => {
    // in Cairo clocks go from 00:00 to 01:00
    const day = Date.parse('2026-04-24') / dayMs
    const zone = zoneAround('Africa/Cairo', { first: day, last: day })
    const openings = openingsOf({ weekly_hours: null, date_overrides: [] }, zone, { first: day, last: day })
    expect(openings).toEqual([
      { from: Date.parse('2026-04-24T01:00+03:00'), to: Date.parse('2026-04-25T00:00+03:00') },
    ])
  })
})

import { describe, expect, test } from 'vitest'
import { movedAlong, occurrencesOf } from '../../src/bookings/series-rules.ts'
import { instantFromMs, nearestInstant, toMs } from '../../src/base/instants.ts'
import { isWhole, testIn } from '../support/long.ts'
import { dateAfter, wallClock, type WallTime } from '../support/wall-clock.ts'

/*
 * The times of a series are compared with those of a clock on the wall. Intl reads that one for one instant at a time. Around
 * each clock change, series begin at every half hour of the day before.
 */

const minuteMs = 60_000
const dayMs = 86_400_000

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

/** Returns the first instant of a day at which the clock shows a time; undefined if it never does. */
function firstShowing(clock: (ms: number) => WallTime, { date, minutes }: WallTime): number | undefined {
  const noonMs = Date.parse(date) + minutes * minuteMs
  for (let at = noonMs - 16 * 3_600_000; at < noonMs + 16 * 3_600_000; at += 15 * minuteMs) {
    const now = clock(at)
    if (now.date === date && now.minutes === minutes) return at
  }
  return undefined
}

const oddZones = [
  ...['Africa/Cairo', 'Africa/Casablanca', 'America/Havana', 'America/New_York', 'America/Nuuk'],
  ...['America/Santiago', 'America/St_Johns', 'Asia/Beirut', 'Asia/Gaza', 'Asia/Kathmandu'],
  ...['Atlantic/Azores', 'Australia/Lord_Howe', 'Europe/Berlin', 'Pacific/Chatham'],
]
const brief = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']
const zones = isWhole ? Intl.supportedValuesOf('timeZone') : oddZones

describe('times of a series', () => {
  for (const timeZone of zones)
    testIn(brief.includes(timeZone))(`are those that the clock on the wall shows: ${timeZone}`, () => {
      const clock = wallClock(timeZone)
      const changes = isWhole ? changesOf(timeZone) : changesOf(timeZone).slice(0, 4)
      for (const change of [Date.UTC(2026, 4, 13, 12), ...changes]) {
        const dayBefore = Math.floor(change / dayMs) * dayMs - dayMs
        for (let startMs = dayBefore; startMs < dayBefore + dayMs; startMs += 30 * minuteMs) {
          const { date, minutes } = clock(startMs)
          const found = occurrencesOf({ every: 'day', count: 4 }, instantFromMs(startMs), timeZone)
          const shown = found.map(({ startsAt, reason }) => (reason === undefined ? toMs(startsAt) : reason))
          const expected = [1, 2, 3].map(
            (days) => firstShowing(clock, { date: dateAfter(date, days), minutes }) ?? 'time_skipped',
          )
          const place = `${timeZone} from ${new Date(startMs).toISOString()}`
          expect(shown, place).toEqual([startMs, ...expected])
        }
      }
    })

  test.each(zones)('a year of weeks and months at 09:00 stays at 09:00: %s', (timeZone) => {
    const clock = wallClock(timeZone)
    const startMs = firstShowing(clock, { date: '2026-01-05', minutes: 540 }) ?? 0
    const weeks = occurrencesOf({ every: 'week', count: 52 }, instantFromMs(startMs), timeZone)
    expect(weeks.map(({ startsAt }) => clock(toMs(startsAt)))).toEqual(
      Array.from({ length: 52 }, (_, week) => ({ date: dateAfter('2026-01-05', 7 * week), minutes: 540 })),
    )
    const months = occurrencesOf({ every: 'month', interval: 2, count: 7 }, instantFromMs(startMs), timeZone)
    expect(months.map(({ startsAt }) => clock(toMs(startsAt)).date)).toEqual([
      ...['2026-01-05', '2026-03-05', '2026-05-05', '2026-07-05', '2026-09-05', '2026-11-05', '2027-01-05'],
    ])
  })

  const days = (repeat: Parameters<typeof occurrencesOf>[0], start: string) =>
    occurrencesOf(repeat, nearestInstant(Date.parse(start)), 'UTC').map(({ startsAt, reason }) =>
      [startsAt.slice(0, 10), reason].filter(Boolean).join(' '),
    )

  test('the 31st is a conflict in months without one, and comes back', () => {
    expect(days({ every: 'month', count: 4 }, '2026-10-31T09:00:00Z')).toEqual([
      '2026-10-31',
      '2026-11-30 no_such_day',
      '2026-12-31',
      '2027-01-31',
    ])
  })

  test('29 February is there in leap years only', () => {
    expect(days({ every: 'month', interval: 12, count: 5 }, '2028-02-29T09:00:00Z')).toEqual([
      '2028-02-29',
      '2029-02-28 no_such_day',
      '2030-02-28 no_such_day',
      '2031-02-28 no_such_day',
      '2032-02-29',
    ])
  })

  test('until is the last day, at most 52 times and at least twice', () => {
    expect(days({ every: 'week', interval: 2, until: '2026-12-15' }, '2026-12-01T09:00:00Z')).toEqual([
      '2026-12-01',
      '2026-12-15',
    ])
    expect(days({ every: 'day', until: '2027-01-21' }, '2026-12-01T09:00:00Z')).toHaveLength(52)
    const refused = (until: string) => () => days({ every: 'day', until }, '2026-12-01T09:00:00Z')
    expect(refused('2027-01-22')).toThrow('at most 52')
    expect(refused('2026-12-01')).toThrow('at least two')
  })

  test('after the year 9999 there are no times', () => {
    expect(days({ every: 'month', interval: 12, count: 3 }, '9998-12-01T09:00:00Z')).toEqual([
      '9998-12-01',
      '9999-12-01',
      '9999-12-31 beyond_horizon',
    ])
  })

  test('a move keeps what differs by the wall clock', () => {
    const from = nearestInstant(Date.parse('2027-03-15T08:00:00Z'))
    const to = nearestInstant(Date.parse('2027-03-16T09:30:00Z'))
    const other = nearestInstant(Date.parse('2027-03-29T09:00:00Z')) // at 11:00 in summer
    const moved = movedAlong(other, { from, to }, 'Europe/Berlin')
    expect(moved).toEqual({ startsAt: '2027-03-30T10:30:00.000Z', reason: undefined })
  })
})

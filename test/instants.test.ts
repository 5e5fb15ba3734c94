import { expect, test } from 'vitest'
import { formatInstant, instantFromMs, latestMs, wallText } from '../src/base/instants.ts'
import { randomFrom } from './support/random.ts'

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe', // half an hour of summer time
  'Pacific/Apia', // moved across the date line
  'Pacific/Kiritimati',
  'America/St_Johns', // changed its clocks at a minute past midnight
  'Africa/Casablanca', // changes them around Ramadan
  'Africa/Monrovia', // had an offset with seconds
]

function asTemporalSays(ms: number, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone)
  return local.toString({ timeZoneName: 'never', smallestUnit: 'second' })
}

/** The moments at which the clocks of a zone change between 1970 and 2045. */
function* changes(timeZone: string): Generator<number> {
  const last = Date.UTC(2045)
  let next = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(timeZone)
  for (;;) {
    const change = next.getTimeZoneTransition('next')
    if (!change || change.epochMilliseconds > last) return
    yield change.epochMilliseconds
    next = change
  }
}

test.each(zones)(
  'an instant is shown as the clocks of %s show it, before, at and after each change',
  (zone) => {
    const moments = [...changes(zone)].flatMap((change) => [
      change,
      change - 1,
      change + 1,
      change + 86_400_000,
    ])
    // once in order, once back and forth, like the rows of a list
    const toAndFro = moments.flatMap((moment, index) => [moment, moments.at(-index - 1) ?? moment])
    for (const ms of [0, Date.UTC(2026, 6, 1, 12, 30, 15, 999), ...moments, ...toAndFro]) {
      expect(formatInstant(instantFromMs(ms), zone)).toBe(asTemporalSays(ms, zone))
    }
  },
)

test('the first and the last instants are shown in any zone, in UTC where a zone has reached the year 10000', () => {
  expect(formatInstant(instantFromMs(0), 'America/New_York')).toBe('1969-12-31T19:00:00-05:00')
  expect(formatInstant(instantFromMs(latestMs), 'America/New_York')).toBe('9999-12-31T18:59:59-05:00')
  expect(formatInstant(instantFromMs(latestMs), 'Europe/Berlin')).toBe('9999-12-31T23:59:59+00:00')
})

test('a zone that there is not is refused', () => {
  expect(() => formatInstant(instantFromMs(0), 'Europe/Atlantis')).toThrow(RangeError)
})

test('instants and wall times are written as Date writes them, whatever came before', () => {
  const random = randomFrom(1)
  const day = 86_400_000
  for (let turn = 0; turn < 5_000; turn += 1) {
    const ms = random.below(latestMs / 1000) * 1000 + random.below(1000)
    for (const near of [ms, ms + 1, Math.floor(ms / day) * day, Math.ceil(ms / day) * day - 1]) {
      expect(instantFromMs(near)).toBe(new Date(near).toISOString())
      expect(wallText(near - day)).toBe(new Date(near - day).toISOString().slice(0, 19))
    }
  }
  expect(instantFromMs(1.9)).toBe('1970-01-01T00:00:00.001Z')
  expect(wallText(-1)).toBe('1969-12-31T23:59:59')
})

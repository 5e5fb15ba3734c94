import { moneyText } from '../../src/mails/times-and-money.ts'
import { countdownText } from '../../widget/times/countdown.ts'
import { describe, expect, test } from 'vitest'
import { slotsByDate, type Slot, rangeFor } from '../../widget/flow/slots.ts'
import { keyTarget } from '../../widget/flow/month-keys.ts'
import {
  lastDayOf,
  plusDays,
  plusMonths,
  sameDayIn,
  weekdayOf,
  weeksOf,
} from '../../widget/times/civil-dates.ts'
import { Formats, firstWeekdayOf } from '../../widget/times/formats.ts'
import { dateIn, isZone, sameTimeIn } from '../../widget/times/zones.ts'

const slotAt = (startsAt: string): Slot => ({
  startsAt,
  startsAtMs: Date.parse(startsAt),
  endsAtMs: Date.parse(startsAt) + 1_800_000,
  staffIds: [],
  seatsLeft: 1,
  heldByYou: false,
})

describe('dates of the calendar', () => {
  test('go on over the ends of months, years and February', () => {
    expect(plusDays('2026-12-31', 1)).toBe('2027-01-01')
    expect(plusDays('2028-02-28', 1)).toBe('2028-02-29')
    expect(plusDays('2027-03-01', -1)).toBe('2027-02-28')
    expect(plusMonths('2026-12', 1)).toBe('2027-01')
    expect(plusMonths('2026-01', -1)).toBe('2025-12')
    expect(lastDayOf('2028-02')).toBe('2028-02-29')
    expect(sameDayIn('2027-02', '2027-01-31')).toBe('2027-02-28')
  })

  test.each([
    ['2026-11', 1, '2026-11-01', 6],
    ['2026-11', 7, '2026-11-01', 0],
    ['2026-11', 6, '2026-11-01', 1],
  ])(
    'the weeks of %s that begin on weekday %i have the first in its column',
    (month, first, date, column) => {
      const weeks = weeksOf(month, first)
      expect(weeks[0]?.indexOf(date)).toBe(column)
      expect(weeks.flat().filter((day) => day !== null)).toHaveLength(30)
      expect(weeks.every((week) => week.length === 7)).toBe(true)
    },
  )

  test('weekdays are counted from Monday', () => {
    expect(['2026-11-23', '2026-11-29'].map(weekdayOf)).toEqual([1, 7])
  })
})

describe('the keys of the grid', () => {
  const grid = { firstWeekday: 1, rightToLeft: false, today: '2026-11-20' }
  test.each([
    ['ArrowRight', '2026-11-30', '2026-12-01'],
    ['ArrowLeft', '2026-11-26', '2026-11-25'],
    ['ArrowDown', '2026-11-26', '2026-12-03'],
    ['ArrowUp', '2026-12-03', '2026-11-26'],
    ['Home', '2026-11-26', '2026-11-23'],
    ['End', '2026-11-26', '2026-11-29'],
    ['PageDown', '2027-01-31', '2027-02-28'],
    ['PageUp', '2027-01-15', '2026-12-15'],
    ['ArrowUp', '2026-11-24', '2026-11-20'],
  ])('%s leads from %s to %s, and never before today', (key, from, to) => {
    expect(keyTarget(key, from, grid)).toBe(to)
  })

  test('left is onwards where one reads from right to left, and other keys are left alone', () => {
    expect(keyTarget('ArrowLeft', '2026-11-26', { ...grid, rightToLeft: true })).toBe('2026-11-27')
    expect(keyTarget('Tab', '2026-11-26', grid)).toBeUndefined()
  })
})

describe('slots in another zone', () => {
  test('stand under the date that its calendar shows', () => {
    const slots = ['2027-03-12T09:00:00-05:00', '2027-03-12T11:00:00-05:00'].map(slotAt)
    expect([...slotsByDate(slots, 'America/New_York').keys()]).toEqual(['2027-03-12'])
    expect([...slotsByDate(slots, 'Asia/Tokyo').keys()]).toEqual(['2027-03-12', '2027-03-13'])
  })

  test('are asked for with a day more at both ends of the month, but none that is over', () => {
    expect(rangeFor('2026-12', '2026-11-20')).toEqual({ from: '2026-11-30', to: '2027-01-01' })
    expect(rangeFor('2026-11', '2026-11-20')).toEqual({ from: '2026-11-19', to: '2026-12-01' })
  })

  test('the hour that a clock change repeats is told apart', () => {
    const slots = ['2026-11-01T00:30:00-04:00', '2026-11-01T01:30:00-04:00', '2026-11-01T01:30:00-05:00'].map(
      slotAt,
    )
    const formats = new Formats('en-US')
    const written = slots.map(({ startsAtMs }) => formats.time(startsAtMs, 'America/New_York'))
    expect(written.map((text) => text.replaceAll('\u202f', ' '))).toEqual([
      '12:30 AM',
      '1:30 AM EDT',
      '1:30 AM EST',
    ])
    const half = Date.parse('2027-04-03T14:45Z') // on an island that sets its clocks back by half an hour
    expect(formats.time(half, 'Australia/Lord_Howe')).toMatch(/^1:45.AM GMT\+11$/)
  })

  test('zones with the same clock at an instant are one, and others are not', () => {
    const [winter, gap] = [Date.parse('2026-12-01T12:00Z'), Date.parse('2027-03-20T12:00Z')]
    expect(sameTimeIn('Europe/Berlin', 'Europe/Paris', winter)).toBe(true)
    expect(sameTimeIn('Europe/London', 'America/New_York', winter)).toBe(false)
    // between the changes of America and Europe
    expect(sameTimeIn('America/New_York', 'America/Bogota', winter)).toBe(true)
    expect(sameTimeIn('America/New_York', 'America/Bogota', gap)).toBe(false)
  })

  test('a zone that the browser does not know is none', () => {
    expect(['Asia/Tokyo', 'Mars/Olympus', ''].map(isZone)).toEqual([true, false, false])
    expect(dateIn('Pacific/Kiritimati', Date.parse('2026-12-31T12:00Z'))).toBe('2027-01-01')
  })
})

describe('formats of a locale', () => {
  const ms = Date.parse('2026-12-01T13:30:00Z')
  test.each([
    ['en-US', '1:30 PM', 7],
    ['en-GB', '13:30', 1],
    ['de-DE', '13:30', 1],
    ['ar', '1:30 م', 6],
  ])('%s: 12 or 24 hours and the first weekday', (locale, time, weekday) => {
    expect(new Formats(locale).time(ms, 'UTC').replaceAll(/[\u202f\u00a0]/g, ' ')).toBe(time)
    expect(firstWeekdayOf(locale)).toBe(weekday)
  })

  test('the grid is Gregorian also where another calendar is usual', () => {
    expect(new Formats('fa').month('2026-12')).toContain('۲۰۲۶')
    expect(new Formats('th').month('2026-12')).toContain('2026')
  })

  test('lengths, countdowns and amounts in minor units', () => {
    const formats = new Formats('en-GB')
    expect([30, 60, 90].map((minutes) => formats.minutes(minutes))).toEqual([
      '30 minutes',
      '1 hour',
      '1 hour, 30 minutes',
    ])
    expect([600, 65, 0].map((seconds) => countdownText(formats, seconds))).toEqual(['10:00', '1:05', '0:00'])
    expect(formats.money({ amount: 2500, currency: 'EUR' })).toBe('€25')
    expect(formats.money({ amount: 1750, currency: 'EUR' })).toBe('€17.50')
    expect(formats.money({ amount: 500, currency: 'JPY' })).toBe('¥500')
    expect(formats.money({ amount: 1500, currency: 'KWD' }).replaceAll('\u00a0', ' ')).toBe('KWD 1.500')
  })

  test.each([
    // the digits that amounts are counted in, not those that people write
    ['en', { amount: 350_000, currency: 'HUF' }, 'HUF 3,500'],
    ['id', { amount: 5_000_000, currency: 'IDR' }, 'Rp 50.000'],
    ['fr', { amount: 123_456, currency: 'EUR' }, '1 234,56 €'],
    // one form for all regions of a language, and the European one for Portuguese
    ['de-AT', { amount: 123_456, currency: 'EUR' }, '1.234,56 €'],
    ['en-IE', { amount: 2_500, currency: 'USD' }, '$25'],
    ['pt', { amount: 2_500, currency: 'EUR' }, '25 €'],
    ['pt-BR', { amount: 2_500, currency: 'EUR' }, '25 €'],
  ])('in %s, %o is %s in the widget and in emails', (locale, money, text) => {
    expect(moneyText(money, locale)).toBe(text)
    expect(new Formats(locale).money(money).replaceAll(/[\u00a0\u202f]/g, ' ')).toBe(text)
  })
})

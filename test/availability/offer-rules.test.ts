import { describe, expect, test } from 'vitest'
import { type Block, AvailabilityRules, zoneAround } from '../../src/availability/offer-rules.ts'
import { dayMs } from '../../src/availability/zone-rules.ts'
import type { Location, StaffMember } from '../../src/catalogue/location-and-staff-schemas.ts'
import type { Service } from '../../src/catalogue/service-schemas.ts'

/* Tuesday, 1 December 2026, in Berlin: an hour ahead of UTC. */

const berlin = (time: string, date = '2026-12-01') => Date.parse(`${date}T${time}+01:00`)
const day = Date.parse('2026-12-01') / dayMs

const byDay = ['monday', 'tuesday', 'wednesday'].map((weekday) => ({
  weekday: weekday as 'monday',
  opens: '09:00',
  closes: '17:00',
}))

interface Parts {
  service?: Partial<Service>
  location?: Partial<Location>
  staff?: Partial<StaffMember>[]
  blocks?: Block[]
  nowMs?: number
}

function rulesOf({
  service = {},
  location = {},
  staff = [],
  blocks = [],
  nowMs = berlin('23:00', '2026-11-30'),
}: Parts = {}) {
  const offer = {
    service: {
      ...{ duration_minutes: 60, slot_interval_minutes: 30, min_notice_minutes: 0, max_advance_days: null },
      ...service,
    } as Service,
    location: { timezone: 'Europe/Berlin', weekly_hours: byDay, date_overrides: [], ...location } as Location,
    staff: staff.map(
      (member, index) =>
        ({ id: `s${index}`, weekly_hours: null, date_overrides: [], ...member }) as unknown as StaffMember,
    ),
  }
  const days = { first: day, last: day }
  return new AvailabilityRules(offer, days, { zone: zoneAround('Europe/Berlin', days), nowMs, blocks })
}

const at = (parts: Parts, time: string, date?: string) => rulesOf(parts).workingAt(berlin(time, date))

describe('what the rules say of a time', () => {
  test.each<[name: string, parts: Parts, time: string, expected: string | string[]]>([
    ['the first slot of the day', {}, '09:00', []],
    ['the last slot that ends at closing', {}, '16:00', []],
    ['one that ends after closing', {}, '16:30', 'outside_hours'],
    ['one before opening', {}, '08:30', 'outside_hours'],
    ['one between the steps of the grid', {}, '09:10', 'not_on_grid'],
    ['now', { nowMs: berlin('10:00') }, '10:00', 'in_the_past'],
    ['a moment from now', { nowMs: berlin('10:00') - 1 }, '10:00', []],
    [
      'exactly the notice from now',
      { service: { min_notice_minutes: 120 }, nowMs: berlin('10:00') },
      '12:00',
      [],
    ],
    [
      'less than the notice',
      { service: { min_notice_minutes: 121 }, nowMs: berlin('10:00') },
      '12:00',
      'too_soon',
    ],
    [
      'today, when nothing can be booked ahead',
      { service: { max_advance_days: 0 }, nowMs: berlin('00:00') },
      '16:00',
      [],
    ],
    [
      'the day after the horizon',
      { service: { max_advance_days: 0 }, nowMs: berlin('23:59', '2026-11-30') },
      '09:00',
      'beyond_horizon',
    ],
    [
      'a closed day',
      { location: { date_overrides: [{ date: '2026-12-01', hours: [] }] } },
      '10:00',
      'outside_hours',
    ],
    [
      'a day with other hours',
      {
        location: { date_overrides: [{ date: '2026-12-01', hours: [{ opens: '18:10', closes: '20:00' }] }] },
      },
      '18:10',
      [],
    ],
    ['any time where it is always open', { location: { weekly_hours: null } }, '03:30', []],
    ['never, where it is never open', { location: { weekly_hours: [] } }, '10:00', 'outside_hours'],
  ])('%s', (_name, parts, time, expected) => {
    expect(at(parts, time)).toEqual(expected)
  })

  test('hours past midnight belong to the day on which they begin', () => {
    const location = { weekly_hours: [{ weekday: 'monday' as const, opens: '22:00', closes: '02:00' }] }
    expect(at({ location }, '01:00')).toEqual([])
    expect(at({ location }, '01:30')).toBe('outside_hours')
    expect(at({ location }, '22:00')).toBe('outside_hours')
    const closedOnTuesday = { ...location, date_overrides: [{ date: '2026-12-01', hours: [] }] }
    expect(at({ location: closedOnTuesday }, '01:00')).toEqual([])
    const closedOnMonday = { ...location, date_overrides: [{ date: '2026-11-30', hours: [] }] }
    expect(at({ location: closedOnMonday }, '01:00')).toBe('outside_hours')
  })

  test('a slot may reach over from one opening into the next that follows at once', () => {
    const weekly = (hours: [string, string][]) => ({
      weekly_hours: hours.map(([opens, closes]) => ({ weekday: 'tuesday' as const, opens, closes })),
    })
    const touching = { location: weekly([['09:00', '12:00'], ['12:00', '15:00']]) } // prettier-ignore
    expect(at(touching, '11:30')).toEqual([])
    const apart = { location: weekly([['09:00', '12:00'], ['12:15', '15:15']]) } // prettier-ignore
    expect(at(apart, '11:30')).toBe('outside_hours')
    // the grid starts over at each opening
    expect(at(apart, '12:15')).toEqual([])
    expect(at(apart, '12:30')).toBe('not_on_grid')
  })

  test('a block takes the slots that it touches, but none that only meets its edge', () => {
    const blocks = [{ staffId: null, from: berlin('11:00'), to: berlin('12:00') }]
    expect(at({ blocks }, '10:00')).toEqual([])
    expect(at({ blocks }, '10:30')).toBe('blocked')
    expect(at({ blocks }, '11:30')).toBe('blocked')
    expect(at({ blocks }, '12:00')).toEqual([])
  })

  test('staff members work in their own hours, where those and the hours of the location meet', () => {
    const early = { weekly_hours: [{ weekday: 'tuesday' as const, opens: '06:00', closes: '12:00' }] }
    const off = { date_overrides: [{ date: '2026-12-01', hours: [] }] }
    const staff = [early, {}, off]
    expect(at({ staff }, '09:00')).toEqual(['s0', 's1'])
    expect(at({ staff }, '11:30')).toEqual(['s1'])
    expect(at({ staff }, '08:00')).toBe('outside_hours')
    expect(at({ staff: [early, off] }, '11:30')).toBe('staff_not_available')
  })

  test('a block of a staff member is theirs alone', () => {
    const blocks = [{ staffId: 's0', from: berlin('10:00'), to: berlin('11:00') }]
    expect(at({ staff: [{}, {}], blocks }, '10:00')).toEqual(['s1'])
    expect(at({ staff: [{}], blocks }, '10:00')).toBe('blocked')
  })
})

describe('the grid', () => {
  const timesOf = (parts: Parts, from: string, to: string) =>
    rulesOf(parts)
      .gridTimes({ from: berlin(from), to: berlin(to) })
      .map((time) => new Date(time + 3_600_000).toISOString().slice(11, 16))

  test('goes from each opening in steps of the interval', () => {
    const service = { slot_interval_minutes: 50 }
    expect(timesOf({ service }, '00:00', '12:00')).toEqual(['09:00', '09:50', '10:40', '11:30'])
    expect(timesOf({ service }, '10:00', '12:00')).toEqual(['10:40', '11:30'])
  })

  test('begins anew at each midnight where it is always open', () => {
    const parts = { service: { slot_interval_minutes: 7 * 60 }, location: { weekly_hours: null } }
    expect(timesOf(parts, '00:00', '23:59')).toEqual(['00:00', '07:00', '14:00', '21:00'])
  })

  test('names a time once, however many openings it belongs to', () => {
    const location = {
      weekly_hours: [{ weekday: 'monday' as const, opens: '22:00', closes: '04:00' }],
      date_overrides: [{ date: '2026-12-01', hours: [{ opens: '02:00', closes: '05:00' }] }],
    }
    const parts = { service: { slot_interval_minutes: 60 }, location }
    expect(timesOf(parts, '00:00', '06:00')).toEqual(['00:00', '01:00', '02:00', '03:00', '04:00'])
  })
})

import { expect, test } from 'vitest'
import { readInstant } from '../../src/base/instants.ts'
import { isCurrent, isQuiet, mayKnow, pauseSeconds } from '../../src/push/push-rules.ts'

const at = (time: string) => readInstant(`2026-11-20T${time}:00Z`)

test('quiet hours end with their last minute, also over midnight', () => {
  const night = { from: '20:00', to: '08:00' }
  const quiet = (hours: typeof night, time: string) => isQuiet(hours, at(time), 'Europe/Berlin') // an hour ahead
  expect(['18:59', '19:00', '23:30', '06:59', '07:00'].map((time) => quiet(night, time))).toEqual([
    ...[false, true, true, true, false],
  ])
  const noon = { from: '12:00', to: '13:00' }
  expect(['10:59', '11:00', '11:59', '12:00'].map((time) => quiet(noon, time))).toEqual([
    ...[false, true, true, false],
  ])
  expect(isQuiet(null, at('03:00'), 'Europe/Berlin')).toBe(false)
})

test('staff know their own appointments, everybody else all', () => {
  const anna = { role: 'staff', staff_id: 'anna' } as const
  expect(mayKnow([anna], ['ben', 'anna'])).toBe(true)
  expect(mayKnow([anna], ['ben', null])).toBe(false)
  expect(mayKnow([anna, { role: 'manager', staff_id: null }], ['ben'])).toBe(true)
  expect(mayKnow([], ['ben'])).toBe(false)
})

test('a notification is sent only while it is true', () => {
  const booking = {
    status: 'confirmed',
    starts_at: at('10:00'),
    ends_at: at('10:30'),
    respond_by: null,
  } as const
  expect(isCurrent('late', booking, at('10:09'))).toBe(false)
  expect(isCurrent('late', booking, at('10:10'))).toBe(true)
  expect(isCurrent('late', { ...booking, status: 'in_progress' }, at('10:10'))).toBe(false)
  expect(isCurrent('booked', booking, at('10:10'))).toBe(true)
  expect(isCurrent('booked', booking, at('10:30'))).toBe(false)
  expect(isCurrent('changed', { ...booking, status: 'cancelled' }, at('09:00'))).toBe(false)
  expect(isCurrent('cancelled', { ...booking, status: 'cancelled' }, at('09:00'))).toBe(true)
  expect(isCurrent('cancelled', booking, at('09:00'))).toBe(false)
})

test('pauses double up to ten minutes, and a push service can ask for longer ones', () => {
  expect([1, 2, 3, 6, 20].map((attempts) => pauseSeconds(attempts))).toEqual([30, 60, 120, 600, 600])
  expect(pauseSeconds(1, 900)).toBe(900)
})

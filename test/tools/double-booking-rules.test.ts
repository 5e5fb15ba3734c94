import { expect, test } from 'vitest'
import { doubleBookings } from '../../tools/race-test/rules.ts'
import type { BookingShown } from '../../tools/race-test/rules.ts'

const capacities = new Map([
  ['room', 1],
  ['hall', 2],
  ['class', 2],
])
let count = 0

/** A booking from and to the minutes after nine o'clock. */
function booking(
  service: string,
  [from, to]: [number, number],
  rest: Partial<BookingShown> = {},
): BookingShown {
  count += 1
  const at = (minutes: number) => new Date(Date.UTC(2026, 11, 1, 9, minutes)).toISOString()
  return {
    id: `b${count}`,
    status: 'confirmed',
    starts_at: at(from),
    ends_at: at(to),
    service: { id: service, name: service },
    location: { id: 'here' },
    staff: null,
    ...rest,
  }
}

const ada = { staff: { id: 'ada', name: 'Ada' } }
const bob = { staff: { id: 'bob', name: 'Bob' } }

test.each([
  ['back to back', [booking('room', [0, 30]), booking('room', [30, 60])]],
  [
    'at another location',
    [booking('room', [0, 30]), booking('room', [0, 30], { location: { id: 'there' } })],
  ],
  ['one cancelled', [booking('room', [0, 30]), booking('room', [0, 30], { status: 'cancelled' })]],
  [
    'as many as there are places',
    [booking('hall', [0, 30]), booking('hall', [15, 45]), booking('hall', [30, 60])],
  ],
  [
    'one person, one after the other',
    [booking('room', [0, 30], ada), booking('hall', [30, 60], ada), booking('room', [60, 90], ada)],
  ],
  ['two people', [booking('room', [0, 30], ada), booking('room', [0, 30], bob)]],
  ['seats of one class', [booking('class', [0, 30], ada), booking('class', [0, 30], ada)]],
])('%s is no double booking', (_name, bookings) => {
  expect(doubleBookings(bookings, capacities)).toEqual([])
})

test.each([
  [
    'a room twice',
    [booking('room', [0, 30]), booking('room', [29, 60])],
    /room has 1 seat at .* and 2 bookings/,
  ],
  [
    'one place too few',
    [booking('hall', [0, 30]), booking('hall', [10, 40]), booking('hall', [20, 50])],
    /hall has 2 seats at 2026-12-01T09:20:00.000Z and 3 bookings: b\d+, b\d+, b\d+$/,
  ],
  [
    'a person twice',
    [booking('room', [0, 30], ada), booking('class', [15, 45], ada)],
    /Ada is in two appointments/,
  ],
  [
    'two classes of a person',
    [booking('class', [0, 30], ada), booking('class', [15, 45], ada)],
    /Ada is in two/,
  ],
  [
    'a seat too few in a class',
    [booking('class', [0, 30], ada), booking('class', [0, 30], ada), booking('class', [0, 30], ada)],
    /class has 2 seats at .* and 3 bookings/,
  ],
  [
    'a pending one',
    [booking('room', [0, 30]), booking('room', [0, 30], { status: 'pending' })],
    /room has 1 seat/,
  ],
])('%s is found, with the bookings', (_name, bookings, reason) => {
  const found = doubleBookings(bookings.toReversed(), capacities)
  expect(found).toHaveLength(1)
  expect(found[0]).toMatch(/^DOUBLE BOOKING: /)
  expect(found[0]).toMatch(reason)
})

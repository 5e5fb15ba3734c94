import { describe, expect, test } from 'vitest'
import { UsageError } from '../../src/base/errors.ts'
import { readBound, readTime, shownTime } from '../../src/cli/input.ts'

const berlin = 'Europe/Berlin'

describe('a time at the command line', () => {
  test.each([
    ['2026-12-01 10:00', '2026-12-01T10:00:00+01:00'],
    ['2026-07-01 10:00', '2026-07-01T10:00:00+02:00'],
    ['2026-12-01T10:00', '2026-12-01T10:00:00+01:00'],
    [' 2026-12-01 10:00:30 ', '2026-12-01T10:00:30+01:00'],
  ])('%j is the wall time of the location', (text, expected) => {
    expect(readTime(text, berlin)).toBe(expected)
  })

  test.each([
    ['2026-12-01T10:00:00Z', '2026-12-01T11:00:00+01:00'],
    ['2026-12-01T10:00Z', '2026-12-01T11:00:00+01:00'],
    ['2026-12-01T10:00+05:30', '2026-12-01T05:30:00+01:00'],
    ['2026-12-01 10:00 -05:00', '2026-12-01T16:00:00+01:00'],
    ['2026-12-01T10:00:00.250+01:00', '2026-12-01T10:00:00+01:00'],
  ])('%j counts with the offset that it names', (text, expected) => {
    expect(readTime(text, berlin)).toBe(expected)
  })

  test.each([
    '2026-12-01',
    '10:00',
    'tomorrow',
    '',
    '2026-02-30 10:00',
    '2026-12-01 24:00',
    '2026-12-01 10:60',
    '2026-12-01 10:00[Asia/Tokyo]',
    '2026-12-01 10:00 CET',
    '2026-12-01T10:00+0100',
    '2026-12-01 10:00 +25:00',
    '1969-12-31 10:00',
    '9999-12-31 23:59 -12:00',
    '+012026-12-01 10:00',
  ])('%j is refused rather than guessed at', (text) => {
    expect(() => readTime(text, berlin)).toThrow(UsageError)
    expect(() => readTime(text, berlin)).toThrow(
      `"${text}" is not a valid time; write "2026-12-01 10:00" (in ${berlin})`,
    )
  })

  test('that the clocks skip is refused with the times around it', () => {
    expect(() => readTime('2027-03-28 02:30', berlin)).toThrow(
      'There is no 2027-03-28 02:30 in Europe/Berlin, because the clocks go forward: write ' +
        '"2027-03-28 01:30 +01:00" or "2027-03-28 03:30 +02:00".',
    )
    expect(readTime('2027-03-28 01:59', berlin)).toBe('2027-03-28T01:59:00+01:00')
    expect(readTime('2027-03-28 03:00', berlin)).toBe('2027-03-28T03:00:00+02:00')
  })

  test('that the clocks repeat is refused with both instants, each of which is then understood', () => {
    expect(() => readTime('2026-10-25 02:30', berlin)).toThrow(
      'occurs twice in Europe/Berlin, because the clocks go back: write "2026-10-25 02:30 +02:00" for the first, ' +
        '"2026-10-25 02:30 +01:00" for the second.',
    )
    expect(readTime('2026-10-25 02:30 +02:00', berlin)).toBe('2026-10-25T02:30:00+02:00')
    expect(readTime('2026-10-25 02:30 +01:00', berlin)).toBe('2026-10-25T02:30:00+01:00')
  })

  test('that a zone skips with a whole day is refused too', () => {
    expect(() => readTime('2011-12-30 10:00', 'Pacific/Apia')).toThrow('because the clocks go forward')
  })
})

test.each([
  ['2026-12-01', berlin, '2026-12-01T00:00:00+01:00'],
  ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T01:00:00-02:00'], // the clocks skip its midnight
  ['2026-12-01 10:00', berlin, '2026-12-01T10:00:00+01:00'],
  ['2026-12-01T10:00:00.250Z', undefined, '2026-12-01T10:00:00.250Z'],
  ['2026-12-01 10:00 +01:00', undefined, '2026-12-01T09:00:00+00:00'],
])('the bound %s of a list in %s is %s', (text, zone, expected) => {
  expect(readBound(text, '--from', zone)).toBe(expected)
})

test.each([
  ['2026-12-01', undefined, '--from "2026-12-01" needs an offset'],
  ['2026-12-01 10:00', undefined, '--from "2026-12-01 10:00" needs an offset'],
  ['2026-02-30', berlin, '--from: "2026-02-30" is not a valid time'],
  ['1970-01-01', berlin, '--from: "1970-01-01" is not a valid time'],
  ['2027-03-28 02:30', berlin, '--from: There is no 2027-03-28 02:30'],
])('the bound %s of a list in %s is refused', (text, zone, reason) => {
  expect(() => readBound(text, '--from', zone)).toThrow(reason)
})

test.each([
  ['2026-12-01T10:00:00+01:00', '2026-12-01 10:00 +01:00'],
  ['2026-12-01T10:00:30+01:00', '2026-12-01 10:00:30 +01:00'],
  ['2026-12-01T00:00:00+00:00', '2026-12-01 00:00 +00:00'],
])('the time %s is shown as %s, which is read as the same', (text, shown) => {
  expect(shownTime(text)).toBe(shown)
  expect(Date.parse(readTime(shown, berlin))).toBe(Date.parse(text))
})

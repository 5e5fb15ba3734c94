import { expect, test } from 'vitest'
import { sharedDigits, wholeNumber } from '../../src/base/phone-countries.ts'

test.each([
  ['0170 1234567', 'Europe/Berlin', '491701234567'],
  ['+49 170 1234567', 'Europe/Berlin', '491701234567'],
  ['+49 (0)170-1234567', 'Europe/Vienna', '491701234567'],
  ['0049 170 1234567', 'Europe/Berlin', '491701234567'],
  ['0049 (0) 170 1234567', 'Europe/Berlin', '491701234567'],
  ['1234567', 'Europe/Berlin', '1234567'],
  ['06 12345678', 'Europe/Rome', '390612345678'],
  ['+39 06 12345678', 'Europe/Berlin', '390612345678'],
  ['612 345 678', 'Europe/Madrid', '34612345678'],
  ['(212) 555-0100', 'America/New_York', '2125550100'],
  ['0170 1234567', 'UTC', '01701234567'],
])('%s in %s is %s', (phone, timezone, whole) => {
  expect(wholeNumber(phone, timezone)).toBe(whole)
})

test.each([
  ['0170 5550001', '1705550001'],
  ['+49 170 5550001', '1705550001'],
  ['0049 (0)170-5550001', '1705550001'],
  ['+49 (0)170 555', '170555'],
  ['1705550001', '1705550001'],
  ['+1 212 555 0100', '2125550100'],
  ['+998 90 123 45 67', '998901234567'],
])('%s is searched as %s', (typed, shared) => {
  expect(sharedDigits(typed)).toBe(shared)
})

test.each(['Anna 0170', 'room 12', '0170', '+49', '00000', 'ada@1234567.example', ''])(
  '%j is no number to search',
  (typed) => {
    expect(sharedDigits(typed)).toBeUndefined()
  },
)

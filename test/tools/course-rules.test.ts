import { expect, test } from 'vitest'
import { roundsFor } from '../../tools/race-test/rules.ts'

test('the limit of the plan enterprise suffices for some rounds, and none is begun that a limit would end', () => {
  expect(roundsFor(600)).toBeGreaterThanOrEqual(3)
  expect(roundsFor(100)).toBe(0)
  expect(roundsFor(0)).toBe(0)
})

test('there is a most, however many requests a key may make', () => {
  expect(roundsFor(Infinity)).toBe(20)
})

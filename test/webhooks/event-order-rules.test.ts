import { expect, test } from 'vitest'
import { unsettledFrom } from '../../src/webhooks/event-order-rules.ts'

const wrap = 2 ** 32

test.each([
  ['nothing runs', { next: 1_000, oldest: 900, running: null, hidden: 0 }, 1_000],
  ['transactions run', { next: 1_000, oldest: 900, running: '990,995', hidden: 0 }, 990],
  ['only later ones run', { next: 1_000, oldest: 900, running: '1003', hidden: 0 }, 1_000],
  ['some are not told', { next: 1_000, oldest: 900, running: '995', hidden: 1 }, 900],
  ['ids have wrapped', { next: 3 * wrap + 1_000, oldest: 0, running: '990', hidden: 0 }, 3 * wrap + 990],
  ['ids are about to wrap', { next: wrap + 5, oldest: 0, running: `${wrap - 3}`, hidden: 0 }, wrap - 3],
  ['ids wrap just now', { next: wrap - 5, oldest: 0, running: '7', hidden: 0 }, wrap - 5],
])('events are settled up to the lowest transaction that may still run: %s', (_name, seen, expected) => {
  expect(unsettledFrom(seen)).toBe(expected)
})

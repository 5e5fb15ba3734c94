import { expect, test } from 'vitest'
import { SendingTurns } from '../../src/webhooks/sending-turns.ts'

const names = (count: number) =>
  Array.from({ length: count }, (_, index) => `w${String(index).padStart(3, '0')}`)

/** What waits bears the name of its webhook. */
function fill(turns: SendingTurns<string>, waiting: Record<string, number>): void {
  for (const [name, count] of Object.entries(waiting)) turns.add(name, Array<string>(count).fill(name))
}

function takeAll(turns: SendingTurns<string>): string[] {
  const taken: string[] = []
  for (let next = turns.next(); next !== undefined; next = turns.next()) taken.push(next)
  return taken
}

test('webhooks have their turns one after the other, and at most four of each are in flight', () => {
  const turns = new SendingTurns<string>()
  fill(turns, { a: 100, b: 100, c: 1 })
  expect(takeAll(turns).join('')).toBe('abcababab')
  turns.ended('b')
  expect(takeAll(turns)).toEqual(['b'])
})

test('a place that becomes free goes to the webhook that has waited longest, not to the one that had it', () => {
  const turns = new SendingTurns<string>()
  fill(turns, Object.fromEntries(names(100).map((name) => [name, 4])))
  const taken = takeAll(turns)
  expect(taken).toHaveLength(256)
  expect(new Set(taken.slice(0, 100)).size).toBe(100)
  const [first = ''] = taken
  turns.ended(first)
  turns.ended(first)
  expect(takeAll(turns)).toEqual(names(100).slice(56, 58))
})

test('what comes later waits behind what is there, and a webhook that is done begins anew', () => {
  const turns = new SendingTurns<string>()
  fill(turns, { a: 5 })
  turns.add('a', ['later'])
  expect(takeAll(turns)).toEqual(['a', 'a', 'a', 'a'])
  for (let index = 0; index < 4; index += 1) turns.ended('a')
  expect(takeAll(turns)).toEqual(['a', 'later'])
  turns.ended('a')
  turns.ended('a')
  fill(turns, { a: 9 })
  expect(takeAll(turns)).toHaveLength(4)
})

test('what is given up is not sent; what is in flight keeps its place until it has ended', () => {
  const turns = new SendingTurns<string>()
  fill(turns, { a: 6, b: 6, c: 6 })
  expect(takeAll(turns)).toHaveLength(12)
  expect(turns.giveUp('a')).toEqual(['a', 'a'])
  expect(turns.giveUp('nobody')).toEqual([])
  fill(turns, { a: 1 })
  expect(takeAll(turns)).toEqual([])
  turns.ended('a')
  expect(takeAll(turns)).toEqual(['a'])
  expect(turns.giveUpAll()).toEqual(['b', 'b', 'c', 'c'])
  for (const name of ['a', 'b', 'c']) turns.ended(name)
  expect(takeAll(turns)).toEqual([])
})

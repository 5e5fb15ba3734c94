import { expect, test } from 'vitest'
import { DeliveryLanes } from '../../src/webhooks/delivery-lanes.ts'
import type { DueDelivery } from '../../src/webhooks/due-delivery-queries.ts'

const delivery = (webhook_id: string, number: number) =>
  ({ id: `${webhook_id}-${number}`, webhook_id }) as DueDelivery

const fast = { pace: 'fast', tookMs: 1 } as const

/** Claims of each webhook as much as it is said to have, as far as there is room. */
function claim(lanes: DeliveryLanes, due: Record<string, number>, beside = 0): Record<string, number> {
  const wanted = lanes.choose(Object.keys(due).toSorted(), beside)
  const claimed = wanted.flatMap(({ id, most }) =>
    Array.from({ length: Math.min(most, due[id] ?? 0) }, (_, number) => delivery(id, number)),
  )
  lanes.accept(wanted, claimed)
  return Object.fromEntries(wanted.map(({ id, most }) => [id, most]))
}

function takeAll(lanes: DeliveryLanes): string[] {
  const taken: string[] = []
  for (let next = lanes.next(); next; next = lanes.next()) taken.push(next.webhook_id)
  return taken
}

const names = (count: number) =>
  Array.from({ length: count }, (_, index) => `w${String(index).padStart(3, '0')}`)
const each = (count: number, due: number) => Object.fromEntries(names(count).map((name) => [name, due]))

test('webhooks have their turns one after the other, and at most four of each are in flight', () => {
  const lanes = new DeliveryLanes()
  claim(lanes, { a: 100, b: 100, c: 1 })
  expect(takeAll(lanes).join('')).toBe('abcababab')
  lanes.ended('b', fast)
  claim(lanes, { a: 100, b: 100 })
  expect(takeAll(lanes)).toEqual(['b'])
})

test('a place that becomes free goes to the webhook that has waited longest, not to the one that had it', () => {
  const lanes = new DeliveryLanes()
  claim(lanes, each(100, 4))
  const taken = takeAll(lanes)
  expect(taken).toHaveLength(256)
  expect(new Set(taken.slice(0, 100)).size).toBe(100)
  const [first = ''] = taken
  lanes.ended(first, fast)
  lanes.ended(first, fast)
  const waited = names(100).slice(56, 58)
  expect(takeAll(lanes)).toEqual(waited)
})

test('of a receiver that answers fast more is claimed ahead, of one that fails no more than is sent', () => {
  const lanes = new DeliveryLanes()
  const claimed: number[] = []
  for (const pace of ['fast', 'fast', 'steady', 'slow', 'timeout'] as const) {
    claimed.push(claim(lanes, { a: 1_000 })['a'] ?? 0)
    while (lanes.next()) lanes.ended('a', { pace, tookMs: 1 })
  }
  claimed.push(claim(lanes, { a: 1_000 })['a'] ?? 0)
  expect(claimed).toEqual([4, 64, 512, 512, 4, 1])
})

test('what is claimed is bounded over all webhooks, with what waits to be written', () => {
  const lanes = new DeliveryLanes()
  expect(Object.keys(claim(lanes, each(1_000, 4), 48))).toHaveLength(500)
  expect(lanes.held).toBe(2_000)
  expect(lanes.isFull).toBe(true)
  expect(claim(lanes, each(1_000, 4), 48)).toEqual({})
})

test('those that had nothing this time come first at the next', () => {
  const lanes = new DeliveryLanes()
  const first = Object.keys(claim(lanes, each(1_000, 4)))
  for (let next = lanes.next(); next; next = lanes.next()) lanes.ended(next.webhook_id, fast)
  const second = Object.keys(claim(lanes, each(1_000, 4)))
  expect(first).toHaveLength(512)
  expect(second.slice(0, 489)).toEqual([...names(1_000).slice(512), 'w000'])
})

test('a webhook with nothing more to send is forgotten, and what it taught with it', () => {
  const lanes = new DeliveryLanes()
  claim(lanes, { a: 2 })
  expect(takeAll(lanes)).toEqual(['a', 'a'])
  lanes.ended('a', { pace: 'timeout', tookMs: 10_000 })
  lanes.ended('a', { pace: 'timeout', tookMs: 10_000 })
  expect(lanes.next()).toBeUndefined()
  expect(claim(lanes, { a: 4 })).toEqual({ a: 4 })
})

test('no more is claimed ahead than is sent in a second', () => {
  const lanes = new DeliveryLanes()
  for (let round = 0; round < 5; round += 1) {
    claim(lanes, { a: 1_000 })
    while (lanes.next()) lanes.ended('a', { pace: 'fast', tookMs: 50 })
  }
  expect(claim(lanes, { a: 1_000 })).toEqual({ a: 80 })
})

test('what waits for a receiver is given back when it becomes slow, and all of it when it is gone', () => {
  const lanes = new DeliveryLanes()
  for (let round = 0; round < 3; round += 1) {
    claim(lanes, { a: 1_000 })
    while (round < 2 && lanes.next()) lanes.ended('a', fast)
  }
  const held = lanes.held
  expect(takeAll(lanes)).toHaveLength(4)
  const given = lanes.ended('a', { pace: 'slow', tookMs: 2_000 })
  expect(lanes.held).toBe(4)
  expect(given).toHaveLength(held - 5)
  expect(lanes.ended('a', { pace: 'slow', tookMs: 5, isGone: true })).toHaveLength(1)
  expect(takeAll(lanes)).toEqual([])
})

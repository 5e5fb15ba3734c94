import { expect, test } from 'vitest'
import { instantFromMs } from '../../src/instants.ts'
import { DeliveryLanes, type Choice } from '../../src/webhooks/delivery-lanes.ts'
import type { DueDelivery } from '../../src/webhooks/due-delivery-queries.ts'

let number = 0
const delivery = (webhook_id: string) => ({ id: `${(number += 1)}`, webhook_id }) as DueDelivery

const fast = { pace: 'fast', tookMs: 1 } as const
/** When the leases of these tests end. */
const untilMs = 30_000

/** Claims of each webhook as much as it is said to have, as far as there is room. */
function claim(lanes: DeliveryLanes, due: Record<string, number>): Record<string, number> {
  const choice = lanes.choose(Object.keys(due).toSorted(), 0)
  accept(lanes, choice, due)
  return Object.fromEntries(choice.wanted.map(({ id, most }) => [id, most]))
}

function accept(lanes: DeliveryLanes, choice: Choice, due: Record<string, number>): void {
  const claimed = choice.wanted.flatMap(({ id, most }) =>
    Array.from({ length: Math.min(most, due[id] ?? 0) }, () => delivery(id)),
  )
  const leased = choice.toLease.map((id) => ({ id, fence: 1 }))
  lanes.accept(choice, { leased, until: instantFromMs(untilMs), due: claimed })
}

/** Sends everything, and writes what came of it. */
function sendAll(lanes: DeliveryLanes, how: Parameters<DeliveryLanes['ended']>[1] = fast): void {
  for (let next = lanes.next(); next; next = lanes.next()) {
    lanes.ended(next.webhook_id, how)
    lanes.forget(next)
  }
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
    sendAll(lanes, { pace, tookMs: 1 })
  }
  claimed.push(claim(lanes, { a: 1_000 })['a'] ?? 0)
  expect(claimed).toEqual([4, 64, 512, 512, 4, 1])
})

test('what is claimed is bounded over all webhooks, with what waits to be written', () => {
  const lanes = new DeliveryLanes()
  claim(lanes, Object.fromEntries(names(12).map((name) => [`x${name}`, 4])))
  for (const webhookId of takeAll(lanes)) lanes.ended(webhookId, fast)
  expect(lanes.held).toBe(0)
  expect(Object.keys(claim(lanes, each(1_000, 4)))).toHaveLength(500)
  expect(lanes.held).toBe(2_000)
  expect(lanes.isFull).toBe(true)
  expect(claim(lanes, each(1_000, 4))).toEqual({})
})

test('of what is claimed each webhook with a backlog has an even share, so that all of them are sent to at once', () => {
  const lanes = new DeliveryLanes()
  for (let round = 0; round < 3; round += 1) {
    claim(lanes, each(20, 1_000))
    if (round < 2) sendAll(lanes)
  }
  expect(lanes.held).toBe(20 * 102)
  expect(takeAll(lanes)).toHaveLength(20 * 4)
})

test('those that had nothing this time come first at the next', () => {
  const lanes = new DeliveryLanes()
  const first = Object.keys(claim(lanes, each(1_000, 4)))
  sendAll(lanes)
  const second = Object.keys(claim(lanes, each(1_000, 4)))
  expect(first).toHaveLength(512)
  expect(second.slice(0, 489)).toEqual([...names(1_000).slice(512), 'w000'])
})

test('a webhook with nothing more to send is forgotten, and what it taught with it', () => {
  const lanes = new DeliveryLanes()
  claim(lanes, { a: 2 })
  sendAll(lanes, { pace: 'timeout', tookMs: 10_000 })
  expect(claim(lanes, { a: 0 })).toEqual({ a: 1 })
  expect(lanes.next()).toBeUndefined()
  lanes.haveEnded(lanes.endLeases(), true)
  expect(claim(lanes, { a: 4 })).toEqual({ a: 4 })
})

test('no more is claimed ahead than is sent in a second', () => {
  const lanes = new DeliveryLanes()
  for (let round = 0; round < 5; round += 1) {
    claim(lanes, { a: 1_000 })
    sendAll(lanes, { pace: 'fast', tookMs: 50 })
  }
  expect(claim(lanes, { a: 1_000 })).toEqual({ a: 80 })
})

test('what waits for a receiver goes out of hand when it becomes slow, and all of it when it is gone', () => {
  const lanes = new DeliveryLanes()
  for (let round = 0; round < 3; round += 1) {
    claim(lanes, { a: 1_000 })
    if (round < 2) sendAll(lanes)
  }
  expect(takeAll(lanes)).toHaveLength(4)
  lanes.ended('a', { pace: 'slow', tookMs: 2_000 })
  expect(lanes.held).toBe(4)
  const choice = lanes.choose(['a'], 0)
  expect(choice.wanted).toEqual([])
  lanes.endClaim(choice)
  lanes.ended('a', { pace: 'slow', tookMs: 5, isGone: true })
  expect(lanes.held).toBe(2)
  expect(takeAll(lanes)).toEqual([])
})

test('of a receiver that is gone nothing is claimed until that is written', () => {
  const lanes = new DeliveryLanes()
  claim(lanes, { a: 1 })
  const sent = lanes.next()
  lanes.ended('a', { pace: 'slow', tookMs: 5, isGone: true })
  expect(claim(lanes, { a: 3 })).toEqual({})
  if (sent) lanes.forget(sent)
  expect(claim(lanes, { a: 3 })).toEqual({ a: 4 })
})

test('what is in hand is named when more is claimed, until its outcome is written, and not taken twice', () => {
  const lanes = new DeliveryLanes()
  claim(lanes, { a: 2 })
  const first = lanes.next()
  const second = lanes.next()
  lanes.ended('a', fast)
  const choice = lanes.choose(['a'], 0)
  expect(choice.wanted).toMatchObject([{ id: 'a', inHand: [first?.id, second?.id] }])
  lanes.accept(choice, { leased: [], until: instantFromMs(untilMs), due: first ? [first] : [] })
  expect(lanes.next()).toBeUndefined()
  if (first) lanes.forget(first)
  expect(lanes.choose(['a'], 0).wanted).toMatchObject([{ inHand: [second?.id] }])
})

test('a lease is asked for once, and again when little of it is left, as long as something is in hand', () => {
  const lanes = new DeliveryLanes()
  const asked = (nowMs: number) => {
    const choice = lanes.choose(['a'], nowMs)
    accept(lanes, choice, {})
    return choice.toLease
  }
  claim(lanes, { a: 1 })
  expect(asked(0)).toEqual([])
  expect(asked(untilMs - 20_001)).toEqual([])
  expect(asked(untilMs - 20_000)).toEqual(['a'])
})

test('a lease is ended with the last outcome, not while more is claimed; nothing is claimed while it ends', () => {
  const lanes = new DeliveryLanes()
  claim(lanes, { a: 1 })
  const sent = lanes.next()
  expect(lanes.endLeases()).toEqual([])
  lanes.ended('a', fast)
  const last = sent ? [sent] : []
  const choice = lanes.choose(['a'], 0)
  expect(lanes.endLeases(last)).toEqual([])
  accept(lanes, choice, {})
  expect(lanes.endLeases(last)).toEqual(['a'])
  expect(lanes.choose(['a'], 0)).toEqual({ wanted: [], toLease: [] })
  for (const delivery of last) lanes.forget(delivery)
  lanes.haveEnded(['a'], true)
  expect(lanes.wantsLook('a')).toBe(true) // somebody was turned away meanwhile
  expect(lanes.choose(['a'], 0).toLease).toEqual(['a'])
})

test('what waits under a lease that another server has had meanwhile is not sent', () => {
  const lanes = new DeliveryLanes()
  claim(lanes, { a: 3 })
  const choice = lanes.choose(['a'], untilMs)
  lanes.accept(choice, { leased: [{ id: 'a', fence: 3 }], until: instantFromMs(2 * untilMs), due: [] })
  expect(takeAll(lanes)).toEqual([])
})

import { expect, test } from 'vitest'
import { instantFromMs } from '../../src/instants.ts'
import type { Ended } from '../../src/webhooks/delivery-lane.ts'
import { DeliveryLanes, type Choice } from '../../src/webhooks/delivery-lanes.ts'
import type { DueDelivery } from '../../src/webhooks/due-delivery-queries.ts'

let number = 0
const delivery = (webhookId: string) =>
  ({ id: `${(number += 1)}`, due_at: '2030', webhook: { id: webhookId } }) as DueDelivery

const fast = { pace: 'fast', tookMs: 1 } as const
/** When the leases of these tests end. */
const untilMs = 30_000

/** What is claimed of each webhook: as much as it is said to have, as far as there is room. */
function claimed(lanes: DeliveryLanes, due: Record<string, number>): Record<string, DueDelivery[]> {
  const choice = lanes.choose(Object.keys(due).toSorted(), 0)
  const accepted = accept(lanes, choice, due).map((own) => [own[0]?.webhook.id, own] as const)
  return Object.fromEntries(accepted) as Record<string, DueDelivery[]>
}

/** How much there was room for of each. */
function claim(lanes: DeliveryLanes, due: Record<string, number>): Record<string, number> {
  const choice = lanes.choose(Object.keys(due).toSorted(), 0)
  accept(lanes, choice, due)
  return Object.fromEntries(choice.wanted.map(({ id, most }) => [id, most]))
}

function accept(lanes: DeliveryLanes, choice: Choice, due: Record<string, number>): DueDelivery[][] {
  const found = choice.wanted.flatMap(({ id, most }) =>
    Array.from({ length: Math.min(most, due[id] ?? 0) }, () => delivery(id)),
  )
  const leased = choice.toLease.map((id) => ({ id, fence: 1 }))
  return lanes.accept(choice, { leased, until: instantFromMs(untilMs), due: found })
}

/** Claims, has everything sent, and what came of it written; tells how much there was room for. */
function sendAll(lanes: DeliveryLanes, due: Record<string, number>, how: Ended = fast): void {
  for (const deliveries of Object.values(claimed(lanes, due))) {
    for (const one of deliveries) {
      lanes.ended(one.webhook.id, how)
      lanes.forget(one)
    }
  }
}

const names = (count: number) =>
  Array.from({ length: count }, (_, index) => `w${String(index).padStart(4, '0')}`)
const each = (count: number, due: number) => Object.fromEntries(names(count).map((name) => [name, due]))

test('of a receiver that answers fast more is claimed ahead, of one that fails no more than is sent', () => {
  const lanes = new DeliveryLanes()
  const room = (pace: Ended['pace']) => {
    const before = lanes.handedOver
    const own = claimed(lanes, { a: 3_000 })['a'] ?? []
    expect(lanes.handedOver).toBe(before + own.length)
    for (const one of own) {
      lanes.ended('a', { pace, tookMs: 1 })
      lanes.forget(one)
    }
    return own.length
  }
  const paces = ['fast', 'fast', 'steady', 'slow', 'timeout', 'fast'] as const
  expect(paces.map(room)).toEqual([4, 64, 2_048, 2_048, 4, 1])
})

test('those of which a look has left something are known without another', () => {
  const lanes = new DeliveryLanes()
  claim(lanes, { c: 9, b: 1, a: 9 })
  expect(lanes.haveMore()).toEqual(['a', 'c'])
  const whole = lanes.choose(['a', 'b', 'c', 'd'], 0) // a and c have no room now
  accept(lanes, whole, { d: 9 })
  expect(lanes.haveMore()).toEqual(['a', 'c', 'd'])
})

test('of one with much ahead more is claimed when half of it is sent, not for each', () => {
  const lanes = new DeliveryLanes()
  for (let round = 0; round < 3; round += 1) sendAll(lanes, { a: 1_000 })
  expect(claim(lanes, { a: 3_000 })).toEqual({ a: 2_048 })
  for (let sent = 0; sent < 1_019; sent += 1) lanes.ended('a', fast)
  expect(claim(lanes, { a: 1_000 })).toEqual({})
  lanes.ended('a', fast)
  expect(claim(lanes, { a: 1_000 })).toEqual({ a: 1_020 })
})

test('what is claimed is bounded over all webhooks, with what waits to be written', () => {
  const lanes = new DeliveryLanes()
  const first = claimed(lanes, Object.fromEntries(names(24).map((name) => [`x${name}`, 4])))
  for (const { webhook } of Object.values(first).flat()) lanes.ended(webhook.id, fast)
  expect(lanes.handedOver).toBe(0)
  expect(Object.keys(claim(lanes, each(2_000, 4)))).toHaveLength(1_000)
  expect(lanes.handedOver).toBe(4_000)
  expect(lanes.isFull).toBe(true)
  expect(claim(lanes, each(2_000, 4))).toEqual({})
})

test('of what is claimed each webhook with a backlog has an even share, so that all of them are sent to at once', () => {
  const lanes = new DeliveryLanes()
  for (let round = 0; round < 3; round += 1) sendAll(lanes, each(20, 1_000))
  claim(lanes, each(20, 1_000))
  expect(lanes.handedOver).toBe(20 * 204)
})

test('those that had nothing this time come first at the next', () => {
  const lanes = new DeliveryLanes()
  const first = claimed(lanes, each(2_000, 4))
  for (const one of Object.values(first).flat()) {
    lanes.ended(one.webhook.id, fast)
    lanes.forget(one)
  }
  const second = Object.keys(claim(lanes, each(2_000, 4)))
  expect(Object.keys(first)).toHaveLength(1_024)
  expect(second.slice(0, 977)).toEqual([...names(2_000).slice(1_024), 'w0000'])
})

test('a webhook with nothing more to send is forgotten, and what it taught with it', () => {
  const lanes = new DeliveryLanes()
  sendAll(lanes, { a: 2 }, { pace: 'timeout', tookMs: 10_000 })
  expect(claim(lanes, { a: 0 })).toEqual({ a: 1 })
  lanes.haveEnded(lanes.endLeases(), true)
  expect(claim(lanes, { a: 4 })).toEqual({ a: 4 })
})

test('no more is claimed ahead than is sent in a second', () => {
  const lanes = new DeliveryLanes()
  for (let round = 0; round < 5; round += 1) sendAll(lanes, { a: 1_000 }, { pace: 'fast', tookMs: 50 })
  expect(claim(lanes, { a: 1_000 })).toEqual({ a: 80 })
})

test('what comes back unsent is out of hand and claimed again, and keeps the lease until it is', () => {
  const lanes = new DeliveryLanes()
  const [sent, unsent] = claimed(lanes, { a: 2 })['a'] ?? []
  if (!sent || !unsent) throw new Error('nothing was claimed')
  lanes.ended('a', { pace: 'slow', tookMs: 2_000 })
  lanes.givenBack(unsent)
  expect(lanes.handedOver).toBe(0)
  expect(lanes.wantsLook('a')).toBe(true)
  expect(lanes.endLeases([sent])).toEqual([])
  const choice = lanes.choose(['a'], 0)
  expect(choice.wanted).toEqual([{ id: 'a', most: 4, inHand: new Set([sent.id]) }])
  lanes.endClaim(choice)
  lanes.wantNoMore()
  expect(lanes.endLeases([sent])).toEqual(['a'])
})

test('of a receiver that is gone nothing is claimed until that is written', () => {
  const lanes = new DeliveryLanes()
  const [sent] = claimed(lanes, { a: 1 })['a'] ?? []
  lanes.ended('a', { pace: 'slow', tookMs: 5, isGone: true })
  expect(claim(lanes, { a: 3 })).toEqual({})
  if (sent) lanes.forget(sent)
  expect(claim(lanes, { a: 3 })).toEqual({ a: 4 })
})

test('what is in hand is named when more is claimed, until its outcome is written', () => {
  const lanes = new DeliveryLanes()
  const [first, second] = claimed(lanes, { a: 2 })['a'] ?? []
  if (!first || !second) throw new Error('nothing was claimed')
  lanes.ended('a', fast)
  expect(lanes.choose(['a'], 0).wanted).toMatchObject([{ id: 'a', inHand: new Set([first.id, second.id]) }])
  lanes.forget(first)
  expect(lanes.choose(['a'], 0).wanted).toMatchObject([{ inHand: new Set([second.id]) }])
})

test('what was in hand when more was looked for is not taken again, though it was done with meanwhile', () => {
  const lanes = new DeliveryLanes()
  const [first] = claimed(lanes, { a: 1 })['a'] ?? []
  if (!first) throw new Error('nothing was claimed')
  lanes.ended('a', fast)
  const choice = lanes.choose(['a'], 0)
  lanes.forget(first)
  const [other] = [delivery('a')]
  const found = { leased: [], until: instantFromMs(untilMs), due: [first, other] }
  expect(lanes.accept(choice, found)).toEqual([[other]])
  expect(lanes.handedOver).toBe(1)
})

/** Where the next look at a webhook begins. */
const nextLook = (lanes: DeliveryLanes, nowMs = 0) => {
  const choice = lanes.choose(['a'], nowMs)
  lanes.endClaim(choice)
  return choice.wanted[0]?.after
}
const placeOf = ({ due_at, id } = delivery('a')) => ({ due_at, id })

test('a look goes on where the last one ended, and the last of a row begins with the oldest', () => {
  const lanes = new DeliveryLanes()
  const sent = (due: number) => {
    const own = claimed(lanes, { a: due })['a'] ?? []
    for (const one of own) lanes.ended(one.webhook.id, fast)
    return own
  }
  sent(10)
  expect(nextLook(lanes)).toBeUndefined() // the lease was new
  const last = sent(100).at(-1)
  expect(nextLook(lanes)).toEqual(placeOf(last))
  sent(5) // fewer than there was room for
  expect(lanes.wantsLook('a')).toBe(true)
  expect(nextLook(lanes)).toBeUndefined()
  claim(lanes, { a: 0 })
  expect(lanes.wantsLook('a')).toBe(false)
})

test.each([
  ['in vain', 0],
  ['and as much is found as there was room for', 64],
])('what comes back unsent while more is looked for, %s, is not passed over', (_, due) => {
  const lanes = new DeliveryLanes()
  const [unsent, ...sent] = claimed(lanes, { a: 4 })['a'] ?? []
  if (!unsent) throw new Error('nothing was claimed')
  for (const one of sent) lanes.ended(one.webhook.id, fast)
  const choice = lanes.choose(['a'], 0)
  lanes.givenBack(unsent)
  accept(lanes, choice, { a: due })
  for (let index = 0; index < due; index += 1) lanes.ended('a', fast)
  expect(lanes.wantsLook('a')).toBe(true)
  expect(nextLook(lanes)).toBeUndefined()
})

test('after something came back unsent, or a lease is renewed, a look begins with the oldest', () => {
  const lanes = new DeliveryLanes()
  const [unsent, ...sent] = claimed(lanes, { a: 10 })['a'] ?? []
  if (!unsent) throw new Error('nothing was claimed')
  for (const one of sent) lanes.ended(one.webhook.id, fast)
  lanes.givenBack(unsent)
  expect(nextLook(lanes)).toBeUndefined()
  const more = claimed(lanes, { a: 100 })['a'] ?? []
  for (const one of more) lanes.ended(one.webhook.id, fast)
  expect(nextLook(lanes)).toEqual(placeOf(more.at(-1)))
  accept(lanes, lanes.choose(['a'], untilMs - 10_000), { a: 1_000 }) // less than is left when a lease is renewed
  expect(nextLook(lanes)).toBeUndefined()
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
  const last = claimed(lanes, { a: 1 })['a'] ?? []
  expect(lanes.endLeases()).toEqual([])
  lanes.ended('a', fast)
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

import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Slices } from '../../src/base/slices.ts'
import { MemberGone } from '../../src/base/together.ts'

/** Occupies the CPU for longer than a slice lasts. */
function spin(): void {
  const end = performance.now() + 3
  while (performance.now() < end);
}

test('timers and other events get their turn between the slices of long work', async () => {
  const slices = new Slices()
  let done = 0
  const work = slices.map([...Array(20).keys()], () => {
    spin()
    done += 1
  })
  await pause(1)
  expect(done).toBeLessThan(20)
  await work
  expect(done).toBe(20)
})

test('of many works one goes on at a time, each in its turn', async () => {
  const seen: string[] = []
  const begin = (name: string) =>
    new Slices().map([1, 2, 3], (part) => {
      spin()
      seen.push(`${name}${part}`)
    })
  await Promise.all(['a', 'b', 'c'].map(begin))
  expect(seen).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3'])
})

test('work goes on beside events that never cease', async () => {
  let isOver = false
  const busy = () => {
    spin()
    if (!isOver) setImmediate(busy)
  }
  busy()
  await new Slices().map([1, 2, 3], spin)
  isOver = true
})

test('work stops when its client has gone', async () => {
  let done = 0
  const work = new Slices(() => done >= 2).map([1, 2, 3, 4, 5], () => {
    spin()
    done += 1
  })
  await expect(work).rejects.toBeInstanceOf(MemberGone)
  expect(done).toBe(2)
})

test('JSON in slices is that of the whole', async () => {
  const value = { a: [1, { b: 'ü"' }, null], c: 'text', d: null, e: [], f: { g: [1] }, h: true }
  expect(await new Slices().json(value)).toBe(JSON.stringify(value))
})

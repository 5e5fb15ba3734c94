import { describe, expect, test } from 'vitest'
import { Spans } from '../../src/availability/hours-rules.ts'
import { type Claimed, Occupancy } from '../../src/availability/slot-rules.ts'
import { randomFrom, seeds } from '../support/random.ts'

function claim(from: number, to: number, parts: Partial<Claimed> = {}): Claimed {
  return { from, to, seats: [0], occurrenceId: 'class', held: false, ...parts }
}

const free = (claims: Claimed[], from: number, to: number, seats = 3) =>
  new Occupancy(claims).freeSeats({ from, to }, seats, () => 'class')

describe('seats of a resource', () => {
  test('are all free where nothing is claimed', () => {
    expect(free([], 10, 20)).toBe(3)
    expect(free([claim(0, 10), claim(20, 30)], 10, 20)).toBe(3)
  })

  test('are taken one by one by the same occurrence, and all at once by another', () => {
    expect(free([claim(10, 20)], 10, 20)).toBe(2)
    expect(free([claim(10, 20), claim(10, 20, { seats: [2] })], 10, 20)).toBe(1)
    expect(free([claim(19, 30, { occurrenceId: 'other' })], 10, 20)).toBe(0)
  })

  test('count once, however many claims follow each other on a seat', () => {
    expect(free([claim(8, 12), claim(12, 16), claim(16, 30)], 10, 20)).toBe(2)
  })

  test('are taken too by claims beyond a capacity lowered since', () => {
    expect(free([claim(10, 20, { seats: [4] })], 10, 20)).toBe(2)
    expect(free([claim(10, 20, { seats: [1] })], 10, 20, 1)).toBe(0)
    const four = [0, 1, 2, 3].map((seat) => claim(10, 20, { seats: [seat] }))
    expect(free(four, 10, 20, 2)).toBe(0)
  })
})

describe('asked in any order, the same answers come as from looking at everything', () => {
  test.each(seeds(50))('seed %i', (seed) => {
    const random = randomFrom(seed)
    const spans = Array.from({ length: random.below(20) }, () => {
      const from = random.below(200)
      return { from, to: from + 1 + random.below(30) }
    })
    const claims = spans.map((span) => claim(span.from, span.to, { seats: [random.below(3)] }))
    const occupancy = new Occupancy(claims)
    const union = new Spans(spans)
    for (let question = 0; question < 100; question += 1) {
      const from = random.below(220)
      const asked = { from, to: from + 1 + random.below(20) }
      const inTheWay = claims.filter(({ from, to }) => from < asked.to && to > asked.from)
      expect(occupancy.during(asked).length).toBe(inTheWay.length)
      expect(union.meet(asked)).toBe(inTheWay.length > 0)
      const moments = Array.from({ length: asked.to - asked.from }, (_, index) => asked.from + index)
      const covered = moments.every((at) => spans.some(({ from, to }) => from <= at && at < to))
      expect(union.cover(asked)).toBe(covered)
    }
  })
})

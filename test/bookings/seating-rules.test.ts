import { expect, test } from 'vitest'
import { mostTaken } from '../../src/availability/seat-rules.ts'
import { type Seated, seatOneMore, type SeatingQuestion } from '../../src/bookings/seating-rules.ts'
import { type Random, randomFrom, seeds } from '../support/random.ts'

const worlds = 10_000

interface World {
  capacity: number
  claims: Seated[]
  wanted: { from: number; to: number }
  size: number
}

/** Returns claims that follow the rules, on random free seats, perhaps beyond a capacity that was lowered since. */
function randomWorld(random: Random): World {
  const capacity = 1 + random.below(4)
  const seats = random.chance(0.1) ? capacity + 1 : capacity
  const full = Math.max(1, random.below(3) === 0 ? seats : seats - 1)
  const claims: Seated[] = []
  for (let tries = random.below(60); tries > 0; tries -= 1) {
    const from = random.below(24)
    const span = { from, to: from + 1 + random.below(5) }
    const free = Array.from({ length: seats }, (_, seat) => seat).filter((seat) =>
      claims.every((claim) => !meet(claim, span) || !claim.seats.includes(seat)),
    )
    const size = random.chance(0.6) ? 1 : 1 + random.below(seats)
    if (free.length < size || countEachMoment({ claims, wanted: span }) + size > full) continue
    const order = free.map((seat) => ({ seat, at: random.below(1000) })).toSorted((a, b) => a.at - b.at)
    claims.push({ id: `claim ${tries}`, ...span, seats: order.slice(0, size).map(({ seat }) => seat) })
  }
  const from = random.below(24)
  const wanted = { from, to: from + 1 + random.below(8) }
  return {
    capacity,
    claims: byStart(claims),
    wanted,
    size: random.chance(0.7) ? 1 : 1 + random.below(capacity),
  }
}

function byStart(claims: Seated[]): Seated[] {
  return claims.toSorted((one, other) => one.from - other.from || (one.id < other.id ? -1 : 1))
}

function meet(one: { from: number; to: number }, other: { from: number; to: number }): boolean {
  return one.from < other.to && other.from < one.to
}

/** Counts the seats that are taken at each moment: slow and obviously right. */
function countEachMoment({ claims, wanted }: Pick<World, 'claims' | 'wanted'>): number {
  const moments = Array.from({ length: wanted.to - wanted.from }, (_, index) => wanted.from + index)
  const takenAt = (at: number) =>
    claims.filter(({ from, to }) => from <= at && at < to).reduce((sum, { seats }) => sum + seats.length, 0)
  return Math.max(...moments.map(takenAt))
}

/** Returns all claims after the move, with the new one. */
function after({ claims, wanted }: World, { seats, moved }: NonNullable<ReturnType<typeof seatOneMore>>) {
  const rest = claims.map((claim) => moved.find(({ id }) => id === claim.id) ?? claim)
  return [...rest, { id: 'new', ...wanted, seats }]
}

function twiceTaken(claims: Seated[]): string[] {
  return claims.flatMap((one, index) =>
    claims
      .slice(index + 1)
      .filter((other) => meet(one, other) && one.seats.some((seat) => other.seats.includes(seat)))
      .map((other) => `${one.id} and ${other.id}`),
  )
}

const unbounded = { knownUntil: Infinity, maxMoved: Infinity }

function ask(world: World, bounds: Partial<SeatingQuestion> = {}) {
  return seatOneMore({ ...world, ...unbounded, ...bounds })
}

test(`a claim that fits by number gets seats, and no other loses its own, in ${worlds} random worlds`, () => {
  const seen = { full: 0, plain: 0, moved: 0, further: 0, parties: 0 }
  for (const seed of seeds(worlds)) {
    const world = randomWorld(randomFrom(seed))
    const { capacity, claims, wanted, size } = world
    const most = countEachMoment(world)
    expect({ seed, most: mostTaken(claims, wanted) }).toEqual({ seed, most })
    if (most + size > capacity) {
      seen.full += 1
      continue
    }
    const seating = ask(world)
    if (!seating) throw new Error(`seed ${seed}: no seats`)
    const { seats, moved, changedUntil } = seating
    expect({ seed, twice: twiceTaken(after(world, seating)) }).toEqual({ seed, twice: [] })
    expect({ seed, size: new Set(seats).size, isWithin: seats.every((seat) => seat < capacity) }).toEqual({
      ...{ seed, size, isWithin: true },
    })
    for (const claim of moved) {
      const before = claims.find(({ id }) => id === claim.id)
      expect({ ...claim, seats: [] }).toEqual({ ...before, seats: [] })
      expect(new Set(claim.seats).size, `seed ${seed}`).toBe(before?.seats.length)
      expect(claim.from >= wanted.from && claim.to <= changedUntil).toBe(true)
    }
    seen[moved.length === 0 ? 'plain' : 'moved'] += 1
    if (changedUntil > wanted.to) seen.further += 1
    if (moved.some((claim) => claim.seats.length > 1)) seen.parties += 1
  }
  if (seeds(worlds).length < worlds) return
  // worlds in which nothing has to move would prove nothing
  expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(100)
})

test('claims beyond what was read stay as they are, or nothing moves', () => {
  let cut = 0
  for (const seed of seeds(worlds)) {
    const random = randomFrom(seed)
    const world = randomWorld(random)
    if (countEachMoment(world) + world.size > world.capacity) continue
    const knownUntil = world.wanted.to + random.below(6)
    const known = world.claims.filter(({ from }) => from < knownUntil)
    const seating = ask({ ...world, claims: known }, { knownUntil })
    if (seating) expect({ seed, twice: twiceTaken(after(world, seating)) }).toEqual({ seed, twice: [] })
    else cut += 1
  }
  if (seeds(worlds).length === worlds) expect(cut).toBeGreaterThan(100)
})

test('no more claims move than allowed', () => {
  for (const seed of seeds(2000)) {
    const world = randomWorld(randomFrom(seed))
    if (countEachMoment(world) + world.size > world.capacity) continue
    const needed = ask(world)?.moved.length ?? 0
    expect(ask(world, { maxMoved: needed })).toBeDefined()
    if (needed > 0) expect(ask(world, { maxMoved: needed - 1 })).toBeUndefined()
  }
})

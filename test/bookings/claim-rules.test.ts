import { describe, expect, test } from 'vitest'
import type { Resource } from '../../src/availability/resource-rules.ts'
import { type Instant, parseInstant } from '../../src/base/instants.ts'
import {
  type Candidate,
  candidates,
  type Choice,
  type ClaimSeen,
  conflict,
  expired,
} from '../../src/bookings/claim-rules.ts'
import { type Random, randomFrom, seeds } from '../support/random.ts'

function instant(text: string): Instant {
  const read = parseInstant(text)
  if (!read) throw new Error(`no instant: ${text}`)
  return read
}
const at = (time: string) => instant(`2026-12-01T${time}:00Z`)
const now = at('08:00')

const staffed = (id: string, seats = 1): Resource => ({ id, staffId: id, seats, occurrenceId: 'run' })

function seen(parts: Partial<ClaimSeen> = {}): ClaimSeen {
  return {
    id: 'claim',
    resource_id: 'a',
    seats: [0],
    taken: { starts_at: at('10:00'), ends_at: at('11:00') },
    occurrence_id: 'run',
    expires_at: null,
    owner_id: null,
    ...parts,
  }
}

const choice = (parts: Partial<Choice> = {}): Choice => ({
  resources: [staffed('a'), staffed('b'), staffed('c')],
  partySize: 1,
  claims: [],
  now,
  ownerId: 'me',
  bookingsOfDay: new Map(),
  rotation: 0,
  ...parts,
})

describe('candidates', () => {
  const ids = (parts: Partial<Choice>) => candidates(choice(parts)).map(({ resource }) => resource.id)

  test('come by the fewest bookings of the day, then by id', () => {
    expect(ids({})).toEqual(['a', 'b', 'c'])
    expect(ids({ resources: [staffed('c'), staffed('a'), staffed('b')] })).toEqual(['a', 'b', 'c'])
    const bookingsOfDay = new Map([
      ['a', 2],
      ['b', 1],
    ])
    expect(ids({ bookingsOfDay })).toEqual(['c', 'b', 'a'])
  })

  test('those without a hold to give up come before all others', () => {
    const own = seen({ expires_at: at('08:05'), owner_id: 'me' })
    const bookingsOfDay = new Map([
      ['b', 9],
      ['c', 8],
    ])
    expect(candidates(choice({ claims: [own], bookingsOfDay }))).toMatchObject([
      { resource: { id: 'c' }, givesUp: [] },
      { resource: { id: 'b' }, givesUp: [] },
      { resource: { id: 'a' }, givesUp: ['claim'] },
    ])
    expect(ids({ claims: [own], ownerId: 'you' })).toEqual(['b', 'c'])
    expect(ids({ claims: [own], ownerId: undefined })).toEqual(['b', 'c'])
  })

  test('a claim is in the way until the instant at which it expires', () => {
    const until = (expires_at: Instant | null) => ids({ claims: [seen({ expires_at, owner_id: 'you' })] })
    expect(until(null)).toEqual(['b', 'c'])
    expect(until(at('08:01'))).toEqual(['b', 'c'])
    expect(until(now)).toEqual(['a', 'b', 'c'])
    expect(until(at('07:59'))).toEqual(['a', 'b', 'c'])
  })

  test('the rotation decides only where among equal seats to begin', () => {
    const seats = (rotation: number) =>
      candidates(choice({ resources: [staffed('a', 3)], rotation })).flatMap(({ seats }) => seats)
    expect(seats(0)).toEqual([0, 1, 2])
    expect(seats(4)).toEqual([1, 2, 0])
    expect(seats(65_535)).toEqual([0, 1, 2])
  })

  describe('where a lowered capacity leaves a claim on a seat that is gone', () => {
    const ofTwo = (claims: ClaimSeen[], rotation = 0) =>
      candidates(choice({ resources: [staffed('a', 2)], claims, rotation })).map(({ seats, givesUp }) => ({
        seats,
        givesUp,
      }))
    const own = { expires_at: at('08:05'), owner_id: 'me' }

    test('the claim takes one of the seats that are left', () => {
      expect(ofTwo([seen({ seats: [2] })])).toEqual([{ seats: [0], givesUp: [] }])
      expect(ofTwo([seen({ seats: [1] }), seen({ seats: [2] })])).toEqual([])
    })

    test('all who ask at once try the same seat: seat 0 and seat 1 together would be one too many', () => {
      expect(ofTwo([seen({ seats: [2] })], 1)).toEqual([{ seats: [0], givesUp: [] }])
    })

    test('a hold of the caller there is given up when it is one too many', () => {
      expect(ofTwo([seen({ ...own, id: 'own', seats: [2] })]).map(({ givesUp }) => givesUp)).toEqual([[], []])
      const [one] = ofTwo([seen({ ...own, id: 'own', seats: [3] }), seen({ seats: [2] })])
      expect(one).toEqual({ seats: [0], givesUp: ['own'] })
    })
  })

  test('expired claims of a resource are named for removal, active ones and those of others are not', () => {
    const claims = [
      seen({ id: 'expired', expires_at: now }),
      seen({ id: 'active', expires_at: at('08:01') }),
      seen({ id: 'booked' }),
      seen({ id: 'other', expires_at: now, resource_id: 'b' }),
    ]
    expect(expired(claims, staffed('a'), now)).toEqual(['expired'])
  })
})

describe('why no seat is left', () => {
  const codeOf = (claims: ClaimSeen[], ownerId?: string) => conflict({ claims, now, ownerId }).code

  test('slot_booked when everything in the way is booked, else slot_held', () => {
    const hold = seen({ expires_at: at('08:01'), owner_id: 'you' })
    expect(codeOf([seen(), seen()])).toBe('slot_booked')
    expect(codeOf([seen(), hold])).toBe('slot_held')
    expect(codeOf([hold])).toBe('slot_held')
    expect(codeOf([])).toBe('slot_held') // taken by a client who has left in the meantime
  })

  test('expired holds and holds that the caller could give up are not in the way', () => {
    expect(codeOf([seen(), seen({ expires_at: now, owner_id: 'you' })])).toBe('slot_booked')
    const own = seen({ expires_at: at('08:01'), owner_id: 'me' })
    expect(codeOf([seen(), own], 'me')).toBe('slot_booked')
    expect(codeOf([seen(), own])).toBe('slot_held')
  })
})

/** Returns the free seats by trying each, which is slow and obviously correct. */
function modelCandidates({ resources, claims, now, ownerId, bookingsOfDay }: Choice): string[][] {
  const free: (Candidate & { bookings: number })[] = []
  for (const resource of resources) {
    const active = claims.filter(
      ({ resource_id, expires_at }) =>
        resource_id === resource.id && (expires_at === null || expires_at > now),
    )
    const isOwn = (claim: ClaimSeen) =>
      claim.expires_at !== null && ownerId !== undefined && claim.owner_id === ownerId
    const seatsOf = (some: ClaimSeen[]) => new Set(some.flatMap(({ seats }) => seats)).size
    const others = active.filter((claim) => !isOwn(claim))
    let left = resource.seats - seatsOf(others)
    for (let seat = 0; seat < resource.seats; seat += 1) {
      const isInTheWay = (claim: ClaimSeen) =>
        claim.occurrence_id !== resource.occurrenceId || claim.seats.includes(seat)
      if (others.some(isInTheWay) || left <= 0) continue
      left -= 1
      const stays = active.filter((claim) => !isInTheWay(claim))
      const gone = active.filter((claim) =>
        seatsOf(stays) < resource.seats ? isInTheWay(claim) : isOwn(claim),
      )
      const givesUp = gone.map(({ id }) => id)
      free.push({ resource, seats: [seat], givesUp, bookings: bookingsOfDay.get(resource.id) ?? 0 })
    }
  }
  const rank = ({ givesUp, bookings, resource }: (typeof free)[number]) =>
    `${givesUp.length > 0 ? 1 : 0} ${String(bookings).padStart(3, '0')} ${resource.id}`
  const ranks = [...new Set(free.map(rank))].toSorted()
  // within a rank any order of seats is acceptable
  return ranks.map((one) =>
    free
      .filter((candidate) => rank(candidate) === one)
      .map(describeCandidate)
      .toSorted(),
  )
}

const describeCandidate = ({ resource, seats, givesUp }: Candidate) =>
  `${resource.id} ${seats.join()} gives up ${givesUp.toSorted().join()}`

function randomChoice(random: Random): Choice {
  const ids = ['a', 'b', 'c'].slice(0, 1 + random.below(3))
  const resources = ids.map((id) => staffed(id, 1 + random.below(4)))
  const claims = Array.from({ length: random.below(7) }, (_, index) =>
    seen({
      id: `claim ${index}`,
      resource_id: random.of(['a', 'b', 'c']),
      seats: random.of([[0], [1], [2], [3], [0, 2], [1, 2, 3]]),
      occurrence_id: random.of(['run', 'run', 'other']),
      expires_at: random.of([null, at('07:59'), now, at('08:01')]),
      owner_id: random.of(['me', 'you']),
    }),
  )
  return choice({
    resources,
    claims,
    ownerId: random.of(['me', undefined]),
    bookingsOfDay: new Map(ids.map((id) => [id, random.below(3)])),
    rotation: random.below(65_536),
  })
}

test('candidates are those of a slow model, in its order, in 5000 random cases', () => {
  for (const seed of seeds(5000)) {
    const one = randomChoice(randomFrom(seed))
    const rest = candidates(one).map(describeCandidate)
    const grouped = modelCandidates(one).map((group) => rest.splice(0, group.length).toSorted())
    expect({ seed, grouped, rest }).toEqual({ seed, grouped: modelCandidates(one), rest: [] })
  }
})

test('a party gets seats of one resource, all of them free, and is refused only where too few are left', () => {
  for (const seed of seeds(5000)) {
    const random = randomFrom(seed)
    const one = { ...randomChoice(random), partySize: 2 + random.below(3) }
    const found = candidates(one)
    const singles = Map.groupBy(candidates({ ...one, partySize: 1 }), ({ resource }) => resource.id)
    const enough = [...singles].filter(([, seats]) => seats.length >= one.partySize).map(([id]) => id)
    const places = [...new Set(found.map(({ resource }) => resource.id))]
    expect({ seed, places: places.toSorted() }).toEqual({ seed, places: enough.toSorted() })
    for (const { resource, seats, givesUp } of found) {
      const stays = one.claims
        .filter(({ id, resource_id }) => resource_id === resource.id && !givesUp.includes(id))
        .filter(({ expires_at }) => expires_at === null || expires_at > one.now)
      const used = new Set(stays.flatMap((claim) => claim.seats))
      expect(new Set(seats).size, `seed ${seed}`).toBe(one.partySize)
      expect(seats.every((seat) => seat < resource.seats && !used.has(seat))).toBe(true)
      expect(used.size + seats.length, `seed ${seed}`).toBeLessThanOrEqual(resource.seats)
      expect(stays.every(({ occurrence_id }) => occurrence_id === resource.occurrenceId)).toBe(true)
    }
  }
})

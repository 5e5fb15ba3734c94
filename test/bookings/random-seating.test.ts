import { afterAll, beforeAll, expect, test } from 'vitest'
import { findErrors } from '../support/checker.ts'
import { clientOf, sessionClient, type Client } from '../support/client.ts'
import { onOneEngine, rounds } from '../support/long.ts'
import { makeBusiness, makeOffer, type Offer, type OwnBusiness } from '../support/offers.ts'
import { type Random, randomFrom, seeds } from '../support/random.ts'
import { watcherOf } from '../support/slots.ts'
import { type Reply, startTestService, type TestService } from '../support/test-service.ts'

/* Small worlds of an unstaffed service. A count of each moment predicts what fits. */

const minute = 60_000
const step = 15 * minute
const dayMs = 24 * 60 * minute
const iso = (ms: number) => new Date(ms).toISOString()

interface Row {
  id: string
  owner: string
  from: number
  to: number
  startsAt: number
  endsAt: number
  size: number
  isBooked: boolean
  /** All but the seats, which may change. */
  rest: Record<string, unknown>
}

interface World {
  /** A session, and the ID under which it owns holds. */
  session: Client
  ownerId: string
  /** The first start of the day on which things happen. */
  opens: number
  offer: Offer
  capacity: number
  minutes: number
  before: number
  after: number
}

onOneEngine('sqlite', 'random worlds of alike seats', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  afterAll(() => service.stop())

  async function makeWorld(random: Random): Promise<World> {
    const parts = {
      capacity: 1 + random.below(4),
      minutes: random.of([30, 60]),
      bufferBefore: random.of([0, 0, 15]),
      bufferAfter: random.of([0, 0, 15]),
    }
    const offer = await makeOffer(service, business.id, { ...parts, intervalMinutes: 15 })
    const { capacity, minutes, bufferBefore, bufferAfter } = parts
    const opens = (Math.floor(service.clock.nowMs() / dayMs) + 2) * dayMs + 8 * 60 * minute
    const session = await sessionClient(service, business)
    const held = await session.hold(offer, iso(opens + dayMs))
    const world = { session, ownerId: '', opens, offer, capacity, minutes }
    const [own] = await activeRows(world)
    await session.release(String(held.body.hold_id))
    return {
      ...{ ...world, ownerId: own?.owner ?? '' },
      ...{ before: bufferBefore * minute, after: bufferAfter * minute },
    }
  }

  /** The claims that take time. */
  async function activeRows({ offer }: Pick<World, 'offer'>): Promise<Row[]> {
    const { reads } = service.context.db
    const rows = await reads
      .selectFrom('claims')
      .selectAll()
      .where('service_id', '=', offer.service_id)
      .where('ended_at', 'is', null)
      .execute()
    return rows
      .filter(({ booked_at, expires_at }) => booked_at !== null || expires_at > service.context.clock.now())
      .map(({ seat: _seat, seats: _seats, ...rest }) => ({
        ...{ id: rest.id, owner: rest.owner_id, size: rest.party_size, isBooked: rest.booked_at !== null },
        ...{ from: Date.parse(rest.taken_from), to: Date.parse(rest.taken_until) },
        ...{ startsAt: Date.parse(rest.starts_at), endsAt: Date.parse(rest.ends_at), rest },
      }))
  }

  /** Counts what is left at the fullest moment of a slot. All times are whole steps. */
  function left(world: World, rows: Row[], start: number, end = start + world.minutes * minute): number {
    let least = world.capacity
    for (let at = start - world.before; at < end + world.after; at += step) {
      const taken = rows
        .filter(({ from, to }) => from <= at && at < to)
        .reduce((sum, { size }) => sum + size, 0)
      least = Math.min(least, world.capacity - taken)
    }
    return least
  }

  async function expectOffered(world: World, caller: Client, party: number): Promise<void> {
    const isSession = caller !== key
    const rows = (await activeRows(world)).filter(({ isBooked, owner }) => {
      return isBooked || !isSession || owner !== world.ownerId
    })
    const expected = Array.from({ length: 24 }, (_, index) => world.opens + index * step)
      .map((start) => [iso(start), left(world, rows, start)] as const)
      .filter(([, seats]) => seats >= party)
    const shown = await watcherOf(service, caller).on(
      { ...world.offer, party_size: String(party) },
      iso(world.opens).slice(0, 10),
    )
    const offered = shown
      .map(({ starts_at, seats_left }) => [iso(Date.parse(starts_at)), seats_left] as const)
      .filter(([start]) => Date.parse(start) >= world.opens && Date.parse(start) < world.opens + 24 * step)
    expect(offered).toEqual(expected)
  }

  /** Expects that an act changed only its own claim, those it may end, and seats. */
  function expectUnchanged(before: Row[], after: Row[], except: string[]): void {
    const rest = (rows: Row[]) =>
      rows
        .filter(({ id }) => !except.includes(id))
        .map((row) => row.rest)
        .toSorted((one, other) => (String(one['id']) < String(other['id']) ? -1 : 1))
    expect(rest(after)).toEqual(rest(before))
  }

  const statusOf = (fits: boolean, done: number) => (fits ? done : 409)

  async function hold(world: World, random: Random, caller: Client): Promise<string> {
    const start = world.opens + random.below(16) * step
    const end = start + world.minutes * minute
    const size = random.chance(0.7) ? 1 : 1 + random.below(world.capacity)
    const before = await activeRows(world)
    const isOwn = ({ isBooked, owner }: Row) => caller !== key && !isBooked && owner === world.ownerId
    const fits =
      left(
        world,
        before.filter((row) => !isOwn(row)),
        start,
      ) >= size
    const explained = await watcherOf(service, caller).explain(
      { ...world.offer, party_size: String(size) },
      iso(start),
    )
    const reply = await caller.hold(world.offer, iso(start), { party_size: size })
    const says = `${caller === key ? 'key' : 'session'} holds ${iso(start)} for ${size}`
    expect({ says, status: reply.status, offered: explained.body.offered }).toEqual({
      ...{ says, status: statusOf(fits, 201), offered: fits },
    })
    const after = await activeRows(world)
    // own holds at that time are replaced; those that only their buffers bring near, at most
    const near = before.filter(
      (row) => isOwn(row) && row.from < end + world.after && row.to > start - world.before,
    )
    const replaced = near.filter((row) => row.startsAt < end && row.endsAt > start)
    const gone = near.filter(({ id }) => !after.some((row) => row.id === id)).map(({ id }) => id)
    if (reply.status === 201) expect(replaced.every(({ id }) => gone.includes(id))).toBe(true)
    expectUnchanged(before, after, reply.status === 201 ? [...gone, String(reply.body.hold_id)] : [])
    return says
  }

  async function change(world: World, random: Random): Promise<string> {
    const before = await activeRows(world)
    const bookings = before.filter(({ isBooked }) => isBooked)
    if (bookings.length === 0) return 'nothing'
    const { id, from, to, size: people } = random.of(bookings)
    const [startsAt, endsAt] = [from + world.before, to - world.after] // a move leaves those of the hold
    const size = random.chance(0.5) ? people : 1 + random.below(world.capacity)
    const start = random.chance(0.3) ? startsAt : world.opens + random.below(16) * step
    const end = start + (random.chance(0.5) ? endsAt - startsAt : (1 + random.below(6)) * step)
    const body = { starts_at: iso(start), ends_at: iso(end), party_size: size }
    const others = before.filter((row) => row.id !== id)
    const isSame = start === startsAt && end === endsAt && size === people
    const fits = isSame || left(world, others, start, end) >= size
    const { status } = await key.change(id, body)
    const says = `booking ${id} changes to ${JSON.stringify(body)}`
    expect({ says, status }).toEqual({ says, status: statusOf(fits, 200) })
    expectUnchanged(before, await activeRows(world), fits ? [id] : [])
    return says
  }

  async function revive(world: World, cancelled: { id: string; row: Row }[]): Promise<string> {
    const last = cancelled.pop()
    if (!last) return 'nothing'
    const { id, row } = last
    const before = await activeRows(world)
    const fits = left(world, before, row.from + world.before, row.to - world.after) >= row.size
    const { status } = await key.change(id, { status: 'confirmed' })
    const says = `booking ${id} is restored`
    expect({ says, status }).toEqual({ says, status: statusOf(fits, 200) })
    expectUnchanged(before, await activeRows(world), fits ? [id] : [])
    return says
  }

  async function free(world: World, random: Random, cancelled: { id: string; row: Row }[]): Promise<string> {
    const rows = await activeRows(world)
    if (rows.length === 0) return 'nothing'
    const row = random.of(rows)
    const answer: Reply = row.isBooked ? await key.cancel(row.id) : await key.release(row.id)
    expect(answer.status).toBeLessThan(300)
    if (row.isBooked) cancelled.push({ id: row.id, row })
    return `${row.id} ends`
  }

  async function book(world: World, random: Random): Promise<string> {
    const holds = (await activeRows(world)).filter(({ isBooked }) => !isBooked)
    if (holds.length === 0) return 'nothing'
    const { id } = random.of(holds)
    expect((await key.book(id)).status).toBe(201)
    return `${id} is booked`
  }

  test('the count alone decides, for availability, explanations, holds, changes and revivals alike', async () => {
    const rearranged = () =>
      service.statements.filter((text) => text.includes('seat = w.seat, seats = w.seats')).length
    let moved = 0
    for (const seed of seeds(rounds(25, 4000))) {
      service.statements.length = service.logLines.length = 0
      const random = randomFrom(seed)
      const world = await makeWorld(random)
      const cancelled: { id: string; row: Row }[] = []
      const log: string[] = []
      try {
        for (let act = 0; act < 24; act += 1) {
          const dice = random.below(20)
          const caller = random.chance(0.75) ? key : world.session
          if (dice < 12) log.push(await hold(world, random, caller))
          else if (dice < 15) log.push(await book(world, random))
          else if (dice < 17) log.push(await change(world, random))
          else if (dice < 18) log.push(await revive(world, cancelled))
          else log.push(await free(world, random, cancelled))
          if (random.chance(0.03)) service.clock.advance(601)
          if (act % 8 === 7) await expectOffered(world, caller, 1 + random.below(world.capacity))
        }
      } catch (error) {
        throw new Error(`seed ${seed} (HOLDFAST_TEST_SEED=${seed}): ${log.join('; ')}`, { cause: error })
      }
      moved += rearranged()
    }
    expect(await findErrors(service.databaseUrl)).toEqual([])
    expect(moved).toBeGreaterThan(0) // worlds in which nothing has to move would prove nothing
  })
})

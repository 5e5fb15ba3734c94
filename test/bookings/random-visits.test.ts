import { afterAll, beforeAll, expect, test } from 'vitest'
import { findErrors } from '../support/checker.ts'
import { type Client, clientOf, sessionClient } from '../support/client.ts'
import { onOneEngine, rounds } from '../support/long.ts'
import { makeBusiness, makeLocation, type OwnBusiness } from '../support/offers.ts'
import { type Random, randomFrom, seeds } from '../support/random.ts'
import { type Reply, startTestService, type TestService } from '../support/test-service.ts'

/*
 * Small salons with a random history. What is offered can be held, and nothing else; a refusal changes nothing; and at the
 * end no thing is used twice and no visit is half. visit-oracle.test.ts compares what is offered with a search of all plans.
 */

const minute = 60_000
const dayMs = 24 * 60 * minute
const iso = (ms: number) => new Date(ms).toISOString()

interface Wish {
  service_id: string
  staff_id?: string
  starts?: 'with'
}

interface World {
  session: Client
  locationId: string
  /** The first start of the day on which things happen. */
  opens: number
  services: { id: string; staffIds: string[] }[]
}

onOneEngine('sqlite', 'random salons', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  afterAll(() => service.stop())

  async function create(path: string, body: Record<string, unknown>): Promise<string> {
    const reply = await service.call('POST', path, { token: business.key, body })
    if (reply.status !== 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`)
    return String(reply.body['id'])
  }

  async function makeWorld(random: Random): Promise<World> {
    const location_id = await makeLocation(service, business.id)
    const people: string[] = []
    for (let index = 0; index <= random.below(3); index += 1)
      people.push(await create('/staff', { name: 'Kim' }))
    const rooms = [
      await create('/resources', { location_id, name: 'Basin', quantity: 1 + random.below(2) }),
      await create('/resources', { location_id, name: 'Room', quantity: 1 }),
    ]
    const services: World['services'] = []
    for (let index = 0; index <= 1 + random.below(3); index += 1) {
      const isStaffed = random.chance(0.75)
      const staffIds = isStaffed ? people.filter(() => random.chance(0.8)) : []
      const length = () => 15 * (1 + random.below(3))
      const steps = [
        { minutes: length(), staffed: true },
        { minutes: length(), staffed: false },
        { minutes: length(), staffed: true },
      ]
      const hasSteps = staffIds.length > 0 && random.chance(0.5)
      const id = await create('/services', {
        ...{ name: `Service ${index}`, location_ids: [location_id], staff_ids: staffIds },
        ...(hasSteps ? { steps } : { duration_minutes: length() }),
        ...{ slot_interval_minutes: 15, capacity: random.of([1, 1, 2]) },
        ...{ buffer_before_minutes: random.of([0, 0, 15]), buffer_after_minutes: random.of([0, 0, 15]) },
        ...(random.chance(0.5) && {
          needs: [
            {
              resource_ids: random.chance(0.5) ? rooms : [random.of(rooms)],
              during: random.of(['all', 'staffed']),
            },
          ],
        }),
      })
      services.push({ id, staffIds })
    }
    const opens = (Math.floor(service.clock.nowMs() / dayMs) + 2) * dayMs + 8 * 60 * minute
    return { session: await sessionClient(service, business), locationId: location_id, opens, services }
  }

  function wishes(world: World, random: Random): Wish[] {
    return Array.from({ length: 1 + random.below(3) }, (_, index) => {
      const { id, staffIds } = random.of(world.services)
      return {
        service_id: id,
        ...(staffIds.length > 0 && random.chance(0.3) && { staff_id: random.of(staffIds) }),
        ...(index > 0 && random.chance(0.25) && { starts: 'with' as const }),
      }
    })
  }

  const textOf = (items: Wish[]) =>
    items
      .map(({ service_id, staff_id, starts }) => {
        return `${starts ? '~' : ''}${service_id}${staff_id === undefined ? '' : `:${staff_id}`}`
      })
      .join(',')

  const startIn = (world: World, random: Random) => iso(world.opens + random.below(12) * 15 * minute)

  /** The claims that take time, without seats, which others may move. */
  async function active(): Promise<Record<string, unknown>[]> {
    const now = service.context.clock.now()
    const rows = await service.context.db.reads
      .selectFrom('claims')
      .selectAll()
      .where('ended_at', 'is', null)
      .orderBy('id')
      .execute()
    return rows
      .filter(({ booked_at, expires_at }) => booked_at !== null || expires_at > now)
      .map(({ seat: _seat, seats: _seats, ...rest }) => rest)
  }

  async function hold(world: World, random: Random): Promise<string> {
    const caller = random.chance(0.6) ? key : world.session
    const [items, startsAt] = [wishes(world, random), startIn(world, random)]
    const before = await active()
    const query = new URLSearchParams({
      ...{ items: textOf(items), location_id: world.locationId, starts_at: startsAt },
    })
    const explained = await service.call('GET', `/availability/explain?${query.toString()}`, {
      token: caller.token,
    })
    const reply = await service.call('POST', '/bookings/hold', {
      token: caller.token,
      body: { location_id: world.locationId, starts_at: startsAt, items },
    })
    const says = `${caller === key ? 'key' : 'session'} holds ${textOf(items)} at ${startsAt}`
    const told = { says, status: reply.status, explained: explained.body, body: reply.body }
    const status = explained.body.offered === true ? 201 : reply.body.code === 'slot_not_offered' ? 422 : 409
    expect(told).toEqual({ ...told, status })
    if (status === 201) expectServed(reply, { items, startsAt, world })
    else expect(await active()).toEqual(before)
    return says
  }

  /** Expects that each item is served in order, by somebody who gives it. */
  function expectServed(
    { body }: Reply,
    { items, startsAt, world }: { items: Wish[]; startsAt: string; world: World },
  ): void {
    const held = body.items as {
      service_id: string
      staff_id: string | null
      starts_at: string
      ends_at: string
    }[]
    expect(held.map(({ service_id }) => service_id)).toEqual(items.map(({ service_id }) => service_id))
    expect(Date.parse(held[0]?.starts_at ?? '')).toBe(Date.parse(startsAt))
    for (const [index, item] of held.entries()) {
      const staffIds = world.services.find(({ id }) => id === item.service_id)?.staffIds ?? []
      if (staffIds.length > 0) expect(staffIds).toContain(item.staff_id)
      const named = items[index]?.staff_id
      if (named !== undefined) expect(item.staff_id).toBe(named)
      const previous = held[index - 1]
      if (!previous) continue
      if (items[index]?.starts === 'with') expect(item.starts_at).toBe(previous.starts_at)
      else expect(Date.parse(item.starts_at)).toBeGreaterThanOrEqual(Date.parse(previous.ends_at))
    }
  }

  async function change(world: World, random: Random, bookings: string[]): Promise<string> {
    if (bookings.length === 0) return 'nothing'
    const id = random.of(bookings)
    const shown = (await key.show(id)).body
    const present = (shown.items as { id: string }[]).map((item) => ({ id: item.id }))
    const change = random.of([
      { starts_at: startIn(world, random) },
      { items: [...present, ...wishes(world, random)].slice(0, 4) },
      { items: present.slice(random.below(present.length)) },
      { status: shown.status === 'cancelled' ? 'confirmed' : 'cancelled' },
    ])
    const before = await active()
    const reply = await key.change(id, change)
    const says = `booking ${id} changes to ${JSON.stringify(change)}`
    expect([200, 409, 422], `${says}: ${JSON.stringify(reply.body)}`).toContain(reply.status)
    if (reply.status !== 200) {
      expect(await active()).toEqual(before)
      expect((await key.show(id)).body).toEqual(shown)
    }
    return `${says}: ${reply.status}`
  }

  async function book(world: World, random: Random, bookings: string[]): Promise<string> {
    const holds = (await active()).filter(
      (claim) =>
        claim['booked_at'] === null &&
        claim['visit_id'] === null &&
        claim['location_id'] === world.locationId,
    )
    if (holds.length === 0) return 'nothing'
    const id = String(random.of(holds)['id'])
    const reply = random.chance(0.75) ? await key.book(id) : await key.release(id)
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300)
    if (reply.status === 201) bookings.push(id)
    return `${id} is booked or released`
  }

  test('what is offered is held, and a refusal changes nothing', async () => {
    let visits = 0
    for (const seed of seeds(rounds(12, 4000))) {
      service.statements.length = service.logLines.length = 0
      const random = randomFrom(seed)
      const world = await makeWorld(random)
      const bookings: string[] = []
      const log: string[] = []
      try {
        for (let act = 0; act < 20; act += 1) {
          const dice = random.below(20)
          if (dice < 11) log.push(await hold(world, random))
          else if (dice < 15) log.push(await book(world, random, bookings))
          else log.push(await change(world, random, bookings))
          if (random.chance(0.03)) service.clock.advance(601)
        }
      } catch (error) {
        throw new Error(`seed ${seed} (HOLDFAST_TEST_SEED=${seed}): ${log.join('; ')}`, { cause: error })
      }
      visits += (await active()).filter((claim) => claim['claim_count'] !== 1).length
      for (const id of bookings) await key.cancel(id)
      service.clock.advance(601)
    }
    expect(await findErrors(service.databaseUrl)).toEqual([])
    expect(visits).toBeGreaterThan(0)
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf, sessionClient, type Client } from '../support/client.ts'
import { makeBusiness, makeLocation, makeService, makeStaff } from '../support/offers.ts'
import { randomFrom, seeds, type Random } from '../support/random.ts'
import { onEachEngine, startTestService, type Reply, type TestService } from '../support/test-service.ts'
import { checkTables } from './check-tables.ts'
import { Model, type Answer, type ModelService, type Wanted } from './model.ts'

/*
 * Random sequences of what sessions and a key do, against a simple model: each answer must be the
 * model's, and in the end so must the tables. A seed that fails is named; HOLDFAST_TEST_SEED=<seed> runs it alone.
 */

const stepsPerRun = 60

interface Caller {
  client: Client
  /** What the model knows it by; undefined for the key. */
  session: string | undefined
}

interface World {
  service: TestService
  model: Model
  random: Random
  callers: Caller[]
  key: Client
  services: ModelService[]
  locationIds: string[]
  /** The day on which everything happens, the second one after the present. */
  day: number
  businessId: string
  log: string[]
}

async function makeWorld(service: TestService, seed: number): Promise<World> {
  const random = randomFrom(seed)
  const business = await makeBusiness(service)
  const locationIds = [await makeLocation(service, business.id), await makeLocation(service, business.id)]
  const [kim = '', sam = ''] = await makeStaff(service, business.id, ['Kim', 'Sam'])
  const sketches = [
    { minutes: 30, bufferBefore: 0, bufferAfter: 15, capacity: 1, staffIds: [kim, sam] },
    { minutes: 60, bufferBefore: 0, bufferAfter: 0, capacity: 2, staffIds: [sam] },
    { minutes: 45, bufferBefore: 15, bufferAfter: 0, capacity: 1, staffIds: [] },
    { minutes: 30, bufferBefore: 0, bufferAfter: 0, capacity: 2, staffIds: [] },
  ]
  const services: ModelService[] = []
  for (const sketch of sketches) {
    services.push({ ...sketch, id: await makeService(service, business.id, { ...sketch, locationIds }) })
  }
  const key = clientOf(service, business.key)
  const sessions = [await sessionClient(service, business), await sessionClient(service, business)]
  const now = service.clock.nowMs()
  return {
    service,
    model: new Model(now),
    random,
    callers: [...sessions, key].map((client) => ({
      client,
      session: client === key ? undefined : client.token,
    })),
    key,
    services,
    locationIds,
    day: Math.ceil(now / 86_400_000) * 86_400_000 + 86_400_000,
    businessId: business.id,
    log: [],
  }
}

/** Every quarter of an hour over two hours around noon of two days: close enough to meet. */
function randomStart({ random, day }: World): number {
  return day + random.below(2) * 86_400_000 + (11 * 4 + random.below(8)) * 900_000
}

const iso = (time: number) => new Date(time).toISOString()

function compare(reply: Reply, expected: Answer): void {
  const got = { status: reply.status, code: (reply.body as { code?: string } | undefined)?.code }
  expect(got).toEqual({ status: expected.status, code: expected.code })
}

async function claimOf(world: World, id: string) {
  const { reads } = world.service.context.db
  return reads.selectFrom('claims').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

async function hold(world: World): Promise<void> {
  const { random, model } = world
  const caller = random.of(world.callers)
  const service = random.of(world.services)
  const staffId = service.staffIds.length > 0 && random.chance(0.3) ? random.of(service.staffIds) : undefined
  const wanted: Wanted = {
    service,
    locationId: random.of(world.locationIds),
    start: randomStart(world),
    staffId,
  }
  world.log.push(`${caller.session ?? 'key'} holds ${JSON.stringify(wanted)}`)
  const expected = model.expectHold(caller.session, wanted)
  const offer = { service_id: service.id, location_id: wanted.locationId }
  const more = staffId === undefined ? {} : { staff_id: staffId }
  const reply = await caller.client.hold(offer, iso(wanted.start), more)
  compare(reply, expected)
  if (reply.status !== 201) return
  const id = String(reply.body.hold_id)
  const claim = await claimOf(world, id)
  // the service names an unstaffed resource by an id of its own
  const resource = service.staffIds.length > 0 ? claim.resource_id : `${service.id} at ${wanted.locationId}`
  const chosen = expected.best.find((one) => one.resource === resource && one.seat === claim.seat)
  expect(chosen, 'the best free seat was chosen').toBeDefined()
  if (!chosen) return
  const end = wanted.start + service.minutes * 60_000
  const expires = Math.ceil(model.now / 1000) * 1000 + 600_000
  expect(Date.parse(reply.body.expires_at as string)).toBe(expires)
  const placed = { id, session: caller.session, wanted, end, expires, ended: undefined }
  model.placeHold(placed, chosen, expected.replaced)
}

async function endHold(world: World, how: 'book' | 'release'): Promise<void> {
  const { random, model } = world
  if (model.holds.length === 0) return
  const target = random.of(model.holds.slice(-6))
  // mostly by whoever it belongs to
  const owner = world.callers.find(({ session }) => session === target.session)
  const caller = owner && random.chance(0.8) ? owner : random.of(world.callers)
  world.log.push(`${caller.session ?? 'key'}: ${how} ${target.id}`)
  const reply = await caller.client[how](target.id)
  const act = how === 'book' ? model.convert.bind(model) : model.release.bind(model)
  compare(reply, act(caller.session, target))
}

async function change(world: World): Promise<void> {
  const { random, model } = world
  if (model.bookings.length === 0) return
  const booking = random.of(model.bookings)
  const move = random.chance(0.6)
  const start = move ? randomStart(world) : undefined
  const length = (1 + random.below(5)) * 900_000
  const end = random.chance(0.2) ? (start ?? booking.start) + length : undefined
  const statuses = ['pending', 'confirmed', 'in_progress', 'completed', 'cancelled'] as const
  const status = !move || random.chance(0.3) ? random.of(statuses) : undefined
  const wanted = {
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    ...(status && { status }),
  }
  world.log.push(`change ${booking.id} ${JSON.stringify(wanted)}`)
  const expected = model.change(booking, wanted)
  const reply = await world.key.change(booking.id, {
    ...(start !== undefined && { starts_at: iso(start) }),
    ...(end !== undefined && { ends_at: iso(end) }),
    ...(status && { status }),
  })
  compare(reply, expected)
  const seat = expected.seats.length > 0 ? (await claimOf(world, booking.id)).seat : 0
  if (expected.seats.length > 0) expect(expected.seats).toContain(seat)
  expected.apply(seat)
}

async function cancel(world: World): Promise<void> {
  if (world.model.bookings.length === 0) return
  const booking = world.random.of(world.model.bookings)
  world.log.push(`cancel ${booking.id}`)
  const expected = world.model.change(booking, { status: 'cancelled' })
  compare(await world.key.cancel(booking.id), expected)
  expected.apply(0)
}

/** Some time, or until the very instant at which a hold expires, or the last millisecond before it. */
function passTime(world: World): void {
  const { model, random, service } = world
  const open = model.holds.filter(({ ended, expires }) => !ended && expires > model.now)
  const untilExpiry = open.flatMap(({ expires }) => [expires - model.now, expires - model.now - 1])
  const milliseconds = random.of([1, 1000, 59_500, 300_000, ...untilExpiry])
  world.log.push(`${milliseconds} ms pass`)
  service.clock.advance(milliseconds / 1000)
  model.now = service.clock.nowMs()
}

async function step(world: World): Promise<void> {
  const dice = world.random.below(100)
  if (dice < 45) await hold(world)
  else if (dice < 62) await endHold(world, 'book')
  else if (dice < 68) await endHold(world, 'release')
  else if (dice < 86) await change(world)
  else if (dice < 91) await cancel(world)
  else passTime(world)
}

onEachEngine('random sequences of holds and bookings', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, {
      SESSION_SECONDS: '86400',
      MAX_HOLDS_PER_SESSION: '1000',
      MAX_HOLDS_PER_IP: '1000',
    })
  })
  afterAll(() => service.stop())

  test.each(seeds(engine === 'sqlite' ? 60 : 20))('end as the model says, with seed %i', async (seed) => {
    const world = await makeWorld(service, seed)
    try {
      for (let number = 0; number < stepsPerRun; number += 1) await step(world)
      await checkTables(world)
    } catch (error) {
      const run = `HOLDFAST_TEST_SEED=${seed} npx vitest run test/simulation -t ${engine}`
      throw new Error(`seed ${seed} on ${engine}; replay with ${run}\n${world.log.slice(-12).join('\n')}`, {
        cause: error,
      })
    }
  })
})

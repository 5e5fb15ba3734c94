import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Actor } from '../../src/access/actor.ts'
import { showAvailability } from '../../src/availability/show-availability.ts'
import { ShownDays } from '../../src/availability/shown-days.ts'
import { placeHold } from '../../src/bookings/place-hold.ts'
import { Problem } from '../../src/errors.ts'
import { instantFromMs } from '../../src/instants.ts'
import { sessionClient, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { makeRandomWorld, sessionOf, type RandomWorld } from '../support/random-world.ts'
import { randomFrom, seeds, type Random } from '../support/random.ts'
import { watcherOf, type Asked } from '../support/slots.ts'
import { onEachEngine, startTestService, type TestService } from '../support/test-service.ts'
import { dateAfter } from '../support/wall-clock.ts'

onEachEngine('days that were shown before', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let one: Client
  let other: Client
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  beforeEach(async () => {
    business = await makeBusiness(service)
    one = await sessionClient(service, business)
    other = await sessionClient(service, business)
  })
  afterAll(() => service.stop())

  /** What a client is shown of some days, as text. */
  async function shownTo(client: Client, asked: Asked, from = '2026-12-01'): Promise<string> {
    const { status, body } = await watcherOf(service, client).show(asked, from, '2026-12-31')
    expect(status).toBe(200)
    return JSON.stringify(body)
  }

  test('are shown to others as they were, until something changes', async () => {
    const offer = await makeOffer(service, business.id, { intervalMinutes: 60 })
    const { shownDays } = service.context
    const before = shownDays.hits
    const first = await shownTo(one, offer)
    expect(shownDays.hits).toBe(before)
    expect(await shownTo(other, offer)).toEqual(first)
    expect(shownDays.hits).toBe(before + 1)
    await one.hold(offer, '2026-12-15T10:00:00Z')
    expect(await shownTo(other, offer)).not.toEqual(first)
    expect(shownDays.hits).toBe(before + 1)
    await shownTo(other, offer)
    expect(shownDays.hits).toBe(before + 2)
  })

  test('are not shown in the place of other days, of other staff, or of what has changed places', async () => {
    const [anna = '', ben = ''] = await makeStaff(service, business.id, ['Anna', 'Ben'])
    const offer = await makeOffer(service, business.id, { intervalMinutes: 60, staffIds: [anna, ben] })
    const answers = [
      await shownTo(one, offer, '2026-12-02'),
      await shownTo(one, offer),
      await shownTo(one, { ...offer, staff_id: anna }),
      await shownTo(one, { ...offer, staff_id: ben }),
    ]
    for (const staff_id of [anna, ben]) {
      const { body } = await one.hold(offer, '2026-12-15T10:00:00Z', { staff_id })
      answers.push(await shownTo(other, offer))
      await one.release(String(body.hold_id))
    }
    for (const [from, to] of [
      ['10', '12'],
      ['11', '12'],
      ['11', '13'],
    ]) {
      const [starts_at, ends_at] = [`2026-12-15T${from}:00:00Z`, `2026-12-15T${to}:00:00Z`]
      const body = { location_id: offer.location_id, starts_at, ends_at }
      const block = await service.call('POST', '/blocks', { token: business.key, body })
      answers.push(await shownTo(other, offer))
      await service.call('DELETE', `/blocks/${block.body.id}`, { token: business.key })
    }
    expect(new Set(answers).size).toBe(answers.length)
    expect(answers[1]).not.toContain('"slots":[]') // as the first date would have that the answer before did not show
  })

  test('lose a slot at the very moment at which it begins', async () => {
    const offer = await makeOffer(service, business.id, { intervalMinutes: 5 })
    const today = service.clock.now().slice(0, 10)
    const next = async () => {
      const slots = await watcherOf(service, one).on(offer, today)
      return Date.parse(slots[0]?.starts_at ?? '')
    }
    const first = await next()
    service.clock.advance((first - 1 - service.clock.nowMs()) / 1000)
    expect(await next()).toBe(first)
    service.clock.advance(0.001)
    expect(await next()).toBe(first + 300_000)
  })

  test('are as if they were worked out anew, whatever has happened since', async () => {
    const { context } = service
    let found = 0
    let changed = 0
    for (const seed of seeds(80)) {
      const random = randomFrom(seed)
      const world = await makeRandomWorld(context, random)
      const visitors = [1, 2].map(() => sessionOf(world.businessId, context.ids.next()))
      context.shownDays = new ShownDays()
      let latest = await ask(world, random.of(visitors))
      for (let step = 0; step < 10; step += 1) {
        await somethingHappens(random, world, random.of(visitors))
        const visitor = random.of(visitors)
        const shown = await ask(world, visitor)
        const kept = context.shownDays
        context.shownDays = new ShownDays()
        expect(shown, `seed ${seed} (HOLDFAST_TEST_SEED=${seed}), step ${step}`).toEqual(
          await ask(world, visitor),
        )
        context.shownDays = kept
        if (JSON.stringify(shown) !== JSON.stringify(latest)) changed += 1
        latest = shown
      }
      found += context.shownDays.hits
    }
    expect(found).toBeGreaterThan(seeds(80).length)
    expect(changed).toBeGreaterThan(seeds(80).length)
  })

  async function ask(world: RandomWorld, actor: Actor): Promise<unknown> {
    const query = { ...world.offer, from: dateAfter(world.from, -2), to: dateAfter(world.from, 4) }
    return showAvailability(service.context, actor, query).catch(onlyRefused)
  }

  /** Time passes, or is set back a little; a slot is taken; or nothing happens. */
  async function somethingHappens(random: Random, world: RandomWorld, visitor: Actor): Promise<void> {
    if (random.chance(0.7)) {
      service.clock.advance(random.of([0, 1, 60, 600, 1_800, 3_600, 14_400, -60, -1_800]))
      return
    }
    const starts_at = instantFromMs(Date.parse(world.from) + random.below(96) * 30 * 60_000)
    const wanted = { ...world.offer, starts_at, clientNetwork: world.network }
    await placeHold(service.context, random.of([visitor, world.key]), wanted).catch(onlyRefused)
  }
})

/** Nobody may be able to give the service there, and random slots are often taken. */
function onlyRefused(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error
}

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Actor } from '../../src/access/actor.ts'
import type { Look } from '../../src/availability/look-for-slots.ts'
import { showAvailability } from '../../src/availability/show-availability.ts'
import { LastShown } from '../../src/availability/shown-days.ts'
import { placeHold } from '../../src/bookings/place-hold.ts'
import { Problem } from '../../src/errors.ts'
import { instantFromMs } from '../../src/instants.ts'
import { sessionClient, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, makeStaff, type Offer, type OwnBusiness } from '../support/offers.ts'
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
  let stranger: Client
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  beforeEach(async () => {
    business = await makeBusiness(service)
    one = await sessionClient(service, business)
    other = await sessionClient(service, business)
    stranger = await sessionClient(service, business)
  })
  afterAll(() => service.stop())

  /** What a client is shown of some days, as text. */
  async function shownTo(client: Client, asked: Asked, from = '2026-12-01'): Promise<string> {
    const { status, body } = await watcherOf(service, client).show(asked, from, '2026-12-31')
    expect(status).toBe(200)
    return JSON.stringify(body)
  }

  test('are shown to others as they were, until somebody holds a slot, and again once the hold has lapsed', async () => {
    const offer = await makeOffer(service, business.id, { intervalMinutes: 60 })
    const first = await shownTo(one, offer)
    expect(await shownTo(other, offer)).toEqual(first)
    await one.hold(offer, '2026-12-15T10:00:00Z')
    const changed = await shownTo(other, offer)
    expect(changed).not.toEqual(first)
    expect(await shownTo(stranger, offer)).toEqual(changed)
    expect(await shownTo(one, offer)).toContain('held_by_you')
    service.clock.advance(600)
    expect(await shownTo(other, offer)).toEqual(first)
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

  test('show the slots under a block again when it is deleted', async () => {
    const staffIds = await makeStaff(service, business.id, ['Anna'])
    const offer = await makeOffer(service, business.id, { intervalMinutes: 60, staffIds })
    const first = await shownTo(one, offer)
    const times = { starts_at: '2026-12-15T10:00:00Z', ends_at: '2026-12-16T10:00:00Z' }
    for (const what of [{ location_id: offer.location_id }, { staff_id: staffIds[0] }]) {
      const token = business.key
      const block = await service.call('POST', '/blocks', { token, body: { ...what, ...times } })
      expect(await shownTo(other, offer)).not.toEqual(first)
      expect((await service.call('DELETE', `/blocks/${block.body.id}`, { token })).status).toBe(204)
      expect(await shownTo(other, offer)).toEqual(first)
    }
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

  describe('are worked out anew', () => {
    let massage: Asked
    let others: Record<'short' | 'long' | 'class' | 'rival', Offer>
    beforeEach(async () => {
      const staffIds = await makeStaff(service, business.id, ['Anna'])
      const make = (minutes: number, more = {}) =>
        makeOffer(service, business.id, { minutes, staffIds, ...more })
      massage = await make(60, { bufferBefore: 20, bufferAfter: 30 })
      others = {
        short: await make(30),
        long: await make(60),
        class: await make(45, { capacity: 3 }),
        rival: await make(45, { capacity: 3 }),
      }
    })

    type Step = [of: keyof typeof others, startsAt: string]
    const changes: [what: string, asked: 'massage' | 'class', steps: [Step, Step?]][] = [
      [
        'on the day before, as far as a slot and its buffer reach',
        'massage',
        [['short', '2026-12-15T01:20:00+01:00']],
      ],
      [
        'on the day after, as far as the buffer before reaches',
        'massage',
        [['short', '2026-12-14T23:20:00+01:00']],
      ],
      [
        'where something longer stands in the same place',
        'massage',
        [
          ['short', '2026-12-15T10:00:00Z'],
          ['long', '2026-12-15T10:00:00Z'],
        ],
      ],
      [
        'where another class stands in the same place',
        'class',
        [
          ['class', '2026-12-15T10:00:00Z'],
          ['rival', '2026-12-15T10:00:00Z'],
        ],
      ],
    ]
    test.each(changes)('%s', async (_what, asked, steps) => {
      const offer = asked === 'massage' ? massage : others.class
      let latest = await anew(offer)
      for (const step of steps) {
        if (!step) break
        const held = await one.hold(others[step[0]], step[1])
        const shown = await anew(offer)
        expect(shown).not.toEqual(latest)
        latest = shown
        await one.release(String(held.body.hold_id))
      }
    })

    test('where one more seat of a class is taken', async () => {
      const left: unknown[] = []
      for (const client of [one, other]) {
        await client.hold(others.class, '2026-12-15T10:00:00Z')
        left.push(await anew(others.class))
      }
      expect(left[0]).not.toEqual(left[1])
    })
  })

  /** What somebody else is shown, which is what a server shows that has just been started. */
  async function anew(asked: Asked): Promise<string> {
    const shown = await shownTo(stranger, asked)
    const started = await startTestService(engine, {}, { beside: service })
    try {
      const { body } = await watcherOf(started, stranger).show(asked, '2026-12-01', '2026-12-31')
      expect(JSON.parse(shown)).toEqual(body)
    } finally {
      await started.stop()
    }
    return shown
  }

  test('are as if they were worked out anew, whatever has happened since', { timeout: 120_000 }, async () => {
    const { context } = service
    let found = 0
    let changed = 0
    for (const seed of seeds(40)) {
      const random = randomFrom(seed)
      const world = await makeRandomWorld(context, random)
      const visitors = [1, 2].map(() => sessionOf(world.businessId, context.ids.next()))
      const lastShown = new CountedShown()
      let latest = await ask(world, random.of(visitors), lastShown)
      for (let step = 0; step < 10; step += 1) {
        await somethingHappens(random, world, random.of(visitors))
        const visitor = random.of(visitors)
        const shown = await ask(world, visitor, lastShown)
        expect(shown, `seed ${seed} (HOLDFAST_TEST_SEED=${seed}), step ${step}`).toEqual(
          await ask(world, visitor, new LastShown()),
        )
        if (JSON.stringify(shown) !== JSON.stringify(latest)) changed += 1
        latest = shown
      }
      found += lastShown.found
    }
    // histories in which nothing is ever found, or nothing ever changes, would prove nothing
    expect(found).toBeGreaterThan(seeds(40).length / 4)
    expect(changed).toBeGreaterThan(seeds(40).length / 4)
  })

  async function ask(world: RandomWorld, actor: Actor, lastShown: LastShown): Promise<unknown> {
    const query = { ...world.offer, from: dateAfter(world.from, -2), to: dateAfter(world.from, 4) }
    return showAvailability({ ...service.context, lastShown }, actor, query).catch(onlyRefused)
  }

  /** Time passes, or is set back a little; a slot is taken; or nothing happens. */
  async function somethingHappens(random: Random, world: RandomWorld, visitor: Actor): Promise<void> {
    if (random.chance(0.7)) {
      service.clock.advance(random.of([0, 1, 60, 600, 1_800, 3_600, 14_400, -60, -1_800]))
      return
    }
    const starts_at = instantFromMs(Date.parse(world.from) + random.below(96) * 30 * 60_000)
    const wanted = { ...world.offer, starts_at, from: world.client }
    await placeHold(service.context, random.of([visitor, world.key]), wanted).catch(onlyRefused)
  }
})

/** Tells how often something was found. */
class CountedShown extends LastShown {
  found = 0

  override find(look: Look): ReturnType<LastShown['find']> {
    const shown = super.find(look)
    if (shown) this.found += 1
    return shown
  }
}

/** Nobody may be able to give the service there, and random slots are often taken. */
function onlyRefused(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error
}

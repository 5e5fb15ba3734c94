import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Client, sessionClient } from '../support/client.ts'
import { onOneEngine } from '../support/long.ts'
import { makeBusiness, makeOffer, makeStaff, type Offer, type OwnBusiness } from '../support/offers.ts'
import { type Asked, watcherOf } from '../support/slots.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

/*
 * The days shown to one visitor may be cached for the next. The offer must be the same as without the cache.
 * random-worlds.test.ts proves that it is right in random worlds.
 */
onOneEngine('sqlite', 'days that were shown before', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let one: Client
  let other: Client
  let stranger: Client
  let lastFrom = 1
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  beforeEach(async () => {
    business = await makeBusiness(service)
    one = await sessionClient(service, business)
    other = await sessionClient(service, business)
    stranger = await sessionClient(service, business)
    lastFrom = 1
  })
  afterAll(() => service.stop())

  /** Returns the displayed days of a client, as text. */
  async function shownTo(client: Client, asked: Asked, from = '2026-12-01'): Promise<string> {
    const { status, body } = await watcherOf(service, client).show(asked, from, '2026-12-31')
    expect(status).toBe(200)
    return JSON.stringify(body)
  }

  test('are shown to others as they were, until somebody holds a slot, and again once the hold has expired', async () => {
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
    expect(answers[1]).not.toContain('"slots":[]') // like the first date outside the previous answer
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

  /** Returns the same days for another client, whose request has no cached answer. */
  async function anew(asked: Asked): Promise<string> {
    const shown = await shownTo(stranger, asked)
    const from = `2026-12-0${(lastFrom += 1)}`
    const days = (text: string) => (JSON.parse(text) as { days: { date: string }[] }).days
    const first = days(await shownTo(stranger, asked, from))
    expect(days(shown).filter(({ date }) => date >= from)).toEqual(first)
    expect(first.length).toBeGreaterThan(20)
    return shown
  }
})

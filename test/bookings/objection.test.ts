import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Actor } from '../../src/access/actor.ts'
import { daySeconds, plusSeconds, readInstant } from '../../src/base/instants.ts'
import { findObjection } from '../../src/bookings/objection.ts'
import { type Act, type ObjectionReason, objectionTo } from '../../src/bookings/objection-rules.ts'
import { caller } from '../support/random-world.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'

const now = readInstant('2026-11-18T08:00:00Z')
const acts: Act[] = ['book', 'move']

describe('an objection to a time', () => {
  const usual: ObjectionReason[] = [
    ...(['too_soon', 'beyond_horizon', 'outside_hours', 'blocked', 'busy_elsewhere'] as const),
    ...(['not_on_grid', 'staff_not_available'] as const),
  ]
  const startsAt = plusSeconds(now, 60)
  const isFirm = (act: Act, reason: ObjectionReason, at = startsAt) =>
    objectionTo(act, reason, { startsAt: at, now })?.isFirm

  test.each(usual)('%s is one that people may ignore', (reason) => {
    for (const act of acts)
      expect(objectionTo(act, reason, { startsAt, now })).toEqual({ reason, isFirm: false })
  })

  test('is firm for a booking where the service is not offered, but not for a move', () => {
    expect(acts.map((act) => isFirm(act, 'not_offered_here'))).toEqual([true, false])
  })

  test('is firm for any move to the past, and for a booking more than 31 days ago', () => {
    const daysAgo = (days: number) => plusSeconds(now, -days * daySeconds)
    expect(acts.map((act) => isFirm(act, 'in_the_past', daysAgo(31)))).toEqual([false, true])
    expect(isFirm('book', 'in_the_past', plusSeconds(daysAgo(31), -1))).toBe(true)
  })

  test('is none where nothing is wrong or somebody else has the time', () => {
    for (const reason of [null, 'slot_held', 'slot_booked'] as const)
      for (const act of acts) expect(objectionTo(act, reason, { startsAt, now })).toBeUndefined()
  })
})

onOneEngine('sqlite', 'the objection to a time of the business', (engine) => {
  let service: TestService
  let key: Actor
  const salon = () => businessOf(service.world, 'Salon Spree')
  beforeAll(async () => {
    service = await startTestService(engine)
    key = {
      ...caller(service.context.ids.next()),
      type: 'business',
      scope: { businessId: salon().id },
    }
  })
  afterAll(() => service.stop())

  const find = (act: Act, startsAt: string) =>
    findObjection(service.context, key, {
      act,
      time: { ...offer(salon(), 'Haircut', 'Mitte'), starts_at: readInstant(startsAt) },
    })

  test('tells closed hours, the past and another client from each other', async () => {
    expect(await find('book', '2026-12-01T10:00:00Z')).toBeUndefined()
    expect(await find('book', '2026-12-01T23:00:00Z')).toEqual({ reason: 'outside_hours', isFirm: false })
    const past = ['2026-11-01T10:00:00Z', '2026-01-05T10:00:00Z']
    const found = await Promise.all(past.flatMap((at) => acts.map((act) => find(act, at))))
    expect(found.map((objection) => objection?.reason)).toEqual(Array(4).fill('in_the_past'))
    expect(found.map((objection) => objection?.isFirm)).toEqual([false, true, true, true])
  })

  test('is firm once the location is not open any more', async () => {
    const { location_id } = offer(salon(), 'Haircut', 'Mitte')
    const path = `/locations/${location_id}`
    const token = salon().business_key
    expect((await service.call('PATCH', path, { token, body: { active: false } })).status).toBe(200)
    const at = '2026-12-01T10:00:00Z'
    expect(await find('book', at)).toEqual({ reason: 'not_offered_here', isFirm: true })
    expect(await find('move', at)).toEqual({ reason: 'not_offered_here', isFirm: false })
    expect((await service.call('PATCH', path, { token, body: { active: true } })).status).toBe(200)
  })
})

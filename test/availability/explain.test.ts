import { afterAll, beforeAll, expect, test } from 'vitest'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import { makeBusiness, makeOffer, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { expectRefusal } from '../support/refusals.ts'
import { watcherOf, type Asked, type ShownSlot } from '../support/slots.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] as const
const officeHours = days.map((weekday) => ({ weekday, opens: '09:00', closes: '17:00' }))
const at = (time: string, date = '2026-12-01') => `${date}T${time}:00+01:00`

/** A reason, a start that has it, and the preparation that causes it. */
type Scenario = [
  reason: string,
  startsAt: string,
  prepare?: (offer: Asked, items: { key: Client; staffId: string }) => Promise<unknown>,
]

onOneEngine('sqlite', 'why a slot is not offered', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  afterAll(() => service.stop())

  const block = (body: object) =>
    service.call('POST', '/blocks', {
      token: business.key,
      body: { starts_at: at('11:00'), ends_at: at('11:30'), ...body },
    })

  /** Creates an offer whose only staff member works in the mornings only, and on Fridays. */
  async function staffed() {
    const weeklyHours = officeHours.map(({ weekday, opens }) => ({
      weekday,
      opens,
      closes: weekday === 'friday' ? '17:00' : '14:00',
    }))
    const [staffId = ''] = await makeStaff(service, business.id, ['Kim'], [], { weeklyHours })
    const offer = await makeOffer(service, business.id, {
      staffIds: [staffId],
      weeklyHours: officeHours,
      dateOverrides: [{ date: '2026-12-08', hours: [] }],
      intervalMinutes: 30,
      noticeMinutes: 120,
      horizonDays: 20,
    })
    return { staffId, offer }
  }

  /** Returns the nearest slots of availability. Of two at the same distance, the later one comes first. */
  async function nearest(offer: Asked, startsAt: string, token: string): Promise<ShownSlot[]> {
    const wanted = Date.parse(startsAt)
    const reply = await watcherOf(service, { token }).show(offer, '2026-11-20', '2026-12-20')
    const slots = (reply.body.days as { slots: ShownSlot[] }[]).flatMap((day) => day.slots)
    const distance = ({ starts_at }: ShownSlot) => Math.abs(Date.parse(starts_at) - wanted)
    return slots
      .toReversed()
      .toSorted((one, other) => distance(one) - distance(other))
      .slice(0, 3)
  }

  const scenarios: Scenario[] = [
    ['in_the_past', '2026-11-20T09:00:00Z'],
    ['in_the_past', '2026-11-19T10:00:00+01:00'],
    ['too_soon', '2026-11-20T10:30:00Z'],
    ['beyond_horizon', at('10:00', '2026-12-11')],
    ['outside_hours', at('08:30')],
    ['outside_hours', at('16:45')],
    ['outside_hours', at('17:00')],
    ['outside_hours', at('10:00', '2026-11-29')],
    ['outside_hours', at('10:00', '2026-12-08')],
    ['blocked', at('11:00'), ({ location_id }) => block({ location_id })],
    ['blocked', at('11:00'), (_offer, { staffId }) => block({ staff_id: staffId })],
    ['not_on_grid', at('10:10')],
    ['staff_not_available', at('14:00')],
    ['staff_not_available', at('15:30')],
    ['slot_held', at('10:00'), (offer) => key.hold(offer, at('10:00'))],
    ['slot_held', at('10:00'), (offer) => key.hold(offer, at('10:29'))],
    ['slot_booked', at('10:00'), (offer) => bookSlot(key, offer, at('10:00'))],
  ]

  test.each(scenarios)('%s: %s', async (reason, startsAt, prepare) => {
    const { offer, staffId } = await staffed()
    await prepare?.(offer, { key, staffId })
    const session = await sessionClient(service, business)
    const rival = await sessionClient(service, business)
    const explained = await watcherOf(service, session).explain(offer, startsAt)
    expect(explained.body).toEqual({
      starts_at: expect.stringMatching(/\+01:00$/),
      offered: false,
      reason,
    })
    expect(Date.parse(explained.body.starts_at)).toBe(Date.parse(startsAt))
    expect(await watcherOf(service, session).at(offer, startsAt)).toBeUndefined()

    const alternatives = await nearest(offer, startsAt, session.token)
    expect(alternatives).toHaveLength(3)
    const isTaken = reason.startsWith('slot_')
    await expectRefusal(service, () => session.hold(offer, startsAt), {
      status: isTaken ? 409 : 422,
      body: {
        code: isTaken ? reason : 'slot_not_offered',
        ...(!isTaken && { reason }),
        alternatives,
      },
    })
    for (const { starts_at } of alternatives) {
      const held = await rival.hold(offer, starts_at)
      expect(held.status).toBe(201)
      await rival.release(String(held.body.hold_id))
    }
  })

  test('a slot that is offered has no reason, and can be held', async () => {
    const { offer } = await staffed()
    const session = await sessionClient(service, business)
    const explained = await watcherOf(service, session).explain(offer, '2026-12-01T09:00:00.9Z')
    expect(explained).toMatchObject({
      status: 200,
      body: { starts_at: at('10:00'), offered: true, reason: null },
    })
    expect(await session.hold(offer, at('10:00'))).toMatchObject({ status: 201 })
  })

  test('the reason is that of the staff member who is asked for', async () => {
    const [early = ''] = await makeStaff(service, business.id, ['Early'], [], {
      weeklyHours: [{ weekday: 'tuesday', opens: '09:00', closes: '10:00' }],
    })
    const [always = ''] = await makeStaff(service, business.id, ['Always'])
    const offer = await makeOffer(service, business.id, { staffIds: [early, always], intervalMinutes: 30 })
    const watcher = watcherOf(service, await sessionClient(service, business))
    const reasonFor = async (asked: Asked) =>
      (await watcher.explain(asked, at('11:00'))).body.reason as unknown
    expect(await reasonFor(offer)).toBeNull()
    expect(await reasonFor({ ...offer, staff_id: early })).toBe('staff_not_available')
    await block({ staff_id: always })
    expect(await reasonFor(offer)).toBe('blocked')
    await bookSlot(key, offer, at('12:00'), { hold: { staff_id: always } })
    expect((await watcher.explain(offer, at('12:00'))).body.reason).toBe('slot_booked')
  })

  test('a slot in whose way are a hold and a booking is held', async () => {
    const staffIds = await makeStaff(service, business.id, ['One', 'Two'])
    const offer = await makeOffer(service, business.id, { staffIds, intervalMinutes: 30 })
    const watcher = watcherOf(service, await sessionClient(service, business))
    const held = await key.hold(offer, at('10:00'))
    await bookSlot(key, offer, at('10:00'))
    expect((await watcher.explain(offer, at('10:00'))).body.reason).toBe('slot_held')
    await key.book(String(held.body.hold_id))
    expect((await watcher.explain(offer, at('10:00'))).body.reason).toBe('slot_booked')
  })

  test('hours, blocks, notice, horizon and grid do not bind keys; the past and conflicts do', async () => {
    const { offer, staffId } = await staffed()
    await block({ location_id: offer.location_id })
    await block({ staff_id: staffId })
    const free = ['2026-11-20T10:30:00Z', at('10:00', '2026-12-15'), at('08:30'), at('11:00'), at('10:10')]
    for (const startsAt of [...free, at('15:30')]) {
      expect(await key.hold(offer, startsAt)).toMatchObject({ status: 201 })
    }
    const past = await key.hold(offer, '2026-11-20T09:00:00Z')
    expectProblem(past, 'slot_not_offered', { reason: 'in_the_past', alternatives: expect.any(Array) })
    expect(await key.hold(offer, at('15:30'))).toMatchObject({ status: 409, body: { code: 'slot_held' } })
  })
})

onOneEngine('sqlite', 'other times that a refusal names', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  afterAll(() => service.stop())

  const startsOf = (reply: { body: { alternatives: ShownSlot[] } }) =>
    reply.body.alternatives.map(({ starts_at }) => starts_at)

  /** Creates a service of an hour that is offered only at these hours of these dates. */
  function hoursOn(starts: Record<string, string[]>, parts: { capacity?: number } = {}) {
    const dateOverrides = Object.entries(starts).map(([date, hours]) => ({
      date,
      hours: hours.map((opens) => ({
        opens,
        closes: `${String(Number(opens.slice(0, 2)) + 1).padStart(2, '0')}:00`,
      })),
    }))
    const hour = { minutes: 60, intervalMinutes: 60, weeklyHours: [], dateOverrides, ...parts }
    return makeOffer(service, business.id, hour)
  }

  test('are the nearest before and after: another day is as good as the same', async () => {
    const offer = await hoursOn({
      '2026-12-01': ['08:00', '23:00'],
      '2026-12-02': ['00:00', '21:00'],
      '2026-12-03': ['08:00'],
    })
    await key.hold(offer, at('23:00'))
    const session = await sessionClient(service, business)
    expect(startsOf(await session.hold(offer, at('23:00')))).toEqual([
      at('00:00', '2026-12-02'),
      at('08:00'), // 15 hours before
      at('21:00', '2026-12-02'), // 22 hours after
    ])
  })

  test('of two that are as near, the later one comes first', async () => {
    const offer = await hoursOn({ '2026-12-01': ['09:00', '11:00', '12:00', '13:00', '15:00'] })
    await key.hold(offer, at('12:00'))
    const session = await sessionClient(service, business)
    expect(startsOf(await session.hold(offer, at('12:00')))).toEqual([at('13:00'), at('11:00'), at('15:00')])
  })

  test.each([1, 60, 500])('start within 14 days of the wanted start, with %i seats too', async (capacity) => {
    const wanted = at('12:00', '2026-12-10')
    const starts = {
      '2026-11-26': ['11:00', '12:00'],
      '2026-12-24': ['12:00', '13:00'],
      '2026-12-25': ['12:00'],
    }
    const offer = await hoursOn(starts, { capacity })
    const session = await sessionClient(service, business)
    expect(startsOf(await session.hold(offer, wanted))).toEqual([
      at('12:00', '2026-12-24'),
      at('12:00', '2026-11-26'),
    ])
    expect(startsOf(await session.hold(offer, at('12:30', '2026-12-24')))).toEqual([
      at('13:00', '2026-12-24'),
      at('12:00', '2026-12-24'),
      at('12:00', '2026-12-25'),
    ])
    expect(startsOf(await session.hold(offer, at('12:00', '2027-01-09')))).toEqual([])
  })

  test('are fewer or none where no more are free', async () => {
    const offer = await makeOffer(service, business.id, {
      weeklyHours: [],
      dateOverrides: [{ date: '2026-12-01', hours: [{ opens: '09:00', closes: '11:00' }] }],
      minutes: 60,
      intervalMinutes: 60,
    })
    const session = await sessionClient(service, business)
    await key.hold(offer, at('09:00'))
    expect(startsOf(await session.hold(offer, at('09:00')))).toEqual([at('10:00')])
    await key.hold(offer, at('10:00'))
    expect(startsOf(await session.hold(offer, at('09:00')))).toEqual([])
  })

  test('are those of the staff member who was asked for', async () => {
    const staffIds = await makeStaff(service, business.id, ['One', 'Two'])
    const [one, two] = staffIds
    const offer = await makeOffer(service, business.id, { staffIds, intervalMinutes: 30 })
    await key.hold(offer, at('10:00'), { staff_id: one })
    await key.hold(offer, at('10:30'), { staff_id: one })
    const session = await sessionClient(service, business)
    const refused = await session.hold(offer, at('10:00'), { staff_id: one })
    expect(startsOf(refused)).toEqual([at('09:30'), at('11:00'), at('09:00')])
    expect(refused.body.alternatives[0].staff_ids).toEqual([one])
    await key.hold(offer, at('10:00'), { staff_id: two })
    const ofAny = await session.hold(offer, at('10:00'))
    expect(startsOf(ofAny)).toEqual([at('10:30'), at('09:30'), at('11:00')])
    expect(ofAny.body.alternatives[0].staff_ids).toEqual([two])
  })

  test("are free to the caller: its own hold is among them, another's is not", async () => {
    const offer = await makeOffer(service, business.id, {
      weeklyHours: [{ weekday: 'tuesday', opens: '09:00', closes: '11:00' }],
      dateOverrides: [{ date: '2026-12-08', hours: [] }],
      minutes: 60,
      intervalMinutes: 60,
    })
    const [session, rival] = [await sessionClient(service, business), await sessionClient(service, business)]
    await session.hold(offer, at('10:00'))
    await key.hold(offer, at('09:00'))
    expect((await session.hold(offer, at('09:00'))).body.alternatives[0]).toMatchObject({
      starts_at: at('10:00'),
      held_by_you: true,
    })
    expect(startsOf(await rival.hold(offer, at('09:00')))).toEqual([
      at('10:00', '2026-11-24'),
      at('09:00', '2026-11-24'),
      at('09:00', '2026-12-15'),
    ])
  })
})

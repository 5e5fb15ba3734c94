import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { visitAlternatives, withVisit } from '../../src/availability/versioned-visit.ts'
import { Problem } from '../../src/base/errors.ts'
import { readInstant, toMs } from '../../src/base/instants.ts'
import { insertMissing } from '../../src/catalogue/catalogue-queries.ts'
import { bookSlot, type Client, clientOf, sessionClient } from '../support/client.ts'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { makeBusiness, makeLocation, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { sessionOf } from '../support/random-world.ts'
import { growthOf } from '../support/scrape.ts'
import { type ShownSlot, timesOf } from '../support/slots.ts'
import { unknownId } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { type Reply, startTestService, type TestService, withoutLimiter } from '../support/test-service.ts'

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] as const
const officeHours = weekdays.map((weekday) => ({ weekday, opens: '09:00', closes: '17:00' }))

type VisitSlot = ShownSlot & {
  items?: { service_id: string; staff_ids: string[]; starts_at: string; ends_at: string }[]
}

const at = (time: string, date = '2026-12-01') => `${date}T${time}:00+01:00`

onOneEngine('sqlite', 'availability of visits', (engine) => {
  let service: TestService
  let salon: OwnBusiness
  let key: Client
  let session: Client
  let place: string
  let anna: string
  let ben: string
  let room: string
  let cut: string
  let colour: string
  let massage: string
  let sauna: string

  beforeAll(async () => {
    service = await startTestService(engine)
    salon = await makeBusiness(service)
    key = clientOf(service, salon.key)
    session = await sessionClient(service, salon)
    place = await makeLocation(service, salon.id, { weeklyHours: officeHours })
    ;[anna = '', ben = ''] = await makeStaff(service, salon.id, ['Anna', 'Ben'])
    room = await make('/resources', { location_id: place, name: 'Room' })
    cut = await makeCut()
    colour = await make('/services', {
      name: 'Colour',
      steps: [
        { minutes: 30, staffed: true },
        { minutes: 30, staffed: false },
        { minutes: 30, staffed: true },
      ],
      slot_interval_minutes: 30,
      location_ids: [place],
      staff_ids: [anna],
    })
    massage = await make('/services', {
      name: 'Massage',
      duration_minutes: 60,
      slot_interval_minutes: 30,
      location_ids: [place],
      staff_ids: [anna, ben],
      needs: [{ resource_ids: [room] }],
      terms: [{ staff_id: ben, duration_minutes: 90 }],
    })
    sauna = await make('/services', {
      name: 'Sauna',
      duration_minutes: 60,
      location_ids: [place],
      capacity: 3,
    })
  })
  afterAll(() => service.stop())

  async function make(path: string, body: object): Promise<string> {
    const reply = await service.call('POST', path, { token: salon.key, body })
    if (reply.status !== 201) throw new Error(JSON.stringify(reply.body))
    return reply.body.id as string
  }

  function makeCut(parts: object = {}): Promise<string> {
    const usual = { name: 'Cut', duration_minutes: 30, location_ids: [place], staff_ids: [anna, ben] }
    return make('/services', { ...usual, ...parts })
  }

  function ask(path: string, query: Record<string, string>, { token } = session): Promise<Reply> {
    const text = new URLSearchParams({ location_id: place, ...query }).toString()
    return service.call('GET', `/availability${path}?${text}`, { token })
  }

  async function slotsOn(
    date: string,
    query: Record<string, string>,
    client = session,
  ): Promise<VisitSlot[]> {
    const { status, body } = await ask('', { ...query, from: date, to: date }, client)
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body.days[0].slots as VisitSlot[]
  }

  const explain = async (time: string, query: Record<string, string>) =>
    (await ask('/explain', { ...query, starts_at: time })).body as Record<string, unknown>

  async function blockRoom(date: string, from: string, to: string): Promise<void> {
    await service.context.db.transaction((tx) =>
      insertMissing(tx.db, 'blocks', [
        {
          ...{ id: service.context.ids.next(), business_id: salon.id, location_id: null, staff_id: null },
          ...{ resource_id: room, reason: null, created_at: tx.now, busy_calendar_id: null },
          starts_at: readInstant(at(from, date)),
          ends_at: readInstant(at(to, date)),
        },
      ]),
    )
  }

  test('shows each item with its people and times', async () => {
    const slots = await slotsOn('2026-12-01', { items: `${cut},${colour}` })
    expect(slots[0]).toEqual({
      starts_at: at('09:00'),
      ends_at: at('11:00'),
      staff_ids: [anna, ben],
      seats_left: 1,
      items: [
        { service_id: cut, staff_ids: [anna, ben], starts_at: at('09:00'), ends_at: at('09:30') },
        { service_id: colour, staff_ids: [anna], starts_at: at('09:30'), ends_at: at('11:00') },
      ],
    })
    expect(timesOf(slots).slice(-1)).toEqual(['15:00'])
  })

  test('starts items together, each with a person', async () => {
    const [first] = await slotsOn('2026-12-01', { items: `${cut}:${ben},~${colour},${cut}*1` })
    const times = first?.items?.map(({ starts_at, staff_ids }) => [starts_at, staff_ids])
    expect(times).toEqual([
      [at('09:00'), [ben]],
      [at('09:00'), [anna]],
      [at('10:30'), [anna, ben]],
    ])
    expect(await slotsOn('2026-12-01', { items: `${cut}:${anna},~${colour}` })).toEqual([])
  })

  test('a plain service asked for as the only item has the slots that it has by itself', async () => {
    const date = '2026-12-02'
    await bookSlot(key, { service_id: cut, location_id: place }, at('10:00', date), {
      hold: { staff_id: anna },
    })
    const alone = await slotsOn(date, { service_id: cut })
    const items = await slotsOn(date, { items: cut })
    expect(items.map(({ items: _, ...slot }) => slot)).toEqual(alone)
  })

  test('bookings of others are in the way, and the explanation names the item', async () => {
    const date = '2026-12-03'
    const items = `${cut},${colour}`
    await bookSlot(key, { service_id: cut, location_id: place }, at('10:00', date), {
      hold: { staff_id: anna },
    })
    const times = timesOf(await slotsOn(date, { items }))
    expect(times).toEqual(['09:00', '10:00', '10:30', ...afternoon])
    const reply = { starts_at: at('09:30', date), offered: false }
    expect(await explain(at('09:30', date), { items })).toEqual({ ...reply, item: 1, reason: 'slot_booked' })
    expect(await explain(at('09:00', date), { items })).toMatchObject({ offered: true, reason: null })
    expect(await explain(at('15:30', date), { items })).toMatchObject({ item: 1, reason: 'outside_hours' })
    expect(await explain(at('10:10', date), { items })).toMatchObject({ item: 0, reason: 'not_on_grid' })
  })
  const afternoon = ['11:00', '11:30', '12:00', '12:30', '13:00', '13:30', '14:00', '14:30', '15:00']

  test('the person is free for others while a step needs nobody', async () => {
    const date = '2026-12-04'
    const offer = { service_id: cut, location_id: place }
    await bookSlot(key, offer, at('09:30', date), { hold: { staff_id: anna } })
    expect(timesOf(await slotsOn(date, { service_id: colour })).slice(0, 3)).toEqual([
      '09:00',
      '10:00',
      '10:30',
    ])
    const { reason } = await explain(at('09:30', date), { service_id: colour })
    expect(reason).toBe('slot_booked')
  })

  test('the length is that of the person who would be chosen', async () => {
    const date = '2026-12-07'
    const [free] = await slotsOn(date, { service_id: massage })
    expect(free).toMatchObject({ ends_at: at('10:00', date), staff_ids: [anna, ben], seats_left: 1 })
    expect(free).not.toHaveProperty('items')
    await bookSlot(key, { service_id: cut, location_id: place }, at('09:00', date), {
      hold: { staff_id: anna },
    })
    const [other] = await slotsOn(date, { service_id: massage })
    expect(other).toMatchObject({ ends_at: at('10:30', date), staff_ids: [ben] })
    const ofAnna = await slotsOn(date, { service_id: massage, staff_id: anna })
    expect(ofAnna[0]).toMatchObject({ starts_at: at('09:30', date), ends_at: at('10:30', date) })
    // Anna has a booking that day, so Ben is chosen
    const later = (await slotsOn(date, { service_id: massage })).find(
      ({ starts_at }) => starts_at === at('13:00', date),
    )
    expect(later).toMatchObject({ ends_at: at('14:30', date), staff_ids: [anna, ben] })
  })

  test('a blocked or inactive room is not offered', async () => {
    const date = '2026-12-08'
    await blockRoom(date, '09:00', '16:00')
    expect(await slotsOn(date, { service_id: massage, staff_id: ben })).toEqual([])
    expect(timesOf(await slotsOn(date, { service_id: massage }))).toEqual(['16:00'])
    expect(await explain(at('10:00', date), { service_id: massage })).toMatchObject({ reason: 'blocked' })
    expect(await slotsOn(date, { items: `${cut},${cut}` })).not.toEqual([])
    const chair = await make('/resources', { location_id: place, name: 'Chair' })
    const shave = await makeCut({ needs: [{ resource_ids: [chair] }] })
    expect(await slotsOn(date, { service_id: shave })).not.toEqual([])
    await service.call('DELETE', `/resources/${chair}`, { token: salon.key })
    expect(await slotsOn(date, { service_id: shave })).toEqual([])
    expect(await explain(at('10:00', date), { service_id: shave })).toMatchObject({
      reason: 'not_offered_here',
    })
  })

  test('a room that two items need at once has to be there twice', async () => {
    const date = '2026-12-09'
    const together = { items: `${massage},~${massage}` }
    expect(await slotsOn(date, together)).toEqual([])
    const reply = await service.call('PATCH', `/resources/${room}`, {
      token: salon.key,
      body: { quantity: 2 },
    })
    expect(reply.status).toBe(200)
    const [first] = await slotsOn(date, together)
    expect(first).toMatchObject({ starts_at: at('09:00', date), ends_at: at('10:30', date) })
    await service.call('PATCH', `/resources/${room}`, { token: salon.key, body: { quantity: 1 } })
    expect(await slotsOn(date, together)).toEqual([])
  })

  test('a pause between items is no longer than the business allows', async () => {
    const date = '2026-12-10'
    const offer = { service_id: cut, location_id: place }
    await bookSlot(key, offer, at('09:30', date), { hold: { staff_id: anna } })
    const items = `${cut}:${anna},${cut}:${anna}`
    const allow = (minutes: number) =>
      service.call('PATCH', `/businesses/${salon.id}`, {
        token: salon.key,
        body: { max_gap_minutes: minutes },
      })
    expect(timesOf(await slotsOn(date, { items }))[0]).toBe('10:00')
    expect((await allow(30)).status).toBe(200)
    const [first] = await slotsOn(date, { items })
    expect(first).toMatchObject({ starts_at: at('09:00', date), ends_at: at('10:30', date) })
    await allow(0)
    expect(timesOf(await slotsOn(date, { items }))[0]).toBe('10:00')
  })

  test('own holds of a session are not in its way, those of others are', async () => {
    const date = '2026-12-11'
    const own = await sessionClient(service, salon)
    await own.hold({ service_id: cut, location_id: place }, at('09:00', date), { staff_id: anna })
    const asked = { items: `${cut}:${anna},${sauna}*2` }
    expect(timesOf(await slotsOn(date, asked, own))[0]).toBe('09:00')
    expect(timesOf(await slotsOn(date, asked, session))[0]).toBe('09:30')
    expect(await explain(at('09:00', date), asked)).toMatchObject({ item: 0, reason: 'slot_held' })
  })

  test('a visit that the session holds is marked for it, and taken for others', async () => {
    const date = '2026-12-14'
    const own = await sessionClient(service, salon)
    const items = [
      { service_id: cut, staff_id: anna },
      { service_id: massage, starts: 'with' },
      { service_id: sauna },
    ]
    const body = { location_id: place, starts_at: at('09:00', date), items }
    const held = await service.call('POST', '/bookings/hold', { token: own.token, body })
    expect(held.status).toBe(201)
    const asked = { items: `${cut}:${anna},~${massage},${sauna}` }
    const marked = (await slotsOn(date, asked, own)).filter(({ held_by_you }) => held_by_you)
    expect(timesOf(marked)).toEqual(['09:00'])
    expect(
      (await slotsOn(date, { items: `${cut}:${anna},${sauna}` }, own)).some((slot) => slot.held_by_you),
    ).toBe(false)
    // its first service alone is another slot, whether it takes one claim or several
    const other = { location_id: place, starts_at: at('13:00', date) }
    const two = { ...other, items: [{ service_id: massage }, { service_id: sauna }] }
    expect((await service.call('POST', '/bookings/hold', { token: own.token, body: two })).status).toBe(201)
    for (const service_id of [cut, massage]) {
      expect((await slotsOn(date, { service_id }, own)).some((slot) => slot.held_by_you)).toBe(false)
    }
    expect(timesOf(await slotsOn(date, asked, session))[0]).toBe('10:30')
    expect(await explain(at('09:00', date), asked)).toMatchObject({ item: 0, reason: 'slot_held' })
    expect(await explain(at('09:00', date), { service_id: massage })).toMatchObject({ reason: 'slot_held' })
    expect((await own.book(held.body.hold_id as string)).status).toBe(201)
    expect(await explain(at('09:00', date), asked)).toMatchObject({ item: 0, reason: 'slot_booked' })
  })

  test('the soonest start of a visit is its first slot', async () => {
    const items = `${cut},~${colour}`
    const { body } = await ask('/soonest', { items })
    const date = (body as VisitSlot).starts_at.slice(0, 10)
    expect(body).toEqual((await slotsOn(date, { items }))[0])
    const longest = await makeCut({ steps: [{ minutes: 1440, staffed: true }], duration_minutes: 1440 })
    expect((await ask('/soonest', { items: `${cut},${longest}` })).body).toBeNull()
  })

  describe('refusals', () => {
    test.each([
      ['', 'part 1, ""'],
      ['cut', 'part 1, "cut"'],
      ['{cut},', 'part 2, ""'],
      ['~{cut}', 'part 1, "~'],
      ['{cut}:anna', 'part 1, "'],
      ['{cut},{cut}*0', 'part 2, "'],
      ['{cut},~{cut}*501', 'part 2, "~'],
      ['{cut}*1:{anna}', 'part 1, "'],
      [Array.from({ length: 11 }, () => '{cut}').join(), 'at most 10'],
    ])('items=%s is refused, and the part is named', async (items, expected) => {
      const text = items.replaceAll('{cut}', cut).replaceAll('{anna}', anna)
      const reply = await ask('', { items: text, from: '2026-12-01', to: '2026-12-01' })
      expectErrors(reply, '/items')
      expect(reply.body.errors[0].detail).toContain(expected)
    })

    test('items take the place of service, staff member and party', async () => {
      const query = { items: cut, service_id: cut, staff_id: anna, party_size: '1' }
      expectErrors(await ask('/soonest', query), '/service_id', '/staff_id', '/party_size')
      expectErrors(await ask('/soonest', {}), '/service_id')
    })

    test('a party larger than its service takes', async () => {
      expectErrors(await ask('/soonest', { items: `${sauna}*3,${cut}*2` }), '/items')
      expect((await ask('/soonest', { items: `${sauna}*3,${cut}` })).status).toBe(200)
    })

    test('unknown services and people, with the number of the item', async () => {
      expectProblem(await ask('/soonest', { items: `${cut},${unknownId}` }), 'not_found', { item: 1 })
      expectProblem(await ask('/soonest', { items: `${cut}:${unknownId}` }), 'not_found', { item: 0 })
      const other = await makeBusiness(service)
      const theirs = await sessionClient(service, other)
      expectProblem(await ask('/soonest', { items: cut }, theirs), 'not_found', { item: 0 })
    })

    test('a service that nobody gives there has no slots', async () => {
      const date = '2026-12-01'
      expect(await slotsOn(date, { items: `${cut},${colour}:${ben}` })).toEqual([])
      expect((await ask('/soonest', { items: `${cut},${colour}:${ben}` })).body).toBeNull()
      const explained = await explain(at('09:00'), { items: `${cut},${colour}:${ben}` })
      expect(explained).toEqual({
        starts_at: at('09:00'),
        offered: false,
        reason: 'not_offered_here',
        item: 1,
      })
    })
  })

  test('alternatives are times of the whole visit', async () => {
    const { context } = service
    const items = [{ service_id: cut }, { service_id: colour }]
    const actor = sessionOf(salon.id, context.ids.next())
    const nowMs = toMs(context.clock.now())
    const refused = await withVisit(context, actor.scope, {
      request: { location_id: place, items },
      work: (offer) =>
        visitAlternatives(context, new Problem('slot_booked', 'Booked.', { extensions: { item: 1 } }), {
          ...{ offer, startsAtMs: Date.parse(at('12:00')), viewer: { actor, nowMs } },
        }),
    })
    const { item, alternatives } = (refused as Problem).parts.extensions ?? {}
    expect(item).toBe(1)
    const shown = alternatives as VisitSlot[]
    expect(timesOf(shown)).toEqual(['12:30', '11:30', '13:00'])
    expect(shown[0]?.items).toMatchObject([{ starts_at: at('12:30') }, { starts_at: at('13:00') }])
  })

  test('a range takes one statement, and a changed service counts at the next question', async () => {
    const range = { from: '2026-12-01', to: '2026-12-31' }
    const items = `${cut},${massage},${colour}`
    await ask('', { ...range, items })
    service.statements.length = 0
    expect((await ask('', { ...range, items })).status).toBe(200)
    const isHolds = (text: string) =>
      /owner_sequence is not null and booked_at is null/.test(text) && /limit/.test(text)
    expect(withoutLimiter(service.statements).filter((text) => !isHolds(text))).toHaveLength(1)
    await service.call('PATCH', `/services/${cut}`, { token: salon.key, body: { slot_interval_minutes: 60 } })
    expect(timesOf(await slotsOn('2026-12-15', { items: `${cut},${colour}` })).slice(0, 2)).toEqual([
      '09:00',
      '10:00',
    ])
  })

  test('starts that a search gives up are counted', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `Person ${index}`)
    const people = await makeStaff(service, salon.id, names)
    const many = await makeCut({ staff_ids: people })
    const inTheRoom = await makeCut({ staff_ids: people, needs: [{ resource_ids: [room] }] })
    const items = [
      many,
      ...Array.from({ length: 7 }, () => `~${many}`),
      ...[inTheRoom, inTheRoom].map((id) => `~${id}`),
    ]
    const work = () => explain(at('09:00'), { items: items.join() })
    const metric = 'holdfast_visit_searches_exhausted_total'
    expect(await growthOf(service, { metric, by: [] }, work)).toEqual({ '': 1 })
  })

  test('a month of a large visit is refused if one answer cannot hold it', async () => {
    const fine = await make('/services', {
      ...{ name: 'Fine', duration_minutes: 5, slot_interval_minutes: 5, location_ids: [place] },
      staff_ids: [anna, ben],
    })
    const items = Array.from({ length: 10 }, () => fine).join()
    const reply = await ask('', { items, from: '2027-01-01', to: '2027-02-28' })
    expectErrors(reply, '/to')
    expect(reply.body.errors[0]).toMatchObject({
      code: 'too_many_slots',
      detail: expect.stringContaining('2027-'),
    })
  })
})

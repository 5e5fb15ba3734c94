import { afterAll, beforeAll, expect, test } from 'vitest'
import { findErrors } from '../support/checker.ts'
import { type Client, clientOf, sessionClient } from '../support/client.ts'
import { makeBusiness, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { type Reply, startTestService, type TestService } from '../support/test-service.ts'
import { makeVisitSalon } from '../support/visit-salon.ts'

interface Item {
  id: string
  service: { id: string; name: string }
  staff: { id: string; name: string } | null
  starts_at: string
  ends_at: string
  price: { amount: number; currency: string } | null
  party_size: number
  resources?: { id: string; name: string }[]
}

const day = '2026-12-01'
const at = (time: string, date = day) => `${date}T${time}:00+01:00`

onOneEngine('sqlite', 'visits', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  let session: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
    session = await sessionClient(service, business)
  })
  afterAll(() => service.stop())

  const makeSalon = (basins = 1) => makeVisitSalon(service, business, { basins })

  const itemsOf = ({ body }: Reply) => body['items'] as Item[]

  const booked = async (client: Client, held: Reply): Promise<Reply> => {
    expect(held.status, JSON.stringify(held.body)).toBe(201)
    const reply = await client.book(String(held.body['hold_id']))
    expect(reply.status, JSON.stringify(reply.body)).toBe(201)
    return reply
  }

  const whole = async () => expect(await findErrors(service.databaseUrl)).toEqual([])

  test('a cut and a colour are held, booked, shown and told as one visit', async () => {
    const { locationId: location_id, anna, basin, cut, colour, hold } = await makeSalon()
    const items = [{ service_id: cut, staff_id: anna }, { service_id: colour }]
    const held = await hold(session.token, at('10:00'), items)
    expect(held.body).toMatchObject({
      ...{ service_id: cut, location_id, starts_at: at('10:00'), ends_at: at('12:00') },
      items: [
        { service_id: cut, staff_id: anna, starts_at: at('10:00'), ends_at: at('10:30') },
        { service_id: colour, staff_id: anna, starts_at: at('10:30'), ends_at: at('12:00') },
      ],
    })
    const shown = await session.showHold(String(held.body['hold_id']))
    expect(shown.body).toMatchObject({ status: 'active', items: held.body['items'] })
    const { body } = await booked(session, held)
    expect(body).toMatchObject({
      ...{ id: held.body['hold_id'], service: { id: cut, name: 'Cut' }, staff: { id: anna, name: 'Anna' } },
      ...{ starts_at: at('10:00'), ends_at: at('12:00'), price: { amount: 9500, currency: 'EUR' } },
    })
    const [first, second] = itemsOf({ body } as Reply)
    expect(first).toMatchObject({ id: body['id'], service: { name: 'Cut' }, price: { amount: 3500 } })
    expect(second).toMatchObject({ service: { name: 'Colour' }, staff: { name: 'Anna' }, party_size: 1 })
    expect(second).not.toHaveProperty('resources') // sessions see no rooms
    const seenByKey = await key.show(String(body['id']))
    expect(itemsOf(seenByKey).map(({ resources }) => resources)).toEqual([[], [{ id: basin, name: 'Basin' }]])
    const events = await service.rows('events')
    const payload = JSON.parse(
      String(events.find((event) => event['booking_id'] === body['id'])?.['payload']),
    ) as { data: { service: unknown; items: unknown } }
    expect(payload.data.service).toEqual({ id: cut, name: 'Cut' })
    expect(payload.data.items).toEqual([
      {
        ...{ id: cut, name: 'Cut', staff: { id: anna, name: 'Anna' } },
        starts_at: at('10:00'),
        ends_at: at('10:30'),
      },
      {
        ...{ id: colour, name: 'Colour', staff: { id: anna, name: 'Anna' } },
        starts_at: at('10:30'),
        ends_at: at('12:00'),
      },
    ])
    await whole()
  })

  test('a booking of one service has one item, with its ID', async () => {
    const { locationId: location_id, cut, anna } = await makeSalon()
    const held = await key.hold({ service_id: cut, location_id }, at('10:00'), { staff_id: anna })
    expect(held.body).not.toHaveProperty('items')
    const { body } = await booked(key, held)
    expect(body['items']).toEqual([
      {
        id: body['id'],
        service: { id: cut, name: 'Cut', duration_minutes: 30 },
        staff: { id: anna, name: 'Anna' },
        ...{ starts_at: at('10:00'), ends_at: at('10:30'), party_size: 1 },
        ...{ price: { amount: 3500, currency: 'EUR' }, resources: [] },
      },
    ])
  })

  test('the time without the person can be booked with them, and no other', async () => {
    const { locationId: location_id, anna, ben, cut, colour, hold } = await makeSalon()
    await booked(key, await hold(session.token, at('10:00'), [{ service_id: colour, staff_id: anna }]))
    const cutAt = (time: string) =>
      session.hold({ service_id: cut, location_id }, at(time), { staff_id: anna })
    expect((await cutAt('10:15')).body).toMatchObject({ code: 'slot_booked' })
    expect((await cutAt('11:00')).body).toMatchObject({ code: 'slot_booked' })
    expect((await cutAt('10:30')).status).toBe(201)
    // the basin is taken all the while
    const refused = await hold(session.token, at('10:30'), [{ service_id: colour, staff_id: ben }])
    expect(refused).toMatchObject({ status: 409, body: { code: 'slot_booked', item: 0 } })
    expect(refused.body['alternatives']).not.toEqual([])
    await whole()
  })

  test('everything is held, or nothing', async () => {
    const { anna, ben, cut, colour, hold } = await makeSalon()
    await booked(key, await hold(key.token, at('10:30'), [{ service_id: colour, staff_id: ben }]))
    const before = (await service.rows('claims')).length
    const items = [
      { service_id: cut, staff_id: anna },
      { service_id: colour, staff_id: anna },
    ]
    const refused = await hold(session.token, at('10:00'), items)
    expect(refused).toMatchObject({ status: 409, body: { code: 'slot_booked', item: 1 } })
    expect((await service.rows('claims')).length).toBe(before)
  })

  test('people who come together begin together, each with a person', async () => {
    const { cut, hold } = await makeSalon()
    const items = [{ service_id: cut }, { service_id: cut, starts: 'with' as const }]
    const held = await hold(session.token, at('10:00'), items)
    const { body } = await booked(session, held)
    expect(body).toMatchObject({ starts_at: at('10:00'), ends_at: at('10:30') })
    const staff = itemsOf({ body } as Reply).map((item) => item.staff?.name)
    expect(staff.toSorted()).toEqual(['Anna', 'Ben'])
  })

  test('two who come together take two alike places of one room, and nobody else any', async () => {
    const { locationId: location_id, anna, ben, create } = await makeSalon()
    const room = await create('/resources', { location_id, name: 'Room for two', quantity: 2 })
    const massage = await create('/services', {
      ...{ name: 'Massage', duration_minutes: 60, location_ids: [location_id], staff_ids: [anna, ben] },
      needs: [{ resource_ids: [room] }],
    })
    const both = [{ service_id: massage }, { service_id: massage, starts: 'with' }]
    const reply = await service.call('POST', '/bookings/hold', {
      token: session.token,
      body: { location_id, starts_at: at('10:00'), items: both },
    })
    const { body } = await booked(session, reply)
    const shown = itemsOf(await key.show(String(body['id'])))
    expect(shown.map(({ resources }) => resources)).toEqual([
      [{ id: room, name: 'Room for two' }],
      [{ id: room, name: 'Room for two' }],
    ])
    const seats = (await service.rows('claims')).filter((claim) => claim['resource_id'] === room)
    expect(seats.map(({ seat }) => seat).toSorted()).toEqual([0, 1])
    await whole()
  })

  test('a hold that is released, expires or is cancelled frees all that it took', async () => {
    const { anna, cut, colour, hold } = await makeSalon()
    const items = [
      { service_id: cut, staff_id: anna },
      { service_id: colour, staff_id: anna },
    ]
    const first = await hold(session.token, at('10:00'), items)
    expect(first.status).toBe(201)
    expect((await hold(key.token, at('10:00'), items)).status).toBe(409)
    expect((await session.release(String(first.body['hold_id']))).status).toBe(204)
    const second = await hold(key.token, at('10:00'), items)
    expect(second.status).toBe(201)
    service.clock.advance(600)
    expect((await key.book(String(second.body['hold_id']))).body).toMatchObject({ code: 'hold_expired' })
    const third = await booked(key, await hold(key.token, at('10:00'), items))
    expect((await key.cancel(String(third.body['id']))).body).toMatchObject({ status: 'cancelled' })
    await booked(key, await hold(key.token, at('10:00'), items))
    await whole()
    // its time is taken by another now
    const revived = await key.change(String(third.body['id']), { status: 'confirmed' })
    expect(revived).toMatchObject({ status: 409, body: { code: 'slot_booked' } })
  })

  test('an own visit is not in the way, and neither are its last buffers', async () => {
    const { anna, cut, hold } = await makeSalon()
    const body = { buffer_after_minutes: 15 }
    await service.call('PATCH', `/services/${cut}`, { token: business.key, body })
    const items = [1, 2].map(() => ({ service_id: cut, staff_id: anna }))
    const first = await hold(session.token, at('10:00'), items)
    expect((await hold(key.token, at('11:00'), items)).body).toMatchObject({ code: 'slot_held' })
    expect((await hold(session.token, at('11:00'), items)).status).toBe(201)
    const { body: replaced } = await session.showHold(String(first.body['hold_id']))
    expect(replaced).toMatchObject({ status: 'released' })
    await whole()
  })

  test('a cancelled visit can be confirmed again', async () => {
    const { anna, cut, colour, hold } = await makeSalon()
    const items = [
      { service_id: cut, staff_id: anna },
      { service_id: colour, staff_id: anna },
    ]
    const { body } = await booked(key, await hold(key.token, at('10:00'), items))
    const id = String(body['id'])
    await key.cancel(id)
    const revived = await key.change(id, { status: 'confirmed' })
    expect(revived.body).toMatchObject({ status: 'confirmed', starts_at: at('10:00'), ends_at: at('12:00') })
    expect(itemsOf(revived)).toEqual(itemsOf({ body } as Reply))
    expect((await hold(key.token, at('10:00'), items)).status).toBe(409)
    await whole()
  })

  test('a visit moves as a whole and keeps its people and prices', async () => {
    const { anna, cut, colour, hold } = await makeSalon()
    const items = [{ service_id: cut, staff_id: anna }, { service_id: colour }]
    const { body } = await booked(session, await hold(session.token, at('10:00'), items))
    const id = String(body['id'])
    await service.call('PATCH', `/services/${cut}`, {
      token: business.key,
      body: { price: { amount: 9900, currency: 'EUR' } },
    })
    const moved = await key.change(id, { starts_at: at('10:15') })
    expect(moved.status, JSON.stringify(moved.body)).toBe(200)
    expect(moved.body).toMatchObject({
      starts_at: at('10:15'),
      ends_at: at('12:15'),
      price: { amount: 9500 },
    })
    expect(itemsOf(moved).map((item) => [item.starts_at, item.staff?.name])).toEqual([
      [at('10:15'), 'Anna'],
      [at('10:45'), 'Anna'],
    ])
    expect((await key.change(id, { staff_id: anna })).body).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/staff_id', code: 'not_allowed' }],
    })
    await whole()
  })

  test('services are added, dropped and given to others', async () => {
    const { locationId: location_id, anna, ben, cut, colour } = await makeSalon()
    const held = await key.hold({ service_id: cut, location_id }, at('10:00'), { staff_id: anna })
    const { body } = await booked(key, held)
    const id = String(body['id'])
    const added = await key.change(id, { items: [{ id }, { service_id: colour, staff_id: anna }] })
    expect(added.status, JSON.stringify(added.body)).toBe(200)
    expect(added.body).toMatchObject({ ends_at: at('12:00'), price: { amount: 9500, currency: 'EUR' } })
    const [, second] = itemsOf(added)
    // another person for the second
    const given = await key.change(id, { items: [{ id }, { id: second?.id, staff_id: ben }] })
    expect(itemsOf(given).map((item) => item.staff?.name)).toEqual(['Anna', 'Ben'])
    expect(itemsOf(given)[1]?.id).toBe(second?.id)
    expect((await key.hold({ service_id: cut, location_id }, at('10:30'), { staff_id: anna })).status).toBe(
      201,
    )
    // the first is dropped; the second keeps its time
    const dropped = await key.change(id, { items: [{ id: second?.id }] })
    expect(dropped.status, JSON.stringify(dropped.body)).toBe(200)
    expect(dropped.body).toMatchObject({
      starts_at: at('10:30'),
      ends_at: at('12:00'),
      service: { name: 'Colour' },
    })
    expect(itemsOf(dropped)).toHaveLength(1)
    const refused = await key.change(id, { items: [{ id: 'b3b3b3b3-0000-7000-8000-000000000000' }] })
    expect(refused.body).toMatchObject({ errors: [{ pointer: '/items/0/id', code: 'unknown_item' }] })
    await whole()
  })

  test('a refused change leaves the visit as it was', async () => {
    const { anna, ben, cut, colour, hold } = await makeSalon()
    const items = [
      { service_id: cut, staff_id: anna },
      { service_id: colour, staff_id: anna },
    ]
    const { body } = await booked(key, await hold(key.token, at('10:00'), items))
    await booked(key, await hold(key.token, at('13:00'), [{ service_id: colour, staff_id: ben }]))
    const refused = await key.change(String(body['id']), { starts_at: at('12:00') })
    expect(refused).toMatchObject({ status: 409, body: { code: 'slot_booked', item: 1 } })
    expect((await key.show(String(body['id']))).body).toEqual(body)
    await whole()
  })

  test('visits at once share a transaction, and none chooses the people of another', async () => {
    const { cut, hold } = await makeSalon()
    const times = ['10:00', '12:00', '14:00'].flatMap((time) => [time, time])
    let replies: Reply[] = []
    const statements = await service.statementsOf(async () => {
      const items = [{ service_id: cut }, { service_id: cut }]
      replies = await Promise.all(times.map((time) => hold(key.token, at(time), items)))
    })
    expect(replies.map(({ status }) => status)).toEqual(times.map(() => 201))
    const people = replies.map(({ body }) => (body as { items: { staff_id: string }[] }).items[0]?.staff_id)
    for (const first of [0, 2, 4]) expect(people[first]).not.toBe(people[first + 1])
    const inserts = statements.filter((text) => text.includes('insert into claims'))
    expect(inserts.length).toBeLessThan(times.length)
    await whole()
  })

  test('as many visits win as rooms are there', async () => {
    const rooms = 3
    const { colour, hold, basin } = await makeSalon(rooms)
    const staff = await makeStaff(
      service,
      business.id,
      Array.from({ length: 12 }, (_, index) => `P${index}`),
    )
    const token = business.key
    await service.call('PATCH', `/services/${colour}`, { token, body: { staff_ids: staff } })
    const attempts = await Promise.all(
      staff.map((staff_id) => hold(key.token, at('10:00'), [{ service_id: colour, staff_id }])),
    )
    expect(attempts.map(({ status }) => status).toSorted()).toEqual([
      ...Array.from({ length: rooms }, () => 201),
      ...Array.from({ length: staff.length - rooms }, () => 409),
    ])
    const taken = (await service.rows('claims')).filter((claim) => claim['resource_id'] === basin)
    expect(taken.map(({ seat }) => seat).toSorted()).toEqual([0, 1, 2])
    await whole()
  })

  test('the manage link offers and takes times of the whole visit, with the people who were chosen', async () => {
    const { anna, cut, colour, hold } = await makeSalon()
    const items = [{ service_id: cut }, { service_id: colour, staff_id: anna }]
    const { body } = await booked(session, await hold(session.token, at('10:00'), items))
    const token = String(body['manage_url']).split('#')[1] ?? ''
    // Anna is free for the last part of the colour only from 13:00 on
    await booked(key, await hold(key.token, at('12:30'), [{ service_id: cut, staff_id: anna }]))
    const free = await service.call('GET', `/manage/availability?from=${day}&to=${day}`, { token })
    interface Free {
      starts_at: string
      items: { service_id: string; staff_ids: string[]; starts_at: string }[]
    }
    const slots = (free.body['days'] as { slots: Free[] }[]).flatMap((one) => one.slots)
    const starts = slots.map(({ starts_at }) => starts_at)
    expect(starts).toContain(at('10:00')) // its own time is not in the way
    expect(starts).toContain(at('10:15'))
    expect(starts).not.toContain(at('10:45'))
    for (const { items: offered } of slots) {
      expect(offered.map(({ service_id }) => service_id)).toEqual([cut, colour])
      expect(offered[1]?.staff_ids).toEqual([anna])
    }
    const moved = await service.call('POST', '/manage/reschedule', {
      token,
      body: { starts_at: at('10:15') },
    })
    expect(moved.status, JSON.stringify(moved.body)).toBe(200)
    expect(itemsOf(moved).map(({ starts_at }) => starts_at)).toEqual([at('10:15'), at('10:45')])
    const refused = await service.call('POST', '/manage/reschedule', {
      token,
      body: { starts_at: at('10:45') },
    })
    expect(refused).toMatchObject({ status: 409, body: { code: 'slot_booked' } })
    await whole()
  })

  test('other currencies, parties and faults of the request are named', async () => {
    const { locationId: location_id, anna, cut, create, hold } = await makeSalon()
    const other = await create('/services', {
      ...{ name: 'Dollars', duration_minutes: 30, price: { amount: 100, currency: 'USD' } },
      ...{ location_ids: [location_id], staff_ids: [anna] },
    })
    const errors = async (items: unknown[], more = {}) => {
      const body = { location_id, starts_at: at('10:00'), items, ...more }
      const reply = await service.call('POST', '/bookings/hold', { token: key.token, body })
      return (reply.body['errors'] as { pointer: string; code: string }[]).map(({ pointer, code }) => [
        pointer,
        code,
      ])
    }
    expect(await errors([{ service_id: cut }, { service_id: other }])).toEqual([
      ['/items/1/service_id', 'other_currency'],
    ])
    expect(await errors([{ service_id: cut }, { service_id: cut, party_size: 2 }])).toEqual([
      ['/items/1/party_size', 'out_of_range'],
    ])
    expect(await errors([{ service_id: cut, starts: 'with' }])).toEqual([['/items/0/starts', 'not_allowed']])
    expect(await errors([{ service_id: cut }], { service_id: cut })).toEqual([['/service_id', 'not_allowed']])
    const unknown = await hold(key.token, at('10:00'), [{ service_id: cut }, { service_id: location_id }])
    expect(unknown).toMatchObject({ status: 404, body: { code: 'not_found', item: 1 } })
  })
})

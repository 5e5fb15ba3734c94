import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { logInNewPerson } from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { type BookedReply, makeVisitSalon, type VisitSalon } from '../support/visit-salon.ts'

interface Entry {
  id: string
  column_id: string
  starts_at: string
  ends_at: string
  taken_from: string
  taken_until: string
  service: { name: string }
  staff: { id: string } | null
  client: { last_name: string }
  item: { id: string; number: number; count: number; free: { starts_at: string; ends_at: string }[] }
}

onOneEngine('sqlite', 'visits in the calendar', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let salon: VisitSalon
  /** A cut by Anna, then a colour by Ben. */
  let visit: BookedReply
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    salon = await makeVisitSalon(service, business)
    visit = await salon.book('2026-12-01T10:00:00+01:00', {
      items: [
        { service_id: salon.cut, staff_id: salon.anna },
        { service_id: salon.colour, staff_id: salon.ben },
      ],
    })
  })
  afterAll(() => service.stop())

  const read = async (query = '', date = '2026-12-01') => {
    const path = `/calendar?from=${date}&to=${date}${query}`
    const { status, body } = await service.call('GET', path, { token: business.key })
    expect(status, JSON.stringify(body)).toBe(200)
    return body as {
      columns: { id: string; resource: object | null; open: object[] }[]
      bookings: Entry[]
      holds: Entry[]
    }
  }
  const at = (time: string, date = '2026-12-01') => `${date}T${time}:00+01:00`

  test('each service is an entry in the column of its person, with the ID of the booking', async () => {
    const { bookings, columns } = await read()
    expect(columns.map(({ id }) => id)).toEqual([salon.anna, salon.ben])
    const [cut, colour] = visit.items
    expect(bookings).toMatchObject([
      {
        ...{ id: visit.id, column_id: salon.anna, service: { name: 'Cut' }, staff: { id: salon.anna } },
        ...{ starts_at: at('10:00'), ends_at: at('10:30'), taken_from: at('10:00') },
        item: { id: cut?.id, number: 0, count: 2, free: [] },
      },
      {
        ...{ id: visit.id, column_id: salon.ben, service: { name: 'Colour' }, staff: { id: salon.ben } },
        ...{ starts_at: at('10:30'), ends_at: at('12:00'), taken_until: at('12:00') },
        item: {
          ...{ id: colour?.id, number: 1, count: 2 },
          free: [{ starts_at: at('11:00'), ends_at: at('11:30') }],
        },
      },
    ])
  })

  test('a column of a room shows what takes it, on request', async () => {
    const all = await read('&resources=true')
    expect(all.columns.at(-1)).toMatchObject({
      ...{ id: salon.basin, staff: null, service: null, resource: { id: salon.basin, name: 'Basin' } },
      ...{ location: { id: salon.locationId } },
    })
    expect(all.columns.at(-1)?.open).not.toEqual([])
    expect(all.bookings).toHaveLength(3)
    const { columns, bookings } = await read(`&column_id=${salon.basin}`)
    expect(columns).toHaveLength(1)
    expect(bookings).toMatchObject([
      {
        ...{ id: visit.id, column_id: salon.basin, starts_at: at('10:30'), ends_at: at('12:00') },
        ...{ service: { name: 'Colour' }, staff: { id: salon.ben }, item: { number: 1, free: [] } },
      },
    ])
  })

  test('services of one person that follow each other take no buffer in between', async () => {
    const { key: token } = business
    const buffers = { buffer_before_minutes: 5, buffer_after_minutes: 10 }
    const changed = await service.call('PATCH', `/services/${salon.cut}`, { token, body: buffers })
    expect(changed.status).toBe(200)
    const items = [salon.cut, salon.cut].map((service_id) => ({ service_id, staff_id: salon.anna }))
    await salon.book(at('10:00', '2026-12-02'), { items })
    const { bookings } = await read('', '2026-12-02')
    const times = bookings.map((one) => [one.taken_from, one.starts_at, one.ends_at, one.taken_until])
    expect(times.map((some) => some.map((time) => time.slice(11, 16)))).toEqual([
      ['09:55', '10:00', '10:30', '10:30'],
      ['10:30', '10:30', '11:00', '11:10'],
    ])
  })

  test('a hold shows each stretch of time that it takes', async () => {
    const held = await service.call('POST', '/bookings/hold', {
      token: business.key,
      body: {
        ...{ location_id: salon.locationId, starts_at: at('14:00', '2026-12-03') },
        items: [
          { service_id: salon.cut, staff_id: salon.anna },
          { service_id: salon.colour, staff_id: salon.ben },
        ],
      },
    })
    expect(held.status).toBe(201)
    const { holds } = await read('&resources=true', '2026-12-03')
    expect(new Set(holds.map(({ id }) => id))).toEqual(new Set([held.body.hold_id]))
    const shown = holds.map((one) => [one.column_id, one.starts_at.slice(11, 16), one.ends_at.slice(11, 16)])
    expect(shown.toSorted()).toEqual(
      [
        [salon.anna, '13:55', '14:40'],
        [salon.ben, '14:30', '15:00'],
        [salon.ben, '15:30', '16:00'],
        [salon.basin, '14:30', '16:00'],
      ].toSorted(),
    )
  })

  test('a person sees the client in every column of a visit in which they give a service', async () => {
    const place = { businessId: business.id }
    const email = 'ben@salon.example'
    const ben = await logInNewPerson(service, { email, role: 'staff', place, staffId: salon.ben })
    const { body } = await ben.call('GET', '/calendar?from=2026-12-01&to=2026-12-02')
    const names = (body.bookings as Entry[]).map(({ client }) => client.last_name)
    expect(names).toEqual(['Lovelace', 'Lovelace', 'L.', 'L.'])
  })
})

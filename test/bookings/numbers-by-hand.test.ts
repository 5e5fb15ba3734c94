import type { Static } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Numbers } from '../../src/bookings/numbers-schemas.ts'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, startTestService, type TestService } from '../support/test-service.ts'
import { makeVisitSalon, type VisitSalon } from '../support/visit-salon.ts'

const clientNamed = (first_name: string) => ({ ...ada, first_name, email: `${first_name}@Example.com` })

/** Expectations that were computed by hand. The salon is always open, so that each hour has the same open time. */
onOneEngine('sqlite', 'numbers of a fortnight', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let salon: VisitSalon
  let yoga: string
  const read = async (query: string) => {
    const reply = await service.call('GET', `/numbers?${query}`, { token: business.key })
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    return reply.body as unknown as Static<typeof Numbers>
  }
  const goTo = (instant: string) =>
    service.clock.advance((Date.parse(instant) - Date.parse(service.context.clock.now())) / 1_000)
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    salon = await makeVisitSalon(service, business)
    const { anna, ben, cut, colour, locationId, create, book } = salon
    yoga = await create('/services', {
      ...{ name: 'Yoga', duration_minutes: 60, capacity: 4, price: { amount: 1_000, currency: 'CHF' } },
      ...{ location_ids: [locationId], staff_ids: [anna], min_notice_minutes: 0 },
    })
    const class_ = [{ service_id: yoga, staff_id: anna }]
    await book('2026-12-01T10:00:00+01:00', {
      items: [{ service_id: cut, staff_id: ben }],
      client: clientNamed('grace'),
    })
    await book('2026-12-07T10:00:00+01:00', { items: [{ service_id: cut, staff_id: anna }] })
    await book('2026-12-09T18:00:00+01:00', { items: class_ })
    const missed = await book('2026-12-14T10:00:00+01:00', { items: [{ service_id: colour, staff_id: ben }] })
    const cancelled = await book('2026-12-10T10:00:00+01:00', {
      items: [{ service_id: cut }],
      client: clientNamed('mary'),
    })
    goTo('2026-12-07T12:00:00+01:00')
    await book('2026-12-08T10:00:00+01:00', { client: clientNamed('Grace') })
    await book('2026-12-09T18:00:00+01:00', {
      items: class_.map((item) => ({ ...item, party_size: 2 })),
      client: clientNamed('mary'),
    })
    await service.call('DELETE', `/bookings/${cancelled.id}`, { token: business.key })
    goTo('2026-12-15T12:00:00+01:00')
    const marked = await service.call('PATCH', `/bookings/${missed.id}`, {
      token: business.key,
      body: { no_show: true },
    })
    expect(marked.status, JSON.stringify(marked.body)).toBe(200)
  })
  afterAll(() => service.stop())

  test('weeks and months have money by currency, and each client once', async () => {
    const { weeks, months, total } = await read('from=2026-12-07&to=2026-12-20')
    const noneWaited = { waitlist_bookings: 0, waitlist_money: [], taken: [], fees: [] }
    const first = {
      ...{ bookings: 4, cancellations: 1, no_shows: 0, booked_minutes: 180 },
      ...{ open_minutes: 2 * 7 * 1_440, new_clients: 2, returning_clients: 1 },
      money: [
        { currency: 'CHF', booked: 3_000, missed: 0 },
        { currency: 'EUR', booked: 13_000, missed: 0 },
      ],
      ...noneWaited,
    }
    const second = {
      ...{ bookings: 1, cancellations: 0, no_shows: 1, booked_minutes: 60 },
      ...{ open_minutes: 2 * 7 * 1_440, new_clients: 0, returning_clients: 1 },
      money: [{ currency: 'EUR', booked: 0, missed: 6_000 }],
      ...noneWaited,
    }
    const both = {
      ...{ from: '2026-12-07', to: '2026-12-20' },
      ...{ bookings: 5, cancellations: 1, no_shows: 1, booked_minutes: 240 },
      ...{ open_minutes: 2 * 14 * 1_440, new_clients: 2, returning_clients: 1 },
      money: [
        { currency: 'CHF', booked: 3_000, missed: 0 },
        { currency: 'EUR', booked: 13_000, missed: 6_000 },
      ],
      ...noneWaited,
    }
    expect(weeks).toEqual([
      { from: '2026-12-07', to: '2026-12-13', ...first },
      { from: '2026-12-14', to: '2026-12-20', ...second },
    ])
    expect(months).toEqual([both])
    expect(total).toEqual(both)
  })

  test('a week that two months share counts in each for its days', async () => {
    const { weeks, months } = await read('from=2026-11-30&to=2026-12-07')
    expect(weeks).toMatchObject([{ from: '2026-11-30', to: '2026-12-06' }, { from: '2026-12-07' }])
    expect(months).toMatchObject([
      { from: '2026-11-30', to: '2026-11-30', bookings: 0, open_minutes: 2 * 1_440 },
      { from: '2026-12-01', to: '2026-12-07', bookings: 2, new_clients: 2, returning_clients: 0 },
    ])
  })

  test('services count their seats, and each its price', async () => {
    const { services } = await read('from=2026-12-07&to=2026-12-20')
    const { cut, colour } = salon
    expect(services).toEqual([
      {
        ...{ id: cut, name: 'Cut', bookings: 2, seats: 2 },
        money: [{ currency: 'EUR', booked: 7_000, missed: 0 }],
      },
      {
        ...{ id: colour, name: 'Colour', bookings: 2, seats: 2 },
        money: [{ currency: 'EUR', booked: 6_000, missed: 6_000 }],
      },
      {
        ...{ id: yoga, name: 'Yoga', bookings: 2, seats: 3 },
        money: [{ currency: 'CHF', booked: 3_000, missed: 0 }],
      },
    ])
  })

  test('hours have the time of each person, without pauses and once for a class', async () => {
    const { hours, columns } = await read('from=2026-12-07&to=2026-12-20')
    const { booked_minutes: booked, open_minutes: open } = hours
    expect(open.flat().every((minutes) => minutes === 2 * 2 * 60)).toBe(true)
    const cells = booked.flatMap((day, weekday) =>
      day.flatMap((minutes, hour) => (minutes > 0 ? [[weekday, hour, minutes]] : [])),
    )
    expect(cells).toEqual([
      [0, 10, 60],
      [0, 11, 30],
      [1, 10, 60],
      [1, 11, 30],
      [2, 18, 60],
    ])
    const ofAnna = columns.find(({ id }) => id === salon.anna)
    expect(ofAnna).toMatchObject({
      money: [
        { currency: 'CHF', booked: 3_000, missed: 0 },
        { currency: 'EUR', booked: 13_000, missed: 0 },
      ],
    })
    expect(ofAnna?.hours.booked_minutes.slice(10, 12)).toEqual([90, 30])
    expect(ofAnna?.hours.open_minutes[10]).toBe(14 * 60)
  })

  test('lead times are local days from booking to appointment', async () => {
    const { lead_times, median_lead_days } = await read('from=2026-12-07&to=2026-12-20')
    const counts = lead_times.map(({ bookings }) => bookings)
    expect(counts).toEqual([0, 1, 1, 0, 0, 3, 0])
    expect(median_lead_days).toBe(17)
  })

  test('of one person count only what they do, and an unknown person is refused', async () => {
    const { total, columns, services } = await read(`from=2026-12-07&to=2026-12-20&staff_id=${salon.ben}`)
    expect(total).toMatchObject({
      ...{ bookings: 1, no_shows: 1, booked_minutes: 60, open_minutes: 14 * 1_440 },
      money: [{ currency: 'EUR', booked: 0, missed: 6_000 }],
    })
    expect(columns).toHaveLength(1)
    expect(services).toHaveLength(1)
    const reply = await service.call(
      'GET',
      `/numbers?from=2026-12-07&to=2026-12-20&staff_id=${business.id}`,
      {
        token: business.key,
      },
    )
    expect(reply.status).toBe(404)
  })

  test('an hour that a clock change skips is not open, and a repeated one twice', async () => {
    const openOnSunday = async (date: string) => {
      const { hours, total } = await read(`from=${date}&to=${date}`)
      const [sunday = []] = hours.open_minutes.slice(6)
      return [...sunday.slice(1, 4), total.open_minutes / 60]
    }
    expect(await openOnSunday('2027-03-28')).toEqual([120, 0, 120, 2 * 23])
    expect(await openOnSunday('2027-10-31')).toEqual([120, 240, 120, 2 * 25])
    await salon.book('2027-10-31T01:45:00+02:00', { items: [{ service_id: yoga, staff_id: salon.anna }] })
    await salon.book('2027-10-31T02:00:00+01:00', { items: [{ service_id: yoga, staff_id: salon.anna }] })
    const { hours } = await read('from=2027-10-31&to=2027-10-31')
    const [sunday = []] = hours.booked_minutes.slice(6)
    expect(sunday.slice(1, 4)).toEqual([15, 45 + 60, 0])
  })
})

import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { bookerOf } from '../support/salon-day.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'numbers', (engine) => {
  let service: TestService
  let salon: ReturnType<typeof bookerOf>
  const read = async (query: string, token = salon.business.business_key) =>
    service.call('GET', `/numbers?${query}`, { token })
  const columnOf = (body: { columns: { id: string }[] }, id: string) =>
    body.columns.find((column) => column.id === id)
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = bookerOf(service)
  })
  afterAll(() => service.stop())

  test('count what took place, what was cancelled and who did not come, by week and person', async () => {
    const anna = salon.staffId('Anna')
    const with_ = { staff_id: anna }
    await salon.book('Haircut', '2026-11-24T10:00:00+01:00', with_)
    const absent = await salon.book('Haircut', '2026-11-24T11:00:00+01:00', with_)
    const cancelled = await salon.book('Haircut', '2026-12-01T10:00:00+01:00', with_)
    await salon.book('Haircut', '2026-12-01T11:00:00+01:00', with_)
    await salon.call('DELETE', `/bookings/${cancelled}`)
    service.clock.advance(5 * 86_400)
    const marked = await salon.call('PATCH', `/bookings/${absent}`, { no_show: true })
    expect(marked.status, JSON.stringify(marked.body)).toBe(200)
    const { status, body } = await read('from=2026-11-23&to=2026-12-06')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      business_id: salon.business.id,
      timezone: 'Europe/Berlin',
      starts_at: '2026-11-23T00:00:00+01:00',
      ends_at: '2026-12-07T00:00:00+01:00',
    })
    expect(body.weeks).toMatchObject([
      { from: '2026-11-23', to: '2026-11-29', bookings: 2, cancellations: 0, no_shows: 1 },
      { from: '2026-11-30', to: '2026-12-06', bookings: 1, cancellations: 1, no_shows: 0 },
    ])
    const minutes = salon.business.services.find(({ name }) => name === 'Haircut')?.duration_minutes ?? 0
    const column = columnOf(body as never, anna)
    expect(column).toMatchObject({
      staff: { id: anna },
      bookings: [2, 1],
      cancellations: [0, 1],
      no_shows: [1, 0],
      booked_minutes: [2 * minutes, minutes],
    })
    const calendar = await salon.call('GET', `/calendar?from=2026-11-23&to=2026-11-29&column_id=${anna}`)
    const [shown] = calendar.body.columns as { open: { starts_at: string; ends_at: string }[] }[]
    const open = (shown?.open ?? []).reduce(
      (sum, { starts_at, ends_at }) => sum + Date.parse(ends_at) - Date.parse(starts_at),
      0,
    )
    expect((column as { open_minutes?: number[] }).open_minutes?.[0]).toBe(open / 60_000)
  })

  test('count an appointment that several share once, and places of what needs no staff for their part', async () => {
    const token = salon.business.business_key
    const make = (path: string, body: object) => service.call('POST', path, { token, body })
    const [location = ''] = salon.business.locations.map(({ id }) => id)
    const offered = { duration_minutes: 60, capacity: 4, slot_interval_minutes: 60, location_ids: [location] }
    const clara = salon.staffId('Clara')
    const group = await make('/services', { name: 'Course', ...offered, staff_ids: [clara] })
    const room = await make('/services', { name: 'Sauna', ...offered, staff_ids: [] })
    const book = async (id: unknown, starts_at: string, party_size: number) => {
      const held = await make('/bookings/hold', {
        ...{ service_id: id, location_id: location, starts_at, party_size },
      })
      expect(held.status, JSON.stringify(held.body)).toBe(201)
      await make('/bookings', {
        hold_id: held.body.hold_id,
        client: {
          first_name: 'Grace',
          last_name: 'Hopper',
          email: 'grace@example.com',
          phone: '+442079460000',
        },
      })
    }
    const day = '2026-12-10'
    await book(group.body.id, `${day}T11:00:00+01:00`, 1)
    await book(group.body.id, `${day}T11:00:00+01:00`, 2)
    await book(room.body.id, `${day}T11:00:00+01:00`, 3)
    await book(room.body.id, `${day}T11:00:00+01:00`, 1)
    await book(room.body.id, `${day}T13:00:00+01:00`, 2)
    const { body } = await read(`from=${day}&to=${day}`)
    expect(columnOf(body as never, clara)).toMatchObject({ bookings: [2], booked_minutes: [60] })
    const columns = body.columns as { service: { id: string } | null }[]
    expect(columns.find((one) => one.service?.id === room.body.id)).toMatchObject({
      staff: null,
      location: { id: location },
      bookings: [3],
      booked_minutes: [90],
    })
  })

  test('begin and end days where the location is, and keep who has left', async () => {
    const anna = salon.staffId('Anna')
    await salon.call('PATCH', `/staff/${anna}`, { active: false })
    const { body } = await read('from=2026-11-24&to=2026-11-24')
    expect(columnOf(body as never, anna)).toMatchObject({ bookings: [2], open_minutes: [0] })
    const inTokyo = await salon.call('POST', '/locations', {
      business_id: salon.business.id,
      name: 'Tokyo',
      timezone: 'Asia/Tokyo',
    })
    const there = await read(`from=2026-11-24&to=2026-11-24&location_id=${String(inTokyo.body.id)}`)
    expect(there.body).toMatchObject({
      starts_at: '2026-11-24T00:00:00+09:00',
      weeks: [{ bookings: 0 }],
    })
    const at = (date: string) => read(`from=${date}&to=${date}`)
    for (const [date, hours] of [
      ['2026-03-29', 23],
      ['2026-10-25', 25],
    ] as const) {
      const { starts_at, ends_at } = (await at(date)).body as Record<string, string>
      expect((Date.parse(ends_at ?? '') - Date.parse(starts_at ?? '')) / 3_600_000).toBe(hours)
    }
  })

  // SQLite works on the serving thread: a year in one statement would block everyone
  test('count each client once: one known by phone who then books with an address, and two of a family', async () => {
    const total = async () => (await read('from=2027-02-01&to=2027-02-28')).body['total'] as object
    const paul = { first_name: 'Paul', last_name: 'Kern', phone: '+49 170 5550001' }
    await salon.book('Haircut', '2027-02-02T10:00:00+01:00', { client: paul })
    await salon.book('Haircut', '2027-02-03T10:00:00+01:00', {
      client: { ...paul, email: 'paul@example.com' },
    })
    expect(await total()).toMatchObject({ new_clients: 1, returning_clients: 0 })
    for (const [index, first_name] of ['Mia', 'Tom'].entries())
      await salon.book('Haircut', `2027-02-0${index + 4}T10:00:00+01:00`, {
        client: { first_name, last_name: 'Lang', email: 'lang@example.com' },
      })
    expect(await total()).toMatchObject({ new_clients: 3, returning_clients: 0 })
  })

  test('cost a statement over bookings for each week in each month, one over payments for each month, and one for unknown clients', async () => {
    const count = async (query: string, pattern: RegExp) =>
      (await service.statementsOf(() => read(query))).filter((text) => pattern.test(text)).length
    expect(await count('from=2026-11-23&to=2026-11-23', /from bookings as k/)).toBe(1)
    expect(await count('from=2026-01-01&to=2027-01-06', /from bookings as k/)).toBe(65)
    expect(await count('from=2026-01-01&to=2027-01-06', /bookings as b/)).toBeLessThan(4)
    expect(await count('from=2026-01-01&to=2027-01-06', /from payments as p/)).toBe(13)
  })

  test('of another business are not there, and too many days are refused', async () => {
    const other = businessOf(service.world, 'Hudson Studio')
    const { body } = await read('from=2026-11-23&to=2026-12-31', other.business_key)
    expect((body.weeks as { bookings: number }[]).every(({ bookings }) => bookings === 0)).toBe(true)
    expectProblem(
      await read(`from=2026-11-23&to=2026-11-23&business_id=${salon.business.id}`, other.business_key),
      'not_found',
    )
    expectErrors(await read('from=2026-01-01&to=2027-01-07'), '/to')
    expectErrors(await read('from=2026-01-02&to=2026-01-01'), '/to')
  })
})

test('numbers are counted along the index of the start (sqlite)', async () => {
  const service = await startTestService('sqlite')
  const { call } = bookerOf(service)
  const texts = await service.statementsOf(() => call('GET', '/numbers?from=2026-01-01&to=2026-12-31'))
  const text = texts.find((statement) => statement.includes('booking_starts_at')) ?? ''
  const explain = sql.raw<{ detail: string }>(`explain query plan ${text}`)
  const { rows } = await explain.execute(service.context.db.reads)
  expect(rows.map(({ detail }) => detail).filter((detail) => / k\b/.test(detail))).toEqual([
    'SEARCH k USING INDEX bookings_by_start (business_id=? AND starts_at>? AND starts_at<?)',
  ])
  await service.stop()
})

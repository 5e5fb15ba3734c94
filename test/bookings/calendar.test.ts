import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { logInNewPerson } from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import {
  ada,
  businessOf,
  offer,
  startTestService,
  type TestService,
  withoutLimiter,
} from '../support/test-service.ts'

const day = '2026-11-23' // a Monday
const at = (time: string) => `${day}T${time}:00+01:00`

onOneEngine('sqlite', 'the calendar', (engine) => {
  let service: TestService
  let business: ReturnType<typeof businessOf>
  let token: string
  const show = (query: string, options = {}) =>
    service.call('GET', `/calendar?${query}`, { token, ...options })
  const staffId = (name: string) => business.staff.find((one) => one.name.startsWith(name))?.id ?? ''
  const hold = async (name: string, starts_at: string, more = {}) =>
    service.call('POST', '/bookings/hold', {
      token,
      body: { ...offer(business, name), starts_at, ...more },
    })
  const book = async (name: string, starts_at: string, more = {}) => {
    const held = await hold(name, starts_at, more)
    expect(held.status, JSON.stringify(held.body)).toBe(201)
    const made = await service.call('POST', '/bookings', {
      token,
      body: { hold_id: held.body.hold_id, client: ada },
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    return made.body as { id: string }
  }
  beforeAll(async () => {
    service = await startTestService(engine)
    business = businessOf(service.world, 'Salon Spree')
    token = business.business_key
  })
  afterAll(() => service.stop())

  test('has bookings, holds and blocks of the day by what they take', async () => {
    const staffed = business.services.find(({ staff_ids }) => staff_ids.length > 0)
    const [first = ''] = staffed?.staff_ids ?? []
    const booking = await book(staffed?.name ?? '', at('10:00'), { staff_id: first })
    const held = await hold(staffed?.name ?? '', at('14:00'), { staff_id: first })
    const block = await service.call('POST', '/blocks', {
      token,
      body: { staff_id: first, starts_at: at('16:00'), ends_at: at('17:00'), reason: 'Training' },
    })
    const { status, body } = await show(`from=${day}&to=${day}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      timezone: 'Europe/Berlin',
      starts_at: `${day}T00:00:00+01:00`,
      ends_at: '2026-11-24T00:00:00+01:00',
      complete: true,
    })
    expect(body.bookings).toMatchObject([
      { id: booking.id, column_id: first, starts_at: at('10:00'), version: 1, client: ada },
    ])
    expect(body.holds).toMatchObject([{ id: held.body.hold_id, column_id: first, starts_at: at('14:00') }])
    expect(body.blocks).toMatchObject([{ id: block.body.id, staff_id: first, reason: 'Training' }])
    const columns = body.columns as { id: string }[]
    expect(columns.map(({ id }) => id)).toEqual(expect.arrayContaining(business.staff.map(({ id }) => id)))
  })

  test('answers 304 with one statement while nothing has changed, and tells of an expired hold', async () => {
    const { headers } = await show(`from=${day}&to=${day}`)
    const known = { headers: { 'if-none-match': headers['etag'] ?? '' } }
    service.statements.length = 0
    expect((await show(`from=${day}&to=${day}`, known)).status).toBe(304)
    expect(withoutLimiter(service.statements)).toHaveLength(1)
    service.clock.advance(601)
    const after = await show(`from=${day}&to=${day}`, known)
    expect(after.status).toBe(200)
    expect(after.body.holds).toEqual([])
  })

  test('tells of a change of the catalogue at once', async () => {
    const { headers } = await show(`from=${day}&to=${day}`)
    const id = staffId('Anna')
    await service.call('PATCH', `/staff/${id}`, { token, body: { name: 'Anna Maria Weber' } })
    const known = { headers: { 'if-none-match': headers['etag'] ?? '' } }
    const { status, body } = await show(`from=${day}&to=${day}`, known)
    expect(status).toBe(200)
    expect(body.columns[0]).toMatchObject({ staff: { id, name: 'Anna Maria Weber' } })
  })

  test.each([
    ['2026-03-29', 23],
    ['2026-10-25', 25],
  ])('on %s the day has %i hours', async (date, hours) => {
    const { body } = await show(`from=${date}&to=${date}`)
    expect((Date.parse(body.ends_at) - Date.parse(body.starts_at)) / 3_600_000).toBe(hours)
  })

  test('shows one column, and what is still booked of somebody who has left', async () => {
    const staffed = business.services.find(({ staff_ids }) => staff_ids.length > 1)
    const [, second = ''] = staffed?.staff_ids ?? []
    const booking = await book(staffed?.name ?? '', '2026-12-07T10:00:00+01:00', { staff_id: second })
    await service.call('PATCH', `/staff/${second}`, { token, body: { active: false } })
    const { body } = await show(`from=2026-12-07&to=2026-12-13&column_id=${second}`)
    expect(body.columns).toMatchObject([{ id: second, open: [] }])
    expect(body.bookings).toMatchObject([{ id: booking.id }])
    await service.call('PATCH', `/staff/${second}`, { token, body: { active: true } })
  })

  test('masks the clients of others for staff', async () => {
    const placed = { email: 'anna@example.com', role: 'staff', place: { businessId: business.id } } as const
    const person = await logInNewPerson(service, { ...placed, staffId: staffId('Clara') })
    const { body } = await person.call('GET', `/calendar?from=${day}&to=${day}`)
    expect(body.bookings).toMatchObject([
      { redacted: true, client: { first_name: 'Ada', last_name: 'L.', phone: null } },
    ])
  })

  test('tells staff that a colleague is away, not why', async () => {
    const [from, to] = ['2026-12-14', '2026-12-14']
    const block = async (whose: object) => {
      const times = { starts_at: `${from}T10:00:00+01:00`, ends_at: `${from}T11:00:00+01:00` }
      const made = await service.call('POST', '/blocks', {
        token,
        body: { ...whose, ...times, reason: 'At the clinic' },
      })
      return made.body.id as string
    }
    const place = business.locations[0]?.id
    const ids = [await block({ staff_id: staffId('Ben') }), await block({ staff_id: staffId('Anna') })]
    ids.push(await block({ location_id: place }))
    const placed = { email: 'ben@example.com', role: 'staff', place: { businessId: business.id } } as const
    const ben = await logInNewPerson(service, { ...placed, staffId: staffId('Ben') })
    const { body } = await ben.call('GET', `/calendar?from=${from}&to=${to}`)
    const seen = body.blocks as { id: string; reason: string | null }[]
    const reasons = ids.map((id) => seen.find((one) => one.id === id)?.reason)
    expect(reasons).toEqual(['At the clinic', null, 'At the clinic'])
  })

  test('refuses too many days, and looks at no other business', async () => {
    const many = await show('from=2026-12-01&to=2026-12-15')
    expectErrors(many, '/to')
    const other = businessOf(service.world, 'Hudson Studio')
    expectProblem(await show(`from=${day}&to=${day}&business_id=${other.id}`), 'not_found')
    const place = other.locations[0]?.id ?? ''
    expectProblem(await show(`from=${day}&to=${day}&location_id=${place}`), 'not_found')
  })
})

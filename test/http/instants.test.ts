import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectErrors } from '../support/expect-problem.ts'
import { bookingOf, changeRows, nextAddress, unknownId, type Tenant } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'instants', (engine) => {
  let service: TestService
  let salon: Tenant
  let key: string
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
    key = salon.business_key
  })
  afterAll(() => service.stop())

  /** Holds the meeting room and releases it. */
  const holdAt = async (starts_at: unknown) => {
    const body = { ...offer(salon, 'Meeting room'), starts_at }
    const held = await service.call('POST', '/bookings/hold', { token: key, body })
    if (held.status === 201)
      await service.call('DELETE', `/bookings/hold/${held.body.hold_id}`, { token: key })
    return held
  }

  test.each([
    ['2026-12-01T10:00:00+01:00', '2026-12-01T10:00:00+01:00'],
    ['2026-12-01T09:00:00Z', '2026-12-01T10:00:00+01:00'],
    ['2026-12-01t09:00:00z', '2026-12-01T10:00:00+01:00'],
    ['2026-12-01T09:00:00-00:00', '2026-12-01T10:00:00+01:00'],
    ['2026-12-01T14:45:00+05:45', '2026-12-01T10:00:00+01:00'],
    ['2026-12-02T08:59:00+23:59', '2026-12-01T10:00:00+01:00'],
    ['2026-11-30T10:00:00-23:00', '2026-12-01T10:00:00+01:00'],
    ['2026-12-01T09:00:00.1Z', '2026-12-01T10:00:00+01:00'],
    ['2026-12-01T09:00:00.999999999Z', '2026-12-01T10:00:00+01:00'],
    ['2026-12-01T09:00:00.99999999999999999999Z', '2026-12-01T10:00:00+01:00'],
    ['2028-02-29T12:00:00Z', '2028-02-29T13:00:00+01:00'],
    ['2027-07-01T10:00:00+02:00', '2027-07-01T10:00:00+02:00'],
  ])('%s is read as %s', async (given, shown) => {
    expect(await holdAt(given)).toMatchObject({ status: 201, body: { starts_at: shown } })
  })

  const refused: [string, unknown][] = [
    ['no offset', '2026-12-01T10:00:00'],
    ['a date alone', '2026-12-01'],
    ['no seconds', '2026-12-01T10:00Z'],
    ['a space for the T', '2026-12-01 10:00:00Z'],
    ['an offset without a colon', '2026-12-01T10:00:00+0100'],
    ['an offset without minutes', '2026-12-01T10:00:00+01'],
    ['an offset of 24 hours', '2026-12-01T10:00:00+24:00'],
    ['the name of a zone', '2026-12-01T10:00:00+01:00[Europe/Berlin]'],
    ['30 February', '2027-02-30T10:00:00Z'],
    ['29 February of a common year', '2027-02-29T10:00:00Z'],
    ['the month 13', '2027-13-01T10:00:00Z'],
    ['the month 0', '2027-00-10T10:00:00Z'],
    ['the hour 24', '2027-01-01T24:00:00Z'],
    ['the hour 25', '2027-01-01T25:00:00Z'],
    ['the minute 60', '2027-01-01T10:60:00Z'],
    ['a leap second', '2026-12-31T23:59:60Z'],
    ['an empty fraction', '2026-12-01T10:00:00.Z'],
    ['a comma in the fraction', '2026-12-01T10:00:00,5Z'],
    ['the year 1969', '1969-12-31T23:59:59Z'],
    ['an instant that lies before 1970 in UTC', '1970-01-01T00:30:00+01:00'],
    ['the year 10000', '10000-01-01T00:00:00Z'],
    ['an expanded year', '+010000-01-01T00:00:00Z'],
    ['an instant that lies after 9999 in UTC', '9999-12-31T23:59:59-01:00'],
    ['the year 0000', '0000-01-01T00:00:00Z'],
    ['a negative year', '-2026-12-01T10:00:00Z'],
    ['digits that are not ASCII', '２０２６-12-01T10:00:00Z'],
    ['Unix seconds', 1796115600],
    ['an empty text', ''],
    ['a word', 'tomorrow'],
    ['text around it', 'on 2026-12-01T10:00:00Z, please'],
    ['a list', ['2026-12-01T10:00:00Z']],
    ['a long fraction', `2026-12-01T10:00:00.${'9'.repeat(10_000)}Z`],
  ]

  test.each(refused)('%s is refused, and the field is named', async (_what, given) => {
    expectErrors(await holdAt(given), '/starts_at')
    const body = { starts_at: given, ends_at: given }
    const patched = await service.call('PATCH', `/bookings/${unknownId}`, { token: key, body })
    expectErrors(patched, '/starts_at', '/ends_at')
    if (typeof given !== 'string') return
    const query = `from=${encodeURIComponent(given)}&to=${encodeURIComponent(given)}`
    expectErrors(await service.call('GET', `/bookings?${query}`, { token: key }), '/from', '/to')
  })

  test('the years 1970 and 9999 are read', async () => {
    const query = 'from=1970-01-01T00:00:00Z&to=9999-12-31T23:59:59Z'
    expect((await service.call('GET', `/bookings?${query}`, { token: key })).status).toBe(200)
    expect(await holdAt('1970-01-01T00:00:00Z')).toMatchObject({
      status: 422,
      body: { reason: 'in_the_past' },
    })
    expect(await holdAt('9999-12-30T10:00:00Z')).toMatchObject({
      status: 201,
      body: { ends_at: '9999-12-30T12:00:00+01:00' },
    })
  })

  test('fractions of seconds are cut off in a change and in a filter', async () => {
    const id = await bookingOf(service, salon, { token: key, starts_at: '2027-03-01T10:00:00.9Z' })
    const path = `/bookings/${id}`
    const moved = await service.call('PATCH', path, {
      token: key,
      body: { starts_at: '2027-03-01T11:00:00.5Z' },
    })
    expect(moved.body.starts_at).toBe('2027-03-01T12:00:00+01:00')
    const from = await service.call('GET', '/bookings?from=2027-03-01T11:00:00.999Z&limit=1', { token: key })
    expect(from.body.data).toMatchObject([{ id }])
  })

  test('times are shown with a numeric offset in the zone of the location, those of a session in that of the business', async () => {
    const studio = businessOf(service.world, 'Hudson Studio')
    const { location_id } = offer(studio, 'Haircut', 'Chelsea')
    await changeRows(service, sql`update locations set timezone = 'Asia/Kathmandu' where id = ${location_id}`)
    service.clock.advance(0.75)
    const session = await service.call('POST', '/session', { token: studio.publishable_key })
    expect(session.body.expires_at).toBe('2026-11-20T05:00:00-05:00')
    const token = session.body.session_token as string
    const body = { ...offer(studio, 'Haircut', 'Chelsea'), starts_at: '2026-12-01T05:00:00Z' }
    const held = await service.call('POST', '/bookings/hold', { token, body, remoteAddress: nextAddress() })
    expect(held.body).toMatchObject({
      starts_at: '2026-12-01T10:45:00+05:45',
      ends_at: '2026-12-01T11:15:00+05:45',
      expires_at: '2026-11-20T14:55:01+05:45',
    })
  })

  test('times in UTC are shown with +00:00, and every time of a booking without fractions', async () => {
    const barbers = businessOf(service.world, 'Thames Barbers')
    const token = await service.session(barbers)
    const id = await bookingOf(service, barbers, { token, starts_at: '2027-01-10T10:00:00Z' })
    const { body } = await service.call('GET', `/bookings/${id}`, { token })
    expect(body.starts_at).toBe('2027-01-10T10:00:00+00:00')
    for (const time of [body.starts_at, body.ends_at, body.created_at, body.updated_at]) {
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/)
    }
  })
})

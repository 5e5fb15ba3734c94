import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { makeVisitSalon, type VisitSalon } from '../support/visit-salon.ts'

onOneEngine('sqlite', 'visits in numbers', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let salon: VisitSalon
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    salon = await makeVisitSalon(service, business)
  })
  afterAll(() => service.stop())

  test('each service counts for its person, and a visit once in the total', async () => {
    const { cut, colour, anna, ben, book } = salon
    const items = [
      { service_id: cut, staff_id: anna },
      { service_id: colour, staff_id: ben },
      { service_id: cut, staff_id: ben },
    ]
    await book('2026-12-01T10:00:00+01:00', { items })
    await book('2026-12-02T10:00:00+01:00', { items: items.slice(0, 1) })
    const { id } = await book('2026-12-03T10:00:00+01:00', { items })
    await service.call('DELETE', `/bookings/${id}`, { token: business.key })
    const { body } = await service.call('GET', '/numbers?from=2026-11-30&to=2026-12-06', {
      token: business.key,
    })
    // the colour leaves its person free for half an hour
    expect(body.weeks).toMatchObject([{ bookings: 2, cancellations: 1, no_shows: 0, booked_minutes: 150 }])
    const columnOf = (wanted: string) => (body.columns as { id: string }[]).find((one) => one.id === wanted)
    expect(columnOf(anna)).toMatchObject({ bookings: [2], cancellations: [1], booked_minutes: [60] })
    expect(columnOf(ben)).toMatchObject({ bookings: [2], cancellations: [2], booked_minutes: [90] })
  })
})

import ICAL from 'ical.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { type BookedReply, makeVisitSalon, type VisitSalon } from '../support/visit-salon.ts'

onOneEngine('sqlite', 'visits in feeds', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let salon: VisitSalon
  let visit: BookedReply
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    salon = await makeVisitSalon(service, business)
    visit = await salon.book('2026-12-01T10:00:00+01:00', {
      items: [
        { service_id: salon.cut, staff_id: salon.anna },
        { service_id: salon.colour, staff_id: salon.ben },
        { service_id: salon.cut, staff_id: salon.ben },
      ],
    })
  })
  afterAll(() => service.stop())

  async function eventsOf(body: object) {
    const feed = await service.call('POST', '/feeds', { token: business.key, body })
    expect(feed.status, JSON.stringify(feed.body)).toBe(201)
    const reply = await service.call('GET', `/${new URL(String(feed.body.url)).pathname}`)
    expect(reply.status).toBe(200)
    const calendar = new ICAL.Component(ICAL.parse(String(reply.body)) as unknown[])
    return calendar.getAllSubcomponents('vevent').map((component) => {
      const event = new ICAL.Event(component)
      const time = (one: ICAL.Time) => one.toJSDate().toISOString().slice(11, 16)
      return {
        uid: event.uid.replace('@holdfast', ''),
        title: event.summary,
        span: `${time(event.startDate)}–${time(event.endDate)}`,
        description: event.description,
      }
    })
  }

  test("a person's feed shows their own services, and each keeps its ID", async () => {
    const [first, second, third] = visit.items
    expect(await eventsOf({ staff_id: salon.anna, detail: 'full' })).toEqual([
      { uid: first?.id, title: 'Cut – Ada Lovelace', span: '09:00–09:30', description: 'Anna' },
    ])
    expect(await eventsOf({ staff_id: salon.ben, detail: 'full' })).toEqual([
      { uid: second?.id, title: 'Colour – Ada Lovelace', span: '09:30–11:00', description: 'Ben' },
      { uid: third?.id, title: 'Cut – Ada Lovelace', span: '11:00–11:30', description: 'Ben' },
    ])
  })

  test("a location's feed shows the visit with its services", async () => {
    const description = '10:00 Cut, Anna\n10:30 Colour, Ben\n12:00 Cut, Ben'
    expect(await eventsOf({ location_id: salon.locationId, detail: 'full' })).toEqual([
      { uid: visit.id, title: 'Cut + Colour + Cut – Ada Lovelace', span: '09:00–11:30', description },
    ])
  })

  test('a cancelled visit leaves every feed', async () => {
    const { id } = await salon.book('2026-12-02T10:00:00+01:00')
    await service.call('DELETE', `/bookings/${id}`, { token: business.key })
    expect(await eventsOf({ staff_id: salon.anna })).toHaveLength(1)
    expect(await eventsOf({ location_id: salon.locationId })).toHaveLength(1)
  })
})

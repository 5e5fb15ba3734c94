import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, startTestService, type TestService } from '../support/test-service.ts'
import { makeVisitSalon, type VisitSalon } from '../support/visit-salon.ts'
import { agent } from './mcp-client.ts'

onOneEngine('sqlite', 'visits for agents', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let salon: VisitSalon
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    salon = await makeVisitSalon(service, business)
  })
  afterAll(() => service.stop())

  test('an agent finds, holds and books several services, and changes them', async () => {
    const { cut, colour, anna, ben, locationId } = salon
    const { tool } = agent(service, business.key)
    const asked = { location_id: locationId, items: `${cut}:${anna},${colour}` }
    const found = await tool('find_slots', { ...asked, date: '2026-12-01' })
    const [slot] = found.said.slots
    expect(slot).toEqual({
      starts_at: '2026-12-01T00:00:00+01:00',
      ends_at: '2026-12-01T02:00:00+01:00',
      items: [
        { service_id: cut, staff_ids: [anna], starts_at: '2026-12-01T00:00:00+01:00' },
        { service_id: colour, staff_ids: [anna, ben].toSorted(), starts_at: '2026-12-01T00:30:00+01:00' },
      ],
    })
    expect((await tool('find_next_slot', asked)).said.slot.items).toHaveLength(2)
    const { starts_at } = slot
    expect((await tool('explain_slot', { ...asked, starts_at })).said).toMatchObject({ offered: true })
    const items = [{ service_id: cut, staff_id: anna }, { service_id: colour }]
    const held = await tool('hold_slot', { location_id: locationId, starts_at, items })
    expect(held.said).toMatchObject({ starts_at, items: [{ service_id: cut }, { service_id: colour }] })
    const booked = await tool('confirm_booking', { hold_id: held.said.hold_id, client: ada })
    expect(booked.said.items).toMatchObject([{ service: { name: 'Cut' } }, { service: { name: 'Colour' } }])
    const { id } = booked.said
    const refused = await tool('reschedule_booking', { id, starts_at, staff_id: ben })
    expect(refused).toMatchObject({ isError: true, said: { code: 'validation_failed' } })
    const kept = [{ id: booked.said.items[0].id }, { id: booked.said.items[1].id, staff_id: ben }]
    const changed = await tool('reschedule_booking', { id, starts_at, items: kept, notify: false })
    expect(changed.said.items).toMatchObject([{ staff: { id: anna } }, { staff: { id: ben } }])
    expect((await tool('list_bookings', { staff_id: ben })).said.data).toMatchObject([{ id }])
  })
})

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Client, clientOf } from '../support/client.ts'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, type Reply, startTestService, type TestService } from '../support/test-service.ts'
import { type BookedReply, makeVisitSalon, type VisitSalon } from '../support/visit-salon.ts'

const at = (time: string) => `2026-12-01T${time}:00+01:00`

onOneEngine('sqlite', 'staff and the time of their colleagues', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  let salon: VisitSalon
  let anna: LoggedIn
  let people = 0
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  beforeEach(async () => {
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
    salon = await makeVisitSalon(service, business)
    anna = await logInNewPerson(service, {
      ...{ email: `anna${(people += 1)}@example.com`, role: 'staff', staffId: salon.anna },
      place: { businessId: business.id },
    })
  })
  afterAll(() => service.stop())

  const hold = (items: object[], startsAt = at('10:00')) =>
    anna.call('POST', '/bookings/hold', { location_id: salon.locationId, starts_at: startsAt, items })
  const change = ({ id }: BookedReply, items: object[]) => anna.call('PATCH', `/bookings/${id}`, { items })
  const namesOf = ({ body }: { body: unknown }) =>
    (body as { items: { staff: { name: string } | null }[] }).items.map(({ staff }) => staff?.name)
  const expectRefusal = ({ body }: Reply, code: string) => expect(body).toMatchObject({ code })
  /** Books a cut by Anna and a colour by Ben. */
  const bookBoth = () =>
    salon.book(at('10:00'), {
      items: [
        { service_id: salon.cut, staff_id: salon.anna },
        { service_id: salon.colour, staff_id: salon.ben },
      ],
    })

  test('a hold that names nobody takes only their own time', async () => {
    await salon.book(at('10:00'), { items: [{ service_id: salon.cut, staff_id: salon.anna }] })
    const one = { location_id: salon.locationId, service_id: salon.cut, starts_at: at('10:00') }
    expectRefusal(await anna.call('POST', '/bookings/hold', one), 'slot_booked') // Ben is free
    expectRefusal(await hold([{ service_id: salon.cut }, { service_id: salon.cut }]), 'slot_booked')
    const held = await hold([{ service_id: salon.cut }, { service_id: salon.colour }], at('12:00'))
    const booked = await anna.call('POST', '/bookings', { hold_id: held.body.hold_id, client: ada })
    expect(namesOf(booked)).toEqual(['Anna', 'Anna'])
    const patch = { staff_ids: [salon.ben] }
    await service.call('PATCH', `/services/${salon.cut}`, { token: business.key, body: patch })
    expectRefusal(await anna.call('POST', '/bookings/hold', one), 'slot_not_offered')
    expectRefusal(await hold([{ service_id: salon.colour }, { service_id: salon.cut }]), 'slot_not_offered')
  })

  test('they add services for themselves, and keep those of others as they are', async () => {
    const booked = await bookBoth()
    const [cut, colour] = booked.items.map(({ id }) => ({ id }))
    const added = await change(booked, [
      { ...cut },
      { ...colour, staff_id: salon.ben },
      { service_id: salon.cut },
    ])
    expect(namesOf(added)).toEqual(['Anna', 'Ben', 'Anna'])
    const taken = await change(booked, [{ ...cut }, { ...colour, staff_id: salon.anna }])
    expect(namesOf(taken)).toEqual(['Anna', 'Anna'])
  })

  test('they give no service to a colleague', async () => {
    const booked = await bookBoth()
    const [cut, colour] = booked.items.map(({ id }) => ({ id }))
    const toBen = { service_id: salon.cut, staff_id: salon.ben }
    expectRefusal(await change(booked, [{ ...cut }, { ...colour }, toBen]), 'not_found')
    expectRefusal(await change(booked, [{ ...cut, staff_id: salon.ben }, { ...colour }]), 'not_found')
    await salon.book(at('12:00'), { items: [{ service_id: salon.cut, staff_id: salon.anna }] })
    const third = await change(booked, [{ ...cut }, { ...colour }, { service_id: salon.cut }])
    expectRefusal(third, 'slot_booked') // Ben is free
    expect(namesOf(await key.show(booked.id))).toEqual(['Anna', 'Ben'])
  })

  test('they move a visit only with its people', async () => {
    const items = [{ service_id: salon.cut, staff_id: salon.anna }, { service_id: salon.colour }]
    await salon.book(at('10:30'), { items: [{ service_id: salon.cut, staff_id: salon.anna }] })
    const booked = await salon.book(at('10:00'), { items })
    expect(namesOf(await key.show(booked.id))).toEqual(['Anna', 'Ben'])
    await salon.book(at('13:30'), { items: [{ service_id: salon.cut, staff_id: salon.ben }] })
    const later = { starts_at: at('13:00') }
    expectRefusal(await anna.call('PATCH', `/bookings/${booked.id}`, later), 'slot_booked')
    expect(namesOf(await key.change(booked.id, later))).toEqual(['Anna', 'Anna'])
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf, sessionClient, type Client } from '../support/client.ts'
import {
  deactivate,
  makeBusiness,
  makeLocation,
  makeOffer,
  makeService,
  makeStaff,
  type OwnBusiness,
} from '../support/offers.ts'
import { rowOf } from '../support/records.ts'
import { expectRefusal } from '../support/refusals.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type Reply, type TestService } from '../support/test-service.ts'

const tenOClock = '2026-12-01T10:00:00+01:00'
const unknownId = '018f0000-0000-7000-8000-000000000000'

onOneEngine('sqlite', 'placing a hold', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let other: OwnBusiness
  let session: Client
  let key: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    other = await makeBusiness(service)
    session = await sessionClient(service, business)
    key = clientOf(service, business.key)
  })
  afterAll(() => service.stop())

  const refused = (attempt: () => Promise<Reply>, expected: Parameters<typeof expectRefusal>[2]) =>
    expectRefusal(service, attempt, expected)

  const notOfferedHere = {
    status: 422,
    body: { code: 'slot_not_offered', reason: 'not_offered_here', type: '/problems/slot_not_offered' },
  }
  const notFound = { status: 404, body: { code: 'not_found' } }
  const inThePast = { status: 422, body: { code: 'slot_not_offered', reason: 'in_the_past' } }

  test('a hold has exactly its six documented fields', async () => {
    const offer = await makeOffer(service, business.id, { minutes: 45 })
    const held = await session.hold(offer, tenOClock)
    expect(held.status).toBe(201)
    expect(held.body).toEqual({
      hold_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...offer,
      starts_at: tenOClock,
      ends_at: '2026-12-01T10:45:00+01:00',
      expires_at: '2026-11-20T10:10:00+01:00',
    })
  })

  test('a hold lasts ten minutes, rounded up to a whole second', async () => {
    const offer = await makeOffer(service, business.id)
    service.clock.advance(0.001)
    const held = await session.hold(offer, tenOClock)
    expect(held.body.expires_at).toBe('2026-11-20T10:10:01+01:00')
    const claim = await rowOf(service, 'claims', String(held.body.hold_id))
    expect(claim?.['expires_at']).toBe('2026-11-20T09:10:01.000Z')
    service.clock.advance(0.999)
  })

  test('fractions of a second of the wanted start are cut off', async () => {
    const offer = await makeOffer(service, business.id)
    const held = await session.hold(offer, '2026-12-01T09:00:00.999Z')
    expect(held).toMatchObject({ status: 201, body: { starts_at: tenOClock } })
  })

  test('business and hub keys hold slots too', async () => {
    const hubBusiness = await makeBusiness(service, { hubId: service.world.hub.id })
    const offer = await makeOffer(service, hubBusiness.id)
    expect(await clientOf(service, hubBusiness.key).hold(offer, tenOClock)).toMatchObject({ status: 201 })
    const later = '2026-12-01T12:00:00+01:00'
    expect(await clientOf(service, service.world.hub.key).hold(offer, later)).toMatchObject({ status: 201 })
  })

  test('a start in the past or at this very moment is refused, to sessions and keys', async () => {
    const offer = await makeOffer(service, business.id, { bufferBefore: 60 })
    const now = service.clock.now()
    for (const client of [session, key]) {
      await refused(() => client.hold(offer, now), inThePast)
      await refused(() => client.hold(offer, '2026-11-20T08:59:59Z'), inThePast)
      await refused(() => client.hold(offer, '1970-01-01T00:00:00Z'), inThePast)
    }
  })

  test('a start one second from now can be held', async () => {
    const offer = await makeOffer(service, business.id)
    const slot = Math.ceil((service.clock.nowMs() + 1000) / 300_000) * 300_000 // on the grid of five minutes
    service.clock.advance((slot - service.clock.nowMs()) / 1000 - 1)
    expect(await session.hold(offer, new Date(slot).toISOString())).toMatchObject({ status: 201 })
  })

  test('a slot that would end after the year 9999 is refused', async () => {
    const offer = await makeOffer(service, business.id)
    await refused(() => session.hold(offer, '9999-12-31T23:59:59Z'), {
      status: 422,
      body: { code: 'validation_failed', errors: [{ pointer: '/starts_at' }] },
    })
  })

  test('a key holds a slot that ends just before the year 10000', async () => {
    const offer = await makeOffer(service, business.id, { timezone: 'America/New_York' })
    expect(await key.hold(offer, '9999-12-31T23:00:00Z')).toMatchObject({
      status: 201,
      body: { ends_at: '9999-12-31T18:30:00-05:00' },
    })
  })

  test('an unknown service, location or staff member is not found', async () => {
    const offer = await makeOffer(service, business.id)
    await refused(() => session.hold({ ...offer, service_id: unknownId }, tenOClock), notFound)
    await refused(() => session.hold({ ...offer, location_id: unknownId }, tenOClock), notFound)
    await refused(() => session.hold(offer, tenOClock, { staff_id: unknownId }), notFound)
  })

  test("another tenant's service, location or staff member looks exactly like an unknown one", async () => {
    const offer = await makeOffer(service, business.id)
    const foreign = await makeOffer(service, other.id)
    const [foreignStaff] = await makeStaff(service, other.id, ['Mallory'])
    const attempts = [
      (ids: object) => session.hold({ ...offer, ...ids }, tenOClock),
      (ids: object) => key.hold({ ...offer, ...ids }, tenOClock),
    ]
    for (const attempt of attempts) {
      for (const [name, id] of Object.entries({ ...foreign, staff_id: foreignStaff })) {
        await refused(() => attempt({ [name]: id }), notFound)
        const [ofForeign, ofUnknown] = [await attempt({ [name]: id }), await attempt({ [name]: unknownId })]
        expect({ ...ofForeign.body, request_id: '' }).toEqual({ ...ofUnknown.body, request_id: '' })
      }
    }
  })

  test('a hub key cannot join a service of one business with a location or staff of another', async () => {
    const hub = clientOf(service, service.world.hub.key)
    const [one, two] = [
      await makeBusiness(service, { hubId: service.world.hub.id }),
      await makeBusiness(service, { hubId: service.world.hub.id }),
    ]
    const [offer, second] = [await makeOffer(service, one.id), await makeOffer(service, two.id)]
    const [staffId] = await makeStaff(service, two.id, ['Mallory'])
    await refused(() => hub.hold({ ...offer, location_id: second.location_id }, tenOClock), notFound)
    await refused(() => hub.hold(offer, tenOClock, { staff_id: staffId }), notFound)
  })

  test('an inactive service or location is not offered', async () => {
    const offer = await makeOffer(service, business.id)
    const location_id = await makeLocation(service, business.id)
    const service_id = await makeService(service, business.id, { locationIds: [location_id] })
    await deactivate(service, 'services', offer.service_id)
    await deactivate(service, 'locations', location_id)
    await refused(() => session.hold(offer, tenOClock), notOfferedHere)
    await refused(() => key.hold({ service_id, location_id }, tenOClock), notOfferedHere)
  })

  test('a service is not offered at a location that it does not name', async () => {
    const offer = await makeOffer(service, business.id)
    const location_id = await makeLocation(service, business.id)
    await refused(() => session.hold({ ...offer, location_id }, tenOClock), notOfferedHere)
  })

  test('a staff member who is inactive, gives another service or works elsewhere is not offered', async () => {
    const [here, elsewhere] = [
      await makeLocation(service, business.id),
      await makeLocation(service, business.id),
    ]
    const [gone = '', stranger = ''] = await makeStaff(service, business.id, ['Gone', 'Stranger'])
    const [away = ''] = await makeStaff(service, business.id, ['Away'], [elsewhere])
    const [present = ''] = await makeStaff(service, business.id, ['Present'], [here])
    const staffIds = [gone, away, present]
    const offer = {
      service_id: await makeService(service, business.id, { locationIds: [here, elsewhere], staffIds }),
      location_id: here,
    }
    await deactivate(service, 'staff', gone)
    for (const staff_id of [gone, stranger, away]) {
      await refused(() => session.hold(offer, tenOClock, { staff_id }), notOfferedHere)
    }
    const held = await session.hold(offer, tenOClock)
    expect(await rowOf(service, 'claims', String(held.body.hold_id))).toMatchObject({ staff_id: present })
    await refused(() => key.hold(offer, tenOClock), { status: 409, body: { code: 'slot_held' } })
  })

  test('a service whose staff are all gone is not offered to anybody', async () => {
    const [gone = ''] = await makeStaff(service, business.id, ['Gone'])
    const offer = await makeOffer(service, business.id, { staffIds: [gone] })
    await deactivate(service, 'staff', gone)
    await refused(() => session.hold(offer, tenOClock), notOfferedHere)
  })

  test('a staff member cannot be wanted for a service that needs none', async () => {
    const offer = await makeOffer(service, business.id)
    const [somebody] = await makeStaff(service, business.id, ['Somebody'])
    await refused(() => session.hold(offer, tenOClock, { staff_id: somebody }), notOfferedHere)
  })

  test('what another session holds is 409 slot_held, what is booked is 409 slot_booked', async () => {
    const offer = await makeOffer(service, business.id)
    const rival = await sessionClient(service, business)
    const held = await session.hold(offer, tenOClock)
    for (const client of [rival, key]) {
      await refused(() => client.hold(offer, tenOClock), { status: 409, body: { code: 'slot_held' } })
    }
    await session.book(String(held.body.hold_id))
    for (const client of [rival, key, session]) {
      await refused(() => client.hold(offer, tenOClock), { status: 409, body: { code: 'slot_booked' } })
    }
  })
})

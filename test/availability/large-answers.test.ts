import { afterAll, beforeAll, expect, test } from 'vitest'
import { maxPairs } from '../../src/availability/availability.ts'
import { sessionClient, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, makeStaff, type Offer, type OwnBusiness } from '../support/offers.ts'
import { watcherOf, type ShownSlot } from '../support/slots.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

/** On a grid of five minutes, around the clock. */
const slotsPerDay = 288

onOneEngine('sqlite', 'availability of more slots than one answer holds', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let client: Client
  let people: string[]
  let offer: Offer
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    client = await sessionClient(service, business)
    people = await makeStaff(
      service,
      business.id,
      Array.from({ length: 60 }, (_, number) => `Person ${number}`),
    )
    offer = await makeOffer(service, business.id, { staffIds: people, intervalMinutes: 5 })
  })
  afterAll(() => service.stop())

  const pairsOf = (body: { days: { slots: ShownSlot[] }[] }) =>
    body.days
      .flatMap(({ slots }) => slots.map(({ staff_ids }) => staff_ids.length))
      .reduce((a, b) => a + b, 0)

  test('is refused with the last date that fits, and that range is answered', async () => {
    const refused = await watcherOf(service, client).show(offer, '2026-12-01', '2026-12-31')
    expect(refused.status).toBe(422)
    expect(refused.body.errors).toEqual([
      {
        pointer: '/to',
        code: 'too_many_slots',
        detail:
          'must be 2026-12-02 or earlier: one answer holds at most 50,000 pairs of slot and staff member',
      },
    ])
    const fits = await watcherOf(service, client).show(offer, '2026-12-01', '2026-12-02')
    expect(fits.status).toBe(200)
    expect(pairsOf(fits.body)).toBe(2 * slotsPerDay * people.length)
    expect(3 * slotsPerDay * people.length).toBeGreaterThan(maxPairs)
    // the same from the cached parts of both answers
    expect((await watcherOf(service, client).show(offer, '2026-12-01', '2026-12-03')).status).toBe(422)
    expect((await watcherOf(service, client).show(offer, '2026-12-01', '2026-12-02')).body).toEqual(fits.body)
  })

  test('of one person fits for the longest range', async () => {
    const [staff_id] = people
    const reply = await watcherOf(service, client).show({ ...offer, staff_id }, '2026-12-01', '2027-01-31')
    expect(reply.status).toBe(200)
    expect(pairsOf(reply.body)).toBe(62 * slotsPerDay)
  })

  test('of one date asks for a staff member', async () => {
    const many = await makeStaff(
      service,
      business.id,
      Array.from({ length: 120 }, (_, number) => `Further ${number}`),
    )
    const crowd = await makeOffer(service, business.id, { staffIds: [...people, ...many] })
    const refused = await watcherOf(service, client).show(crowd, '2026-12-01')
    expect(refused.status).toBe(422)
    expect(refused.body.errors).toMatchObject([{ pointer: '/staff_id', code: 'too_many_slots' }])
  })

  test('does not keep the booking page from opening', async () => {
    const query = new URLSearchParams({ service: offer.service_id, location: offer.location_id })
    const reply = await service.call('GET', `//book/${business.publishableKey}/start?${query.toString()}`)
    expect(reply.status).toBe(200)
    const { first } = reply.body
    expect(first.soonest).not.toBeNull()
    expect(first.slots.length).toBeGreaterThan(0)
    expect(first.dates).toEqual(['2026-11-20', '2026-11-21', '2026-11-22'])
  })

  test('is computed in turns: too many at once from one address are refused, others are answered', async () => {
    const ask = () => watcherOf(service, client).show(offer, '2026-12-05', '2026-12-06')
    const other = await sessionClient(service, business, '192.0.2.1')
    const asked = Array.from({ length: 70 }, ask)
    const small = watcherOf(service, other).soonest(offer)
    expect((await small).status).toBe(200)
    const statuses = (await Promise.all(asked)).map(({ status, headers }) => {
      if (status === 503) expect(headers['retry-after']).toBe('1')
      return status
    })
    expect(statuses.filter((status) => status === 200)).toHaveLength(51) // one and those that may wait
    expect(statuses.filter((status) => status === 503)).toHaveLength(19)
    expect((await ask()).status).toBe(200)
  })
})

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, type Offer, type OwnBusiness } from '../support/offers.ts'
import { growthOf } from '../support/scrape.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, startTestService, type TestService } from '../support/test-service.ts'

const tenOClock = '2027-03-01T10:00:00+01:00'
const eleven = '2027-03-01T11:00:00+01:00'

onOneEngine('sqlite', 'counted outcomes', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let session: Client
  let rival: Client
  let key: Client
  let offer: Offer
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  beforeEach(async () => {
    session = await sessionClient(service, business)
    rival = await sessionClient(service, business)
    offer = await makeOffer(service, business.id)
  })
  afterAll(() => service.stop())

  const holds = (work: () => Promise<unknown>) =>
    growthOf(service, { metric: 'holdfast_holds_total', by: ['outcome'] }, work)
  const bookings = (work: () => Promise<unknown>) =>
    growthOf(service, { metric: 'holdfast_bookings_total', by: ['outcome'] }, work)
  const refusals = (work: () => Promise<unknown>) =>
    growthOf(service, { metric: 'holdfast_problems_total', by: ['method', 'route', 'code'] }, work)

  test('a hold is placed, and one of the same session that it replaces is counted too', async () => {
    expect(await holds(() => session.hold(offer, tenOClock))).toEqual({ placed: 1 })
    expect(await holds(() => session.hold(offer, tenOClock))).toEqual({ placed: 1, replaced: 1 })
  })

  test('a hold is released once, however often that is asked for', async () => {
    const held = await session.hold(offer, tenOClock)
    const release = () => session.release(String(held.body.hold_id))
    expect(await holds(release)).toEqual({ released: 1 })
    expect(await holds(release)).toEqual({})
    const expired = await session.hold(offer, tenOClock)
    service.clock.advance(601)
    expect(await holds(() => session.release(String(expired.body.hold_id)))).toEqual({})
  })

  test('a hold is converted once into a booking', async () => {
    const held = await session.hold(offer, tenOClock)
    const book = () => session.book(String(held.body.hold_id))
    expect(await holds(book)).toEqual({ converted: 1 })
    expect(await holds(book)).toEqual({})
    const other = await session.hold(offer, eleven)
    expect(await bookings(() => session.book(String(other.body.hold_id)))).toEqual({ created: 1 })
  })

  test('what a repeated request with an idempotency key did is counted once', async () => {
    const call = (path: string, body: object) => () =>
      service.call('POST', path, { token: business.key, body, headers: { 'idempotency-key': `${path}-1` } })
    const place = call('/bookings/hold', { ...offer, starts_at: tenOClock })
    expect(await holds(() => place().then(place))).toEqual({ placed: 1 })
    const hold_id = String((await place()).body.hold_id)
    const book = call('/bookings', { hold_id, client: ada })
    const booked = () => holds(() => book().then(book))
    expect(await bookings(async () => expect(await booked()).toEqual({ converted: 1 }))).toEqual({
      created: 1,
    })
  })

  test('a refusal is counted by its code and its route, and as nothing else', async () => {
    await session.hold(offer, tenOClock)
    const hold = () => rival.hold(offer, tenOClock)
    const release = () => rival.release(crypto.randomUUID())
    const both = () => hold().then(release)
    expect(await refusals(both)).toEqual({
      'POST /api/v1/bookings/hold slot_held': 1,
      'DELETE /api/v1/bookings/hold/:hold_id hold_not_found': 1,
    })
    expect(await holds(both)).toEqual({})
  })

  test('a booking is updated, completed and cancelled by the events of these names', async () => {
    const id = String((await bookSlot(key, offer, tenOClock)).id)
    const other = String((await bookSlot(key, offer, eleven)).id)
    expect(await bookings(() => key.change(id, { notes: 'x' }))).toEqual({ updated: 1 })
    expect(await bookings(() => key.change(id, { starts_at: '2027-03-02T10:00:00+01:00' }))).toEqual({
      updated: 1,
    })
    expect(await bookings(() => key.change(id, { notes: 'y', status: 'completed' }))).toEqual({
      updated: 1,
      completed: 1,
    })
    expect(await bookings(() => key.cancel(other))).toEqual({ cancelled: 1 })
  })

  test('a change that changes nothing or is refused is not counted', async () => {
    const id = String((await bookSlot(key, offer, tenOClock, { book: { notes: 'x' } })).id)
    const other = String((await bookSlot(key, offer, eleven)).id)
    await key.cancel(other)
    const nothing = async () => {
      expect(await key.change(id, { notes: 'x' })).toMatchObject({ status: 200 })
      expect(await key.cancel(other)).toMatchObject({ status: 200 })
      expect(await key.change(id, { notes: 'y' }, { 'if-match': '"9"' })).toMatchObject({ status: 412 })
    }
    expect(await bookings(nothing)).toEqual({})
  })
})

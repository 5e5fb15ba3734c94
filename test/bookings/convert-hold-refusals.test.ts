import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { clientOf, sessionClient, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, type OwnBusiness } from '../support/offers.ts'
import { expectRefusal, pointersOf } from '../support/refusals.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, startTestService, type Reply, type TestService } from '../support/test-service.ts'

const tenOClock = '2026-12-01T10:00:00+01:00'
const unknownId = '018f0000-0000-7000-8000-000000000000'
const notFound = { status: 404, body: { code: 'hold_not_found' } }

onOneEngine('sqlite', 'a hold that cannot be converted', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let session: Client
  let rival: Client
  let key: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  beforeEach(async () => {
    session = await sessionClient(service, business)
    rival = await sessionClient(service, business)
  })
  afterAll(() => service.stop())

  const refused = (attempt: () => Promise<Reply>, expected: Parameters<typeof expectRefusal>[2]) =>
    expectRefusal(service, attempt, expected)

  async function held(parts: Parameters<typeof makeOffer>[2] = {}): Promise<string> {
    const reply = await session.hold(await makeOffer(service, business.id, parts), tenOClock)
    return String(reply.body.hold_id)
  }

  test('an unknown hold is not found', async () => {
    await refused(() => session.book(unknownId), notFound)
    await refused(() => key.book(unknownId), notFound)
  })

  test("another session's hold looks exactly like an unknown one, and stays", async () => {
    const id = await held()
    await refused(() => rival.book(id), notFound)
    const [ofRival, ofUnknown] = [await rival.book(id), await rival.book(unknownId)]
    expect({ ...ofRival.body, request_id: '' }).toEqual({ ...ofUnknown.body, request_id: '' })
    expect(await session.book(id)).toMatchObject({ status: 201 })
  })

  test("a key of another business cannot convert it, nor can another hub's", async () => {
    const id = await held()
    const other = await makeBusiness(service, { hubId: service.world.hub.id })
    await refused(() => clientOf(service, other.key).book(id), notFound)
    await refused(() => clientOf(service, service.world.hub.key).book(id), notFound)
  })

  test('a session of another business cannot convert it', async () => {
    const id = await held()
    const stranger = await sessionClient(service, await makeBusiness(service))
    await refused(() => stranger.book(id), notFound)
  })

  test('an expired hold cannot be converted, from the very instant of its expiry', async () => {
    const id = await held()
    service.clock.advance(600)
    const expired = { status: 404, body: { code: 'hold_expired', type: '/problems/hold_expired' } }
    await refused(() => session.book(id), expired)
    await refused(() => key.book(id), expired)
  })

  test('a released hold is not found, even after it would have expired', async () => {
    const id = await held()
    await session.release(id)
    await refused(() => session.book(id), notFound)
    service.clock.advance(600)
    await refused(() => session.book(id), notFound)
  })

  test('a hold that was replaced is not found', async () => {
    const offer = await makeOffer(service, business.id)
    const first = await session.hold(offer, tenOClock)
    await session.hold(offer, tenOClock)
    await refused(() => session.book(String(first.body.hold_id)), notFound)
  })

  test('a hold converts once: its owner is told of the booking, another session nothing', async () => {
    const id = await held()
    await session.book(id)
    await refused(() => session.book(id), { status: 409, body: { code: 'hold_converted', booking_id: id } })
    await refused(() => rival.book(id), notFound)
    await refused(() => key.book(id), { status: 409, body: { code: 'hold_converted' } })
    expect((await key.book(id)).body).not.toHaveProperty('booking_id')
  })

  test('it stays converted after its booking was cancelled and after the hold would have expired', async () => {
    const id = await held()
    await session.book(id)
    await key.cancel(id)
    service.clock.advance(600)
    await refused(() => session.book(id), { status: 409, body: { code: 'hold_converted' } })
  })

  test('a faulty request names every fault and leaves the hold', async () => {
    const id = await held()
    await refused(
      () => session.book(id, { client: { first_name: '', email: 'x' }, notes: 7, deposit: 0, hold_id: 'x' }),
      { status: 422, body: { code: 'validation_failed' } },
    )
    const reply = await session.book(id, { client: { first_name: '', email: 'x' }, notes: 7, deposit: 0 })
    expect(pointersOf(reply)).toEqual(['/client/email', '/client/first_name', '/deposit', '/notes'])
    expect(await session.book(id, { client: ada })).toMatchObject({ status: 201 })
  })

  test('a faulty request about an unknown hold is a faulty request', async () => {
    await refused(() => session.book(unknownId, { client: {} }), { status: 422, body: {} })
  })
})

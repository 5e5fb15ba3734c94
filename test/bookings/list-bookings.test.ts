import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, makeService, makeStaff, type Offer } from '../support/offers.ts'
import { pointersOf } from '../support/refusals.ts'
import { ada, onEachEngine, startTestService, type Reply, type TestService } from '../support/test-service.ts'

const idsOf = (reply: Reply) => (reply.body.data as { id: string }[]).map(({ id }) => id)

onEachEngine('listing bookings', (engine) => {
  let service: TestService
  let key: Client
  let hub: Client
  let offers: [Offer, Offer]
  let staffIds: string[]
  let businessIds: [string, string]
  /** Ids of the bookings of the first business, newest first; and of the second. */
  let own: string[]
  let others: string[]
  beforeAll(async () => {
    service = await startTestService(engine)
    const [one, two] = [
      await makeBusiness(service, { hubId: service.world.hub.id }),
      await makeBusiness(service, { hubId: service.world.hub.id }),
    ]
    businessIds = [one.id, two.id]
    key = clientOf(service, one.key)
    hub = clientOf(service, service.world.hub.key)
    staffIds = await makeStaff(service, one.id, ['One', 'Two'])
    offers = [await makeOffer(service, one.id, { staffIds }), await makeOffer(service, one.id)]
    const created: string[] = []
    const add = async (offer: Offer, startsAt: string, more: Parameters<typeof bookSlot>[3] = {}) => {
      created.push(String((await bookSlot(hub, offer, startsAt, more)).id))
      service.clock.advance(1)
    }
    const withEmail = (email: string) => ({ book: { client: { ...ada, email } } })
    await add(offers[0], '2026-12-05T10:00:00Z', { hold: { staff_id: staffIds[0] } })
    await add(offers[0], '2026-12-04T10:00:00Z', { hold: { staff_id: staffIds[1] } })
    await add(offers[1], '2026-12-03T10:00:00Z', withEmail('Grace@Example.com'))
    await add(offers[1], '2026-12-02T10:00:00Z', withEmail('grace@example.com'))
    await add(offers[1], '2026-12-01T10:00:00Z', withEmail('hedy@example.com'))
    own = created.toReversed()
    await key.cancel(own[0] ?? '')
    await key.change(own[1] ?? '', { status: 'pending' })
    created.length = 0
    await add(await makeOffer(service, two.id), '2026-12-03T10:00:00Z')
    others = [...created]
  })
  afterAll(() => service.stop())

  /** The places in `own` of what a list shows. */
  const places = async (query: Record<string, string>, client = key) =>
    idsOf(await client.list(query)).map((id) => own.indexOf(id))

  test('bookings come newest first, whole, with a cursor that is null on the last page', async () => {
    const list = await key.list()
    expect(list.status).toBe(200)
    expect(Object.keys(list.body)).toEqual(['data', 'next_cursor'])
    expect(idsOf(list)).toEqual(own)
    expect(list.body.next_cursor).toBeNull()
    expect(list.body.data[2]).toEqual((await key.show(own[2] ?? '')).body)
  })

  test('each filter narrows the list', async () => {
    expect(await places({ status: 'cancelled' })).toEqual([0])
    expect(await places({ status: 'pending' })).toEqual([1])
    expect(await places({ status: 'confirmed' })).toEqual([2, 3, 4])
    expect(await places({ status: 'completed' })).toEqual([])
    expect(await places({ service_id: offers[0].service_id })).toEqual([3, 4])
    expect(await places({ location_id: offers[1].location_id })).toEqual([0, 1, 2])
    expect(await places({ staff_id: staffIds[1] ?? '' })).toEqual([3])
    expect(await places({ email: 'GRACE@example.com' })).toEqual([1, 2])
    expect(await places({ business_id: businessIds[0] })).toEqual([0, 1, 2, 3, 4])
    expect(await places({ service_id: offers[0].service_id.toUpperCase() })).toEqual([3, 4])
  })

  test('from is the first start that is shown, to the first that is not', async () => {
    expect(await places({ from: '2026-12-03T10:00:00Z' })).toEqual([2, 3, 4])
    expect(await places({ from: '2026-12-03T10:00:01Z' })).toEqual([3, 4])
    expect(await places({ to: '2026-12-03T10:00:00Z' })).toEqual([0, 1])
    expect(await places({ to: '2026-12-03T11:00:01+01:00' })).toEqual([0, 1, 2])
    expect(await places({ from: '2026-12-02T10:00:00Z', to: '2026-12-04T10:00:00Z' })).toEqual([1, 2])
  })

  test('filters join', async () => {
    const email = 'grace@example.com'
    expect(await places({ email, status: 'confirmed' })).toEqual([2])
    expect(await places({ email, location_id: offers[1].location_id, to: '2026-12-03T00:00:00Z' })).toEqual([
      1,
    ])
    expect(await places({ email, staff_id: staffIds[0] ?? '' })).toEqual([])
  })

  test('a business key sees nothing of another business, by no filter', async () => {
    const other = businessIds[1]
    expect(await places({ business_id: other })).toEqual([])
    const [foreign] = (await hub.list({ business_id: other })).body.data
    for (const query of [{ service_id: foreign.service.id }, { location_id: foreign.location.id }]) {
      expect(idsOf(await key.list(query))).toEqual([])
    }
  })

  test('a hub key lists all its businesses or one of them, and no others', async () => {
    const outside = await makeBusiness(service)
    await bookSlot(
      clientOf(service, outside.key),
      await makeOffer(service, outside.id),
      '2026-12-01T10:00:00Z',
    )
    expect(idsOf(await hub.list())).toEqual([...others, ...own])
    expect(idsOf(await hub.list({ business_id: businessIds[0] }))).toEqual(own)
    expect(idsOf(await hub.list({ business_id: outside.id }))).toEqual([])
    expect(idsOf(await hub.list({ limit: 2 }))).toEqual([...others, own[0]])
  })

  test('pages follow each other by their cursor', async () => {
    const first = await key.list({ limit: 2 })
    const second = await key.list({ limit: 2, cursor: first.body.next_cursor as string })
    const third = await key.list({ limit: 2, cursor: second.body.next_cursor as string })
    expect([idsOf(first), idsOf(second), idsOf(third)]).toEqual([
      own.slice(0, 2),
      own.slice(2, 4),
      own.slice(4),
    ])
    expect(third.body.next_cursor).toBeNull()
    expect((await key.list({ limit: 5 })).body.next_cursor).toBeNull()
    const filtered = await key.list({ limit: 1, status: 'confirmed' })
    const next = await key.list({
      limit: 1,
      status: 'confirmed',
      cursor: filtered.body.next_cursor as string,
    })
    expect([...idsOf(filtered), ...idsOf(next)]).toEqual(own.slice(2, 4))
  })

  test.each([
    ['/limit', { limit: '0' }],
    ['/limit', { limit: '101' }],
    ['/limit', { limit: '-1' }],
    ['/limit', { limit: '2.0' }],
    ['/limit', { limit: 'x' }],
    ['/limit', { limit: '' }],
    ['/cursor', { cursor: 'x' }],
    ['/cursor', { cursor: '' }],
    ['/cursor', { cursor: Buffer.from('["x","y"]').toString('base64url') }],
    ['/cursor', { cursor: Buffer.from('["2026-12-01T10:00:00Z","\'"]').toString('base64url') }],
    ['/cursor', { cursor: forgedCursor('2026-12-01T10:00:00+20:00') }],
    ['/cursor', { cursor: forgedCursor('2026-12-01T10:00:00Z') }],
    ['/cursor', { cursor: forgedCursor('2026-12-01T10:00:00.000Z', 'service') }],
    ['/status', { status: 'done' }],
    ['/from', { from: '2026-12-01' }],
    ['/to', { to: '2026-12-01T10:00:00' }],
    ['/service_id', { service_id: 'x' }],
    ['/location_id', { location_id: '1' }],
    ['/staff_id', { staff_id: '' }],
    ['/business_id', { business_id: 'all' }],
    ['/email', { email: 'ada' }],
    ['/sort', { sort: 'starts_at' }],
  ])('%s is refused in %j', async (pointer, query) => {
    const reply = await key.list(query)
    expect(reply).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
    expect(pointersOf(reply)).toEqual([pointer])
  })

  test('sessions may not list', async () => {
    const session = await sessionClient(service, await makeBusiness(service))
    expect(await session.list()).toMatchObject({ status: 403, body: { code: 'key_type_not_allowed' } })
  })

  test('a page holds 20 bookings unless asked otherwise, and pages stay while new bookings come', async () => {
    const business = await makeBusiness(service)
    const busy = clientOf(service, business.key)
    const offer = await makeOffer(service, business.id, { capacity: 500 })
    const many = 45
    const created: string[] = []
    // all at one instant: the cursor has to tell apart what was created at the same time
    for (let count = 0; count < many; count += 1) {
      created.push(String((await bookSlot(busy, offer, '2026-12-01T10:00:00Z')).id))
    }
    const service_id = await makeService(service, business.id, { locationIds: [offer.location_id] })
    const seen: string[] = []
    let cursor: string | null = null
    for (let page = 1; page <= 3; page += 1) {
      const reply: Reply = await busy.list(cursor === null ? {} : { cursor })
      expect(idsOf(reply)).toHaveLength(page < 3 ? 20 : 5)
      seen.push(...idsOf(reply))
      cursor = reply.body.next_cursor as string | null
      service.clock.advance(1)
      await bookSlot(busy, { ...offer, service_id }, `2026-12-0${page}T10:00:00Z`)
    }
    expect(cursor).toBeNull()
    expect(seen.toSorted()).toEqual(created.toSorted())
    expect(seen).toEqual(created.toSorted().toReversed())
  })
})

/** A cursor as nobody has got it from us: an instant that one engine reads and the other does not, or another list's. */
function forgedCursor(instant: string, list = 'booking'): string {
  return Buffer.from(JSON.stringify([list, instant, randomUUID()])).toString('base64url')
}

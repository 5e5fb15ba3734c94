import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import { onOneEngine } from '../support/long.ts'
import { makeBusiness, makeOffer, makeService, makeStaff, type Offer } from '../support/offers.ts'
import { pointersOf } from '../support/refusals.ts'
import { storeBookings } from '../support/stored-bookings.ts'
import { ada, startTestService, type Reply, type TestService } from '../support/test-service.ts'

const idsOf = (reply: Reply) => (reply.body.data as { id: string }[]).map(({ id }) => id)

onOneEngine('postgres', 'listing bookings', (engine) => {
  let service: TestService
  let key: Client
  let hub: Client
  let offers: [Offer, Offer]
  let staffIds: string[]
  let businessIds: [string, string]
  /** IDs of the bookings of the first business, newest first, and of the second. */
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

  /** Returns the positions in `own` of a list's entries. */
  const places = async (query: Record<string, string>, client = key) =>
    idsOf(await client.list(query)).map((id) => own.indexOf(id))

  test('bookings come newest first, whole, with a cursor that is null on the last page', async () => {
    const list = await key.list()
    expect(list.status).toBe(200)
    expect(Object.keys(list.body)).toEqual(['data', 'next_cursor'])
    expect(idsOf(list)).toEqual(own)
    expect(list.body.next_cursor).toBeNull()
    const { manage_url, ...shown } = (await key.show(own[2] ?? '')).body
    expect(manage_url).toBeDefined()
    expect(list.body.data[2]).toEqual(shown)
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

  test('pasted text is trimmed first: it finds what it names, and two letters between spaces are too few', async () => {
    expect(await places({ q: ' hedy\t' })).toEqual(await places({ q: 'hedy' }))
    expect(await places({ q: ' hedy ' })).toHaveLength(1)
    expect(await places({ email: ' hedy@example.com\n' })).toHaveLength(1)
    expect(pointersOf(await key.list({ q: ' he ' }))).toEqual(['/q'])
    const clients = (query: string) => service.call('GET', `/clients?${query}`, { token: key.token })
    expect((await clients('q=%20hedy%20')).body.data).toHaveLength(1)
    expect((await clients('email=%20hedy@example.com%20')).body.data).toHaveLength(1)
    expect(pointersOf(await clients('q=%20he%20'))).toEqual(['/q'])
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
    ['/cursor', { cursor: forgedCursor('2026-12-01T10:00:00.000Z'), sort: 'starts_at' }],
    ['/status', { status: 'done' }],
    ['/from', { from: '2026-12-01' }],
    ['/to', { to: '2026-12-01T10:00:00' }],
    ['/service_id', { service_id: 'x' }],
    ['/location_id', { location_id: '1' }],
    ['/staff_id', { staff_id: '' }],
    ['/business_id', { business_id: 'all' }],
    ['/email', { email: 'ada' }],
    ['/sort', { sort: 'ends_at' }],
    ['/sort', { sort: '+starts_at' }],
    ['/q', { q: 'ad' }],
    ['/q', { q: '🦀🦀' }],
    ['/q', { q: 'a'.repeat(101) }],
    ['/q', { q: 'ada\u0000' }],
  ])('%s is refused in %j', async (pointer, query) => {
    const reply = await key.list(query)
    expect(reply).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
    expect(pointersOf(reply)).toEqual([pointer])
  })

  test('the order is that of creation or start, either way round', async () => {
    expect(await places({ sort: '-created_at' })).toEqual([0, 1, 2, 3, 4])
    expect(await places({ sort: 'created_at' })).toEqual([4, 3, 2, 1, 0])
    expect(await places({ sort: 'starts_at' })).toEqual([0, 1, 2, 3, 4])
    expect(await places({ sort: '-starts_at' })).toEqual([4, 3, 2, 1, 0])
    expect(await places({ sort: '-starts_at', status: 'confirmed' })).toEqual([4, 3, 2])
  })

  test.each(['created_at', 'starts_at', '-created_at', '-starts_at'])(
    'pages in the order %s hold each booking once, also those of the same instant',
    async (sort) => {
      const business = await makeBusiness(service)
      const busy = clientOf(service, business.key)
      const offer = await makeOffer(service, business.id, { capacity: 10 })
      for (const day of [3, 1, 2]) {
        for (let count = 0; count < 3; count += 1) await bookSlot(busy, offer, `2026-12-0${day}T10:00:00Z`)
        service.clock.advance(1)
      }
      const whole = (await busy.list({ sort })).body.data as Record<string, string>[]
      const by = sort.replace('-', '')
      const keys = whole.map((booking) => [booking[by], booking['id']].join())
      expect(keys).toEqual(sort.startsWith('-') ? keys.toSorted().toReversed() : keys.toSorted())
      const seen: unknown[] = []
      let cursor: string | null = null
      do {
        const reply: Reply = await busy.list({ sort, limit: 2, ...(cursor !== null && { cursor }) })
        seen.push(...(reply.body.data as unknown[]))
        cursor = reply.body.next_cursor as string | null
      } while (cursor !== null)
      expect(seen).toEqual(whole)
    },
  )

  test('the agenda of a day is what starts on it, in its order', async () => {
    const day = { from: '2026-12-02T00:00:00+01:00', to: '2026-12-04T00:00:00+01:00' }
    expect(await places({ ...day, sort: 'starts_at' })).toEqual([1, 2])
  })

  test('a cursor is for the order in which it was given', async () => {
    const { next_cursor: cursor } = (await key.list({ limit: 2, sort: 'starts_at' })).body
    for (const other of [{}, { sort: '-starts_at' }, { sort: 'created_at' }]) {
      const reply = await key.list({ cursor: cursor as string, ...other })
      expect(reply).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
      expect(pointersOf(reply)).toEqual(['/cursor'])
    }
  })

  describe('a search', () => {
    let salon: Client
    let ids: Record<string, string>
    beforeAll(async () => {
      const business = await makeBusiness(service, { hubId: service.world.hub.id })
      salon = clientOf(service, business.key)
      const offer = await makeOffer(service, business.id, { capacity: 10 })
      const clients: [string, object][] = [
        ['ada', { ...ada, phone: '+49 (30) 123-456' }],
        ['zoe', { first_name: 'Zoë', last_name: 'ÄRMEL', email: 'Zoe_100%@Example.com' }],
        ['slash', { first_name: 'Back\\slash', last_name: "O'Neill", email: 'bs@example.org' }],
      ]
      ids = {}
      for (const [name, client] of clients) {
        ids[name] = String((await bookSlot(salon, offer, '2026-12-01T10:00:00Z', { book: { client } })).id)
        service.clock.advance(1)
      }
    })
    const found = async (q: string, client = salon) => {
      const list = idsOf(await client.list({ q, sort: 'created_at' }))
      return Object.keys(ids).filter((name) => list.includes(ids[name] ?? ''))
    }

    test.each([
      ['ada', ['ada']],
      ['LOVELACE', ['ada']],
      ['a lov', ['ada']],
      ['@example', ['ada', 'zoe', 'slash']],
      ['zoe_100%@', ['zoe']],
      ['ärm', ['zoe']],
      ['zoë ÄR', ['zoe']],
      ['zoe\u0308', ['zoe']],
      ['+49 (30', ['ada']],
      ['4930123', ['ada']],
      ['k\\s', ['slash']],
      ["o'n", ['slash']],
      ['e_1', ['zoe']],
      ['%%%', []],
      ['___', []],
      ['lacea', []],
      ['456\\', []],
    ])('finds a part of a name, e-mail or phone: %s', async (q, names) => {
      expect(await found(q)).toEqual(names)
    })

    test('joins with the filters, within what the key reaches', async () => {
      expect(idsOf(await salon.list({ q: 'example', status: 'cancelled' }))).toEqual([])
      expect(await found('ärmel', hub)).toEqual(['zoe'])
      expect(await found('ärmel', key)).toEqual([])
    })

    test('finds a client by what was changed of them, and no more by what was there before', async () => {
      await salon.change(ids['slash'] ?? '', { client: { last_name: 'Šimek', phone: '0170 1' } })
      expect(await found('šimek')).toEqual(['slash'])
      expect(await found('01701')).toEqual(['slash'])
      expect(await found("o'neill")).toEqual([])
    })

    test('has pages', async () => {
      const first = await salon.list({ q: 'example', limit: 2 })
      expect(idsOf(first)).toEqual([ids['slash'], ids['zoe']])
      const second = await salon.list({ q: 'example', limit: 2, cursor: first.body.next_cursor as string })
      expect(idsOf(second)).toEqual([ids['ada']])
      expect(second.body.next_cursor).toBeNull()
    })

    describe('among more than ten thousand bookings', () => {
      let large: Client
      let id: unknown
      beforeAll(async () => {
        const business = await makeBusiness(service)
        large = clientOf(service, business.key)
        const offer = await makeOffer(service, business.id)
        const client = { ...ada, last_name: 'Rarqz', email: 'rare@example.com' }
        id = (await bookSlot(large, offer, '2026-12-01T10:00:00Z', { book: { client } })).id
        const staffIds = await makeStaff(service, business.id, ['Busy'])
        const stored = {
          businessId: business.id,
          serviceId: offer.service_id,
          locationId: offer.location_id,
          staffIds,
          count: 10_000,
          firstNumber: 0,
          fromMs: Date.parse('2026-11-21T00:00:00Z'),
          stepMinutes: 60,
          minutes: 30,
          withoutClaims: true as const,
        }
        await service.context.db.transaction((tx) => storeBookings(tx.db, engine, stored))
      })
      const pagesOf = async (query: Record<string, string | number>, most = 3) => {
        const pages: string[][] = []
        let cursor: string | null = null
        do {
          const reply: Reply = await large.list({ ...query, ...(cursor !== null && { cursor }) })
          pages.push(idsOf(reply))
          cursor = reply.body.next_cursor as string | null
        } while (cursor !== null && pages.length < most)
        return pages
      }

      test('finds few on the first page', async () => {
        expect(await pagesOf({ q: 'a rar' })).toEqual([[id]])
        expect(await pagesOf({ q: 'a rar', status: 'cancelled' })).toEqual([[]])
        expect(await pagesOf({ q: 'love rar' })).toEqual([[]])
      })

      test('finds many page by page', async () => {
        const whole = idsOf(await large.list({ sort: 'starts_at', limit: 6 })).filter((one) => one !== id)
        const pages = await pagesOf({ q: 'ada love', sort: 'starts_at', limit: 2 }, 2)
        expect(pages).toEqual([whole.slice(0, 2), whole.slice(2, 4)])
      })

      test('looks at ten thousand for a page where a part has less than three characters, and says where to go on', async () => {
        expect(await pagesOf({ q: 'q\u0308z' })).toEqual([[], [id]])
      })
    })
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
    // all at one instant: the cursor must distinguish things created at the same time
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

/** Forges a cursor: with an instant that only one engine reads, or from another list. */
function forgedCursor(instant: string, list = 'booking'): string {
  return Buffer.from(JSON.stringify([list, '-created_at', instant, randomUUID()])).toString('base64url')
}

import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKey } from '../../src/catalogue/business-keys.ts'
import { createHub } from '../../src/catalogue/business.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { makeStaff } from '../support/offers.ts'
import { bookingOf, holdOf, makeThings, nextStart, type Tenant, unknownId } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'
import { makeShop } from '../support/webhooks.ts'

onOneEngine('postgres', 'sessions and tenants', (engine) => {
  let service: TestService
  let salon: Tenant
  let studio: Tenant
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
    studio = businessOf(service.world, 'Hudson Studio')
  })
  afterAll(() => service.stop())

  const book = (token: string, hold_id: string) =>
    service.call('POST', '/bookings', { token, body: { hold_id, client: ada } })

  test('a session of one business holds nothing of another, and no row is written', async () => {
    const token = await service.session(salon)
    const own = offer(salon, 'Haircut')
    const theirs = offer(studio, 'Haircut')
    const mixtures = [
      theirs,
      { ...own, service_id: theirs.service_id },
      { ...own, location_id: theirs.location_id },
      { ...own, staff_id: studio.staff[0]?.id },
    ]
    const claims = await service.rows('claims')
    for (const mixture of mixtures) {
      const body = { ...mixture, starts_at: nextStart() }
      expectProblem(await service.call('POST', '/bookings/hold', { token, body }), 'not_found')
    }
    expect(await service.rows('claims')).toEqual(claims)
  })

  test('a hub key cannot mix two of its businesses in one hold', async () => {
    const token = service.world.hub.key
    const mixtures = [
      { ...offer(salon, 'Haircut'), location_id: offer(studio, 'Haircut').location_id },
      { ...offer(salon, 'Haircut'), staff_id: studio.staff[0]?.id },
    ]
    for (const mixture of mixtures) {
      const body = { ...mixture, starts_at: nextStart() }
      expectProblem(await service.call('POST', '/bookings/hold', { token, body }), 'not_found')
    }
    const held = await service.call('POST', '/bookings/hold', {
      token,
      body: { ...offer(studio, 'Haircut'), starts_at: nextStart() },
    })
    expect(held.status).toBe(201)
    const booked = await book(token, held.body.hold_id as string)
    expect(booked.body.business_id).toBe(studio.id)
  })

  /** Creates a business with at least one thing of each listed kind. */
  async function businessWithThings(hubId?: string): Promise<string> {
    const { business, offer, book } = await makeShop(service, hubId === undefined ? {} : { hubId })
    const [staff_id] = await makeStaff(service, business.id, ['Anna'])
    await book()
    const { location_id } = offer
    const times = { starts_at: '2027-01-01T00:00:00Z', ends_at: '2027-01-02T00:00:00Z' }
    const webhook = { url: 'http://127.0.0.1:9/', events: ['booking.completed'] }
    for (const [path, body] of [
      ['/blocks', { location_id, ...times }],
      ['/webhooks', webhook],
      ['/feeds', {}],
      ['/busy-calendars', { staff_id, url: 'https://calendar.example.com/a.ics' }],
    ] as const) {
      expect((await service.call('POST', path, { token: business.key, body })).status).toBe(201)
    }
    return business.id
  }

  test("lists show a hub key its businesses' things, all of them, and nothing of others", async () => {
    const hubOf = async (name: string) => (await createHub(service.context, { name, plan: 'enterprise' })).id
    const [chain, rival] = [await hubOf('Chain'), await hubOf('Rival')]
    const { key: token } = await createKey(service.context, { type: 'hub', hubId: chain })
    const own = [await businessWithThings(chain), await businessWithThings(chain)].toSorted()
    const foreign = [await businessWithThings(), await businessWithThings(rival), salon.id]
    const listed = async (path: string, column: 'id' | 'business_id' = 'business_id') => {
      const reply = await service.call('GET', path, { token })
      expect(reply.status, path).toBe(200)
      const items = reply.body.data as Record<typeof column, string>[]
      return [...new Set(items.map((item) => item[column]))].toSorted()
    }
    for (const kind of [
      'services',
      'locations',
      'staff',
      'blocks',
      'bookings',
      'webhooks',
      'feeds',
      'busy-calendars',
      'events',
    ]) {
      expect(await listed(`/${kind}?limit=100`), kind).toEqual(own)
      for (const id of own) expect(await listed(`/${kind}?business_id=${id}`), kind).toEqual([id])
      for (const id of foreign) expect(await listed(`/${kind}?business_id=${id}`), kind).toEqual([])
    }
    expect(await listed('/businesses', 'id')).toEqual(own)
    for (const id of foreign) {
      for (const path of [`/businesses/${id}`, `/businesses/${id}/keys`]) {
        expectProblem(await service.call('GET', path, { token }), 'not_found')
      }
    }
  })

  test('the schema itself refuses a row that mixes two businesses', async () => {
    const { booking_id, location_id, staff_id } = await makeThings(service, salon)
    for (const [table, id] of [
      ['bookings', booking_id],
      ['locations', location_id],
      ['staff', staff_id],
    ] as const) {
      const moved = service.context.db.transaction((tx) =>
        tx.db.updateTable(table).set({ business_id: studio.id }).where('id', '=', id).execute(),
      )
      await expect(moved).rejects.toThrow(/foreign key/i)
    }
  })

  test('a session neither sees, converts nor releases the hold of another session of its business', async () => {
    const hold_id = await holdOf(service, salon, { token: await service.session(salon) })
    const thief = await service.session(salon)
    for (const id of [hold_id, unknownId]) {
      expectProblem(await service.call('GET', `/bookings/hold/${id}`, { token: thief }), 'hold_not_found')
      expectProblem(await service.call('DELETE', `/bookings/hold/${id}`, { token: thief }), 'hold_not_found')
      expectProblem(await book(thief, id), 'hold_not_found')
    }
    const hold = await service.call('GET', `/bookings/hold/${hold_id}`, { token: salon.business_key })
    expect(hold.body.status).toBe('active')
  })

  test('a business or hub key converts and releases any hold in its reach', async () => {
    for (const token of [salon.business_key, service.world.hub.key]) {
      const session = await service.session(salon)
      const [kept, released] = [
        await holdOf(service, salon, { token: session }),
        await holdOf(service, salon, { token: session }),
      ]
      expect((await book(token, kept)).status).toBe(201)
      expect((await service.call('DELETE', `/bookings/hold/${released}`, { token })).status).toBe(204)
    }
  })

  test('a leaked booking id opens nothing but its masked form to sessions of its business', async () => {
    const path = `/bookings/${await bookingOf(service, salon, { token: await service.session(salon) })}`
    const stranger = await service.session(salon)
    expect((await service.call('GET', path, { token: stranger })).body.redacted).toBe(true)
    for (const method of ['PATCH', 'DELETE']) {
      expectProblem(await service.call(method, path, { token: stranger }), 'key_type_not_allowed', {
        allowed_key_types: ['business', 'hub'],
      })
    }
    for (const tenant of service.world.businesses.filter(({ id }) => id !== salon.id)) {
      expectProblem(await service.call('GET', path, { token: await service.session(tenant) }), 'not_found')
      expectProblem(await service.call('GET', path, { token: tenant.publishable_key }), 'not_found')
    }
  })
})

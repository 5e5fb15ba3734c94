import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findMiscounted } from '../support/checker.ts'
import { makeBusiness, makeOffer, makeStaff, type Offer, type OwnBusiness } from '../support/offers.ts'
import { logInNewPerson } from '../support/person.ts'
import { changeRows } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, startTestService, type TestService } from '../support/test-service.ts'

/* The rows of clients through the API: added, found, changed, merged. */

type Body = Record<string, unknown>

onOneEngine('sqlite', 'clients', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let offer: Offer
  let staffIds: string[]
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    staffIds = await makeStaff(service, business.id, ['Kim', 'Sam'])
    offer = await makeOffer(service, business.id, { name: 'Cut', staffIds })
  })
  afterAll(async () => {
    expect(await findMiscounted(service.databaseUrl)).toEqual([])
    await service.stop()
  })

  const call = (method: string, path: string, body?: object) =>
    service.call(method, path, { token: business.key, ...(body && { body }) })

  async function done(method: string, path: string, body?: object): Promise<Body> {
    const reply = await call(method, path, body)
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300)
    return reply.body
  }

  let hours = 0
  async function book(client: object, staff_id = staffIds[0]) {
    const starts_at = new Date(Date.parse('2026-12-01T09:00:00Z') + (hours += 1) * 3_600_000).toISOString()
    const { hold_id } = await done('POST', '/bookings/hold', { ...offer, staff_id, starts_at })
    const booked = await done('POST', '/bookings', { hold_id, client })
    return { id: String(booked['id']), clientId: String((booked['client'] as Body)['id']) }
  }
  const find = async (query: string) =>
    ((await done('GET', `/clients?${query}`))['data'] as Body[]).map(({ id }) => id)

  test('are added with everything that a card has, once', async () => {
    const card = {
      ...{ ...ada, email: 'card@example.com', phone: '+49 30 9', notes: 'Allergic to ammonia' },
      ...{ tags: ['colour', 'VIP'], locale: 'de', time_zone: 'Europe/Berlin', metadata: { crm: '17' } },
    }
    const made = await done('POST', '/clients', card)
    expect(made).toEqual({
      ...{ ...card, id: made['id'], business_id: business.id, blocked: false },
      ...{
        booking_count: 0,
        no_show_count: 0,
        last_booking_at: null,
        created_at: '2026-11-20T10:00:00+01:00',
      },
    })
    expect(await done('GET', `/clients/${String(made['id'])}`)).toEqual(made)
    expect(
      await call('POST', '/clients', { ...ada, first_name: 'ADA', email: 'CARD@example.com' }),
    ).toMatchObject({
      status: 409,
      body: { code: 'client_exists', client_id: made['id'] },
    })
    expect((await book({ ...ada, email: 'card@example.com' })).clientId).toBe(made['id'])
    for (const [field, value] of [
      ['notes', 'x'.repeat(2001)],
      ['tags', Array.from({ length: 21 }, (_each, index) => `tag ${index}`)],
      ['tags', ['x'.repeat(41)]],
      ['metadata', Object.fromEntries(Array.from({ length: 21 }, (_each, index) => [`key ${index}`, '']))],
      ['metadata', { long: 'x'.repeat(501) }],
      ['metadata', { number: 1 }],
      ['first_name', 'www.example.com'],
      ['time_zone', 'Mars'],
    ] as const)
      expect(
        await call('PATCH', `/clients/${String(made['id'])}`, { [field]: value }),
        JSON.stringify(value),
      ).toMatchObject({
        status: 422,
      })
  })

  test('are found by any part of what they gave, now or in a booking', async () => {
    const { clientId } = await book({
      first_name: 'Żółć',
      last_name: 'Gęślą',
      email: 'found@example.com',
      phone: '030 4711',
    })
    await done('PATCH', `/clients/${clientId}`, { first_name: 'Renamed', email: 'other@example.com' })
    for (const q of ['zolc', 'Gesla', 'found@', '4711', 'renamed', 'OTHER@exa'])
      expect(await find(`q=${encodeURIComponent(q)}`), q).toEqual([clientId])
    for (const email of ['Found@example.com', 'other@example.com'])
      expect(await find(`email=${email}`)).toEqual([clientId])
    expect(await find('q=nobody-at-all')).toEqual([])
  })

  test('are found by any label of a domain, in Unicode and in ASCII', async () => {
    const added = await done('POST', '/clients', {
      first_name: 'Buch',
      email: 'laden@Mail.XN--Bcher-KVA.example',
    })
    const { clientId } = await book({ ...ada, first_name: 'Bo', email: 'bo@mail.bücher.example' })
    for (const q of ['bücher', 'BUCHER.ex', '@mail.bü', 'xn--bcher-kva', 'mail.XN--bcher-kva.example'])
      expect((await find(`q=${encodeURIComponent(q)}`)).toSorted(), q).toEqual(
        [String(added['id']), clientId].toSorted(),
      )
    for (const q of ['laden@mail.xn--bcher-kva.ex', 'laden@mail.bücher.example'])
      expect(await find(`q=${encodeURIComponent(q)}`), q).toEqual([added['id']])
    for (const email of ['bo@mail.xn--bcher-kva.example', 'BO@mail.bücher.example'])
      expect(await find(`email=${encodeURIComponent(email)}`), email).toEqual([clientId])
  })

  test('are found by a phone number in any spelling, whatever that of the client', async () => {
    const phones = ['0170 7770001', '+49 170 7770001', '0049 (0)170 777-0001']
    const ids: string[] = []
    for (const [index, phone] of phones.entries()) {
      const { id } = await done('POST', '/clients', { first_name: `Child ${index}`, phone })
      ids.push(String(id))
    }
    for (const q of [...phones, '01707770001', '1707770001', '+49170777', '0170 777'])
      expect((await find(`q=${encodeURIComponent(q)}`)).toSorted(), q).toEqual(ids.toSorted())
  })

  test('are listed by name, whatever its accents, in pages', async () => {
    const other = await makeBusiness(service)
    const token = other.key
    for (const first_name of ['Zoe', 'Émile', 'eva', 'Ärne', 'Anna'])
      await service.call('POST', '/clients', { token, body: { first_name } })
    const names: unknown[] = []
    for (let cursor = ''; ;) {
      const { body } = await service.call('GET', `/clients?limit=2${cursor}`, { token })
      names.push(...(body.data as Body[]).map(({ first_name }) => first_name))
      if (body.next_cursor === null) break
      cursor = `&cursor=${String(body.next_cursor)}`
    }
    expect(names).toEqual(['Anna', 'Ärne', 'Émile', 'eva', 'Zoe'])
  })

  test('are corrected once, and later bookings with the old name still belong to them', async () => {
    const { id, clientId } = await book({ ...ada, first_name: 'Adda', email: 'once@example.com' })
    const changed = await done('PATCH', `/clients/${clientId}`, {
      first_name: 'Ada',
      phone: '+49 30 5',
      notes: 'x',
    })
    expect(changed).toMatchObject({ first_name: 'Ada', phone: '+49 30 5', booking_count: 1 })
    expect((await done('GET', `/bookings/${id}`))['client']).toMatchObject({
      id: clientId,
      first_name: 'Adda',
    })
    for (const first_name of ['Adda', 'Ada'])
      expect((await book({ ...ada, first_name, email: 'once@example.com' })).clientId).toBe(clientId)
    expect(await done('GET', `/clients/${clientId}`)).toMatchObject({ booking_count: 3, notes: 'x' })
    // and back
    expect(await done('PATCH', `/clients/${clientId}`, { first_name: 'Adda' })).toMatchObject({
      first_name: 'Adda',
    })
    expect((await book({ ...ada, email: 'once@example.com' })).clientId).toBe(clientId)
    const sister = await book({ ...ada, first_name: 'Eve', email: 'once@example.com' })
    expect(await call('PATCH', `/clients/${sister.clientId}`, { first_name: 'Adda' })).toMatchObject({
      status: 409,
      body: { client_id: clientId },
    })
  })

  test('have each tag once, whatever its capitals', async () => {
    const made = await done('POST', '/clients', {
      first_name: 'Tagged',
      tags: ['VIP', 'vip', 'ÄRZTIN', 'ärztin'],
    })
    expect(made['tags']).toEqual(['VIP', 'ÄRZTIN'])
    const to = `/clients/${String(made['id'])}`
    expect(await done('PATCH', to, { tags: ['vip', 'new', 'VIP'] })).toMatchObject({ tags: ['vip', 'new'] })
    expect(await done('GET', to)).toMatchObject({ tags: ['vip', 'new'] })
    // an earlier release stored both
    await changeRows(
      service,
      sql`update clients set tags_json = '["VIP", "vip"]' where id = ${String(made['id'])}`,
    )
    expect(await done('GET', to)).toMatchObject({ tags: ['VIP'] })
  })

  test('are merged with all that they have, and further bookings of either reach the one who stays', async () => {
    const [one, two] = [
      await book({ ...ada, first_name: 'Bob', email: 'bob@example.com' }),
      await book({ first_name: 'Robert', last_name: 'Lovelace', phone: '+49308' }),
    ]
    await done('PATCH', `/clients/${one.clientId}`, {
      notes: 'first',
      tags: ['a', 'B', 'b'],
      metadata: { x: '1' },
    })
    await done('PATCH', `/clients/${two.clientId}`, { notes: 'second', tags: ['b', 'c'] })
    const merged = await done('POST', `/clients/${one.clientId}/merge`, { into: two.clientId })
    expect(merged).toMatchObject({
      ...{
        id: two.clientId,
        first_name: 'Robert',
        email: 'bob@example.com',
        phone: '+49308',
        booking_count: 2,
      },
      ...{ notes: 'second\nfirst', tags: ['b', 'c', 'a'], metadata: { x: '1' } },
    })
    expect(await call('GET', `/clients/${one.clientId}`)).toMatchObject({ status: 404 })
    expect((await book({ ...ada, first_name: 'Bob', email: 'bob@example.com' })).clientId).toBe(two.clientId)
    expect(await done('GET', `/clients/${two.clientId}`)).toMatchObject({ booking_count: 3 })
    expect(await find('q=bob')).toEqual([two.clientId])
    const { data } = await done('GET', `/bookings?client_id=${two.clientId}`)
    expect(data).toHaveLength(3)
    const token = (await makeBusiness(service)).key
    const foreign = await service.call('POST', '/clients', { token, body: { first_name: 'Foreign' } })
    for (const into of [two.clientId, String(foreign.body.id), '00000000-0000-4000-8000-000000000000'])
      expect(await call('POST', `/clients/${two.clientId}/merge`, { into })).toMatchObject({ status: 422 })
  })

  test('are blocked by their address', async () => {
    const { clientId } = await book({ ...ada, email: 'blocked+tag@example.com' })
    expect(await done('PATCH', `/clients/${clientId}`, { blocked: true })).toMatchObject({ blocked: true })
    expect(await find('email=blocked%2Btag@example.com')).toEqual([clientId])
    expect(await done('PATCH', `/clients/${clientId}`, { blocked: false })).toMatchObject({ blocked: false })
    const nameless = await done('POST', '/clients', { first_name: 'Walk-in' })
    const refused = await call('PATCH', `/clients/${String(nameless['id'])}`, {
      blocked: true,
      notes: 'lost',
    })
    expect(refused.status).toBe(422)
    expect(await done('GET', `/clients/${String(nameless['id'])}`)).toMatchObject({ notes: null })
  })

  test('of a colleague are no business of staff, and nobody but the front desk writes', async () => {
    const [own, others] = [
      await book({ ...ada, email: 'own@example.com', phone: '1' }),
      await book({ ...ada, email: 'others@example.com' }, staffIds[1]),
    ]
    await done('PATCH', `/clients/${own.clientId}`, { phone: '+49 99', notes: 'Allergic' })
    const person = await logInNewPerson(service, {
      ...{
        email: 'kim@example.com',
        role: 'staff',
        place: { businessId: business.id },
        staffId: staffIds[0] ?? '',
      },
    })
    expect(await person.call('GET', `/clients/${own.clientId}`)).toMatchObject({
      status: 200,
      body: { phone: '1', notes: 'Allergic' },
    })
    expect(await person.call('GET', `/clients/${others.clientId}`)).toMatchObject({ status: 404 })
    expect(await person.call('PATCH', `/clients/${own.clientId}`, { notes: '' })).toMatchObject({
      status: 403,
    })
    expect(await person.call('GET', '/clients')).toMatchObject({ status: 403 })
  })

  test('are in the audit log without their data', async () => {
    const { id } = await done('POST', '/clients', { first_name: 'Unheard', notes: 'Secret' })
    await done('PATCH', `/clients/${String(id)}`, { notes: 'Other' })
    const { body } = await service.call('GET', `/audit?subject=${String(id)}`, { token: business.key })
    const entries = body.data as Body[]
    expect(entries.map(({ action }) => action)).toEqual(['client.updated', 'client.created'])
    expect(JSON.stringify(entries)).not.toMatch(/Unheard|Secret|Other/)
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBusiness, makeOffer, makeStaff, type Offer, type OwnBusiness } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, startTestService, type TestService } from '../support/test-service.ts'

/* Values that developers keep with holds, bookings and clients, and the lists that search by them. */

type Body = Record<string, unknown>

onOneEngine('sqlite', 'metadata', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let offer: Offer
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    const staffIds = await makeStaff(service, business.id, ['Kim'])
    offer = { ...(await makeOffer(service, business.id, { name: 'Cut', staffIds })) }
  })
  afterAll(() => service.stop())

  async function done(method: string, path: string, body?: object, token = business.key): Promise<Body> {
    const reply = await service.call(method, path, { token, ...(body && { body }) })
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300)
    return reply.body
  }
  const refused = async (method: string, path: string, body?: object) => {
    const reply = await service.call(method, path, { token: business.key, ...(body && { body }) })
    return { status: reply.status, errors: reply.body['errors'] }
  }
  let hours = 0
  const nextTime = () => new Date(Date.parse('2026-12-01T09:00:00Z') + (hours += 1) * 3_600_000).toISOString()
  const hold = (metadata?: object) =>
    done('POST', '/bookings/hold', { ...offer, starts_at: nextTime(), ...(metadata && { metadata }) })
  async function book(onHold?: object, onBooking?: object, client: object = ada) {
    const { hold_id } = await hold(onHold)
    const body = { hold_id, client, ...(onBooking && { metadata: onBooking }) }
    return done('POST', '/bookings', body)
  }
  const found = async (query: string, path = '/bookings') =>
    ((await done('GET', `${path}?${query}`))['data'] as Body[]).map(({ id }) => id)
  const valuesOf = async (id: unknown) =>
    (
      await service.context.db.reads
        .selectFrom('metadata_values')
        .select(['name', 'value'])
        .where('subject_id', '=', String(id))
        .orderBy('name')
        .execute()
    ).map(({ name, value }) => [name, value])

  test('of a hold joins that of its booking, which events show', async () => {
    const held = await hold({ order: '1', source: 'shop' })
    expect(held['metadata']).toEqual({ order: '1', source: 'shop' })
    expect((await done('GET', `/bookings/hold/${String(held['hold_id'])}`))['metadata']).toEqual(
      held['metadata'],
    )
    const body = { hold_id: held['hold_id'], client: ada, metadata: { order: '2', 'a"b\\c': 'é\nx' } }
    const booked = await done('POST', '/bookings', body)
    const all = { 'a"b\\c': 'é\nx', order: '2', source: 'shop' }
    expect(booked['metadata']).toEqual(all)
    expect(await valuesOf(booked['id'])).toEqual(Object.entries(all))
    const { data } = await done('GET', '/events?limit=100')
    const last = (data as { booking_id: string; payload: { data: Body } }[]).find((event) =>
      JSON.stringify(event).includes(String(booked['id'])),
    )
    expect(JSON.stringify(last)).toContain('"source":"shop"')
    expect((await book())['metadata']).toBeUndefined()
  })

  test('is replaced by a change, and found in any form', async () => {
    const one = await book({ order: 'A & B=1' })
    const other = await book({ order: 'A & B=1', kind: 'gift' })
    const wanted = `metadata[order]=${encodeURIComponent('A & B=1')}`
    expect(await found(`${wanted}&sort=starts_at`)).toEqual([one['id'], other['id']])
    expect(await found(`${wanted}&metadata[kind]=gift`)).toEqual([other['id']])
    expect(await found(`${wanted}&ids=${String(one['id'])}&ids=${String(other['id'])}&limit=1`)).toHaveLength(
      1,
    )
    expect(await found('metadata[order]=unknown')).toEqual([])
    expect(await found(`${wanted}&q=lovelace&status=confirmed&status=pending`)).toHaveLength(2)
    expect(await found(`${wanted}&status=cancelled`)).toEqual([])
    const changed = await done('PATCH', `/bookings/${String(one['id'])}`, { metadata: { kind: 'gift' } })
    expect(changed['metadata']).toEqual({ kind: 'gift' })
    expect(await found(wanted)).toEqual([other['id']])
    const cleared = await done('PATCH', `/bookings/${String(one['id'])}`, { metadata: {} })
    expect(cleared['metadata']).toBeUndefined()
    expect(await valuesOf(one['id'])).toEqual([])
    const stranger = await makeBusiness(service)
    expect(await done('GET', `/bookings?${wanted}`, undefined, stranger.key)).toMatchObject({ data: [] })
  })

  test('of clients is found, also while many have it', async () => {
    const make = async (index: number) => {
      const client = {
        first_name: 'Kim',
        email: `kim${index}@example.com`,
        metadata: { crm: String(index), all: 'x' },
      }
      return (await done('POST', '/clients', client))['id']
    }
    const ids = [await make(1), await make(2), await make(3)]
    expect(await found('metadata[crm]=2', '/clients')).toEqual([ids[1]])
    expect(await found('metadata[all]=x&metadata[crm]=3', '/clients')).toEqual([ids[2]])
    const others = Array.from({ length: 1_001 }, () => ({
      ...{ business_id: business.id, name: 'all', value: 'x', subject_id: service.context.ids.next() },
    }))
    await service.context.db.transaction(async (tx) => {
      for (const row of others) await tx.db.insertInto('metadata_values').values(row).execute()
    })
    expect(new Set(await found('metadata[all]=x', '/clients'))).toEqual(new Set(ids))
    expect(await found('metadata[all]=x&q=kim2', '/clients')).toEqual([ids[1]])
    const many = await book({ all: 'x' })
    expect(await found('metadata[all]=x')).toEqual([many['id']])
  })

  test('is bounded, with an error that names it', async () => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_each, index) => [`k${index}`, '']))
    const others = Object.fromEntries(Array.from({ length: 12 }, (_each, index) => [`o${index}`, '']))
    const { hold_id } = await hold(many)
    const wrong = { status: 422, errors: [{ pointer: '/metadata', code: 'out_of_range' }] }
    for (const metadata of [others, { '': 'x' }, { x: 'x'.repeat(501) }, { x: '\u0000' }])
      expect(await refused('POST', '/bookings', { hold_id, client: ada, metadata })).toMatchObject(wrong)
    expect(await refused('GET', '/bookings?metadata[]=1')).toMatchObject(wrong)
    for (const query of [
      'metadata=1',
      'metadata[a]=1&metadata[a]=2',
      'ids=1',
      'status=none',
      'status=pending&status=pending',
    ])
      expect(await refused('GET', `/bookings?${query}`), query).toMatchObject({ status: 422 })
  })

  test('lists what was changed since an instant', async () => {
    const early = await book()
    service.clock.advance(60)
    const late = await book()
    const since = encodeURIComponent(String(late['updated_at']))
    expect(await found(`updated_since=${since}`)).toEqual([late['id']])
    service.clock.advance(60)
    await done('PATCH', `/bookings/${String(early['id'])}`, { notes: 'later' })
    expect(await found(`updated_since=${since}&sort=starts_at`)).toEqual([early['id'], late['id']])
  })

  test('is hidden from sessions, and erased with the client', async () => {
    const token = String(
      (await done('POST', '/session', undefined, business.publishableKey))['session_token'],
    )
    const wanted = { ...offer, starts_at: nextTime(), metadata: { order: 'secret' } }
    const held = await done('POST', '/bookings/hold', wanted, token)
    const headers = { 'idempotency-key': 'own' }
    const kept = { ...offer, starts_at: nextTime(), metadata: { order: 'kept' } }
    const again = await service.call('POST', '/bookings/hold', { token: business.key, headers, body: kept })
    service.clock.advance(60)
    await done('POST', '/bookings', {
      hold_id: again.body['hold_id'],
      client: { ...ada, email: 'gone@example.com' },
    })
    const client = { ...ada, email: 'gone@example.com' }
    const body = { hold_id: held['hold_id'], client, metadata: { utm_source: 'news' } }
    const booked = await done('POST', '/bookings', body, token)
    for (const seen of [held, booked]) expect(seen['metadata']).toBeUndefined()
    const shown = await done('GET', `/bookings/${String(booked['id'])}`)
    expect(shown['metadata']).toEqual({ order: 'secret', utm_source: 'news' })
    await done('POST', '/clients/erase', { email: 'gone@example.com' })
    const after = await done('GET', `/bookings/${String(booked['id'])}`)
    expect(after['metadata']).toBeUndefined()
    expect(await valuesOf(booked['id'])).toEqual([])
    expect(JSON.stringify(await service.rows('idempotency_records'))).not.toContain('kept')
  })
})

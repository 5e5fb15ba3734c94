import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { clientOf } from '../support/client.ts'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { startReceiver, status } from '../support/receiver.ts'
import { unknownId } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'
import { allEvents, deliveriesOf, makeShop, makeWebhook } from '../support/webhooks.ts'

const to = { address: 'http://127.0.0.1:9' }

onOneEngine('sqlite', 'webhooks', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let hubKey: string
  beforeAll(async () => {
    service = await startTestService(engine)
    hubKey = service.world.hub.key
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    business = await makeBusiness(service)
  })

  const create = (body: unknown, token = business.key) => service.call('POST', '/webhooks', { token, body })

  test('are registered with a secret that is shown once', async () => {
    const created = await create({ url: 'https://example.com/hooks', events: ['booking.created'] })
    expect(created.status).toBe(201)
    const { secret, ...shown } = created.body as Record<string, unknown>
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(Buffer.from(String(secret).slice(6), 'base64')).toHaveLength(32)
    expect(shown).toEqual({
      id: expect.any(String),
      business_id: business.id,
      url: 'https://example.com/hooks',
      events: ['booking.created'],
      description: null,
      status: 'active',
      created_at: '2026-11-20T10:00:00+01:00',
    })
    const path = `/webhooks/${String(shown['id'])}`
    expect((await service.call('GET', path, { token: business.key })).body).toEqual(shown)
    const { body } = await service.call('GET', '/webhooks', { token: business.key })
    expect(body).toEqual({ data: [shown], next_cursor: null })
    const { body: changed } = await service.call('PATCH', path, { token: business.key, body: {} })
    expect(changed).toEqual(shown)
    expect(service.logLines.join('')).not.toContain(String(secret))
  })

  test('have different secrets', async () => {
    const one = await makeWebhook(service, { token: business.key, to })
    const other = await makeWebhook(service, { token: business.key, to })
    expect(one.secret).not.toBe(other.secret)
  })

  test('show their events in one order, however they were given', async () => {
    const { body } = await create({ url: to.address, events: allEvents.toReversed() })
    expect(body.events).toEqual(allEvents)
  })

  test.each<[string, unknown, string[]]>([
    ['nothing', {}, ['/url', '/events']],
    ['no events', { url: to.address, events: [] }, ['/events']],
    ['an unknown event', { url: to.address, events: ['booking.lost'] }, ['/events/0']],
    ['an event twice', { url: to.address, events: ['booking.created', 'booking.created'] }, ['/events']],
    ['an unknown field', { url: to.address, events: allEvents, secret: 'mine' }, ['/secret']],
    ['a long address', { url: `https://example.com/${'x'.repeat(2_029)}`, events: allEvents }, ['/url']],
    ['an empty description', { url: to.address, events: allEvents, description: '' }, ['/description']],
    ['no UUID', { url: to.address, events: allEvents, business_id: 'mine' }, ['/business_id']],
  ])('are not registered with %s', async (_name, body, pointers) => {
    expectErrors(await create(body), ...pointers)
    expect((await service.call('GET', '/webhooks', { token: business.key })).body.data).toEqual([])
  })

  test('have addresses of up to 2,048 characters', async () => {
    const url = `https://example.com/${'x'.repeat(2_028)}`
    expect(url).toHaveLength(2_048)
    expect((await create({ url, events: allEvents })).body.url).toBe(url)
  })

  test('change in all that can change, and keep the rest', async () => {
    const { id } = await makeWebhook(service, { token: business.key, to })
    const change = async (body: object) => {
      const reply = await service.call('PATCH', `/webhooks/${id}`, { token: business.key, body })
      expect(reply.status).toBe(200)
      return reply.body as object
    }
    expect(await change({ url: 'http://127.0.0.1:9/new' })).toMatchObject({ url: 'http://127.0.0.1:9/new' })
    expect(await change({ events: ['booking.completed'] })).toMatchObject({ events: ['booking.completed'] })
    expect(await change({ description: 'Mine' })).toMatchObject({ description: 'Mine', status: 'active' })
    expect(await change({ description: null })).toMatchObject({ description: null })
    expect(await change({ status: 'disabled' })).toMatchObject({ status: 'disabled' })
    expect(await change({ status: 'active' })).toMatchObject({
      id,
      url: 'http://127.0.0.1:9/new',
      events: ['booking.completed'],
      status: 'active',
    })
  })

  test('that are deleted are gone with their pending deliveries', async () => {
    const receiver = await startReceiver()
    receiver.answer = status(500)
    const shop = await makeShop(service)
    const { key: token } = shop.business
    const { id } = await makeWebhook(service, { token, to: receiver })
    await shop.book()
    await service.app.deliveries.settled()
    expect(receiver.received).toHaveLength(1)
    const gone = await service.call('DELETE', `/webhooks/${id}`, { token })
    expect(gone).toMatchObject({ status: 204, body: undefined })
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', '/deliveries'],
      ['POST', '/rotate-secret'],
      ['POST', '/test'],
    ] as const) {
      const options = method === 'PATCH' ? { token, body: {} } : { token }
      expectProblem(await service.call(method, `/webhooks/${id}${path}`, options), 'not_found')
    }
    expect((await service.call('GET', '/webhooks', { token })).body.data).toEqual([])
    service.clock.advance(400)
    await service.app.deliveries.settled()
    expect(receiver.received).toHaveLength(1)
    await receiver.stop()
  })

  test('are at most 20 a business, however many ask at once; one that is deleted makes room', async () => {
    const body = { url: to.address, events: allEvents }
    const replies = await Promise.all(Array.from({ length: 30 }, () => create(body)))
    expect(replies.filter(({ status: code }) => code === 201)).toHaveLength(20)
    const refused = replies.filter(({ status: code }) => code !== 201)
    expect(refused).toHaveLength(10)
    for (const reply of refused) expectProblem(reply, 'webhook_limit_reached')
    const [kept] = replies.filter(({ status: code }) => code === 201)
    await service.call('DELETE', `/webhooks/${String(kept?.body.id)}`, { token: business.key })
    expect((await create(body)).status).toBe(201)
    expectProblem(await create(body), 'webhook_limit_reached')
    const other = await makeBusiness(service)
    expect((await create(body, other.key)).status).toBe(201)
  })

  test('are listed a page at a time, the newest first', async () => {
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1) {
      ids.unshift((await makeWebhook(service, { token: business.key, to })).id)
      service.clock.advance(1)
    }
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`
      const { body } = await service.call('GET', `/webhooks?limit=2${query}`, { token: business.key })
      seen.push(...(body.data as { id: string }[]).map(({ id }) => id))
      cursor = body.next_cursor as string | null
    }
    expect(seen).toEqual(ids)
    for (const bad of ['x', Buffer.from('["booking","x","y"]').toString('base64url')]) {
      const reply = await service.call('GET', `/webhooks?cursor=${bad}`, { token: business.key })
      expectErrors(reply, '/cursor')
    }
  })

  test('of a hub are for all of it, and no business sees them', async () => {
    const salon = businessOf(service.world, 'Salon Spree')
    const whole = await create({ url: to.address, events: allEvents, business_id: null }, hubKey)
    expect(whole.body.business_id).toBeNull()
    expect(whole.body.created_at).toMatch(/\+00:00$/)
    const one = await create({ url: to.address, events: allEvents, business_id: salon.id }, hubKey)
    expect(one.body.business_id).toBe(salon.id)
    const idsFor = async (token: string, query = '') => {
      const { body } = await service.call('GET', `/webhooks?${query}`, { token })
      return (body.data as { id: string }[]).map(({ id }) => id)
    }
    expect(await idsFor(hubKey)).toEqual(expect.arrayContaining([whole.body.id, one.body.id]))
    expect(await idsFor(hubKey, `business_id=${salon.id}`)).toEqual([one.body.id])
    expect(await idsFor(salon.business_key)).toEqual([one.body.id])
    const path = `/webhooks/${String(whole.body.id)}`
    expectProblem(await service.call('GET', path, { token: salon.business_key }), 'not_found')
    expectProblem(await service.call('DELETE', path, { token: salon.business_key }), 'not_found')
    expect((await service.call('POST', `${path}/test`, { token: hubKey })).status).toBe(202)
  })

  test('cannot be registered for a business out of reach', async () => {
    const body = { url: to.address, events: allEvents }
    expectProblem(await create({ ...body, business_id: business.id }, hubKey), 'not_found')
    const other = await makeBusiness(service)
    expectProblem(await create({ ...body, business_id: other.id }), 'not_found')
    expectProblem(await create({ ...body, business_id: unknownId }), 'not_found')
    expect((await create({ ...body, business_id: business.id })).status).toBe(201)
  })

  test('are created anew under a repeated Idempotency-Key, whose response would show a secret', async () => {
    const headers = { 'idempotency-key': 'same' }
    const body = { url: to.address, events: allEvents }
    const send = () => service.call('POST', '/webhooks', { token: business.key, body, headers })
    const [one, other] = [await send(), await send()]
    expect([one.status, other.status]).toEqual([201, 201])
    expect(one.body.id).not.toBe(other.body.id)
    expect(await service.rows('idempotency_records')).toEqual([])
  })

  test('get a sample on request, with a header that says so, even while they are disabled', async () => {
    const receiver = await startReceiver()
    const { key: token } = business
    const { id } = await makeWebhook(service, { token, to: receiver, events: ['booking.cancelled'] })
    await service.call('PATCH', `/webhooks/${id}`, { token, body: { status: 'disabled' } })
    const events = await service.rows('events')
    const asked = await service.call('POST', `/webhooks/${id}/test`, { token })
    expect(asked).toMatchObject({ status: 202, body: { event: 'booking.created', status: 'pending' } })
    await service.app.deliveries.settled()
    const [got] = receiver.received
    expect(got?.headers).toMatchObject({ 'x-service-test': 'true', 'webhook-id': asked.body.event_id })
    expect(JSON.parse(got?.body.toString() ?? '')).toMatchObject({
      event: 'booking.created',
      data: { id: asked.body.booking_id, status: 'confirmed', client: { first_name: 'Ada' } },
    })
    const [line] = await deliveriesOf(service, { token, id })
    expect(line).toMatchObject({ id: asked.body.id, status: 'succeeded' })
    expect(await service.rows('events')).toEqual(events)
    await receiver.stop()
  })

  test('have a log that is narrowed by status and read a page at a time', async () => {
    const receiver = await startReceiver()
    const shop = await makeShop(service)
    const { key: token } = shop.business
    const { id } = await makeWebhook(service, { token, to: receiver })
    receiver.answer = status(410)
    await shop.book()
    await service.app.deliveries.settled()
    receiver.answer = status(200)
    await service.call('PATCH', `/webhooks/${id}`, { token, body: { status: 'active' } })
    service.clock.advance(1)
    for (let index = 0; index < 3; index += 1) await shop.book()
    await service.app.deliveries.settled()
    const states = async (query: string) =>
      (await deliveriesOf(service, { token, id, query })).map((line) => line.status)
    expect(await states('')).toEqual(['succeeded', 'succeeded', 'succeeded', 'failed'])
    expect(await states('&status=failed')).toEqual(['failed'])
    expect(await states('&status=pending')).toEqual([])
    const first = await service.call('GET', `/webhooks/${id}/deliveries?limit=3`, { token })
    expect(first.body.data).toHaveLength(3)
    const path = `/webhooks/${id}/deliveries?limit=3&cursor=${String(first.body.next_cursor)}`
    const second = await service.call('GET', path, { token })
    expect(second.body).toMatchObject({ data: [{ status: 'failed' }], next_cursor: null })
    expectErrors(await service.call('GET', `/webhooks/${id}/deliveries?status=lost`, { token }), '/status')
    await receiver.stop()
  })

  test('are not there for a key whose plan has ended', async () => {
    const path = `/webhooks/${(await makeWebhook(service, { token: business.key, to })).id}`
    const growth = await makeBusiness(service, { plan: 'growth' })
    expectProblem(await create({ url: to.address, events: allEvents }, growth.key), 'plan_required', {
      required_plan: 'enterprise',
    })
    expect(clientOf(service, business.key).token).toBe(business.key)
    expect((await service.call('GET', path, { token: business.key })).status).toBe(200)
  })
})

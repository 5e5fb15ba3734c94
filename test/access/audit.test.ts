import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { auditActions } from '../../src/access/audit-types.ts'
import { tidy } from '../../src/operate/housekeeping.ts'
import { jobs } from '../../src/server.ts'
import { commandLine } from '../support/command-line.ts'
import { bookingOf, nextStart } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'
import { makeShop, type Shop } from '../support/webhooks.ts'

interface Entry {
  id: string
  at: string
  actor: { type: string; id: string | null; name: string | null }
  action: string
  subject: { type: string; id: string }
  business_id: string | null
  address: string | null
  request_id: string | null
}

onOneEngine('sqlite', 'the audit log', (engine) => {
  let service: TestService
  let shop: Shop
  let keyId: string
  beforeAll(async () => (service = await startTestService(engine)))
  afterAll(() => service.stop())
  beforeEach(async () => {
    shop = await makeShop(service)
    const keys = await service.call('GET', `/businesses/${shop.business.id}/keys`, {
      token: shop.business.key,
    })
    keyId =
      (keys.body.data as { id: string; type: string }[]).find(({ type }) => type === 'business')?.id ?? ''
  })

  const audit = async (query = '', token = shop.business.key): Promise<Entry[]> => {
    const { status, body } = await service.call('GET', `/audit?limit=100${query}`, { token })
    expect(status, JSON.stringify(body)).toBe(200)
    return body.data as Entry[]
  }

  /** Returns the entries that some work adds, the oldest first. */
  async function added(work: () => Promise<unknown>): Promise<Entry[]> {
    const before = new Set((await audit()).map(({ id }) => id))
    await work()
    return (await audit()).filter(({ id }) => !before.has(id)).toReversed()
  }

  const call = async (method: string, path: string, body?: object) => {
    const reply = await service.call(method, path, {
      token: shop.business.key,
      ...(body && { body }),
      headers: { 'x-request-id': 'request-7' },
      remoteAddress: '203.0.113.7',
    })
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300)
    return reply.body as { id: string }
  }

  test('names the key, the place and the thing of each change, and nothing of a client', async () => {
    const { location_id } = shop.offer
    const ofKey = {
      actor: { type: 'key', id: keyId },
      business_id: shop.business.id,
      address: '203.0.113.7',
      request_id: 'request-7',
    }
    const changes: [action: string, work: () => Promise<{ id: string } | undefined>][] = []
    const ids: Record<string, string> = {}
    const made = async (name: string, path: string, body: object) => {
      const { id } = await call('POST', path, body)
      ids[name] = id
      return { id }
    }
    for (const [noun, path, body] of [
      ['location', '/locations', { name: 'Upstairs' }],
      ['staff', '/staff', { name: 'Mia' }],
      ['service', '/services', { name: 'Cut', duration_minutes: 30, location_ids: [location_id] }],
    ] as const) {
      changes.push(
        [`${noun}.created`, () => made(noun, path, body)],
        [`${noun}.updated`, () => call('PATCH', `${path}/${ids[noun] ?? ''}`, { name: 'Another name' })],
        [
          `${noun}.deactivated`,
          () => call('DELETE', `${path}/${ids[noun] ?? ''}`).then(() => ({ id: ids[noun] ?? '' })),
        ],
      )
    }
    const span = { starts_at: '2027-03-01T10:00:00Z', ends_at: '2027-03-01T11:00:00Z' }
    const business = `/businesses/${shop.business.id}`
    const hook = { url: 'https://example.com/hooks', events: ['booking.created'] }
    const gone = (path: string, name: string) => call('DELETE', path).then(() => ({ id: ids[name] ?? '' }))
    changes.push(
      ['block.created', () => made('block', '/blocks', { location_id, ...span })],
      ['block.deleted', () => gone(`/blocks/${ids['block'] ?? ''}`, 'block')],
      ['business.updated', () => call('PATCH', business, { max_bookings_per_client: 7 })],
      ['key.created', () => made('key', `${business}/keys`, { type: 'publishable' })],
      ['key.updated', () => call('PATCH', `${business}/keys/${ids['key'] ?? ''}`, { allowed_origins: [] })],
      ['key.revoked', () => gone(`${business}/keys/${ids['key'] ?? ''}`, 'key')],
      ['webhook.created', () => made('webhook', '/webhooks', hook)],
      ['webhook.updated', () => call('PATCH', `/webhooks/${ids['webhook'] ?? ''}`, { description: 'Till' })],
      ['webhook.secret_rotated', () => call('POST', `/webhooks/${ids['webhook'] ?? ''}/rotate-secret`)],
      [
        'webhook.tested',
        () =>
          call('POST', `/webhooks/${ids['webhook'] ?? ''}/test`).then(() => ({ id: ids['webhook'] ?? '' })),
      ],
      ['webhook.deleted', () => gone(`/webhooks/${ids['webhook'] ?? ''}`, 'webhook')],
      [
        'business.client_blocked',
        () =>
          call('POST', '/clients/block', { email: 'eve@example.com' }).then(() => ({ id: shop.business.id })),
      ],
      [
        'business.client_unblocked',
        () =>
          call('DELETE', '/clients/block', { email: 'eve@example.com' }).then(() => ({
            id: shop.business.id,
          })),
      ],
    )
    const { id: booking } = (await shop.book()) as { id: string }
    changes.push(
      ['booking.updated', () => call('PATCH', `/bookings/${booking}`, { notes: 'By the window' })],
      [
        'booking.link_renewed',
        () => call('POST', `/bookings/${booking}/manage-link`).then(() => ({ id: booking })),
      ],
      ['booking.cancelled', () => call('DELETE', `/bookings/${booking}`)],
    )
    for (const [action, work] of changes) {
      let subject: { id: string } | undefined
      const entries = await added(async () => (subject = await work()))
      expect(entries, action).toMatchObject([
        { ...ofKey, action, subject: { type: action.split('.')[0], id: subject?.id } },
      ])
      expect(auditActions).toContain(action)
    }
    expect(JSON.stringify(await audit())).not.toMatch(/ada@|lovelace|eve@|window/i)
  })

  test('has no line for what changes nothing, is refused or is a hold', async () => {
    const { id } = (await shop.book()) as { id: string }
    const entries = await added(async () => {
      await call('PATCH', `/bookings/${id}`, {})
      await call('PATCH', `/businesses/${shop.business.id}`, {})
      await call('DELETE', '/clients/block', { email: 'nobody@example.com' })
      const bad = await service.call('PATCH', `/bookings/${id}`, {
        token: shop.business.key,
        body: { notes: 'x' },
        headers: { 'if-match': '"99"' },
      })
      expect(bad.status).toBe(412)
      await call('POST', '/bookings/hold', { ...shop.offer, starts_at: nextStart() })
    })
    expect(entries).toEqual([])
  })

  test('tells sessions and manage links by id, without an address', async () => {
    const salon = businessOf(service.world, 'Salon Spree')
    const token = await service.session()
    const id = await bookingOf(service, salon, { token })
    const { body } = await service.call('GET', `/bookings/${id}`, { token })
    const link = new URL(String(body.manage_url)).hash.slice(1)
    const cancelled = await service.call('POST', '/manage/cancel', { token: link, body: {} })
    expect(cancelled.status, JSON.stringify(cancelled.body)).toBe(200)
    const entries = await audit(`&subject=${id}`, salon.business_key)
    expect(entries.map(({ action, actor, address }) => [action, actor.type, address])).toEqual([
      ['booking.cancelled', 'manage_link', null],
      ['booking.created', 'session', null],
    ])
  })

  test('is paged, and narrowed by time, actor and subject', async () => {
    const bookings = []
    for (let made = 0; made < 3; made += 1) {
      service.clock.advance(1)
      bookings.push(String((await shop.book())['id']))
    }
    const whole = await audit()
    const paged: Entry[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query = `?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`
      const { body } = await service.call('GET', `/audit${query}`, { token: shop.business.key })
      paged.push(...(body.data as Entry[]))
      cursor = body.next_cursor as string | null
    }
    expect(paged).toEqual(whole)
    expect(whole.slice(0, 3).map(({ subject }) => subject.id)).toEqual(bookings.toReversed())
    const [newest] = whole
    const from = encodeURIComponent(newest?.at ?? '')
    expect((await audit(`&from=${from}`)).map(({ id }) => id)).toEqual([newest?.id])
    expect(await audit(`&to=${from}`)).toEqual(whole.slice(1))
    expect(await audit(`&subject=${bookings[0] ?? ''}`)).toHaveLength(1)
    expect(await audit(`&actor=${keyId}`)).toEqual(whole.filter(({ actor }) => actor.id === keyId))
    const bad = await service.call('GET', '/audit?cursor=nonsense', { token: shop.business.key })
    expect([bad.status, bad.body.code]).toEqual([422, 'validation_failed'])
  })

  test('shows a hub its businesses and itself, and a business itself alone', async () => {
    const { hub } = service.world
    const inHub = await makeShop(service, { hubId: hub.id })
    const { id } = (await inHub.book()) as { id: string }
    await shop.book()
    const ofHub = await audit('', hub.key)
    expect(ofHub.map(({ subject }) => subject.id)).toContain(id)
    expect(ofHub.map(({ business_id }) => business_id)).toContain(null) // its key
    expect(ofHub.map(({ business_id }) => business_id)).not.toContain(shop.business.id)
    expect(new Set((await audit()).map(({ business_id }) => business_id))).toEqual(
      new Set([shop.business.id]),
    )
    expect(await audit(`&business_id=${inHub.business.id}`)).toEqual([])
  })

  test('knows what the command line does, which lists it', async () => {
    const holdfast = commandLine(service.databaseUrl)
    await holdfast.text('business', 'update', shop.business.id, '--plan', 'enterprise')
    const [entry] = await audit()
    expect(entry).toMatchObject({
      actor: { type: 'command_line', id: null, name: null },
      action: 'business.updated',
      address: null,
    })
    const page = await holdfast.json('audit', '--business', shop.business.id, '--limit', '2')
    expect(page.data[0]).toEqual(entry)
    expect(await holdfast.text('audit', '--business', shop.business.id)).toContain('business.updated')
  })

  test('names a key by its label', async () => {
    const input = { type: 'business', label: 'Front desk' }
    const made = (await call('POST', `/businesses/${shop.business.id}/keys`, input)) as unknown as {
      id: string
      key: string
    }
    const renamed = await service.call('PATCH', `/services/${shop.offer.service_id}`, {
      token: made.key,
      body: { name: 'Deep massage' },
    })
    expect(renamed.status).toBe(200)
    expect((await audit(`&actor=${made.id}`)).map(({ action, actor }) => [action, actor.name])).toEqual([
      ['service.updated', 'Front desk'],
    ])
  })

  test('stands and falls with its change', async () => {
    const entries = await added(async () => {
      const start = nextStart()
      const hold = await service.call('POST', '/bookings/hold', {
        token: shop.business.key,
        body: { ...shop.offer, starts_at: start },
      })
      const body = { hold_id: hold.body.hold_id as string, client: ada }
      const replies = await Promise.all(
        [1, 2, 3].map(() => service.call('POST', '/bookings', { token: shop.business.key, body })),
      )
      expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
    })
    expect(entries.map(({ action }) => action)).toEqual(['booking.created'])
  })

  test('keeps an entry for 400 days', async () => {
    const own = await startTestService(engine)
    const salon = businessOf(own.world, 'Salon Spree')
    const count = async () => (await own.rows('audit_entries')).length
    const hold = await own.call('POST', '/bookings/hold', {
      token: salon.business_key,
      body: { ...offer(salon, 'Haircut'), starts_at: nextStart() },
    })
    await own.call('POST', '/bookings', {
      token: salon.business_key,
      body: { hold_id: hold.body.hold_id as string, client: ada },
    })
    const before = await count()
    expect(before).toBeGreaterThan(1)
    own.clock.advance(399 * 86_400)
    await tidy(own.context, jobs)
    expect(await count()).toBe(before)
    own.clock.advance(2 * 86_400)
    await tidy(own.context, jobs)
    expect(await count()).toBe(0)
    await own.stop()
  })
})

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { makeBusiness } from '../support/offers.ts'
import { unknownId, type Tenant } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'businesses and their keys over HTTP', (engine) => {
  let service: TestService
  let salon: Tenant
  let studio: Tenant
  let hubKey: string
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
    studio = businessOf(service.world, 'Hudson Studio')
    hubKey = service.world.hub.key
  })
  afterAll(() => service.stop())

  const call = (method: string, path: string, token: string, body?: object) =>
    service.call(method, path, { token, ...(body && { body }) })

  test('a business is shown with the plan in effect and without what concerns only the operator', async () => {
    const shown = {
      id: salon.id,
      hub_id: service.world.hub.id,
      name: 'Salon Spree',
      timezone: 'Europe/Berlin',
      plan: 'enterprise',
      brand_name: 'Salon Spree',
      brand_color: '#1f6f5c',
      brand_logo_url: 'http://127.0.0.1:3000/docs/salon-spree.png',
      cover_url: null,
      max_bookings_per_client: 5,
      trusted_networks: [],
      locale: 'en',
      reply_to_email: 'hello@salon-spree.example',
      notify_emails: [],
      reminder_hours: [24],
      quiet_hours: null,
      text_kinds: [],
      retention_days: null,
      phone: null,
      slug: 'salon-spree',
      max_gap_minutes: 0,
      offer_minutes: 60,
      imprint_url: null,
      privacy_url: null,
      terms: null,
      terms_language: null,
      test: false,
      created_at: '2026-11-20T09:59:56+01:00', // the first of four, a second after another
    }
    expect((await call('GET', `/businesses/${salon.id}`, salon.business_key)).body).toEqual(shown)
    expect((await call('GET', `/businesses/${salon.id}`, hubKey)).body).toEqual(shown)
  })

  test('a hub lists its businesses by name, page by page', async () => {
    const first = await call('GET', '/businesses?limit=1', hubKey)
    expect(first.body.data).toMatchObject([{ id: studio.id }])
    const second = await call('GET', `/businesses?limit=1&cursor=${first.body.next_cursor}`, hubKey)
    expect(second.body.data).toMatchObject([{ id: salon.id }])
    expectErrors(await call('GET', '/businesses?cursor=x', hubKey), '/cursor')
  })

  test('a business that a hub adds is its own, has its plan in effect, and works with the keys issued for it', async () => {
    const body = { name: 'New Place', timezone: 'Asia/Tokyo', brand_name: 'New', brand_color: '#ABCDEF' }
    const made = await call('POST', '/businesses', hubKey, body)
    expect(made).toMatchObject({
      status: 201,
      body: { ...body, hub_id: service.world.hub.id, plan: 'enterprise' },
    })
    const row = (await service.rows('businesses')).find(({ id }) => id === made.body.id)
    expect(row).toMatchObject({ plan: 'growth', brand_logo_url: null, limit_per_minute: null })
    const { body: issued } = await call('POST', `/businesses/${made.body.id}/keys`, hubKey, {
      type: 'business',
    })
    const location = await call('POST', '/locations', issued.key as string, { name: 'First' })
    expect(location).toMatchObject({
      status: 201,
      body: { business_id: made.body.id, timezone: 'Asia/Tokyo' },
    })
  })

  test('a change leaves what it does not name, null clears the brand, {} changes nothing', async () => {
    const { id, key } = await makeBusiness(service)
    const path = `/businesses/${id}`
    const brand = { brand_name: 'B', brand_color: '#1a2b3c', brand_logo_url: 'https://example.com/x.png' }
    const branded = (await call('PATCH', path, key, brand)).body
    expect(branded).toMatchObject({ ...brand, name: 'Corner Spa', timezone: 'Europe/Berlin' })
    expect((await call('PATCH', path, key, {})).body).toEqual(branded)
    const cleared = { brand_name: null, brand_logo_url: null, name: 'Renamed', timezone: 'Asia/Tokyo' }
    expect((await call('PATCH', path, key, cleared)).body).toMatchObject({
      ...branded,
      ...cleared,
      created_at: expect.any(String),
    })
  })

  test.each([
    ['a name', { name: ' ' }, '/name'],
    ['a zone', { timezone: 'Europe/Berlim' }, '/timezone'],
    ['a zone that cannot be empty', { timezone: null }, '/timezone'],
    ['a colour', { brand_color: 'red' }, '/brand_color'],
    ['a logo', { brand_logo_url: 'ftp://example.com/x' }, '/brand_logo_url'],
    ['a plan, which the operator sets', { plan: 'enterprise' }, '/plan'],
    ['limits, which the operator sets', { limit_per_minute: 9 }, '/limit_per_minute'],
    ['another hub', { hub_id: unknownId }, '/hub_id'],
  ])('%s that is wrong is refused', async (_what, change, pointer) => {
    const before = await service.rows('businesses')
    expectErrors(await call('PATCH', `/businesses/${salon.id}`, salon.business_key, change), pointer)
    expect(await service.rows('businesses')).toEqual(before)
  })

  test.each([
    'https://x;script-src-elem/l.png',
    'https://x,y/l.png',
    'https://*/l.png',
    'https://*.example.com/l.png',
    "https://'none'/l.png",
    'https://$&/l.png',
    'https:///',
  ])('a logo at %s, which has no host to load it from, is refused', async (brand_logo_url) => {
    const before = await service.rows('businesses')
    const body = { name: 'X', timezone: 'UTC', brand_logo_url }
    expectErrors(await call('POST', '/businesses', hubKey, body), '/brand_logo_url')
    const path = `/businesses/${salon.id}`
    expectErrors(await call('PATCH', path, salon.business_key, { brand_logo_url }), '/brand_logo_url')
    expect(await service.rows('businesses')).toEqual(before)
  })

  test('a time zone with a slip comes with the one that was meant', async () => {
    const reply = await call('POST', '/businesses', hubKey, { name: 'X', timezone: 'Europe/Berlim' })
    expectErrors(reply, '/timezone')
    expect(reply.body.errors[0].detail).toContain('did you mean Europe/Berlin?')
  })

  test('another business is as if it were not there, whatever is asked', async () => {
    const outside = businessOf(service.world, 'Lotus Clinic')
    const theirs = (await service.rows('api_keys')).find((key) => key['business_id'] === studio.id)?.['id']
    for (const [token, id] of [
      [salon.business_key, studio.id],
      [salon.business_key, unknownId],
      [salon.business_key, 'x'],
      [hubKey, outside.id],
    ] as const) {
      const before = [await service.rows('businesses'), await service.rows('api_keys')]
      expectProblem(await call('GET', `/businesses/${id}`, token), 'not_found')
      expectProblem(await call('PATCH', `/businesses/${id}`, token, { name: 'Stolen' }), 'not_found')
      expectProblem(await call('GET', `/businesses/${id}/keys`, token), 'not_found')
      expectProblem(await call('POST', `/businesses/${id}/keys`, token, { type: 'business' }), 'not_found')
      expectProblem(await call('DELETE', `/businesses/${id}/keys/${String(theirs)}`, token), 'not_found')
      expect([await service.rows('businesses'), await service.rows('api_keys')]).toEqual(before)
    }
    for (const id of [theirs, unknownId, 'x']) {
      const path = `/businesses/${salon.id}/keys/${String(id)}`
      expectProblem(await call('DELETE', path, salon.business_key), 'not_found')
    }
  })

  describe('keys', () => {
    test('a key is told when it is issued and never again', async () => {
      const { id, key } = await makeBusiness(service, { timezone: 'Asia/Tokyo' })
      const allowed_origins = ['https://www.example.com', 'http://localhost:3000']
      const issued = await call('POST', `/businesses/${id}/keys`, key, {
        type: 'publishable',
        label: ' Shop ',
        allowed_origins,
      })
      expect(issued).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } })
      expect(issued.body).toEqual({
        id: expect.any(String),
        type: 'publishable',
        last_four: String(issued.body.key).slice(-4),
        label: 'Shop',
        allow_frames: false,
        allowed_origins,
        scopes: null,
        created_at: expect.stringMatching(/\+09:00$/),
        expires_at: null,
        last_used_at: null,
        revoked_at: null,
        key: expect.stringMatching(/^cal_pub_\w{38}$/),
      })
      const { key: _, ...shown } = issued.body
      const list = await call('GET', `/businesses/${id}/keys`, key)
      expect(list.body.data).toHaveLength(3)
      expect(list.body.data).toContainEqual(shown)
      expect(JSON.stringify(list.body)).not.toMatch(/cal_(biz|pub)_|digest/)
      expect((await call('POST', '/session', issued.body.key as string)).status).toBe(201)
    })

    test('the same Idempotency-Key does not keep a key for a repetition', async () => {
      const { id, key } = await makeBusiness(service)
      const options = { token: key, body: { type: 'business' }, headers: { 'idempotency-key': 'secret' } }
      const [one, two] = [
        await service.call('POST', `/businesses/${id}/keys`, options),
        await service.call('POST', `/businesses/${id}/keys`, options),
      ]
      expect(one.body.key).not.toBe(two.body.key)
      expect(JSON.stringify(await service.rows('idempotency_records'))).not.toContain(one.body.key)
    })

    test('the list goes page by page, the newest first', async () => {
      const { id, key } = await makeBusiness(service)
      service.clock.advance(1)
      const issued = await call('POST', `/businesses/${id}/keys`, key, { type: 'business' })
      const first = await call('GET', `/businesses/${id}/keys?limit=2`, key)
      expect(first.body.data[0].id).toBe(issued.body.id)
      const rest = await call('GET', `/businesses/${id}/keys?limit=2&cursor=${first.body.next_cursor}`, key)
      expect(rest.body).toMatchObject({ data: [expect.anything()], next_cursor: null })
    })

    test('a revoked key is refused at once on this node, its sessions within five seconds, and revoking again is fine', async () => {
      const { id, key } = await makeBusiness(service)
      const issue = async (type: string) => (await call('POST', `/businesses/${id}/keys`, key, { type })).body
      const [extra, widget] = [await issue('business'), await issue('publishable')]
      const session = (await call('POST', '/session', widget.key as string)).body.session_token as string
      for (const [made, method, path] of [
        [extra, 'GET', '/services'],
        [widget, 'POST', '/session'],
      ] as const) {
        expect((await call(method, path, made.key as string)).status).toBeLessThan(300) // cached from here on
        const ofKey = `/businesses/${id}/keys/${String(made.id)}`
        expect(await call('DELETE', ofKey, key)).toMatchObject({ status: 204, body: undefined })
        expectProblem(await call(method, path, made.key as string), 'invalid_credentials')
        const shown = async () =>
          (await call('GET', `/businesses/${id}/keys`, key)).body.data as { id: string }[]
        const before = (await shown()).find((one) => one.id === made.id)
        expect(before).toMatchObject({ revoked_at: expect.any(String) })
        service.clock.advance(60)
        expect((await call('DELETE', ofKey, key)).status).toBe(204)
        expect((await shown()).find((one) => one.id === made.id)).toEqual(before)
      }
      service.clock.advance(5)
      expectProblem(await call('GET', '/services', session), 'invalid_credentials')
    })

    test('a key that was being looked up when it was revoked is refused from then on', async () => {
      const { id, key } = await makeBusiness(service)
      const extra = (await call('POST', `/businesses/${id}/keys`, key, { type: 'business' })).body
      // the value read under this key is from before the revocation, and arrives after it
      const { cache } = service.context
      const get = cache.get.bind(cache)
      const looking = Promise.withResolvers<undefined>()
      const revoked = Promise.withResolvers<undefined>()
      const held = vi.spyOn(cache, 'get').mockImplementationOnce((name, read) =>
        get(name, async () => {
          const found = await read()
          looking.resolve(undefined)
          await revoked.promise
          return found
        }),
      )
      const during = call('GET', '/services', extra.key as string)
      await looking.promise
      const ofKey = `/businesses/${id}/keys/${String(extra.id)}`
      expect((await call('DELETE', ofKey, key)).status).toBe(204)
      revoked.resolve(undefined)
      expect((await during).status).toBe(200)
      held.mockRestore()
      expectProblem(await call('GET', '/services', extra.key as string), 'invalid_credentials')
    })

    test.each([
      ['no type', {}, ['/type']],
      ['a hub key', { type: 'hub' }, ['/type']],
      [
        'origins for a business key',
        { type: 'business', allowed_origins: ['https://a.example'] },
        ['/allowed_origins'],
      ],
      [
        'an origin with a path',
        { type: 'publishable', allowed_origins: ['https://a.example/x'] },
        ['/allowed_origins/0'],
      ],
      ['a label of two lines', { type: 'business', label: 'a\nb' }, ['/label']],
      ['no origins', { type: 'publishable', allowed_origins: [] }, ['/allowed_origins']],
      [
        'an origin twice',
        { type: 'publishable', allowed_origins: ['https://a.example', 'https://a.example'] },
        ['/allowed_origins/1'],
      ],
    ])('%s: 422 and no key', async (_what, body, pointers) => {
      const before = await service.rows('api_keys')
      expectErrors(await call('POST', `/businesses/${salon.id}/keys`, salon.business_key, body), ...pointers)
      expect(await service.rows('api_keys')).toEqual(before)
    })
  })
})

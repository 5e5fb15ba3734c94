import { afterAll, beforeAll, expect, test } from 'vitest'
import { keyScopes } from '../../src/base/key-scopes.ts'
import { bookSlot, clientOf } from '../support/client.ts'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { makeBusiness, makeOffer, type Offer, type OwnBusiness } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { unknownId } from '../support/tenant-things.ts'
import { agent } from '../agents/mcp-client.ts'

/** The scopes that open each operation, in addition to `all`, by method and path below `/api/v1`. The first one fits. */
const opened: [pattern: RegExp, scopes: string[]][] = [
  [/^GET \/businesses\/:id\/keys/, []],
  [/^GET \/businesses/, ['read:bookings', 'write:bookings', 'catalogue']],
  [
    /^GET \/(availability|blocks|services|locations|staff|resources|coupons)/,
    ['read:bookings', 'write:bookings', 'catalogue'],
  ],
  [/^\w+ \/(blocks|services|locations|staff|resources|coupons|images)/, ['catalogue']],
  [/^GET \/(bookings|calendar|numbers|waitlist)(\/|$)/, ['read:bookings', 'write:bookings']],
  [/^\w+ \/(bookings|waitlist)(\/|$)/, ['write:bookings']],
  [/^(GET \/clients|POST \/clients\/export$)/, ['read:clients', 'write:clients']],
  [/^\w+ \/clients/, ['write:clients']],
  [/^\w+ \/(webhooks|events)/, ['webhooks']],
  [/^\w+ \/(businesses|test|feeds|busy-calendars|calendar-accounts|mails|audit)/, []],
]

onOneEngine('sqlite', 'scopes of a key', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let offer: Offer
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    offer = await makeOffer(service, business.id)
  })
  afterAll(() => service.stop())

  const call = (method: string, path: string, token: string, body?: object) =>
    service.call(method, path, { token, ...(body && { body }) })
  const create = (body: object) => call('POST', `/businesses/${business.id}/keys`, business.key, body)
  const keyWith = async (...scopes: string[]) =>
    String((await create({ type: 'business', scopes })).body['key'])

  test('each operation is open to its scopes, and to no other', async () => {
    const routes = service.app.server.knownRoutes.filter(
      ({ method, url, access }) =>
        method !== 'HEAD' && url.startsWith('/api/v1/') && access?.includes('business'),
    )
    expect(routes.length).toBeGreaterThan(90)
    for (const scope of keyScopes) {
      const key = await keyWith(scope)
      for (const { method, url } of routes) {
        const name = `${method} ${url.replace('/api/v1', '')}`
        const scopes = opened.find(([pattern]) => pattern.test(name))?.[1]
        if (!scopes) throw new Error(`no scopes are expected for ${name}`)
        const path = url.replace('/api/v1', '').replaceAll(/:\w+/g, unknownId)
        // a body that no operation accepts, so that nothing changes
        const { status, body } = await call(method, path, key, method === 'GET' ? undefined : { no: 1 })
        const isOpen = scope === 'all' || scopes.includes(scope)
        expect([name, scope, body['code'] === 'insufficient_scope']).toEqual([name, scope, !isOpen])
        expect(status).not.toBe(401)
      }
    }
  })

  test('the refusal names the scopes that would do, before it looks at the body', async () => {
    const reply = await call('POST', '/bookings/hold', await keyWith('read:bookings', 'webhooks'), { no: 1 })
    expectProblem(reply, 'insufficient_scope', { required_scopes: ['write:bookings'] })
    expect(reply.body).toMatchObject({
      detail: 'The key is limited to read:bookings and webhooks; this needs write:bookings.',
    })
    expect(reply.headers['www-authenticate']).toBe(
      'Bearer error="insufficient_scope", scope="write:bookings"',
    )
    const keys = await call('POST', `/businesses/${business.id}/keys`, await keyWith('catalogue'), {
      type: 'business',
    })
    expect(keys.body['required_scopes']).toEqual(['all'])
  })

  test('a key that may write bookings holds, books, reads and cancels', async () => {
    const key = clientOf(service, await keyWith('write:bookings'))
    const { id } = await bookSlot(key, offer, '2026-12-01T10:00:00+01:00')
    expect((await key.show(String(id))).status).toBe(200)
    expect((await key.cancel(String(id))).status).toBe(200)
    const refused = { required_scopes: ['read:clients'] }
    expectProblem(await call('GET', '/clients', key.token), 'insufficient_scope', refused)
  })

  test('agents see and use the tools of their scopes only', async () => {
    const { send, tool } = agent(service, await keyWith('catalogue'))
    const { body } = await send('tools/list', {})
    const names = (body.result.tools as { name: string }[]).map(({ name }) => name)
    expect(names).toContain('list_services')
    expect(names).not.toContain('list_bookings')
    expect(await tool('list_bookings', {})).toMatchObject({
      isError: true,
      said: { code: 'insufficient_scope' },
    })
  })

  test('scopes are shown; all of them are one; without a choice the key may do everything', async () => {
    const shown = async (body: object) => (await create({ type: 'business', ...body })).body['scopes']
    expect(await shown({ scopes: ['webhooks', 'read:clients'] })).toEqual(['webhooks', 'read:clients'])
    expect(await shown({ scopes: ['read:clients', 'all'] })).toEqual(['all'])
    expect(await shown({})).toEqual(['all'])
    expect((await create({ type: 'publishable' })).body['scopes']).toBeNull()
  })

  test.each([
    ['an unknown scope', { type: 'business', scopes: ['everything'] }, '/scopes/0'],
    ['no scope', { type: 'business', scopes: [] }, '/scopes'],
    ['a scope twice', { type: 'business', scopes: ['webhooks', 'webhooks'] }, '/scopes/1'],
    ['scopes of a publishable key', { type: 'publishable', scopes: ['webhooks'] }, '/scopes'],
    ['an end in the past', { type: 'business', expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
    ['an end without an offset', { type: 'business', expires_at: '2030-01-01T00:00:00' }, '/expires_at'],
  ])('%s: 422 and no key', async (_what, body, pointer) => {
    const before = await service.rows('api_keys')
    expectErrors(await create(body), pointer)
    expect(await service.rows('api_keys')).toHaveLength(before.length)
  })

  test('a key ends at its time, and the sessions of a publishable key with it', async () => {
    const ends = new Date(Date.parse(service.clock.now()) + 600_000).toISOString()
    const made = await create({ type: 'business', expires_at: ends })
    expect(Date.parse(String(made.body['expires_at']))).toBe(Date.parse(ends.replace(/\.\d+/, '')))
    const page = await create({ type: 'publishable', expires_at: ends })
    const [key, publishable] = [String(made.body['key']), String(page.body['key'])]
    const session = await call('POST', '/session', publishable)
    expect(session.body['expires_at']).toBe(page.body['expires_at'])
    const token = String(session.body['session_token'])
    expect((await call('GET', '/bookings', key)).status).toBe(200)
    expect((await call('GET', '/services', token)).status).toBe(200)
    service.clock.advance(600)
    expectProblem(await call('GET', '/bookings', key), 'invalid_credentials')
    expectProblem(await call('POST', '/session', publishable), 'invalid_credentials')
    expectProblem(await call('GET', '/services', token), 'session_expired')
  })

  test('the hour of the last use is shown', async () => {
    const { id, key } = (await create({ type: 'business' })).body
    const lastUse = async () => {
      const { body } = await call('GET', `/businesses/${business.id}/keys`, business.key)
      const used = (body['data'] as { id: string; last_used_at: string | null }[]).find(
        (one) => one.id === id,
      )
      return used?.last_used_at && new Date(used.last_used_at).toISOString()
    }
    expect(await lastUse()).toBeNull()
    const hour = () => service.clock.now().replace(/:.*/, ':00:00.000Z')
    for (const seconds of [0, 7_200]) {
      service.clock.advance(seconds)
      await call('GET', '/services', String(key))
      await expect.poll(lastUse).toBe(hour())
    }
  })
})

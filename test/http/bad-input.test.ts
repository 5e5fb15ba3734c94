import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ProblemCode } from '../../src/base/errors.ts'
import { expectErrors } from '../support/expect-problem.ts'
import { isLong, isWhole, onOneEngine, testIn } from '../support/long.ts'
import { mutate } from '../support/mutations.ts'
import { randomFrom, seeds } from '../support/random.ts'
import {
  makeThings,
  nextAddress,
  nextStart,
  type Tenant,
  type Things,
  unknownId,
} from '../support/tenant-things.ts'
import {
  ada,
  businessOf,
  offer,
  type Reply,
  startTestService,
  type TestService,
} from '../support/test-service.ts'

/** Texts that have broken programs, each harmless as data. */
const hostile = [
  '\u0000',
  '%00',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  "' or 1=1 --",
  '${7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '\ud800',
  '\u202e\u2066',
  'a'.repeat(8000),
  'é'.repeat(2000),
  '-1',
  '2147483648',
  '9'.repeat(400),
  '1e309',
  'NaN',
  'null',
  '9999-12-31T23:59:59+00:00',
  '10000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
]

onOneEngine('sqlite', 'bad input', (engine) => {
  let service: TestService
  let salon: Tenant
  let items: Things
  let tokens: Record<string, string>
  beforeAll(async () => {
    service = await startTestService(engine, { MAX_HOLDS_PER_IP: '100000' })
    salon = businessOf(service.world, 'Salon Spree')
    items = await makeThings(service, salon)
    const { hub } = service.world
    tokens = {
      publishable: salon.publishable_key,
      session: items.token,
      business: salon.business_key,
      hub: hub.key,
    }
  })
  afterAll(() => service.stop())

  /** The parameters of a list of bookings, and more than any route accepts. */
  const parameters = ['limit', 'cursor', 'status', 'from', 'to', 'service_id', 'email', 'business_id', 'x']
  const routes = () =>
    service.app.server.knownRoutes.map(({ method, url }) => ({ method, url: url.replace('/api/v1', '') }))
  const pathOf = (url: string) =>
    (url.startsWith('/health') || url.startsWith('/ready') ? '/' : '') +
    url.replace(':hold_id', items.hold_id).replace(':id', idFor(url))
  const idFor = (url: string) =>
    url.startsWith('/services')
      ? items.service_id
      : url.startsWith('/locations')
        ? items.location_id
        : url.startsWith('/staff')
          ? items.staff_id
          : items.booking_id
  const goodBody = (method: string, url: string): object =>
    method === 'POST' && url === '/bookings/hold'
      ? { ...offer(salon, 'Haircut'), staff_id: items.staff_id, starts_at: nextStart() }
      : method === 'POST' && url === '/bookings'
        ? {
            hold_id: items.hold_id,
            client: { ...ada, phone: '1' },
            notes: 'n',
            custom_field_values: [{ field_id: unknownId, value: 'v' }],
          }
        : method === 'PATCH'
          ? { starts_at: nextStart(), ends_at: nextStart(), status: 'confirmed', notes: 'n' }
          : {}

  /** Expects that no refusal is an internal error, and that one about the input locates the fault. */
  const expectRefused = (reply: Reply, sent: unknown) => {
    const place = { sent, status: reply.status, code: reply.body?.code as ProblemCode | undefined }
    if (reply.status >= 500) expect(place).toEqual({ sent, status: 'below 500' })
    if (place.code !== 'validation_failed') return
    const pointers = (reply.body.errors as { pointer: unknown }[]).map(({ pointer }) => pointer)
    expect({
      sent,
      named: pointers.every((pointer) => pointer === '' || /^\//.test(String(pointer))),
    }).toEqual({ sent, named: true })
    expect(pointers.length).toBeGreaterThan(0)
  }

  const manyRequests = { timeout: 120_000 }
  testIn(engine === 'sqlite')(
    'hostile texts in every path, query, header and body, by every kind of key, are never a 5xx',
    manyRequests,
    async () => {
      // everything together takes minutes: otherwise the engines share the texts, each for every second route, and
      // kinds of keys alternate; a HEAD follows its GET; `npm test` tries a quarter of that
      for (const [index, text] of hostile.entries()) {
        if (!isWhole && index % 2 !== (engine === 'sqlite' ? 0 : 1)) continue
        if (!isLong && index % 8 !== 2) continue
        for (const [place, { method, url }] of routes().entries()) {
          if (!isWhole && (method === 'HEAD' || (Math.floor(index / 2) + place) % 2 === 1)) continue
          // the widget's key is refused before most of it is read, so the other kinds get more of it
          const turn = ['session', 'business', 'hub'][(index + place) % 3] ?? ''
          const types = index % 8 === 0 || isWhole ? Object.keys(tokens) : [turn]
          for (const type of types) {
            const token = tokens[type] ?? ''
            const encoded = encodeURIComponent(text.toWellFormed()).slice(0, 9000)
            const parameter = parameters[text.length % parameters.length] ?? 'x'
            const header = text
              .toWellFormed()
              .replace(/[^ -~]/g, '?')
              .slice(0, 4000)
            const requests = [
              { path: pathOf(url).replace(/[0-9a-f-]{36}$/, encoded) },
              { path: `${pathOf(url)}?${parameter}=${encoded}&${encoded}=${encoded}` },
              {
                path: pathOf(url),
                headers: {
                  'if-match': header,
                  'x-previous-session': header,
                  origin: header,
                  'idempotency-key': header,
                },
              },
              { path: pathOf(url), body: { ...goodBody(method, url), [text]: text } },
            ]
            for (const { path, headers, body } of requests) {
              // a valid request
              if (method === 'DELETE' && !body && !path.includes('?') && path === pathOf(url)) continue
              const reply = await service.call(method, path, {
                token,
                ...(headers && { headers }),
                ...(body && { body }),
              })
              expectRefused(reply, { method, path, type, headers, body })
            }
          }
        }
      }
    },
  )

  test.each([
    '%',
    '%z',
    '%zz',
    '%c0%af',
    '%ff%fe',
    '%ed%a0%80',
    '%00',
    '%0d%0aX-A:%20b',
    '%u0000',
    '..%2f..%2fetc',
    '%25%30%30',
    'a%2fb',
    '%2e%2e',
    '%e2%82',
  ])('the path segment %s is 404', async (segment) => {
    for (const path of ['/services', '/bookings', '/bookings/hold']) {
      const reply = await service.call('GET', `${path}/${segment}`, { token: salon.business_key })
      expect(reply).toMatchObject({ status: 404, body: { status: 404 } })
      expect(Object.keys(reply.headers)).not.toContain('x-a')
    }
  })

  test.each([
    ['limit=1&limit=2', '/limit'],
    ['limit=1&limit=1', '/limit'],
    ['limit[]=1', '/limit[]'],
    ['limit=%zz', '/limit'],
    ['limit=%00', '/limit'],
    ['limit=999999999999999999999999', '/limit'],
    ['__proto__=1', '/__proto__'],
    ['constructor=1', '/constructor'],
    ['hasOwnProperty=1', '/hasOwnProperty'],
    ['%00=1', '/\u0000'],
    ['=1', '/'],
    ['email=a%00@example.com', '/email'],
    ['sort=created_at&sort=starts_at', '/sort'],
    ['status=%ff', '/status'],
    ['from=2026-12-01T10:00:00+01:00', '/from'], // a plus in a query is a space
    ['service_id=%00', '/service_id'],
  ])('the query %s is refused by name', async (query, pointer) => {
    expectErrors(await service.call('GET', `/bookings?${query}`, { token: salon.business_key }), pointer)
  })

  test.each(['0', '101', '999', '9999', '1.5', 'x'])(
    'the limit %s is refused in the same words',
    async (limit) => {
      const { body } = await service.call('GET', `/bookings?limit=${limit}`, { token: salon.business_key })
      expect(body.errors).toEqual([
        { pointer: '/limit', code: 'invalid_format', detail: 'must be a whole number from 1 to 100' },
      ])
    },
  )

  test.each([
    ['from', '2026-12-01T10:00:00+01:00', true],
    ['email', 'ada+salon@example.com', true],
    ['from', '2026-12-01+10:00:00', false],
    ['email', 'ada+', false],
  ])(
    'a plus in %s=%s, which means a space, is named where it is the only fault',
    async (name, value, isOnly) => {
      const of = (text: string) =>
        service.call('GET', `/bookings?${name}=${text}`, { token: salon.business_key })
      const refused = await of(value)
      expect(refused.status).toBe(422)
      expect(String(refused.body.detail).includes('write + as %2B in a query')).toBe(isOnly)
      expect((await of(encodeURIComponent(value))).status).toBe(isOnly ? 200 : 422)
    },
  )

  test('faults of the body and of the query are told at once', async () => {
    const reply = await service.call('POST', '/bookings/hold?dry_run=1', {
      token: salon.business_key,
      body: { ...offer(salon, 'Haircut'), starts_at: 'soon' },
    })
    expectErrors(reply, '/starts_at', '/dry_run')
  })

  test('of more faults than anybody reads, a hundred are told', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`x${index}`, 1]))
    const reply = await service.call('POST', '/services', { token: salon.business_key, body: unknown })
    expect([reply.status, reply.body.errors.length]).toEqual([422, 100])
  })

  test('a null where something has to be is a wrong value, and not a missing one', async () => {
    const body = { name: null, duration_minutes: 30, location_ids: null }
    const reply = await service.call('POST', '/services', { token: salon.business_key, body })
    expect(reply.body.errors).toMatchObject([
      { pointer: '/name', code: 'wrong_type' },
      { pointer: '/location_ids', code: 'wrong_type' },
    ])
  })

  test.each(['__proto__[admin]=1', 'constructor[prototype][admin]=1', '__proto__.admin=1'])(
    'the query %s pollutes nothing',
    async (query) => {
      expect((await service.call('GET', `/services?${query}`, { token: salon.business_key })).status).toBe(
        422,
      )
      expect(({} as { admin?: unknown }).admin).toBeUndefined()
    },
  )

  testIn(engine === 'sqlite').each(seeds(2))(
    'random mutations of right requests are never a 5xx (seed %i)',
    async (seed) => {
      const random = randomFrom(seed)
      const counts = new Map<number, number>()
      const known = routes().filter(({ method }) => method !== 'HEAD')
      for (let round = 0; round < 800; round += 1) {
        const { method, url } = random.of(known)
        const [type, token] = random.of(Object.entries(tokens))
        const body = mutate(goodBody(method, url), random)
        const query = random.chance(0.3)
          ? `?${random.of(parameters)}=${encodeURIComponent(random.of(hostile).toWellFormed())}`
          : ''
        const path =
          (random.chance(0.9) ? pathOf(url) : `${pathOf(url)}${random.of(['x', '%', '/', '%20', '?'])}`) +
          query
        const reply = await service.call(method, path, {
          token,
          ...(method !== 'GET' && { body: body ?? null }),
          remoteAddress: nextAddress(),
        })
        counts.set(reply.status, (counts.get(reply.status) ?? 0) + 1)
        expectRefused(reply, { seed, round, method, path, type, body })
      }
      // the mutations reach every stage, not only the first
      for (const status of [200, 403, 404, 422]) expect(counts.get(status)).toBeGreaterThan(10)
    },
  )
})

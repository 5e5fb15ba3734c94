import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jobs } from '../../src/server.ts'
import { businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'
import { blocksOf, documentAt, tableUnder } from './documents.ts'

describe('the guide to keys and sessions', () => {
  const types = ['publishable', 'session', 'business', 'hub'] as const
  const cells = tableUnder(documentAt('docs/guides/keys-and-sessions.md'), '## Who may do what').flatMap(
    ([operations = '', ...rights]) => {
      return operations.split(';').flatMap((group) => {
        const words = group.replaceAll(/[`,]/g, '').trim().split(/ +/)
        const isPath = (word: string) => word.startsWith('/')
        const paths = words.filter(isPath)
        return words
          .filter((word) => !isPath(word))
          .flatMap((method) => paths.map((path) => ({ method, path })))
          .flatMap((operation) =>
            types.map((type, index) => ({ ...operation, type, right: rights[index] ?? '' })),
          )
      })
    },
  )
  let service: TestService
  let tokens: Record<(typeof types)[number], string>

  beforeAll(async () => {
    service = await startTestService('sqlite')
    const { publishable_key, business_key } = businessOf(service.world, 'Salon Spree')
    tokens = {
      publishable: publishable_key,
      session: await service.session(),
      business: business_key,
      hub: service.world.hub.key,
    }
  })
  afterAll(() => service.stop())

  test('names every operation that needs a key', () => {
    const named = cells.map(({ method, path }) => `${method} /api/v1${path}`)
    const operations = service.app.server.knownRoutes
      .filter(({ method, access, url }) => access && method !== 'HEAD' && url !== '/mcp') // in a sentence below
      .map(({ method, url }) => `${method} ${url.replaceAll(/:\w+/g, '{id}')}`)
    expect(new Set(named)).toEqual(new Set(operations))
  })

  test.each(cells)('$type on $method $path: $right', async ({ method, path, type, right }) => {
    const reply = await service.call(method, path.replace('{id}', crypto.randomUUID()), {
      token: tokens[type],
    })
    expect(reply.body.code === 'key_type_not_allowed').toBe(right === '–')
    expect(reply.status === 405 || reply.body.detail === 'There is nothing at this address.').toBe(false)
  })
})

describe('what guides list', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService('sqlite')
  })
  afterAll(() => service.stop())

  test('docs/guides/idempotency.md: the routes that take an Idempotency-Key', async () => {
    const { body } = await service.call('GET', '//openapi.json')
    const paths = body.paths as Record<string, Record<string, { parameters?: { name: string }[] }>>
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { parameters = [] }]) => parameters.some(({ name }) => name === 'Idempotency-Key'))
        .map(([method]) => `${method.toUpperCase()} ${path.replace('/api/v1', '')}`),
    )
    const { text } = documentAt('docs/guides/idempotency.md')
    const named = [...text.matchAll(/^- `([A-Z]+ [^`]+)`$/gm)].map(([, route]) => route)
    expect(routes.length).toBeGreaterThan(2)
    expect(named.toSorted()).toEqual(routes.toSorted())
  })

  test('docs/guides/availability.md: the reasons for which a slot is not offered', async () => {
    const { body } = await service.call('GET', '//openapi.json')
    const reasons = body.components.schemas.SlotNotOfferedProblem.properties.reason.enum as string[]
    const guide = documentAt('docs/guides/availability.md')
    const named = tableUnder(guide, '## Why is a slot not there?').map(([reason]) => reason?.slice(1, -1))
    expect(named.toSorted()).toEqual([...reasons, 'slot_held', 'slot_booked'].toSorted())
  })

  test('docs/guides/operating.md: what is cleaned up', () => {
    const named = tableUnder(documentAt('docs/guides/operating.md'), '## What Holdfast cleans up').map(
      ([what]) => what,
    )
    expect(named).toEqual(jobs.map(({ name }) => name))
  })
})

describe('what the guides show of the wire', () => {
  let service: TestService
  const blockOf = (path: string, words: string) =>
    blocksOf(documentAt(path)).find(({ text }) => text.includes(words))?.text ?? ''
  const slot = () => ({
    ...offer(businessOf(service.world, 'Salon Spree'), 'Meeting room'),
    starts_at: new Date(service.clock.nowMs() + 86_400_000).toISOString(),
  })
  beforeAll(async () => {
    service = await startTestService('sqlite', { RATE_LIMIT_FACTOR: '1' })
  })
  afterAll(() => service.stop())

  test('docs/guides/errors.md: a problem document is one that the service gives', async () => {
    const token = await service.session()
    const client = { first_name: 'Ada', last_name: '', email: 'ada@example.com' }
    const body = { hold_id: crypto.randomUUID(), client }
    const reply = await service.call('POST', '/bookings', { token, body })
    const shown = JSON.parse(blockOf('docs/guides/errors.md', '/client/last_name')) as object
    expect(shown).toEqual({ ...reply.body, request_id: expect.any(String) as string })
  })

  test('docs/guides/idempotency.md: a request with its headers is answered, and again with the same', async () => {
    const [line = '', ...headers] = blockOf('docs/guides/idempotency.md', 'Idempotency-Key: ').split('\n')
    const [method = '', path = ''] = line.split(' ')
    const given = Object.fromEntries(headers.map((header) => header.split(': ') as [string, string]))
    expect(Object.keys(given)).toEqual(['Authorization', 'Content-Type', 'Idempotency-Key'])
    const { Authorization: _, ...rest } = given
    const options = { token: await service.session(), headers: rest, rawBody: JSON.stringify(slot()) }
    const ask = () => service.call(method, path.replace('/api/v1', ''), options)
    const [first, second] = [await ask(), await ask()]
    expect(first.status).toBe(201)
    expect(second).toMatchObject({
      status: 201,
      body: first.body,
      headers: { 'idempotent-replayed': 'true' },
    })
  })

  test('docs/guides/rate-limits.md: a refusal has the headers that a refused request gets', async () => {
    const [status, ...headers] = blockOf('docs/guides/rate-limits.md', 'HTTP/1.1 429').split('\n')
    const token = await service.session(businessOf(service.world, 'Thames Barbers'))
    const ask = () => service.call('GET', '/services', { token })
    for (let time = 0; time < 30; time += 1) await ask()
    const reply = await ask()
    expect(status).toBe(`HTTP/1.1 ${reply.status} Too Many Requests`)
    for (const header of headers) {
      const [name = '', value = ''] = header.split(': ')
      const isFixed = !/Reset|Retry-After/.test(name)
      expect(reply.headers[name.toLowerCase()]).toMatch(
        isFixed ? new RegExp(`^${RegExp.escape(value)}`) : /^\d+$/,
      )
    }
  })
})

import { beforeAll, afterAll, describe, expect, expectTypeOf, test } from 'vitest'
import { routes } from '../../client/api-resources.ts'
import { createHoldfastClient, type Booking, type HoldfastClient } from '../../client/holdfast-client.ts'
import { documentAt, tableUnder } from '../docs/documents.ts'
import { onOneEngine } from '../support/long.ts'
import { nextStart, type Tenant } from '../support/tenant-things.ts'
import { ada, businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'
import { sendTo, timeOf, type Sent } from './client-service.ts'

const lines = Object.entries(routes).flatMap(([resource, methods]) =>
  Object.entries(methods).map(([name, route]) => ({ name: `${resource}.${name}`, route })),
)

onOneEngine('sqlite', 'the methods of the client', (engine) => {
  let service: TestService
  let salon: Tenant
  let client: HoldfastClient
  let sent: Sent[]
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
    const way = sendTo(service)
    sent = way.sent
    const options = { baseUrl: 'http://holdfast.test', key: salon.business_key, fetch: way.send }
    client = createHoldfastClient(options, timeOf(service))
  })
  afterAll(() => service.stop())

  test('stand for every operation that takes a token, once', () => {
    const known = service.app.server.knownRoutes
      .filter(({ method, access, url }) => access && method !== 'HEAD' && url.startsWith('/api/v1/'))
      .map(({ method, url }) => `${method} ${url.slice('/api/v1'.length).replaceAll(/:\w+/g, '{}')}`)
    const named = lines.map(({ route }) => route.replace(/ \w* /, ' ').replaceAll(/\{\w+\}/g, '{}'))
    expect(new Set(named).size).toBe(named.length)
    expect(known).toEqual(expect.arrayContaining(named))
    const forPeopleOnly = /\/(?:users|invitations|holidays)\b|\/(?:smtp|stripe)$/
    expect(known.filter((one) => !named.includes(one) && !forPeopleOnly.test(one))).toEqual([])
  })

  test('take IDs, a body, a query and options in this order', async () => {
    const { hold_id } = await client.holds.create({ ...offer(salon, 'Haircut'), starts_at: nextStart() })
    const { data: booking, response } = await client.bookings
      .create({ hold_id, client: ada }, { headers: { 'x-request-id': 'first' } })
      .withResponse()
    expect(response.headers.get('x-request-id')).toBe('first')
    const etag = response.headers.get('etag') ?? ''
    const changed = await client.bookings.update(
      booking.id,
      { notes: 'Please ring twice.' },
      { series: 'this' },
      { ifMatch: etag },
    )
    expectTypeOf(changed).toEqualTypeOf<Booking>()
    expect(changed.notes).toBe('Please ring twice.')
    const late = client.bookings.cancel(booking.id, { notify: false }, { ifMatch: etag })
    await expect(late).rejects.toMatchObject({ code: 'version_conflict', status: 412 })
    expect(await client.bookings.cancel(booking.id)).toMatchObject({ status: 'cancelled' })
  })

  test('send a key with each creation that takes one, and with no other', async () => {
    sent.length = 0
    await client.clients.create({ ...ada, email: 'key@example.com' })
    await client.feeds.create({ kind: 'business' } as never).catch(String)
    expect(sent.map(({ headers }) => headers['idempotency-key'] !== undefined)).toEqual([true, false])
  })

  test('refuse an invalid ID before they send anything', () => {
    sent.length = 0
    for (const id of ['', '.', '..', undefined, 7]) {
      expect(() => client.bookings.cancel(id as string)).toThrow(/^bookings\.cancel needs the id as a string/)
    }
    expect(sent).toEqual([])
  })

  test('send lists, objects and booleans of a query as the server reads them', async () => {
    const query = { status: ['confirmed' as const, 'cancelled' as const], metadata: { source: 'a b' } }
    expect((await client.bookings.list(query)).data).toEqual([])
    await expect(client.bookings.list({ ids: [] })).rejects.toMatchObject({ code: 'validation_failed' })
  })

  describe('a list', () => {
    beforeAll(async () => {
      for (let number = 0; number < 7; number += 1) {
        await client.clients.create({ ...ada, email: `ada${number}@lists.example.com` })
      }
    })
    const query = { q: '@lists.example.com', limit: 3 }

    test('is one page when it is awaited, and is asked for once', async () => {
      sent.length = 0
      const list = client.clients.list(query)
      expect(sent).toEqual([])
      const page = await list
      expectTypeOf(page.next_cursor).toEqualTypeOf<string | null>()
      expect(page.data).toHaveLength(3)
      expect(await list).toBe(page)
      expect(sent).toHaveLength(1)
    })

    test('gives every entry once when a program iterates', async () => {
      const emails = []
      for await (const one of client.clients.list(query)) emails.push(one.email)
      expect(emails.toSorted()).toEqual(
        Array.from({ length: 7 }, (_, number) => `ada${number}@lists.example.com`),
      )
    })

    test('loads no page that is not reached', async () => {
      sent.length = 0
      for await (const one of client.clients.list(query)) {
        expect(one.email).toMatch(/@lists/)
        if (sent.length === 2) break
      }
      expect(sent).toHaveLength(2)
    })

    test('throws a refusal, and stops when it is aborted between pages', async () => {
      const read = async (ask: HoldfastClient['clients']['list'], signal?: AbortSignal) => {
        for await (const one of ask({ ...query, limit: signal ? 3 : 0 }, { signal })) {
          expect(one.email).toMatch(/@lists/)
          controller.abort(new Error('enough'))
        }
      }
      const controller = new AbortController()
      await expect(read(client.clients.list)).rejects.toMatchObject({ fields: { limit: expect.any(String) } })
      sent.length = 0
      await expect(read(client.clients.list, controller.signal)).rejects.toThrow('enough')
    })
  })
})

describe('the address of the service', () => {
  const asked = async (baseUrl: string) => {
    const urls: string[] = []
    const fetch = (request: Request) => {
      urls.push(request.url)
      const session = { session_token: 'cal_ses_x', expires_at: '2100-01-01T00:00:00Z', show_branding: false }
      return Promise.resolve(
        Response.json(request.method === 'POST' ? session : { data: [], next_cursor: null }),
      )
    }
    await createHoldfastClient({ baseUrl, publishableKey: 'cal_pub_x', fetch }).services.list()
    return urls
  }

  test.each(['', '/', '//', '/api/v1', '/api/v1/'])('may end in "%s"', async (end) => {
    for (const start of ['http://127.0.0.1:3000', 'https://example.com/booking']) {
      expect(await asked(start + end)).toEqual([`${start}/api/v1/session`, `${start}/api/v1/services`])
    }
  })

  test.each(['', 'booking.example.com', '/api/v1', 'ftp://example.com', 'http://', undefined])(
    'is refused if it is %j',
    (baseUrl) => {
      expect(() => createHoldfastClient({ baseUrl: baseUrl as string, key: 'x' })).toThrow(
        /^baseUrl is a URL such as https:/,
      )
    },
  )
})

test('the guide names every method', () => {
  const guide = documentAt('docs/guides/client.md')
  const named = tableUnder(guide, '## Methods').flatMap(([resource = '', methods = '']) =>
    methods.split(', ').map((method) => `${resource}.${method}`.replaceAll('`', '')),
  )
  expect(named.toSorted()).toEqual(lines.map(({ name }) => name).toSorted())
})

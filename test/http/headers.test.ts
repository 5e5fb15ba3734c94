import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import { bookingOf, unknownId, type Tenant } from '../support/tenant-things.ts'
import { businessOf, startTestService, type CallOptions, type TestService } from '../support/test-service.ts'

const exposed = [
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  ...['Retry-After', 'ETag', 'X-Request-Id', 'Idempotent-Replayed', 'WWW-Authenticate'],
]

onOneEngine('sqlite', 'headers and methods', (engine) => {
  let service: TestService
  let salon: Tenant
  let key: string
  let booking: string
  beforeAll(async () => {
    service = await startTestService(engine, { PORT: '0' })
    salon = businessOf(service.world, 'Salon Spree')
    key = salon.business_key
    booking = await bookingOf(service, salon, { token: key })
  })
  afterAll(() => service.stop())

  /** One request for each possible end of a request: its status, method, path and options. */
  const endings = (): [status: number, method: string, path: string, options: CallOptions][] => [
    [200, 'GET', `/bookings/${booking}`, { token: key }],
    [200, 'GET', '/services', { token: key }],
    [201, 'POST', '/session', { token: salon.publishable_key }],
    [204, 'OPTIONS', '/services', {}],
    [400, 'POST', '/bookings', { token: key, rawBody: '{', headers: { 'content-type': 'application/json' } }],
    [401, 'GET', '/services', {}],
    [401, 'GET', '/services', { token: 'cal_biz_x' }],
    [403, 'POST', '/session', { token: key }],
    [404, 'GET', `/services/${unknownId}`, { token: key }],
    [412, 'PATCH', `/bookings/${booking}`, { token: key, headers: { 'if-match': '"9"' } }],
    [413, 'POST', '/bookings', { token: key, body: 'x'.repeat(70_000) }],
    [415, 'POST', '/bookings', { token: key, rawBody: 'x', headers: { 'content-type': 'text/plain' } }],
    [422, 'POST', '/bookings', { token: key, body: {} }],
    [404, 'GET', '/nothing', {}],
    [404, 'GET', '/services/%zz', { token: key }],
    [405, 'PUT', '/services', {}],
  ]

  const send = ([status, method, path, options]: ReturnType<typeof endings>[number], headers: object) =>
    service.call(method, path, { ...options, headers: { ...options.headers, ...headers } }).then((reply) => {
      expect({ method, path, status: reply.status }).toEqual({ method, path, status })
      return reply
    })

  test('every answer echoes the X-Request-Id of its request, and its problem names it', async () => {
    for (const ending of endings()) {
      const id = `Trace-${ending[0]}_a.b~c:d/e+f=g@h`
      const reply = await send(ending, { 'x-request-id': id })
      expect(reply.headers['x-request-id']).toBe(id)
      if (ending[0] >= 400) expect(reply.body.request_id).toBe(id)
    }
    expect(
      (await service.call('GET', '//healthz', { headers: { 'x-request-id': 'x' } })).headers['x-request-id'],
    ).toBe('x')
  })

  test.each(['', 'x'.repeat(129), 'two words', 'a,b', '<b>', '"', 'ü', 'a\tb', '{}', 'a;b', "'"])(
    'the unsafe X-Request-Id %j is replaced by a new one each time',
    async (id) => {
      const ids = []
      for (const ending of endings())
        ids.push((await send(ending, { 'x-request-id': id })).headers['x-request-id'])
      for (const given of ids) expect(given).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      expect(new Set(ids).size).toBe(ids.length)
    },
  )

  test('an X-Request-Id of 128 characters is echoed', async () => {
    const id = 'x'.repeat(128)
    const reply = await service.call('GET', '/services', { token: key, headers: { 'x-request-id': id } })
    expect(reply.headers['x-request-id']).toBe(id)
  })

  test('nothing that needs a key is stored by caches, refusals included', async () => {
    const withKey = endings().filter(
      ([, method, path]) => !['OPTIONS', 'PUT'].includes(method) && !/nothing|%zz/.test(path),
    )
    for (const ending of withKey) {
      expect((await send(ending, {})).headers['cache-control']).toBe('no-store')
    }
  })

  test('browsers may read every answer, refusals included', async () => {
    for (const ending of endings()) {
      const { headers } = await send(ending, { origin: 'https://shop.example' })
      expect(headers['access-control-allow-origin']).toBe('*')
      expect(headers['access-control-allow-credentials']).toBeUndefined()
      if (ending[1] === 'OPTIONS') continue
      const names = (headers['access-control-expose-headers'] ?? '').split(',').map((name) => name.trim())
      expect(names.toSorted()).toEqual(exposed.toSorted())
    }
  })

  test.each(['/session', '/bookings', '/bookings/hold', `/bookings/${unknownId}`, '/services', '/nothing'])(
    'the preflight of %s is answered without a key',
    async (path) => {
      const asked = 'authorization,content-type,idempotency-key,if-match,if-none-match,x-previous-session'
      const reply = await service.call('OPTIONS', path, {
        headers: {
          origin: 'https://shop.example',
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': asked,
        },
      })
      expect(reply).toMatchObject({
        status: 204,
        body: undefined,
        headers: { 'access-control-allow-origin': '*' },
      })
      const allowed = (name: string) => (reply.headers[name] ?? '').toLowerCase().split(/, */)
      expect(allowed('access-control-allow-methods')).toEqual(
        expect.arrayContaining(['get', 'post', 'patch', 'delete']),
      )
      expect(allowed('access-control-allow-headers')).toEqual(expect.arrayContaining(asked.split(',')))
    },
  )

  test('an OPTIONS that is no preflight is answered too', async () => {
    expect((await service.call('OPTIONS', '/services')).status).toBe(204)
  })

  const allow: [path: string, allow: string][] = [
    ['/session', 'OPTIONS, POST'],
    ['/bookings', 'GET, HEAD, OPTIONS, POST'],
    ['/bookings/hold', 'OPTIONS, POST'],
    [`/bookings/hold/${unknownId}`, 'DELETE, GET, HEAD, OPTIONS'],
    [`/bookings/${unknownId}`, 'DELETE, GET, HEAD, OPTIONS, PATCH'],
    ['/services', 'GET, HEAD, OPTIONS, POST'],
    [`/staff/${unknownId}`, 'DELETE, GET, HEAD, OPTIONS, PATCH'],
    ['//healthz', 'GET, HEAD, OPTIONS'],
  ]

  describe.each(allow)('%s', (path, methods) => {
    const wrong = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY', 'PURGE']

    test.each(wrong.filter((method) => !methods.split(', ').includes(method)))(
      `with %s is 405 with "Allow: ${methods}"`,
      async (method) => {
        const reply = await service.call(method, path)
        expect(reply).toMatchObject({ status: 405, headers: { allow: methods } })
        if (method !== 'HEAD') expectProblem(reply, 'method_not_allowed')
      },
    )
  })

  test.each([
    '/',
    '/nothing',
    '/bookings/a/b',
    '/Services',
    '/services/a/b',
    '//api/v2/services',
    '//api/v1',
  ])('the unknown path %s is 404 for every method', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
      expectProblem(await service.call(method, path, { token: key }), 'not_found')
    }
  })

  test('HEAD is GET without its body', async () => {
    for (const path of ['/services', `/bookings/${booking}`, `/services/${unknownId}`, '/nothing']) {
      const get = await service.call('GET', path, { token: key })
      const head = await service.call('HEAD', path, { token: key })
      const { 'x-request-id': _one, date: _two, 'x-ratelimit-remaining': _three, ...headers } = get.headers
      expect(head.status).toBe(get.status)
      expect(head.body).toBeUndefined()
      const { 'content-length': length, ...others } = headers
      expect(head.headers).toMatchObject(
        get.status === 200 ? { ...others, 'content-length': length } : others,
      )
    }
    expect((await service.call('HEAD', '/services')).status).toBe(401)
  })

  describe('over a socket', () => {
    let port: number
    beforeAll(async () => {
      port = Number(new URL(await service.app.listen()).port)
    })
    const talk = async (request: string) => {
      const socket = connect(port, '127.0.0.1')
      socket.write(request)
      const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n', 2)
      return { head, body: JSON.parse(body) as Record<string, unknown> }
    }

    test('a hundred headers are read, one more is too many', async () => {
      const request = (more: number) =>
        talk(`GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${'X-A: a\r\n'.repeat(more)}\r\n`)
      expect((await request(98)).body).toEqual({ status: 'alive' })
      expect((await request(99)).body).toMatchObject({ status: 431, code: 'headers_too_large' })
    })

    test.each([
      ['no HTTP at all', 'hello\r\n\r\n', 400, 'malformed_request'],
      ['an unknown method', 'STEAL / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
      ['NUL in a header', 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n', 400, 'malformed_request'],
      ['NUL in the path', 'GET /health\0z HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
      [
        'two lengths',
        'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
        400,
        'malformed_request',
      ],
      [
        'two Hosts',
        'GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n',
        400,
        'malformed_request',
      ],
      [
        'the same Host twice, for the API',
        'GET /api/v1/services HTTP/1.1\r\nHost: x\r\nConnection: close\r\nhOsT: x\r\n\r\n',
        400,
        'malformed_request',
      ],
      [
        'two Hosts of old',
        'GET /healthz HTTP/1.0\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n',
        400,
        'malformed_request',
      ],
      [
        'endless headers',
        `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
        431,
        'headers_too_large',
      ],
    ])('%s gets a problem document with a request id', async (_what, request, status, code) => {
      const { head, body } = await talk(request)
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      expect(head).toMatch(/\r\nContent-Type: application\/problem\+json\r\n/i)
      expect(body).toMatchObject({ type: `/problems/${code}`, status, code })
      expect(head).toMatch(new RegExp(`\\r\\nX-Request-Id: ${String(body.request_id)}(\\r|$)`, 'i'))
      expect(head).toMatch(/\r\nAccess-Control-Allow-Origin: \*/i)
    })
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { bookingOf, holdOf, nextStart, unknownId, type Tenant } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import {
  ada,
  businessOf,
  offer,
  startTestService,
  type CallOptions,
  type TestService,
} from '../support/test-service.ts'

const json = { 'content-type': 'application/json' }
const largest = 64 * 1024

onOneEngine('sqlite', 'bodies', (engine) => {
  let service: TestService
  let salon: Tenant
  let token: string
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
    token = await service.session(salon)
  })
  afterAll(() => service.stop())

  const post = (rawBody: string | Buffer, headers: Record<string, string> = json) =>
    service.call('POST', '/bookings/hold', { token, rawBody, headers })
  const wanted = () => JSON.stringify({ ...offer(salon, 'Haircut'), starts_at: nextStart() })

  test('a resource stands bare', async () => {
    const id = await bookingOf(service, salon, { token })
    const { body } = await service.call('GET', `/bookings/${id}`, { token })
    expect(body).toMatchObject({ id, status: 'confirmed' })
    expect(body.data).toBeUndefined()
  })

  test('a body of 64 KiB is read, and one byte more is 413', async () => {
    const text = wanted()
    const padded = text + ' '.repeat(largest - text.length)
    expect((await post(padded)).status).toBe(201)
    expectProblem(await post(`${padded} `), 'payload_too_large')
    expectProblem(await post(`${padded} `, { 'content-type': 'text/plain' }), 'payload_too_large')
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'multipart/form-data; boundary=x',
    'nonsense',
    'application/jsonx',
  ])('a body of the type %s is 415', async (type) => {
    expectProblem(await post(wanted(), { 'content-type': type }), 'unsupported_media_type')
    expectProblem(await post('{}', { 'content-type': type }), 'unsupported_media_type')
  })

  test('a body without a type is 415', async () => {
    expectProblem(await post(Buffer.from(wanted()), {}), 'unsupported_media_type')
  })

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/json;charset="UTF-8"',
  ])('a body of the type %s is read', async (type) => {
    expect((await post(wanted(), { 'content-type': type })).status).toBe(201)
  })

  test.each([
    ['cut off', '{"service_id": '],
    ['no JSON', 'service_id=1'],
    ['followed by more', '{} {}'],
    ['with a comma too many', '{"a":1,}'],
    ['with a comment', '{} // really'],
    ['in single quotes', "{'a':1}"],
    ['with a control character in a text', '{"a":"\u0000"}'],
    ['NaN', '{"a":NaN}'],
    ['spaces alone', '   '],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
    ['with the key __proto__', '{"__proto__":{"admin":true}}'],
    ['with an escaped key __proto__', '{"__pr\\u006fto__":{"admin":true}}'],
    ['with __proto__ deep inside', '{"client":{"a":[{"__proto__":1}]}}'],
    ['with constructor.prototype', '{"constructor":{"prototype":{"admin":true}}}'],
    ['nested 21 levels deep', '['.repeat(21) + ']'.repeat(21)],
    ['nested 30,000 levels deep', '['.repeat(30_000) + ']'.repeat(30_000)],
    ['nested without an end', '{"a":'.repeat(10_000)],
  ])('a body that is %s is 400 malformed_json', async (_what, rawBody) => {
    expectProblem(await post(rawBody), 'malformed_json')
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  test.each([
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"text"'],
    ['a number', '1'],
    ['a list of 20 levels', '['.repeat(20) + ']'.repeat(20)],
  ])('a body that is %s is 422', async (_what, rawBody) => {
    expectErrors(await post(rawBody), '')
    const exchanged = await service.call('POST', '/session', {
      token: salon.publishable_key,
      rawBody,
      headers: json,
    })
    expectErrors(exchanged, '')
  })

  test('an empty body where one is needed is 422 and names what is missing', async () => {
    const missing = ['/service_id', '/location_id', '/starts_at'] as const
    expectErrors(await service.call('POST', '/bookings/hold', { token }), ...missing)
    expectErrors(await service.call('POST', '/bookings/hold', { token, headers: json }), ...missing)
    expectErrors(await post('{}'), ...missing)
  })

  describe('where an operation needs none', () => {
    const empty: [string, Omit<CallOptions, 'token'>][] = [
      ['no body, no type', {}],
      ['no body, type JSON', { headers: json }],
      ['an empty body, type JSON', { rawBody: '', headers: json }],
      ['{}, type JSON', { rawBody: '{}', headers: json }],
      ['{ } and white space, type JSON', { rawBody: ' {\n} \n', headers: json }],
      ['{}, no type', { rawBody: Buffer.from('{}') }],
      [
        '{}, the type that curl adds',
        { rawBody: '{}', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      ],
      ['no body, type text', { headers: { 'content-type': 'text/plain' } }],
    ]

    test.each(empty)('%s is accepted', async (_what, options) => {
      const exchanged = await service.call('POST', '/session', { token: salon.publishable_key, ...options })
      expect(exchanged.status).toBe(201)
      const hold_id = await holdOf(service, salon, { token })
      expect((await service.call('DELETE', `/bookings/hold/${hold_id}`, { token, ...options })).status).toBe(
        204,
      )
      const id = await bookingOf(service, salon, { token })
      const cancelled = await service.call('DELETE', `/bookings/${id}`, {
        token: salon.business_key,
        ...options,
      })
      expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled' } })
    })

    test.each(['{}x', `{}${' '.repeat(100)}x`, '{"a":1}', 'x', ' '])(
      'the body %j without a type is 415',
      async (text) => {
        const rawBody = Buffer.from(text)
        const reply = await service.call('POST', '/session', { token: salon.publishable_key, rawBody })
        expectProblem(reply, 'unsupported_media_type')
      },
    )
  })

  test('PATCH without a body changes nothing, with and without a type', async () => {
    const id = await bookingOf(service, salon, { token })
    for (const headers of [{}, json]) {
      const patched = await service.call('PATCH', `/bookings/${id}`, { token: salon.business_key, headers })
      expect(patched).toMatchObject({ status: 200, headers: { etag: '"1"' } })
    }
  })

  test('a GET is answered whatever body comes with it', async () => {
    const reply = await service.call('GET', '/services', { token, rawBody: '{broken', headers: json })
    expect(reply.status).toBe(200)
  })

  test('a byte order mark and repeated names are no faults', async () => {
    const hold_id = unknownId
    const client = JSON.stringify(ada)
    const rawBody = `\ufeff{"hold_id":"x","hold_id":"${hold_id}","client":${client}}`
    expectProblem(
      await service.call('POST', '/bookings', { token, rawBody, headers: json }),
      'hold_not_found',
    )
  })
})

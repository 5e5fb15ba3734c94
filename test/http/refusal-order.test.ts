import { afterAll, beforeAll, expect, test } from 'vitest'
import { onOneEngine } from '../support/long.ts'
import { bookingOf, restrictOrigins, unknownId, type Tenant } from '../support/tenant-things.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

/** A request to change a booking, before faults are added. */
interface Draft {
  method: string
  path: string
  query: string
  token: string | undefined
  rawBody: string
  type: string
  ifMatch: string
}

/** One possible fault of a request. Two faults of the same part exclude each other. */
interface Mistake {
  status: number
  code: string
  place: 'path' | 'token' | 'body' | 'validity' | 'existence' | 'state'
  put: (draft: Draft) => Partial<Draft>
}

onOneEngine('sqlite', 'the order of refusals', (engine) => {
  let service: TestService
  let salon: Tenant
  let sessionToken: string
  let booking: string
  let taken: string
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
    sessionToken = await service.session(salon)
    booking = await bookingOf(service, salon, { token: sessionToken, service: 'Meeting room' })
    const blocking = await bookingOf(service, salon, { token: sessionToken, service: 'Meeting room' })
    taken = (await service.call('GET', `/bookings/${blocking}`, { token: sessionToken })).body.starts_at
  })
  afterAll(() => service.stop())

  const lotusKey = () => businessOf(service.world, 'Lotus Clinic').business_key

  /** In the contract's order. Each precedes those of a later stage. */
  const stages: Mistake[][] = [
    [
      { status: 404, code: 'not_found', place: 'path', put: ({ path }) => ({ path: `${path}/nothing` }) },
      { status: 405, code: 'method_not_allowed', place: 'path', put: () => ({ method: 'PUT' }) },
    ],
    [
      { status: 401, code: 'missing_credentials', place: 'token', put: () => ({ token: undefined }) },
      { status: 401, code: 'invalid_credentials', place: 'token', put: () => ({ token: 'cal_biz_wrong' }) },
    ],
    [
      { status: 403, code: 'key_type_not_allowed', place: 'token', put: () => ({ token: sessionToken }) },
      { status: 403, code: 'plan_required', place: 'token', put: () => ({ token: lotusKey() }) },
    ],
    [
      { status: 413, code: 'payload_too_large', place: 'body', put: () => ({ rawBody: ' '.repeat(70_000) }) },
      { status: 415, code: 'unsupported_media_type', place: 'body', put: () => ({ type: 'text/plain' }) },
      { status: 400, code: 'malformed_json', place: 'body', put: () => ({ rawBody: '{"a":' }) },
    ],
    [{ status: 422, code: 'validation_failed', place: 'validity', put: () => ({ query: '?colour=red' }) }],
    [
      {
        status: 404,
        code: 'not_found',
        place: 'existence',
        put: ({ path }) => ({ path: path.replace(booking, unknownId) }),
      },
      {
        status: 404,
        code: 'not_found',
        place: 'existence',
        put: ({ path }) => ({ path: path.replace(booking, 'no-id') }),
      },
    ],
    [
      { status: 412, code: 'version_conflict', place: 'state', put: () => ({ ifMatch: '"99"' }) },
      {
        status: 409,
        code: 'slot_booked',
        place: 'state',
        put: ({ rawBody }) => (rawBody === '{}' ? { rawBody: JSON.stringify({ starts_at: taken }) } : {}),
      },
    ],
  ]

  const send = async (mistakes: Mistake[]) => {
    let draft: Draft = {
      ...{ method: 'PATCH', path: `/bookings/${booking}`, query: '', token: salon.business_key },
      ...{ rawBody: '{}', type: 'application/json', ifMatch: '*' },
    }
    for (const { put } of mistakes) draft = { ...draft, ...put(draft) }
    const { method, path, query, token, rawBody, type, ifMatch } = draft
    return service.call(method, path + query, {
      ...(token !== undefined && { token }),
      rawBody,
      headers: { 'content-type': type, 'if-match': ifMatch },
    })
  }

  test('a request without a mistake is answered', async () => {
    expect((await send([])).status).toBe(200)
  })

  const all = stages.flatMap((mistakes, stage) => mistakes.map((mistake) => ({ ...mistake, stage })))

  test.each(all)('$status $code alone is told', async (mistake) => {
    const reply = await send([mistake])
    expect({ status: reply.status, code: reply.body.code }).toEqual({
      status: mistake.status,
      code: mistake.code,
    })
  })

  const pairs = all.flatMap((earlier) =>
    all
      .filter(({ stage, place }) => stage > earlier.stage && place !== earlier.place)
      .map((later) => ({ earlier, later, name: `${earlier.code} comes before ${later.code}` })),
  )

  test.each(pairs)('$name', async ({ earlier, later }) => {
    const reply = await send([earlier, later])
    expect({ status: reply.status, code: reply.body.code }).toEqual({
      status: earlier.status,
      code: earlier.code,
    })
  })

  test('all mistakes together are told one stage after the other', async () => {
    const codes = []
    for (let first = 0; first < stages.length; first += 1) {
      const chosen = new Map<string, Mistake>()
      for (const mistake of all.filter(({ stage }) => stage >= first)) {
        if (!chosen.has(mistake.place)) chosen.set(mistake.place, mistake)
      }
      codes.push((await send([...chosen.values()])).status)
    }
    expect(codes).toEqual([404, 401, 403, 413, 422, 404, 412])
  })

  test('the type of a key is refused before its plan, and before its origin', async () => {
    const pro = await service.call('POST', '/session', { token: lotusKey() })
    expect(pro.body.code).toBe('key_type_not_allowed')
    const barbers = businessOf(service.world, 'Thames Barbers')
    await restrictOrigins(service, barbers, ['https://barbers.example'])
    const token = await service.session(barbers)
    const headers = { origin: 'https://evil.example' }
    const patched = await service.call('PATCH', `/bookings/${booking}`, { token, headers, body: {} })
    expect(patched.body.code).toBe('key_type_not_allowed')
    const placed = await service.call('POST', '/bookings/hold', { token, headers, rawBody: '{' })
    expect(placed.body.code).toBe('origin_not_allowed')
  })

  test('the body of an unknown path or a wrong method is not looked at', async () => {
    for (const rawBody of ['{', 'x'.repeat(70_000)]) {
      const headers = { 'content-type': 'application/json' }
      expect((await service.call('POST', '/nothing', { rawBody, headers })).status).toBe(404)
      expect((await service.call('PUT', '/session', { rawBody, headers })).status).toBe(405)
    }
  })
})

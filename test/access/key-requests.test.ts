import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConsole, textOf } from '../support/console.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { unknownId } from '../support/tenant-things.ts'

interface ShownRequest {
  at: string
  method: string
  path: string
  status: number
  code: string | null
  milliseconds: number
}

onOneEngine('sqlite', 'requests of a key', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let other: OwnBusiness
  let owner: LoggedIn
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    other = await makeBusiness(service)
    const place = { businessId: business.id }
    owner = await logInNewPerson(service, { email: 'olga@example.com', role: 'owner', place })
  })
  afterAll(() => service.stop())

  const newKey = async (type = 'business') => {
    const reply = await owner.call('POST', `/businesses/${business.id}/keys`, { type })
    return { id: String(reply.body['id']), key: String(reply.body['key']) }
  }
  const list = async (id: string) => {
    const { body } = await owner.call('GET', `/businesses/${business.id}/keys/${id}/requests`)
    return body['data'] as ShownRequest[]
  }

  test('are listed with method, path, status, code and duration, the newest first', async () => {
    const { id, key } = await newKey()
    await service.call('GET', '/bookings?q=ada%40example.com', { token: key })
    await service.call('POST', '/bookings/hold', { token: key, body: {} })
    await service.call('GET', '/nowhere', { token: key })
    await expect.poll(async () => (await list(id)).length, { timeout: 10_000 }).toBe(3)
    const [unknown, hold, bookings] = await list(id)
    expect(unknown).toMatchObject({ path: '/api/v1/nowhere', status: 404, code: 'not_found' })
    expect(hold).toMatchObject({ method: 'POST', status: 422, code: 'validation_failed' })
    expect(bookings).toEqual({
      ...{ at: expect.stringMatching(/^2026-11-20T/), method: 'GET', path: '/api/v1/bookings' },
      ...{ status: 200, code: null, milliseconds: expect.any(Number) },
    })
    expect(JSON.stringify(await service.rows('key_requests'))).not.toContain('example')
    const page = textOf(await readConsole(service, `/console/developers/keys/${id}`, owner))
    expect(page).toContain('POST /api/v1/bookings/hold')
    expect(page).toContain('422 validation_failed')
  })

  test('only the last 100 are kept, of each key', async () => {
    const [busy, quiet] = [await newKey(), await newKey()]
    await service.call('GET', '/services', { token: quiet.key })
    for (let count = 0; count < 130; count += 1)
      await service.call('GET', `/services?limit=${(count % 100) + 1}`, { token: busy.key })
    await service.call('GET', '/locations', { token: busy.key })
    const first = async () => (await list(busy.id))[0]?.path
    await expect.poll(first, { timeout: 10_000 }).toBe('/api/v1/locations')
    expect(await list(busy.id)).toHaveLength(100)
    expect(await list(quiet.id)).toHaveLength(1)
    const rows = await service.rows('key_requests')
    expect(rows.filter(({ api_key_id }) => api_key_id === busy.id)).toHaveLength(100)
  })

  test('refused requests are among them; those of sessions are not', async () => {
    const { id, key } = await newKey('publishable')
    const session = await service.call('POST', '/session', { token: key })
    await service.call('GET', '/services', { token: String(session.body['session_token']) })
    await service.call('GET', '/services', { token: key })
    await expect.poll(async () => (await list(id)).length, { timeout: 10_000 }).toBe(2)
    expect(await list(id)).toMatchObject([
      { path: '/api/v1/services', status: 403, code: 'key_type_not_allowed' },
      { path: '/api/v1/session', status: 201, code: null },
    ])
  })

  test('of another business are not found', async () => {
    const { id } = await newKey()
    const pathOf = (businessId: string, keyId: string) => `/businesses/${businessId}/keys/${keyId}/requests`
    for (const [businessId, keyId] of [
      [business.id, id],
      [other.id, id],
      [other.id, unknownId],
      [other.id, 'x'],
    ] as const)
      expectProblem(await service.call('GET', pathOf(businessId, keyId), { token: other.key }), 'not_found')
  })
})

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectProblem } from '../support/expect-problem.ts'
import { bookingOf, changeRows, unknownId, type Tenant } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'credentials', (engine) => {
  let service: TestService
  let salon: Tenant
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
  })
  afterAll(() => service.stop())

  const read = (token: string) => service.call('GET', '/services', { token })

  test.each([undefined, '', 'Bearer', 'Bearer ', 'Basic YWRhOmFkYQ==', 'Token x', 'bearer\t', 'null'])(
    'the header "Authorization: %s" carries no bearer token',
    async (authorization) => {
      const headers = authorization === undefined ? {} : { authorization }
      const reply = await service.call('GET', '/services', { headers })
      expectProblem(reply, 'missing_credentials')
      expect(reply.headers['www-authenticate']).toBe('Bearer')
    },
  )

  test('a key in a query, a body or a cookie is no bearer token', async () => {
    const key = salon.business_key
    expect((await service.call('GET', `/services?access_token=${key}`)).status).toBe(401)
    expect((await service.call('POST', '/bookings', { body: { access_token: key } })).status).toBe(401)
    expect((await service.call('GET', '/services', { headers: { cookie: `token=${key}` } })).status).toBe(401)
  })

  test('the scheme may be written in any case, with any white space', async () => {
    for (const scheme of ['Bearer ', 'bearer ', 'BEARER  ', 'Bearer \t']) {
      const headers = { authorization: `${scheme}${salon.business_key} ` }
      expect((await service.call('GET', '/services', { headers })).status).toBe(200)
    }
  })

  test('two tokens are none', async () => {
    const headers = { authorization: `Bearer ${salon.business_key}, Bearer ${salon.business_key}` }
    expectProblem(await service.call('GET', '/services', { headers }), 'invalid_credentials')
  })

  test('a session token is valid for one hour, and not at its end', async () => {
    const token = await service.session(salon)
    service.clock.advance(3599.999)
    expect((await read(token)).status).toBe(200)
    service.clock.advance(0.001)
    const expired = await read(token)
    expectProblem(expired, 'session_expired')
    expect(expired.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
    service.clock.advance(86_400)
    expectProblem(await read(token), 'session_expired')
  })

  test('SESSION_SECONDS shortens sessions', async () => {
    const short = await startTestService(engine, { SESSION_SECONDS: '5' })
    const token = await short.session()
    short.clock.advance(5)
    expectProblem(await short.call('GET', '/services', { token }), 'session_expired')
    await short.stop()
  })

  describe('within five seconds, keys that were in use a moment ago', () => {
    const revoke = (column: 'digest' | 'business_id', value: string, type: string) => {
      const now = service.clock.now()
      return changeRows(
        service,
        sql`update api_keys set revoked_at = ${now} where ${sql.ref(column)} = ${value} and type = ${type}`,
      )
    }

    test('are refused once they are revoked', async () => {
      const { id, business_key } = businessOf(service.world, 'Hudson Studio')
      expect((await read(business_key)).status).toBe(200)
      await revoke('business_id', id, 'business')
      service.clock.advance(5)
      const refused = await read(business_key)
      expectProblem(refused, 'invalid_credentials')
      expect(refused.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
    })

    test('take their sessions with them when they are revoked publishable keys', async () => {
      const studio = businessOf(service.world, 'Hudson Studio')
      const token = await service.session(studio)
      const others = await service.session(salon)
      expect((await read(token)).status).toBe(200)
      await revoke('business_id', studio.id, 'publishable')
      service.clock.advance(5)
      expectProblem(await read(token), 'invalid_credentials')
      const exchanged = await service.call('POST', '/session', { token: studio.publishable_key })
      expectProblem(exchanged, 'invalid_credentials')
      expect((await read(others)).status).toBe(200)
    })
  })

  describe('plans', () => {
    const setPlan = async (table: 'hubs' | 'businesses', id: string, plan: string) => {
      await changeRows(service, sql`update ${sql.table(table)} set plan = ${plan} where id = ${id}`)
      service.clock.advance(5)
    }
    const refusal = (reply: Awaited<ReturnType<typeof read>>) => {
      expectProblem(reply, 'plan_required', { required_plan: 'enterprise' })
    }

    test.each(['Lotus Clinic', 'Thames Barbers'])('the business key of %s needs Enterprise', async (name) => {
      const tenant = businessOf(service.world, name)
      refusal(await read(tenant.business_key))
      refusal(await service.call('PATCH', `/bookings/${unknownId}`, { token: tenant.business_key, body: {} }))
      const token = await service.session(tenant)
      expect((await read(token)).status).toBe(200)
      expect(
        (await service.call('GET', `/bookings/${await bookingOf(service, tenant, { token })}`, { token }))
          .status,
      ).toBe(200)
    })

    test('an upgrade opens the business key within five seconds, a downgrade closes it', async () => {
      const { id, business_key } = businessOf(service.world, 'Lotus Clinic')
      await setPlan('businesses', id, 'enterprise')
      expect((await read(business_key)).status).toBe(200)
      await setPlan('businesses', id, 'pro')
      refusal(await read(business_key))
    })

    test('a business in a hub has the higher of its own plan and the hub’s', async () => {
      const { hub } = service.world
      await setPlan('businesses', salon.id, 'growth')
      expect((await read(salon.business_key)).status).toBe(200)
      await setPlan('hubs', hub.id, 'pro')
      refusal(await read(salon.business_key))
      await setPlan('businesses', salon.id, 'enterprise')
      expect((await read(salon.business_key)).status).toBe(200)
    })

    test('a hub key needs the hub’s own plan to be Enterprise', async () => {
      const { hub } = service.world
      await setPlan('businesses', salon.id, 'enterprise')
      await setPlan('hubs', hub.id, 'growth')
      refusal(await read(hub.key))
      await setPlan('hubs', hub.id, 'enterprise')
      expect((await read(hub.key)).status).toBe(200)
    })
  })
})

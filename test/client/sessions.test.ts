import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHoldfastClient, type HoldfastClient, type Session } from '../../client/holdfast-client.ts'
import { changeRows, nextStart, type Tenant, unknownId } from '../support/tenant-things.ts'
import { ada, businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'
import { sendTo, timeOf, type Sent } from './client-service.ts'
import { onOneEngine } from '../support/long.ts'

onOneEngine('sqlite', 'a client with a publishable key', (engine) => {
  let service: TestService
  let salon: Tenant
  let client: HoldfastClient
  let sent: Sent[]
  let sessions: Session[]
  beforeEach(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
    sessions = []
    const way = sendTo(service)
    sent = way.sent
    client = makeClient({ fetch: way.send })
  })
  afterEach(() => service.stop())

  const makeClient = (more: { fetch: ReturnType<typeof sendTo>['send']; previousSession?: string }) =>
    createHoldfastClient(
      {
        baseUrl: 'http://holdfast.test',
        publishableKey: salon.publishable_key,
        onSession: (session) => sessions.push(session),
        ...more,
      },
      timeOf(service),
    )

  const exchanges = () => sent.filter(({ path }) => path === '/api/v1/session')
  const list = async () => await client.services.list()
  const hold = () => client.holds.create({ ...offer(salon, 'Haircut'), starts_at: nextStart() })
  const book = (hold_id: string) => client.bookings.create({ hold_id, client: ada })

  test('does the main job with one session', async () => {
    const held = await hold()
    const { data: booking, response } = await book(held.hold_id).withResponse()
    expect(booking).toMatchObject({ id: held.hold_id, status: 'confirmed' })
    expect(response.headers.get('etag')).toBe('"1"')
    expect(await client.bookings.get(held.hold_id)).toEqual(booking)
    expect(exchanges()).toHaveLength(1)
    expect(sessions).toHaveLength(1)
  })

  test('exchanges once for requests at the same moment', async () => {
    await Promise.all(Array.from({ length: 10 }, list))
    expect(exchanges()).toHaveLength(1)
  })

  test('renews the session before its hour is over, and keeps its holds', async () => {
    await list()
    service.clock.advance(3600 - 400)
    const held = await hold()
    expect(exchanges()).toHaveLength(1)
    service.clock.advance(101)
    await book(held.hold_id)
    expect(exchanges()).toHaveLength(2)
    expect(exchanges()[1]?.headers['x-previous-session']).toBe(sessions[0]?.session_token)
  })

  test('renews it once more when the service says that it has expired', async () => {
    const held = await hold()
    // earlier than announced, as if the clock of the device had been set
    await changeRows(service, sql`update sessions set expires_at = ${service.clock.now()}`)
    service.clock.advance(5)
    await Promise.all([book(held.hold_id), list(), list()])
    expect(exchanges()).toHaveLength(2)
  })

  test('a session that lasts for less than its usual reserve serves for nearly all of its life', async () => {
    await service.stop()
    service = await startTestService(engine, { SESSION_SECONDS: '200' })
    salon = businessOf(service.world, 'Salon Spree')
    const way = sendTo(service)
    sent = way.sent
    client = makeClient({ fetch: way.send })
    await list()
    service.clock.advance(170)
    await list()
    expect(exchanges()).toHaveLength(1)
    service.clock.advance(15)
    await list()
    expect(exchanges()).toHaveLength(2)
  })

  test('a 401 that is not about its session is given as it is', async () => {
    const { send } = sendTo(service)
    let asked = 0
    client = makeClient({
      fetch: (request) => {
        asked += 1
        // as a proxy in front of the service may do
        if (!request.url.endsWith('/session')) request.headers.delete('authorization')
        return send(request)
      },
    })
    await expect(list()).rejects.toMatchObject({ code: 'missing_credentials' })
    expect(asked).toBe(2)
  })

  test('gives the refusal when its key is revoked, and asks no more often than once', async () => {
    await list()
    await changeRows(service, sql`update api_keys set revoked_at = ${service.clock.now()}`)
    service.clock.advance(5)
    const before = sent.length
    await expect(list()).rejects.toMatchObject({ code: 'invalid_credentials', status: 401 })
    expect(sent.slice(before).map(({ path }) => path)).toEqual(['/api/v1/services', '/api/v1/session'])
  })

  test('takes over what a session from before held', async () => {
    const held = await hold()
    const { send } = sendTo(service)
    client = makeClient({ fetch: send, previousSession: sessions[0]?.session_token ?? '' })
    expect(await client.holds.get(held.hold_id)).toEqual({ ...held, status: 'active' })
  })

  test('one that gives up waiting for the session leaves it to the others', async () => {
    const controller = new AbortController()
    const impatient = client.bookings.get(unknownId, { signal: controller.signal })
    const patient = list()
    controller.abort()
    await expect(impatient).rejects.toThrow(/abort/i)
    expect((await patient).data).not.toHaveLength(0)
    expect(exchanges()).toHaveLength(1)
  })
})

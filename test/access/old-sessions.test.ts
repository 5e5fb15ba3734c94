import { afterAll, beforeAll, expect, test } from 'vitest'
import { tidy } from '../../src/operate/housekeeping.ts'
import { jobs } from '../../src/server.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { rowOf } from '../support/records.ts'
import { bookingOf, holdOf, nextStart, type Tenant } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'

const aDay = 86_400
const hourOfSession = 3_600

onOneEngine('sqlite', 'housekeeping of sessions', (engine) => {
  let service: TestService
  let salon: Tenant
  beforeAll(async () => {
    // a hold's record then outlives the session that placed it
    service = await startTestService(engine, {
      HOLD_SECONDS: '7200',
      MAX_HOLDS_PER_SESSION: '24',
      RATE_LIMIT_FACTOR: '1', // it multiplies the cap, too
      DATABASE_POOL_SIZE: '24',
    })
    salon = businessOf(service.world, 'Salon Spree')
  })
  afterAll(() => service.stop())

  const follow = (previous: string) => service.session(salon, { 'x-previous-session': previous })
  const sessionIds = async () => (await service.rows('sessions')).map(({ id }) => String(id))
  /** Returns the latest session. */
  const newestId = async () => (await sessionIds()).toSorted().at(-1) ?? ''

  test('a session is expired for a day, and then one that nobody knows', async () => {
    const token = await service.session(salon)
    const id = await newestId()
    service.clock.advance(hourOfSession + aDay)
    await tidy(service.context, jobs)
    expectProblem(await service.call('GET', '/services', { token }), 'session_expired')
    service.clock.advance(0.001)
    await tidy(service.context, jobs)
    expect(await rowOf(service, 'sessions', id)).toBeUndefined()
    service.clock.advance(5) // it may be cached for this long
    expectProblem(await service.call('GET', '/services', { token }), 'invalid_credentials')
  })

  test('a session that is in force stays, whatever is deleted beside it', async () => {
    await service.session(salon)
    service.clock.advance(aDay)
    const token = await service.session(salon)
    service.clock.advance(hourOfSession - 0.001)
    await tidy(service.context, jobs)
    expect(await service.call('GET', '/services', { token })).toMatchObject({ status: 200 })
    expect(await sessionIds()).toHaveLength(2)
  })

  test('the record of a hold and a booking stay when the session that made them goes', async () => {
    const token = await service.session(salon)
    const id = await newestId()
    const paths = [
      `/bookings/${await bookingOf(service, salon, { token })}`,
      `/bookings/hold/${await holdOf(service, salon, { token })}`,
    ]
    service.clock.advance(hourOfSession + aDay + 1)
    await tidy(service.context, jobs)
    expect(await rowOf(service, 'sessions', id)).toBeUndefined()
    const shown = paths.map((path) => service.call('GET', path, { token: salon.business_key }))
    expect(await Promise.all(shown)).toMatchObject([
      { status: 200, body: { status: 'confirmed', client: { first_name: 'Ada' } } },
      { status: 200, body: { status: 'expired' } },
    ])
  })

  /** Refreshes a session each hour until its first row is deleted. */
  const refreshUntilFirstIsGone = async (first: string) => {
    const ownerId = await newestId()
    let token = first
    while (await rowOf(service, 'sessions', ownerId)) {
      service.clock.advance(hourOfSession)
      token = await follow(token)
      await tidy(service.context, jobs)
    }
    return token
  }

  test('an owner whose first session is gone has its bookings and holds, converts, and places 24 holds at once', async () => {
    const first = await service.session(salon)
    const booking = await bookingOf(service, salon, { token: first })
    const token = await refreshUntilFirstIsGone(first)
    const hold_id = await holdOf(service, salon, { token })
    const latest = await follow(token)
    const [shown, converted] = [
      await service.call('GET', `/bookings/${booking}`, { token: latest }),
      await service.call('POST', '/bookings', { token: latest, body: { hold_id, client: ada } }),
    ]
    expect(shown.body).toMatchObject({ client: { first_name: 'Ada' } })
    expect(converted).toMatchObject({ status: 201, body: { id: hold_id } })
    service.statements.length = 0
    const held = await Promise.all(
      Array.from({ length: 24 }, () =>
        service.call('POST', '/bookings/hold', {
          token: latest,
          body: { ...offer(salon, 'Meeting room'), starts_at: nextStart() },
        }),
      ),
    )
    expect(held.map(({ status }) => status)).toEqual(held.map(() => 201))
    const tries = service.statements.filter((text) => /^\s*insert into claims/.test(text))
    expect(tries.length).toBeLessThan(60) // those that lost wait for each other: otherwise some try four times
    const cap = await service.call('POST', '/bookings/hold', {
      token: latest,
      body: { ...offer(salon, 'Meeting room'), starts_at: nextStart() },
    })
    expectProblem(cap, 'hold_limit_reached')
  })
})

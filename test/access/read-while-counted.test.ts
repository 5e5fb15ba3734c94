import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bookSlot, sessionClient } from '../support/client.ts'
import { makeBusiness, makeOffer } from '../support/offers.ts'
import { engines, startTestService, type TestService } from '../support/test-service.ts'

/*
 * Reads are counted in parallel with their handlers. Another server may have counted requests that this one does not
 * know yet. The handler then runs, but its answer is not sent.
 */

const perMinute = 30
const limits = { RATE_LIMIT_FACTOR: '1' }

describe.runIf(engines.includes('postgres'))('a booking that is asked for at two servers (postgres)', () => {
  let one: TestService
  let other: TestService
  let token: string
  let stranger: string
  let path: string
  beforeAll(async () => {
    one = await startTestService('postgres', limits)
    other = await startTestService('postgres', limits, { beside: one })
    const business = await makeBusiness(one, { plan: 'growth' })
    const client = await sessionClient(one, business)
    token = client.token
    stranger = (await sessionClient(one, await makeBusiness(one, { plan: 'growth' }))).token
    const offer = await makeOffer(one, business.id)
    const booked = await bookSlot(client, offer, '2026-12-01T10:00:00+01:00')
    path = `/bookings/${String(booked.id)}`
    one.clock.advance(60) // the preparation counted, too
  })
  afterAll(async () => {
    await other.stop()
    await one.stop()
  })

  const ask = (server: TestService, at = path) => server.call('GET', at, { token })

  test('is shown while the limit lets it, and then by neither, whatever else there is to say', async () => {
    for (let turn = 0; turn < perMinute; turn += 1) {
      const { status, headers } = await ask(one)
      expect([status, headers['x-ratelimit-remaining']]).toEqual([200, String(perMinute - 1 - turn)])
    }
    const refused = { status: 429, body: { code: 'rate_limited' }, headers: { 'x-ratelimit-remaining': '0' } }
    // the other server does not know that the limit is reached: it reads, and then refuses
    const reads = await other.statementsOf(async () => {
      const reply = await ask(other)
      expect(reply).toMatchObject(refused)
      expect(reply.headers['etag']).toBeUndefined()
      expect(JSON.stringify(reply.body)).not.toContain('starts_at')
    })
    expect(reads.some((text) => text.includes('from "bookings"'))).toBe(true)
    // now it does
    const none = await other.statementsOf(async () => expect(await ask(other)).toMatchObject(refused))
    expect(none.some((text) => text.includes('from "bookings"'))).toBe(false)
  })

  test('is counted also where it is not there', async () => {
    one.clock.advance(60)
    const unknown = '/bookings/00000000-0000-7000-8000-000000000000'
    for (let turn = 0; turn < perMinute; turn += 1) expect((await ask(one, unknown)).status).toBe(404)
    expect((await ask(other, unknown)).status).toBe(429)
    expect((await ask(one)).status).toBe(429)
  })

  test('of another business is as unknown as any, and counted', async () => {
    one.clock.advance(60)
    const reply = await other.call('GET', path, { token: stranger })
    expect(reply).toMatchObject({ status: 404, headers: { 'x-ratelimit-remaining': String(perMinute - 1) } })
  })
})

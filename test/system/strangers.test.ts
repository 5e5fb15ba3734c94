/** @module-tag long */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { slot, startCluster, type Cluster } from '../support/cluster.ts'
import { findErrors, readRows } from '../support/checker.ts'
import { patientClients, tally } from '../support/http-client.ts'
import { longTest, onOneEngine } from '../support/long.ts'
import { ada, offer, type Reply } from '../support/test-service.ts'

/*
 * The caps on bookings hold for any number of simultaneous conversions and servers: one on SQLite, two on PostgreSQL.
 */

const call = patientClients()
const perHour = 10
const parallel = 100

onOneEngine('sqlite', 'many bookings at once', (engine) => {
  let cluster: Cluster
  let turns = 0
  beforeAll(async () => {
    cluster = await startCluster(engine, {
      RATE_LIMIT_FACTOR: '1',
      MAX_HOLDS_PER_IP: '1000',
      MAX_HOLDS_PER_SESSION: '100',
      TRUST_PROXY: '127.0.0.1/32',
    })
    await set({ max_bookings_per_client: null })
  })
  afterAll(() => cluster.stop())

  const set = (body: object) =>
    call(cluster.address(0), 'PATCH', `/businesses/${cluster.business.id}`, {
      token: cluster.business.business_key,
      body,
    })
  const from = (at: string) => ({ 'x-forwarded-for': at })
  async function sessionAt(at: string): Promise<string> {
    const options = { token: cluster.business.publishable_key, headers: from(at) }
    const reply = await call(cluster.address((turns += 1)), 'POST', '/session', options)
    expect(reply).toMatchObject({ status: 201 })
    return String(reply.body.session_token)
  }
  const hold = async (token: string, at: string): Promise<string> => {
    const body = { ...offer(cluster.business, 'Meeting room'), starts_at: slot((turns += 1)) }
    const options = { token, body, headers: from(at) }
    const held = await call(cluster.address(turns), 'POST', '/bookings/hold', options)
    expect(held).toMatchObject({ status: 201 })
    return String(held.body.hold_id)
  }
  const convert = (token: string, at: string, { holdId, email }: { holdId: string; email: string }) =>
    call(cluster.address((turns += 1)), 'POST', '/bookings', {
      token,
      body: { hold_id: holdId, client: { ...ada, email } },
      headers: from(at),
    })
  const client = () => `client${(turns += 1)}@example.com`

  /** Places holds by sessions of these addresses and converts all of them at once. Returns the outcomes. */
  async function rush(addresses: string[], emailOf: () => string): Promise<Record<string, number>> {
    const holdsOf = async (at: string) => {
      const token = await sessionAt(at)
      const holds: { at: string; token: string; holdId: string }[] = []
      while (holds.length < parallel / addresses.length) {
        holds.push({ at, token, holdId: await hold(token, at) })
      }
      return holds
    }
    const holds = (await Promise.all(addresses.map(holdsOf))).flat()
    const replies = await Promise.all(
      holds.map(({ token, at, holdId }) => convert(token, at, { holdId, email: emailOf() })),
    )
    expect(await findErrors(cluster.databaseUrl)).toEqual([])
    return tally(replies)
  }

  test('of 100 conversions from one address as many are bookings as fit', async () => {
    const addresses = Array<string>(5).fill('192.0.2.1')
    const outcome = await rush(addresses, client)
    expect(outcome).toEqual({ '201': perHour, '429 booking_limit_reached': parallel - perHour })
  })

  longTest('of 100 conversions from a /48 as many are bookings as fit, and of each /64 of it', async () => {
    const addresses = Array.from({ length: 10 }, (_, network) => `2001:db8:1:${network}::1`)
    const outcome = await rush(addresses, client)
    expect(outcome).toEqual({ '201': 4 * perHour, '429 booking_limit_reached': parallel - 4 * perHour })
    const busiest =
      'select count(*) as made from booking_attempts group by network order by made desc limit 1'
    expect(Number((await readRows(cluster.databaseUrl, busiest))[0]?.made)).toBeLessThanOrEqual(perHour)
  })

  test('of 100 conversions for one client from as many addresses as many are bookings as fit', async () => {
    await set({ max_bookings_per_client: 7 })
    try {
      const addresses = Array.from({ length: 20 }, (_, host) => `198.51.100.${host + 1}`)
      const outcome = await rush(addresses, () => 'one@example.com')
      expect(outcome).toEqual({ '201': 7, '429 booking_limit_reached': parallel - 7 })
    } finally {
      await set({ max_bookings_per_client: null })
    }
  })

  longTest('100 conversions from addresses and for clients of their own all succeed', async () => {
    const addresses = Array.from({ length: 20 }, (_, host) => `203.0.113.${host + 1}`)
    expect(await rush(addresses, client)).toEqual({ '201': parallel })
  })

  longTest('one address with five sessions and four workers books no calendar full', async () => {
    const at = '192.0.2.99'
    const tokens = await Promise.all(Array.from({ length: 5 }, () => sessionAt(at)))
    const replies: Reply[] = []
    const worker = async (nth: number) => {
      for (let attempt = 0; attempt < 15; attempt += 1) {
        const token = tokens[(nth + attempt) % tokens.length] ?? ''
        const holdId = await hold(token, at)
        replies.push(await convert(token, at, { holdId, email: client() }))
      }
    }
    await Promise.all([0, 1, 2, 3].map(worker))
    expect(tally(replies)).toEqual({ '201': perHour, '429 booking_limit_reached': 60 - perHour })
  })
})

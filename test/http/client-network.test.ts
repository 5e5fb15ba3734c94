import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readClientAddress } from '../../src/base/client-network.ts'
import { nextStart } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'

const networkOf = (text: string) => readClientAddress(text).network

describe('what counts as one client', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['2001:db8:1:2::3', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2:0:0:0:3', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::3', '2001:db8:1:3::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['192.0.2.7:443', '192.0.2.7'],
    ['[2001:db8:1:2::9]:443', '2001:db8:1:2::/64'],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })

  test.each([
    ['192.0.2.7:443', '192.0.2.7', null],
    ['::ffff:192.0.2.7', '192.0.2.7', null],
    ['[2001:db8:1:2::9]:443', '2001:db8:1:2::9', '2001:db8:1::/48'],
    ['2001:db8:1:ffff::3', '2001:db8:1:ffff::3', '2001:db8:1::/48'],
    ['2001:db8:2::3', '2001:db8:2::3', '2001:db8:2::/48'],
    ['garbage', null, null],
  ])('%s has the address %s and lies in %s', (text, address, widerNetwork) => {
    expect(readClientAddress(text)).toEqual({ address, widerNetwork, network: networkOf(text) })
  })

  test.each(['', 'unknown', '_hidden', '999.1.1.1', 'x'.repeat(10_000), "'; drop table claims"])(
    '%j is no address, and all such are one client',
    (address) => {
      expect(networkOf(address)).toBe('unknown')
    },
  )
})

/** Counts a hold for the network of a request from a peer with this X-Forwarded-For. Returns that network. */
function counting(service: () => TestService) {
  return async (remoteAddress: string, forwarded?: string) => {
    const salon = businessOf(service().world, 'Salon Spree')
    const held = await service().call('POST', '/bookings/hold', {
      token: await service().session(salon),
      body: { ...offer(salon, 'Haircut'), starts_at: nextStart() },
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
      remoteAddress,
    })
    expect(held.status).toBe(201)
    const rows = await service().rows('claims')
    const kept = rows.find(({ id }) => id === held.body.hold_id)?.client_network
    // a digest is stored: find the candidate that it belongs to
    const digest = await service().context.secret.digester('network')
    const possible = [remoteAddress, ...(forwarded?.split(',') ?? [])].map((text) => networkOf(text.trim()))
    return possible.find((network) => digest(network) === kept)
  }
}

describe('a proxy nearby that TRUST_PROXY does not name', () => {
  test('is named in the log once an hour and counted, whatever it forwards', async () => {
    const service = await startTestService('sqlite', { TRUST_PROXY: '10.9.0.0/16', LOG_LEVEL: 'warn' })
    const ask = (remoteAddress: string, headers: Record<string, string>) =>
      service.call('GET', '//healthz', { remoteAddress, headers })
    const forwarded = { 'x-forwarded-for': '203.0.113.9' }
    const lines = () => service.logLines.filter((line) => line.includes('TRUST_PROXY'))
    const count = async () => {
      const { body } = await service.call('GET', '//metrics')
      return Number(/^holdfast_unnamed_proxy_requests_total (\d+)$/m.exec(String(body))?.[1])
    }
    await ask('10.9.1.1', forwarded) // listed
    await ask('198.51.100.7', forwarded) // a visitor who sends a header
    await ask('172.18.0.1', {})
    expect([lines(), await count()]).toEqual([[], 0])
    for (const address of ['172.18.0.1', '::ffff:192.168.1.2', '127.0.0.1', 'fd00::1'])
      await ask(address, forwarded)
    expect(await count()).toBe(4)
    expect(lines().map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 'warn', proxy: '172.18.0.1', fix: expect.stringContaining('172.18.0.1/32') as string },
    ])
    await service.stop()
  })
})

onOneEngine('sqlite', 'without TRUST_PROXY', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, { MAX_HOLDS_PER_IP: '3', RATE_LIMIT_FACTOR: '1' })
  })
  afterAll(() => service.stop())
  const networkOf = counting(() => service)

  test('X-Forwarded-For changes nothing, wherever it comes from', async () => {
    expect(await networkOf('198.51.100.1', '192.0.2.7')).toBe('198.51.100.1')
    expect(await networkOf('127.0.0.1', '192.0.2.7')).toBe('127.0.0.1')
    expect(await networkOf('10.0.0.1', '192.0.2.7, 10.0.0.2')).toBe('10.0.0.1')
    expect(await networkOf('2001:db8::5', '192.0.2.7')).toBe('2001:db8::/64')
  })

  test('rotating it does not get around a limit', async () => {
    const salon = businessOf(service.world, 'Salon Spree')
    const statuses = []
    for (let count = 1; count <= 5; count += 1) {
      const address = `192.0.2.${count}`
      const held = await service.call('POST', '/bookings/hold', {
        token: await service.session(salon),
        body: { ...offer(salon, 'Haircut'), starts_at: nextStart() },
        headers: {
          'x-forwarded-for': address,
          'x-real-ip': address,
          forwarded: `for=${address}`,
          'cf-connecting-ip': address,
          'true-client-ip': address,
        },
        remoteAddress: '203.0.113.9',
      })
      statuses.push(held.status)
    }
    expect(statuses).toEqual([201, 201, 201, 429, 429])
  })

  test('changing the address within an IPv6 /64 does not get around a limit, another /64 has its own', async () => {
    for (const suffix of ['1', 'ffff', '1:2:3']) await networkOf(`2001:db8:9:9::${suffix}`)
    await expect(networkOf('2001:db8:9:9::abcd')).rejects.toThrow('429')
    expect(await networkOf('2001:db8:9:a::abcd')).toBe('2001:db8:9:a::/64')
  })
})

onOneEngine('sqlite', 'with TRUST_PROXY', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, { TRUST_PROXY: '10.0.0.0/8, fd00::/8' })
  })
  afterAll(() => service.stop())
  const networkOf = counting(() => service)

  const cases: [peer: string, forwarded: string | undefined, network: string, why: string][] = [
    ['198.51.100.1', '192.0.2.7', '198.51.100.1', 'the peer is not trusted'],
    ['11.0.0.1', '192.0.2.7', '11.0.0.1', 'the peer is just outside the range'],
    ['10.1.2.3', '192.0.2.7', '192.0.2.7', 'the peer is trusted'],
    ['10.1.2.3', undefined, '10.1.2.3', 'the proxy says nothing'],
    ['::ffff:10.1.2.3', '192.0.2.7', '192.0.2.7', 'the peer is trusted, as a mapped address'],
    ['fd00::1', '192.0.2.7', '192.0.2.7', 'the peer is trusted over IPv6'],
    ['10.1.2.3', '2001:db8:1:2:3::4', '2001:db8:1:2::/64', 'the client has a /64'],
    ['10.1.2.3', '::ffff:192.0.2.7', '192.0.2.7', 'the client is written as a mapped address'],
    ['10.1.2.3', '203.0.113.66, 192.0.2.7', '192.0.2.7', 'what the client itself claims stands to the left'],
    ['10.1.2.3', '203.0.113.66, 192.0.2.7, 10.9.9.9', '192.0.2.7', 'there are two trusted proxies'],
    ['10.1.2.3', '10.7.7.7, 10.9.9.9', '10.7.7.7', 'everybody is trusted'],
    ['10.1.2.3', 'garbage', 'unknown', 'the proxy says nonsense'],
    ['10.1.2.3', '192.0.2.7, garbage', 'unknown', 'the nearest of them is nonsense'],
    ['10.1.2.3', 'garbage, 192.0.2.7', '192.0.2.7', 'nonsense stands to the left of the client'],
    ['198.51.100.1', 'garbage', '198.51.100.1', 'a stranger says nonsense'],
  ]

  test.each(cases)('from %s with X-Forwarded-For %s it is %s: %s', async (peer, forwarded, network) => {
    expect(await networkOf(peer, forwarded)).toBe(network)
  })
})

import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { operator } from '../../src/access/actor.ts'
import { readConfig } from '../../src/base/config.ts'
import { checkDestination, isAllowedAddress, type Resolve } from '../../src/webhooks/addresses.ts'
import { type Attempt, sendSample } from '../../src/webhooks/delivery.ts'
import { createWebhook } from '../../src/webhooks/webhook.ts'
import { expectErrors } from '../support/expect-problem.ts'
import { forbiddenUrls, malformedUrls } from '../support/forbidden-urls.ts'
import { onOneEngine } from '../support/long.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { changeRows } from '../support/tenant-things.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { allEvents, makeShop, type Shop } from '../support/webhooks.ts'

/** The addresses of names at registration. */
const names: Record<string, string[]> = {
  'inward.example.com': ['127.0.0.1'],
  'mixed.example.com': ['93.184.215.14', '127.0.0.1'],
  'mapped.example.com': ['::ffff:127.0.0.1'],
  'v6.example.com': ['::1'],
  'rebinding.example.com': ['93.184.215.14'],
}
/** Simultaneous attempts. */
const maxOfBusiness = 20
/** The addresses of names at an attempt. */
const namesLater = { ...names, 'rebinding.example.com': ['127.0.0.1'] }

const resolverOf =
  (known: Record<string, string[]>): Resolve =>
  (hostname) => {
    const addresses = known[hostname]
    if (!addresses) return Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))
    return Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })))
  }
const resolve = resolverOf(names)

onOneEngine('sqlite', 'the inner network, in production', (engine) => {
  let service: TestService
  let canary: Receiver
  let shop: Shop
  const portOf = () => Number(new URL(canary.address).port)
  const register = (url: string) =>
    service.call('POST', '/webhooks', { token: shop.business.key, body: { url, events: allEvents } })
  /** Makes attempts at URLs that are in the database without a check. Returns their results. */
  async function attemptsAt(urls: string[]) {
    const errors: Record<string, string | null | undefined> = {}
    const ids: string[] = []
    while (ids.length < Math.min(urls.length, maxOfBusiness)) {
      const { id } = await createWebhook(service.context, operator, {
        business_id: shop.business.id,
        url: 'https://93.184.215.14/',
        events: ['booking.created'],
      })
      ids.push(id)
    }
    for (let begun = 0; begun < urls.length; begun += maxOfBusiness) {
      const own = urls.slice(begun, begun + maxOfBusiness)
      const deliveries = new Map<unknown, string>()
      for (const [index, url] of own.entries()) {
        await changeRows(service, sql`update webhooks set url = ${url} where id = ${ids[index]}`)
        deliveries.set((await sendSample(service.context, operator, ids[index] ?? '')).id, url)
      }
      await service.app.deliveries.settled()
      for (const row of await service.rows('deliveries')) {
        const [attempt] = JSON.parse(String(row['attempts_json'])) as Attempt[]
        const url = deliveries.get(row['id'])
        if (url !== undefined) errors[url] = attempt?.error
      }
      await changeRows(service, sql`delete from deliveries`)
    }
    return errors
  }

  beforeAll(async () => {
    canary = await startReceiver()
    service = await startTestService(
      engine,
      { NODE_ENV: 'production' },
      { deliveries: { resolve: resolverOf(namesLater), attemptMs: 1_000 } },
    )
  })
  afterAll(async () => {
    await service.stop()
    await canary.stop()
  })
  beforeEach(async () => {
    shop = await makeShop(service)
  })

  test('is refused when registering, however it is spelled', async () => {
    const urls = [...forbiddenUrls(portOf()), ...malformedUrls(portOf())]
    expect(urls.length).toBeGreaterThan(100)
    for (const url of urls) {
      const reply = await register(url)
      expect({ url, status: reply.status }).toEqual({ url, status: 422 })
      expectErrors(reply, '/url')
    }
    expect(await service.rows('webhooks')).toEqual([])
    expect(canary.connections).toBe(0)
  })

  test('is refused in a change too', async () => {
    const { id } = (await register('https://93.184.215.14/')).body as { id: string }
    const change = (url: string) =>
      service.call('PATCH', `/webhooks/${id}`, { token: shop.business.key, body: { url } })
    expectErrors(await change('https://127.1/'), '/url')
    expectErrors(await change('http://93.184.215.14/'), '/url')
    expect((await change('https://93.184.215.14/other')).status).toBe(200)
  })

  test('is not connected to at an attempt, whatever is in the database', async () => {
    const literals = forbiddenUrls(portOf()).filter((url) => !/localhost/i.test(url)) // a name: tested below
    const urls = literals.flatMap((url) => [url, url.replace('https', 'http')])
    expect(await attemptsAt(urls)).toEqual(
      Object.fromEntries(urls.map((url) => [url, 'address_not_allowed'])),
    )
    expect(canary.connections).toBe(0)
  })

  test.each(['inward.example.com', 'mixed.example.com', 'mapped.example.com', 'v6.example.com'])(
    'is not connected to by a name: %s',
    async (name) => {
      const url = `http://${name}:${portOf()}/`
      expect(await attemptsAt([url])).toEqual({ [url]: 'address_not_allowed' })
      expect(canary.connections).toBe(0)
    },
  )

  test('a name that leads nowhere is told apart from one that leads inward', async () => {
    const url = `http://nowhere.example.com:${portOf()}/`
    expect(await attemptsAt([url])).toEqual({ [url]: 'dns_failed' })
  })

  test('is not connected to by a name that changes its answer between check and connection', async () => {
    const url = `https://rebinding.example.com:${portOf()}/`
    await checkDestination(service.context, url, { resolve })
    expect(await attemptsAt([url])).toEqual({ [url]: 'address_not_allowed' })
    expect(canary.connections).toBe(0)
  })

  test.each(['inward.example.com', 'mixed.example.com', 'mapped.example.com', 'v6.example.com'])(
    'is refused when registering the name %s',
    async (name) => {
      await expect(checkDestination(service.context, `https://${name}/`, { resolve })).rejects.toThrow(
        'must not lead to a private, local or otherwise special address',
      )
    },
  )

  test('a public address, and a name that resolves to none yet, can be registered', async () => {
    for (const url of ['https://93.184.215.14/', 'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/']) {
      expect((await register(url)).status).toBe(201)
    }
    await checkDestination(service.context, 'https://later.example.com/', { resolve })
  })
})

onOneEngine('sqlite', 'addresses that production is told to allow', (engine) => {
  test('are delivered to, by https alone', async () => {
    const canary = await startReceiver()
    const variables = { NODE_ENV: 'production', WEBHOOK_ALLOW_CIDR: '127.0.0.0/8, fd00::/8' }
    const service = await startTestService(engine, variables, { deliveries: { attemptMs: 500 } })
    const shop = await makeShop(service)
    const body = (url: string) => ({ url, events: allEvents })
    const register = (url: string) =>
      service.call('POST', '/webhooks', { token: shop.business.key, body: body(url) })
    expect((await register(canary.address)).status).toBe(422)
    expect((await register('https://10.0.0.1/')).status).toBe(422)
    expect((await register('https://[fd00::1]/')).status).toBe(201)
    const allowed = await register(canary.address.replace('http', 'https'))
    expect(allowed.status).toBe(201)
    await shop.book()
    await service.app.deliveries.settled()
    expect(canary.connections).toBe(1) // it does not speak TLS, but it was reached
    await service.stop()
    await canary.stop()
  })
})

test('development allows http and loopback', async () => {
  const context = { config: readConfig({ NODE_ENV: 'development' }) }
  await checkDestination(context, 'http://127.0.0.1:9/hooks?a=b')
  await checkDestination(context, 'http://localhost/')
  await expect(checkDestination(context, 'ftp://localhost/')).rejects.toThrow('must be a whole address')
})

describe('an address', () => {
  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '93.184.215.14',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '2606:4700::1111',
    '2001:200::1',
  ])('%s is public', (address) => expect(isAllowedAddress(address, [])).toBe(true))

  test.each([
    ['10.1.2.3', '10.0.0.0/8', true],
    ['10.1.2.3', '10.2.0.0/16', false],
    ['::ffff:10.1.2.3', '10.0.0.0/8', true],
    ['fd00::1', 'fd00::/8', true],
    ['fd00::1', '10.0.0.0/8', false],
    ['nonsense', '0.0.0.0/0', false],
    ['', '0.0.0.0/0', false],
  ])('%s is allowed by %s: %s', (address, range, expected) => {
    expect(isAllowedAddress(address, [range])).toBe(expected)
  })
})

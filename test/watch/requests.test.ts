import { once } from 'node:events'
import { METHODS } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { problemKinds } from '../../src/base/errors.ts'
import { growthOf, scrape } from '../support/scrape.ts'
import { unknownId } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const requests = { metric: 'holdfast_http_requests_total', by: ['method', 'route', 'status'] }
const durations = { metric: 'holdfast_http_request_duration_seconds_count', by: ['method', 'route'] }
const problems = { metric: 'holdfast_problems_total', by: ['method', 'route', 'code'] }

onOneEngine('sqlite', 'counted requests', (engine) => {
  let service: TestService
  let token: string
  beforeAll(async () => {
    service = await startTestService(engine)
    token = businessOf(service.world, 'Salon Spree').business_key
  })
  afterAll(() => service.stop())

  const someRequests = async () => {
    await service.call('GET', '/services', { token })
    await service.call('GET', '/services?limit=2', { token })
    await service.call('GET', `/services/${unknownId}`, { token })
    await service.call('GET', '/services')
    await service.call('DELETE', '/services', { token })
    await service.call('GET', '//healthz')
  }

  test('are read without a key, in the text format of Prometheus', async () => {
    const reply = await service.call('GET', '//metrics')
    expect(reply.status).toBe(200)
    expect(reply.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    const { metrics, samples } = await scrape(service)
    const types = new Set(metrics.map(({ type }) => type))
    expect(types).toEqual(new Set(['counter', 'gauge', 'histogram']))
    const names = metrics.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const { name } of samples) {
      expect(names).toContain(name.replace(/(?<=_seconds)_(bucket|sum|count)$/, ''))
    }
  })

  test('are told apart by method, pattern of the route and status', async () => {
    const services = '/api/v1/services'
    expect(await growthOf(service, requests, someRequests)).toEqual({
      [`GET ${services} 200`]: 2,
      [`GET ${services}/:id 404`]: 1,
      [`GET ${services} 401`]: 1,
      [`DELETE ${services} 405`]: 1,
      'GET /healthz 200': 1,
      'GET /metrics 200': 1,
    })
    expect(await growthOf(service, problems, someRequests)).toEqual({
      [`GET ${services}/:id not_found`]: 1,
      [`GET ${services} missing_credentials`]: 1,
      [`DELETE ${services} method_not_allowed`]: 1,
    })
  })

  test('have their durations in buckets from a millisecond to five seconds', async () => {
    const grown = await growthOf(service, durations, someRequests)
    expect(grown).toMatchObject({ 'GET /api/v1/services': 3, 'GET /healthz': 1 })
    const { samples } = await scrape(service)
    const ofHealth = samples.filter(
      ({ name, labels }) => name.startsWith('holdfast_http_request_duration') && labels.route === '/healthz',
    )
    const bounds = ofHealth.flatMap(({ labels }) => labels.le ?? [])
    expect(bounds.at(0)).toBe('0.001')
    expect(bounds.slice(-2)).toEqual(['5', '+Inf'])
    const sum = ofHealth.find(({ name }) => name.endsWith('_sum'))?.value
    expect(sum).toBeGreaterThan(0)
  })

  test('with unknown paths and strange methods share a few labels, and no address is in any', async () => {
    const { length } = (await scrape(service)).samples
    const call = (method: string, path: string) => service.call(method, path, { token })
    for (let turn = 0; turn < 50; turn += 1) await call('GET', `/secret-path-${turn}/${crypto.randomUUID()}`)
    for (const method of METHODS.filter((name) => name !== 'CONNECT')) await call(method, '/nowhere')
    for (const path of ['//%zz', `//metrics/${token}`, '/services/%00', `/services/${'x'.repeat(2000)}`])
      await call('GET', path)
    const after = await scrape(service)
    // for each of eight methods one count and one problem, and a histogram of fifteen lines
    expect(after.samples.length - length).toBeLessThan(9 * (15 + 4))
    for (const text of ['secret-path', 'nowhere', token.slice(8, 40), 'xxx', '%'])
      expect(after.text).not.toContain(text)
  })

  test('have labels from closed lists', async () => {
    await someRequests()
    const routes = new Set([...service.app.server.knownRoutes.map(({ url }) => url), 'unknown', '*'])
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other', 'unknown']
    for (const { labels } of (await scrape(service)).samples) {
      for (const [name, value] of Object.entries(labels)) {
        if (name === 'route') expect(routes).toContain(value)
        else if (name === 'method') expect(methods).toContain(value)
        else if (name === 'code') expect(Object.keys(problemKinds)).toContain(value)
        else if (name === 'status') expect(value).toMatch(/^[2-5]\d\d$/)
        else expect(['le', 'outcome', 'result', 'state', 'version', 'engine', 'node']).toContain(name)
      }
    }
  })

  test('that were never HTTP are counted by their problem', async () => {
    await service.app.server.listen({ port: 0 })
    const { port } = service.app.server.server.address() as AddressInfo
    const grown = await growthOf(service, problems, async () => {
      const socket = connect(port, '127.0.0.1')
      socket.end('hello\r\n\r\n').resume()
      await once(socket, 'close')
    })
    expect(grown).toEqual({ 'other unknown malformed_request': 1 })
  })

  test('of one service are not those of another in the same process', async () => {
    const other = await startTestService(engine)
    try {
      const grown = await growthOf(other, requests, someRequests)
      expect(grown).toEqual({ 'GET /metrics 200': 1 })
    } finally {
      await other.stop()
    }
  })
})

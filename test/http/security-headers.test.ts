import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService('sqlite', { TRUST_PROXY: '10.0.0.0/8' })
})
afterAll(() => service.stop())

const proxy = '10.1.2.3'
const stranger = '203.0.113.9'

test.each([
  ['an answer', '//healthz', 200],
  ['a refusal', '/services', 401],
  ['an unknown path', '/nothing', 404],
])('%s of the API loads nothing, is shown in no frame and is what it says', async (_, path, status) => {
  expect(await service.call('GET', path)).toMatchObject({
    status,
    headers: {
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    },
  })
})

test('a page has the content security policy that it needs, and only that', async () => {
  const { headers } = await service.call('GET', '//docs')
  expect(headers['content-security-policy']).toContain("script-src 'self'")
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
})

test('TLS is asked for in future only when the request came over it, as a trusted proxy says', async () => {
  const over = async (remoteAddress: string, protocol: string) => {
    const options = { remoteAddress, headers: { 'x-forwarded-proto': protocol } }
    return (await service.call('GET', '//healthz', options)).headers['strict-transport-security']
  }
  expect(await over(proxy, 'https')).toBe('max-age=31536000')
  expect(await over(proxy, 'http')).toBeUndefined()
  expect(await over(stranger, 'https')).toBeUndefined()
})

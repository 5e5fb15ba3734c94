import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/http-client.ts'
import { rawConnection } from '../support/raw-connections.ts'
import { onEachEngine, startTestService, type TestService } from '../support/test-service.ts'

onEachEngine('requests that take turns', (engine) => {
  let service: TestService
  let address: string
  beforeAll(async () => {
    service = await startTestService(engine)
    address = await service.app.server.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(() => service.stop())

  const request = (more: string) =>
    `POST /api/v1/bookings/hold HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${service.world.businesses[0]?.business_key}\r\n` +
    `Content-Type: application/json\r\n${more}\r\n\r\n`

  test('each counts until it is answered, or its client gone', async () => {
    const { turns } = service.context
    const unfinished = [1, 2, 3].map(() => rawConnection(address, request('Content-Length: 10')))
    await eventually('three requests in flight', 2_000, () => turns.inFlight === 3 || undefined)
    const answered = rawConnection(address, request('Content-Length: 2\r\nConnection: close') + '{}')
    expect((await answered.closed).received).toContain('HTTP/1.1 422 ')
    for (const { socket } of unfinished) socket.destroy()
    await eventually('nothing in flight', 2_000, () => turns.inFlight === 0 || undefined)
  })

  test('those that are refused before they are read do not stay either', async () => {
    await service.call('GET', '/availability')
    await service.call('POST', '/bookings/hold', { token: 'unknown', body: {} })
    expect(service.context.turns.inFlight).toBe(0)
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { onOneEngine } from '../support/long.ts'
import {
  ada,
  businessOf,
  type CallOptions,
  offer,
  type Reply,
  startTestService,
  type TestService,
} from '../support/test-service.ts'
import { documentAt, tableUnder } from './documents.ts'

const rows = tableUnder(documentAt('ARCHITECTURE.md'), '### What it costs')
const names = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

onOneEngine('sqlite', 'the statements of a request in ARCHITECTURE.md', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  test('are those that the service sends', async () => {
    const business = businessOf(service.world, 'Salon Spree')
    const token = await service.session()
    const keyed = { 'idempotency-key': 'one' }
    const hold = (hour: number, headers = {}): [string, string, CallOptions] => {
      const starts_at = `2026-12-01T${hour}:00:00+01:00`
      return [
        'POST',
        '/bookings/hold',
        { token, headers, body: { ...offer(business, 'Haircut'), starts_at } },
      ]
    }
    const convert = (held: Reply, headers = {}): [string, string, CallOptions] => {
      const body = { hold_id: held.body.hold_id as string, client: ada }
      return ['POST', '/bookings', { token, headers, body }]
    }
    const count = async (...request: [string, string, CallOptions]): Promise<[number, Reply]> => {
      let reply: Reply | undefined
      const { length } = await service.statementsOf(async () => {
        reply = await service.call(...request)
      })
      if (!reply || reply.status >= 300) throw new Error(`refused: ${JSON.stringify(reply?.body)}`)
      return [length, reply]
    }

    // fills the caches
    const [, first] = await count(...hold(10))
    await count(...convert(first))
    const booking = `/bookings/${first.body.hold_id}`
    const key = { token: business.business_key }
    await count('GET', booking, key)

    const [session] = await count('POST', '/session', { token: business.publishable_key })
    const [plainHold, second] = await count(...hold(12))
    const [keyedHold, third] = await count(...hold(14, keyed))
    const [plainConversion] = await count(...convert(second))
    const [keyedConversion] = await count(...convert(third, keyed))
    const [, fourth] = await count(...hold(16))
    const [release] = await count('DELETE', `/bookings/hold/${fourth.body.hold_id}`, { token })
    const moved = { starts_at: '2026-12-02T11:00:00+01:00' }
    const [reschedule] = await count('PATCH', booking, { ...key, body: moved })
    const [cancel] = await count('DELETE', booking, key)
    const [show] = await count('GET', booking, key)

    expect(rows.find(([name]) => name === names[engine])?.slice(1)).toEqual([
      String(session),
      `${plainHold}, ${keyedHold}`,
      `${plainConversion}, ${keyedConversion}`,
      ...[release, reschedule, cancel, show].map(String),
    ])
  })
})

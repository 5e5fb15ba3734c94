import { afterAll, beforeAll, expect, test } from 'vitest'
import { heapBytes } from '../support/heap.ts'
import { isWhole, rounds, tellProgress } from '../support/long.ts'
import { mutate } from '../support/mutations.ts'
import { type Random, randomFrom, seeds } from '../support/random.ts'
import { bookingOf, nextAddress, nextStart, type Tenant, unknownId } from '../support/tenant-things.ts'
import { ada, businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'
import { envelope, stateless } from './mcp-client.ts'

const messagesPerRun = rounds(1_000, 20_000)
/** A long run uses a new seed, which its name contains. */
const chosenSeeds = isWhole && !process.env['HOLDFAST_TEST_SEED'] ? [Date.now() % 1_000_000] : seeds(1)

const strange = [
  ...[null, true, 0, -1, 1.5, 2 ** 53, 1e300, '', ' ', '..', '../..', '%2e%2e', '/', '?', '#', 'a\r\nb: c'],
  ...[
    '\u0000',
    '\ud800',
    '🦊',
    '__proto__',
    'constructor',
    'toString',
    'x'.repeat(5_000),
    '{}',
    '=?base64?%?=',
  ],
  ...[[], {}, [[]], { a: { b: [] } }, '00000000-0000-4000-8000-000000000000', '9999-12-31T23:59:59Z'],
]

/** Creates valid messages, most of which then get a fault. */
class MessageGenerator {
  private readonly random: Random
  private readonly known: Record<string, readonly unknown[]>
  private readonly tools: Record<string, string[]>

  constructor(random: Random, known: Record<string, readonly unknown[]>, tools: Record<string, string[]>) {
    this.random = random
    this.known = known
    this.tools = tools
  }

  next(): { rawBody: string; headers: Record<string, string> } {
    const { random } = this
    const isStateless = random.chance(0.4)
    const method = random.chance(0.75) ? 'tools/call' : this.oneOf(methods)
    const call = this.call()
    const params = {
      ...(method === 'tools/call' && call),
      ...(method === 'initialize' && {
        protocolVersion: this.oneOf(['2025-06-18', '2025-11-25', stateless]),
      }),
      ...(isStateless && { _meta: random.chance(0.9) ? envelope : this.oneOf([{}]) }),
    }
    const message = {
      jsonrpc: this.oneOf(['2.0'], 0.02),
      ...(random.chance(0.97) && { id: this.oneOf([1, 'a'], 0.03) }),
      method,
      params: this.oneOf([params], 0.03),
      ...(random.chance(0.02) && { result: {}, error: {} }),
    }
    const text = JSON.stringify(random.chance(0.02) ? [message, message] : message)
    const headers = {
      'content-type': 'application/json',
      ...(random.chance(0.95) && {
        'mcp-protocol-version': this.header(isStateless ? stateless : '2025-11-25'),
      }),
      ...(isStateless && { 'mcp-method': this.header(method), 'mcp-name': this.header(call.name) }),
    }
    const mutated = random.chance(0.1) ? JSON.stringify(mutate(message, random)) : text
    return { rawBody: random.chance(0.03) ? mutated.slice(random.below(20)) : mutated, headers }
  }

  private call(): { name: string; arguments: unknown } {
    const name = this.random.of(Object.keys(this.tools))
    const args = (this.tools[name] ?? [])
      .filter(() => this.random.chance(0.8))
      .map((key): [string, unknown] => [key, this.oneOf(this.known[key] ?? strange, 0.15)])
    if (this.random.chance(0.05)) args.push([this.header('more'), this.random.of(strange)])
    return {
      name: String(this.oneOf([name], 0.02)),
      arguments: this.oneOf([Object.fromEntries(args)], 0.02),
    }
  }

  private oneOf(right: readonly unknown[], wrong = 0.05): unknown {
    return this.random.of(this.random.chance(wrong) ? strange : right)
  }

  private header(right: unknown): string {
    const value = String(this.oneOf([right], 0.03))
    return value.replaceAll(/[^ -~]/g, '?')
  }
}

const methods = [
  ...['initialize', 'ping', 'tools/list', 'server/discover', 'notifications/initialized', 'resources/list'],
  ...['subscriptions/listen', 'prompts/get', 'notifications/cancelled'],
]

let service: TestService
let salon: Tenant
beforeAll(async () => {
  service = await startTestService('sqlite', { MAX_HOLDS_PER_SESSION: '100000', MAX_HOLDS_PER_IP: '100000' })
  salon = businessOf(service.world, 'Salon Spree')
})
afterAll(() => service.stop())

test.each(chosenSeeds)(
  `${messagesPerRun} hostile messages of agents are answered, none by a 5xx, with seed %i`,
  { timeout: isWhole ? 3_600_000 : 120_000 },
  async (seed) => {
    const random = randomFrom(seed)
    const session = await service.session(salon)
    const listed = await service.call('POST', '//mcp', {
      ...{ token: salon.business_key, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
    })
    const all = listed.body.result.tools as { name: string; inputSchema: { properties: object } }[]
    const tools = Object.fromEntries(
      all.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties)]),
    )
    const booking = await bookingOf(service, salon, { token: session })
    const { service_id, location_id } = offer(salon, 'Haircut')
    const known: Record<string, unknown[]> = {
      ...{ service_id: [service_id], location_id: [location_id], staff_id: [salon.staff[0]?.id] },
      ...{ starts_at: Array.from({ length: 30 }, nextStart), ends_at: ['2029-01-01T00:00:00Z'] },
      ...{
        from: ['2026-12-01'],
        to: ['2026-12-02'],
        date: ['2026-12-01'],
        party_size: [1, '1'],
        limit: [1, '100'],
      },
      ...{
        id: [booking, unknownId],
        hold_id: [booking],
        client: [ada],
        notify: [false, 'false'],
        refund: ['none'],
      },
      ...{ idempotency_key: ['one', 'two'], status: ['confirmed'], sort: ['starts_at'], q: ['love'] },
    }
    const generator = new MessageGenerator(random, known, tools)
    const seen = new Set<string>()
    const tell = tellProgress('hostile messages', messagesPerRun)
    let heapAtHalf = NaN
    for (let count = 0; count < messagesPerRun; count += 1) {
      if (count === Math.floor(messagesPerRun / 2)) heapAtHalf = heapBytes()
      tell(count)
      const token = random.of([session, session, salon.business_key])
      const reply = await service.call('POST', '//mcp', {
        ...{ token, remoteAddress: nextAddress(), ...generator.next() },
      })
      expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(500)
      const { result, error } = (reply.body ?? {}) as { result?: Record<string, unknown>; error?: object }
      const said = result?.['structuredContent'] as
        { hold_id?: string; status?: unknown; code?: string } | undefined
      if (said?.hold_id !== undefined) known['hold_id']?.push(said.hold_id)
      if (result?.['isError'] === true) expect(said?.status, JSON.stringify(said)).toBeLessThan(500)
      expect(reply.status === 202 || reply.body !== undefined).toBe(true)
      seen.add(error ? 'an error' : (said?.code ?? (said ? 'done' : String(reply.status))))
    }
    const grown = heapBytes() - heapAtHalf
    if (isWhole) console.log(`messages: heap in the second half ${(grown / 1e6).toFixed(1)} MB`)
    // some is kept on purpose: answers by their keys, and caches up to a limit
    expect(grown).toBeLessThan(30_000_000)
    expect([...seen]).toEqual(
      expect.arrayContaining(['done', 'an error', 'validation_failed', 'not_found', '202']),
    )
  },
)

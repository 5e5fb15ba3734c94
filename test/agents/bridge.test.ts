import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bareVariables, builtServer, emptyDirectory } from '../support/holdfast-process.ts'
import { nextStart, type Tenant } from '../support/tenant-things.ts'
import { ada, businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let salon: Tenant
let url: string
beforeAll(async () => {
  service = await startTestService('sqlite', { HOST: '127.0.0.1', PORT: '0', SESSION_SECONDS: '300' })
  salon = businessOf(service.world, 'Salon Spree')
  url = await service.app.listen()
})
afterAll(() => service.stop())

/** A desktop agent's side of `holdfast mcp`. */
function startBridge(key: string, address = url) {
  const child = spawn(process.execPath, [builtServer, 'mcp', '--url', address], {
    cwd: emptyDirectory(),
    env: { ...bareVariables, HOLDFAST_KEY: key },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const stderr = text(child.stderr)
  const waiting: ((line: string) => void)[] = []
  const lines: string[] = []
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) {
      const wanted = waiting.shift()
      if (wanted) wanted(line)
      else lines.push(line)
    }
  })
  const answer = async () => {
    const line = lines.shift() ?? (await new Promise<string>((resolve) => waiting.push(resolve)))

    return JSON.parse(line)
  }
  const write = (message: unknown) =>
    child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
  return {
    write,
    answer,
    ask: (method: string, params: object = {}) => {
      write({ jsonrpc: '2.0', id: 1, method, params })
      return answer()
    },
    end: async () => {
      child.stdin.end()
      const [code] = (await once(child, 'close')) as [number | null]
      return { code, stderr: await stderr, unread: [...lines, rest].filter(Boolean) }
    },
  }
}

test('a bridge with a publishable key books, and renews its session', async () => {
  const bridge = startBridge(salon.publishable_key)
  const begun = await bridge.ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: {},
  })
  expect(begun.result).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { name: 'holdfast' } })
  bridge.write({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const call = async (name: string, args: object) =>
    (await bridge.ask('tools/call', { name, arguments: args })).result
  const held = await call('hold_slot', { ...offer(salon, 'Haircut'), starts_at: nextStart() })
  service.clock.advance(301) // the session has ended, the hold has not
  const booked = await call('confirm_booking', { hold_id: held.structuredContent.hold_id, client: ada })
  expect(booked).toMatchObject({ structuredContent: { status: 'confirmed', client: ada } })
  bridge.write('{"jsonrpc":')
  expect(await bridge.answer()).toMatchObject({ id: null, error: { code: -32_700 } })
  expect(await bridge.end()).toEqual({ code: 0, stderr: '', unread: [] })
})

test('a bridge with a business key speaks the version without initialize', async () => {
  const bridge = startBridge(salon.business_key)
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const discovered = await bridge.ask('server/discover', { _meta })
  expect(discovered.result.supportedVersions).toContain('2026-07-28')
  const listed = await bridge.ask('tools/call', { name: 'list_bookings', arguments: {}, _meta })
  expect(listed.result).toMatchObject({
    resultType: 'complete',
    structuredContent: { data: expect.any(Array) },
  })
  expect((await bridge.ask('tools/call', { name: 'ü', _meta })).error.code).toBe(-32_602)
  expect(await bridge.end()).toEqual({ code: 0, stderr: '', unread: [] })
})

test('a bridge tells the agent that nobody answers', async () => {
  const bridge = startBridge(salon.business_key, 'http://127.0.0.1:9')
  expect(await bridge.ask('ping')).toMatchObject({ id: 1, error: { code: -32_603 } })
  const { code, stderr } = await bridge.end()
  expect(code).toBe(0)
  expect(stderr).toContain('http://127.0.0.1:9 cannot be used')
})

test('a bridge without a key says so', async () => {
  const bridge = startBridge('')
  expect(await bridge.end()).toMatchObject({
    code: 2,
    unread: [],
    stderr: expect.stringContaining('HOLDFAST_KEY'),
  })
})

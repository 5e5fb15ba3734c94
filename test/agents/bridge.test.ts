import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { bareVariables, builtServer, emptyDirectory } from '../support/holdfast-process.ts'
import { selfSigned } from '../support/self-signed.ts'
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
  service.clock.advance(301) // the session has expired, but the hold has not
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

/** Starts servers that do not match `--url`. */
async function startOthers() {
  const servers = {
    tls: createTlsServer(selfSigned),
    html: createServer((_request, response) => response.writeHead(404).end('<p>Not here</p>')),
    moved: createServer((_request, response) => response.writeHead(301, { location: url }).end()),
    mute: createServer((request) => request.socket.destroy()),
  }
  const ports = await Promise.all(
    Object.entries(servers).map(async ([name, server]) => {
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      return [name, (server.address() as AddressInfo).port] as const
    }),
  )
  return {
    ports: Object.fromEntries(ports) as Record<keyof typeof servers, number>,
    close: () => {
      for (const server of Object.values(servers)) server.close()
    },
  }
}

test('a bridge tells agent and person why nobody answers, where, and what to do', async () => {
  const { ports, close } = await startOthers()
  const closed = await freePort()
  for (const [address, reason] of [
    [`http://127.0.0.1:${closed}`, 'the connection was refused (ECONNREFUSED). Start the server'],
    [`http://localhost:${closed}`, 'the connection was refused (ECONNREFUSED). Start the server'],
    ['http://nobody.invalid', /the host name was not found \((ENOTFOUND|EAI_AGAIN)\)\. Correct the host/],
    [
      `https://127.0.0.1:${ports.tls}`,
      'its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). Use the host name',
    ],
    [`https://127.0.0.1:${ports.html}`, /it does not use TLS \(\w+\)\. Correct the port/],
    [`http://127.0.0.1:${ports.moved}`, 'it redirects to another address. Use that in --url'],
    [`http://127.0.0.1:${ports.mute}`, /the connection was closed \(\w+\)/],
  ] as const) {
    const bridge = startBridge(salon.business_key, address)
    const { id, error } = await bridge.ask('ping')
    expect({ id, code: error.code }).toEqual({ id: 1, code: -32_603 })
    expect(error.message).toContain(`${address} cannot be used: `)
    expect(error.message).toMatch(reason)
    expect(await bridge.end()).toEqual({ code: 0, stderr: `holdfast: ${error.message}\n`, unread: [] })
  }
  const lost = startBridge(salon.publishable_key, `http://127.0.0.1:${ports.html}`)
  expect((await lost.ask('ping')).error.message).toContain('Check that --url is its address, without a path.')
  await lost.end()
  close()
})

test('a bridge without a key says so', async () => {
  const bridge = startBridge('')
  expect(await bridge.end()).toMatchObject({
    code: 2,
    unread: [],
    stderr: expect.stringContaining('HOLDFAST_KEY'),
  })
})

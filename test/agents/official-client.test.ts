import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bareVariables, builtServer, emptyDirectory } from '../support/holdfast-process.ts'
import { onOneEngine } from '../support/long.ts'
import { nextStart, type Tenant } from '../support/tenant-things.ts'
import { ada, businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'
import { stateless } from './mcp-client.ts'

/*
 * The official client of the protocol: over HTTP, and over the standard streams of `holdfast mcp`, in each version that
 * it and the service support. It validates the answers itself.
 */

const versions = [
  [stateless, 'discovered', { versionNegotiation: { mode: { pin: stateless } } }],
  [stateless, 'chosen', { versionNegotiation: { mode: 'auto' } }],
  ['2025-11-25', 'by default', {}],
  ['2025-06-18', 'offered', { supportedProtocolVersions: ['2025-06-18'] }],
] as const

const ofSessions = [
  ...['list_services', 'list_locations', 'list_staff', 'find_slots', 'find_next_slot', 'explain_slot'],
  ...['hold_slot', 'release_hold', 'confirm_booking', 'get_booking', 'reschedule_booking', 'cancel_booking'],
  'join_waitlist',
]
const ofKeys = [...ofSessions, 'list_waitlist', 'list_bookings', 'block_time', 'change_bookings']

type Options = (typeof versions)[number][2]

/** Connects, uses the client, and closes the connection. */
async function using(
  transport: Transport,
  options: Options,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const { supportedProtocolVersions: offered, ...rest } = {
    supportedProtocolVersions: undefined,
    ...options,
  }
  const client = new Client(
    { name: 'test', version: '1' },
    { ...rest, ...(offered && { supportedProtocolVersions: [...offered] }) },
  )
  await client.connect(transport)
  try {
    await work(client)
  } finally {
    await client.close()
  }
}

/** Calls a tool. Returns its contents, or the problem of its refusal. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what the wire gives
async function call(client: Client, name: string, args: Record<string, unknown>): Promise<any> {
  const { content, structuredContent } = await client.callTool({ name, arguments: args })
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
  return structuredContent
}

async function toolsOf(client: Client): Promise<string[]> {
  const { tools } = await client.listTools()
  return tools.map(({ name }) => name)
}

/** Finds a free time, holds it and books it. Returns the booking and the next free times. */
async function book(client: Client, salon: Tenant): Promise<{ id: string; later: string[] }> {
  const day = nextStart().slice(0, 10)
  const asked = offer(salon, 'Haircut')
  const services = await call(client, 'list_services', {})
  expect(services.data).toContainEqual(expect.objectContaining({ id: asked.service_id, name: 'Haircut' }))
  const found = await call(client, 'find_slots', { ...asked, date: day })
  const [first, ...later] = (found.slots as { starts_at: string }[]).map(({ starts_at }) => starts_at)
  const held = await call(client, 'hold_slot', { ...asked, starts_at: first })
  const booked = await call(client, 'confirm_booking', { hold_id: held.hold_id, client: ada })
  expect(booked).toMatchObject({ id: held.hold_id, status: 'confirmed', starts_at: first, client: ada })
  expect(await call(client, 'get_booking', { id: booked.id })).toMatchObject({ starts_at: first })
  const again = await call(client, 'confirm_booking', { hold_id: held.hold_id, client: ada })
  expect(again).toMatchObject({ status: 409, code: 'hold_converted' })
  return { id: booked.id, later }
}

async function bookMoveAndCancel(client: Client, salon: Tenant, tools: string[]): Promise<void> {
  expect(await toolsOf(client)).toEqual(tools)
  const { id, later } = await book(client, salon)
  const starts_at = later.at(-1)
  expect(await call(client, 'reschedule_booking', { id, starts_at })).toMatchObject({ id, starts_at })
  expect(await call(client, 'cancel_booking', { id })).toMatchObject({ id, status: 'cancelled' })
  expect(await call(client, 'get_booking', { id })).toMatchObject({ status: 'cancelled', starts_at })
  const { slot } = await call(client, 'find_next_slot', offer(salon, 'Haircut'))
  const held = await call(client, 'hold_slot', { ...offer(salon, 'Haircut'), starts_at: slot.starts_at })
  expect(await call(client, 'release_hold', { hold_id: held.hold_id })).toEqual({})
}

onOneEngine('sqlite', 'the official client', (engine) => {
  let service: TestService
  let salon: Tenant
  let url: string
  beforeAll(async () => {
    service = await startTestService(engine, { HOST: '127.0.0.1', PORT: '0' })
    salon = businessOf(service.world, 'Salon Spree')
    url = await service.app.listen()
  })
  afterAll(() => service.stop())

  describe.each(versions)('in %s, %s,', (version, _how, options) => {
    const overHttp = (token: string) =>
      new StreamableHTTPClientTransport(new URL('/mcp', url), {
        authProvider: { token: () => Promise.resolve(token) },
      })

    test('books, moves and cancels with a business key', () =>
      using(overHttp(salon.business_key), options, async (client) => {
        expect(client.getNegotiatedProtocolVersion()).toBe(version)
        expect(client.getServerVersion()).toMatchObject({ name: 'holdfast' })
        await bookMoveAndCancel(client, salon, ofKeys)
      }))

    test('books, moves and cancels with a session', async () =>
      using(overHttp(await service.session(salon)), options, (client) =>
        bookMoveAndCancel(client, salon, ofSessions),
      ))

    // the bridge is independent of the engine
    describe.runIf(engine === 'sqlite')('through holdfast mcp', () => {
      const overStdio = (key: string) =>
        new StdioClientTransport({
          command: process.execPath,
          args: [builtServer, 'mcp', '--url', url],
          cwd: emptyDirectory(),
          env: { ...bareVariables, HOLDFAST_KEY: key } as Record<string, string>,
        })

      test('books, moves and cancels with a business key', () =>
        using(overStdio(salon.business_key), options, async (client) => {
          expect(client.getNegotiatedProtocolVersion()).toBe(version)
          await bookMoveAndCancel(client, salon, ofKeys)
        }))

      test('books, moves and cancels with a publishable key', () =>
        using(overStdio(salon.publishable_key), options, (client) =>
          bookMoveAndCancel(client, salon, ofSessions),
        ))
    })
  })
})

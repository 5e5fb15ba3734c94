import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { bareVariables, builtServer, demoWorld, emptyDirectory } from '../support/holdfast-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase('sqlite')
  await demoWorld(database.url)
})
afterAll(() => database.drop())

/** Starts a command whose output nobody reads, because the pipe is closed before any arrives. */
function startUnread(args: string[], unread: 'stdout' | 'stderr', variables: Record<string, string> = {}) {
  const child = spawn(process.execPath, [builtServer, ...args], {
    cwd: emptyDirectory(),
    env: { ...bareVariables, DATABASE_URL: database.url, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child[unread].destroy()
  return child
}

async function runUnread(args: string[], unread: 'stdout' | 'stderr') {
  const child = startUnread(args, unread)
  const other = text(child[unread === 'stdout' ? 'stderr' : 'stdout'])
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, other: await other }
}

test.each(['key list', '--version'])(
  'holdfast %s into a pipe that nobody reads ends without a word of error',
  async (command) => {
    expect(await runUnread(command.split(' '), 'stdout')).toEqual({ code: 0, other: '' })
  },
)

test('a mistake keeps its exit code when nobody reads what is said about it', async () => {
  expect(await runUnread(['key', 'lisst'], 'stderr')).toEqual({ code: 2, other: '' })
})

test('a server whose output nobody reads serves on, and stops gracefully', async () => {
  const port = await freePort()
  const server = startUnread(['serve'], 'stdout', { PORT: String(port), DRAIN_SECONDS: '0' })
  const ended = once(server, 'close')
  const asked = () => fetch(`http://127.0.0.1:${port}/api/v1/services`).catch(() => undefined) // is logged
  await eventually('an answer', async () => ((await asked())?.status === 401 ? true : undefined))
  for (let time = 0; time < 3; time += 1) expect((await asked())?.status).toBe(401)
  server.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoWorld, emptyDirectory, project } from '../support/holdfast-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase('sqlite')
  await demoWorld(database.url)
})
afterAll(() => database.drop())

/** Runs a command whose output nobody reads: the pipe is closed before anything comes. */
async function runUnread(args: string[], unread: 'stdout' | 'stderr') {
  const child = spawn(process.execPath, [join(project, 'src/holdfast.ts'), ...args], {
    cwd: emptyDirectory(),
    env: { PATH: process.env['PATH'], DATABASE_URL: database.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child[unread].destroy()
  const other = text(child[unread === 'stdout' ? 'stderr' : 'stdout'])
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, other: await other }
}

test.each([['key list'], ['business list --json'], ['doctor'], ['key --help'], ['--version']])(
  'holdfast %s into a pipe that nobody reads ends without a word of error',
  async (command) => {
    expect(await runUnread(command.split(' '), 'stdout')).toEqual({ code: 0, other: '' })
  },
)

test('a mistake keeps its exit code when nobody reads what is said about it', async () => {
  expect(await runUnread(['key', 'lisst'], 'stderr')).toEqual({ code: 2, other: '' })
  expect(await runUnread(['key', 'revoke', 'x'], 'stderr')).toEqual({ code: 2, other: '' })
})

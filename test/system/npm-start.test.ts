/** @module-tag long */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { eventually, httpClients } from '../support/http-client.ts'
import { emptyDirectory, project, runHoldfast } from '../support/holdfast-process.ts'
import { longTest } from '../support/long.ts'
import { endGroupWithTests } from '../support/watched.ts'

/** Finds an older Node of the system first, if there is one, as npm itself does. */
const systemPath = ['/usr/local/bin', '/usr/bin', '/bin', process.env['PATH'] ?? ''].join(':')
const call = httpClients()

/** The commands of README.md after npm ci, without the comment. */
const documented = blocksOf(documentAt('README.md'))
  .find(({ text }) => text.startsWith('npm ci && npm start'))
  ?.text.split(/ && | +#/)[1]

let databaseUrl: string
let npm: ChildProcessByStdio<null, Readable, Readable>
let address: string
let output: string

beforeEach(async () => {
  databaseUrl = `sqlite:${emptyDirectory()}/holdfast.db`
  output = ''
  const [program = '', ...args] = (documented ?? '').split(' ')
  npm = spawn(program, args, {
    cwd: project,
    env: { PATH: systemPath, HOME: process.env['HOME'], DATABASE_URL: databaseUrl, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a separate process group, as in a terminal
  })
  endGroupWithTests(npm)
  npm.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  npm.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  address = await eventually(
    'an address',
    () => /^Holdfast serves (http:\S+)$[^]*-X DELETE .*\n/m.exec(output)?.[1],
  )
})

afterEach(() => {
  try {
    process.kill(-(npm.pid ?? NaN), 'SIGKILL')
  } catch {
    // the group has ended, as intended
  }
})

/** Expects that everything is gone: the process group, the port, and the lock on the file. */
async function expectNothingLeft(): Promise<void> {
  expect(output).toContain('"msg":"stopped"')
  await expect(call(address, 'GET', '//healthz')).rejects.toThrow()
  expect(() => process.kill(-(npm.pid ?? NaN), 0)).toThrow('ESRCH')
  expect(await runHoldfast(['migrate'], { variables: { DATABASE_URL: databaseUrl } })).toMatchObject({
    code: 0,
  })
}

test('npm start: Ctrl-C in its terminal stops the server gracefully and leaves nothing behind', async () => {
  expect((await call(address, 'GET', '//readyz')).status).toBe(200)
  process.kill(-(npm.pid ?? NaN), 'SIGINT')
  await once(npm, 'close')
  await expectNothingLeft()
})

longTest('npm start: a supervisor that ends npm alone ends the server with it', async () => {
  npm.kill('SIGTERM')
  await once(npm, 'close')
  await expectNothingLeft()
})

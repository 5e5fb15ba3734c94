import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { builtServer, demoWorld, emptyDirectory, runHoldfast } from '../support/holdfast-process.ts'
import { inBash } from '../support/shell.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { longTest } from '../support/long.ts'

const escape = '\u001b'
// `script` of util-linux gives a command a separate terminal and shows its output
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout.includes('util-linux')
if (!hasScript)
  console.warn('\n*** SKIPPED: there is no script of util-linux, so no command is run on a terminal.\n')

const holdfast = `${process.execPath} ${builtServer}`
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase('sqlite')
  await demoWorld(database.url)
})
afterAll(() => database.drop())

function onTerminal(command: string, variables: Record<string, string> = {}): string {
  const ran = spawnSync('script', ['-qec', `${holdfast} ${command}`, '/dev/null'], {
    encoding: 'utf8',
    cwd: emptyDirectory(),
    env: {
      PATH: process.env['PATH'] ?? '',
      TERM: 'xterm-256color',
      DATABASE_URL: database.url,
      ...variables,
    },
  })
  return ran.stdout
}

test.runIf(hasScript).each(['doctor'])('on a terminal, "%s" marks what matters', (command) => {
  expect(onTerminal(command)).toContain(escape)
})

test.runIf(hasScript).each(['doctor'])('on a terminal, "%s" heeds NO_COLOR, and TERM=dumb', (command) => {
  expect(onTerminal(command, { NO_COLOR: '1' })).not.toContain(escape)
  expect(onTerminal(command, { TERM: 'dumb' })).not.toContain(escape)
})

test.runIf(hasScript)('on a terminal, --json is data and nothing else', () => {
  const said = onTerminal('hub list --json')
  expect(said).not.toContain(escape)
  expect(JSON.parse(said)).toMatchObject({ data: [{ name: 'Demo hub' }], next_cursor: null })
})

longTest.each(['hub list', 'key list'])('into a pipe, "%s" writes no escape codes', async (command) => {
  const ran = await runHoldfast(command.split(' '), { variables: { DATABASE_URL: database.url } })
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  const said = ran.stdout
  expect(said).not.toContain(escape)
  expect(said).not.toMatch(/ $/m)
})

test('a reader that has seen enough ends a command without a word', async () => {
  const said = await inBash(`${holdfast} key list 2>errors | true; echo "\${PIPESTATUS[0]} $(cat errors)"`, {
    variables: { DATABASE_URL: database.url },
    directory: emptyDirectory(),
  })
  expect(said).toBe('0 \n')
})

test('a command in the wrong directory makes no database there, and says where it looked', async () => {
  const directory = emptyDirectory()
  const ran = await runHoldfast(['hub', 'list'], { directory })
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(ran.stderr).toMatch(/^holdfast: There is no database at .*\/data\/holdfast\.db\. .*DATABASE_URL/)
  expect(readdirSync(directory)).toEqual([])
})

test.each([
  ['hub', 'list'],
  ['business', 'show', 'x'],
  ['key', 'revoke', 'x'],
  ['booking', 'list'],
  ['session', 'create', '--business', 'x'],
])('%s %s makes no new database where there is none, and says where it looked', async (...args) => {
  const directory = emptyDirectory()
  const ran = await commandLine(`sqlite:${directory}/data/holdfast.db`).run(...args)
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(ran.stderr).toMatch(/^holdfast: There is no database at .*\/data\/holdfast\.db\. .*DATABASE_URL/)
  expect(readdirSync(directory)).toEqual([])
})

test('a database of a newer release is refused with the reason, and left as it is', async () => {
  const newer = await createTestDatabase('sqlite')
  const holdfastThere = commandLine(newer.url)
  await holdfastThere.text('migrate')
  const file = new DatabaseSync(newer.url.slice('sqlite:'.length))
  file.exec(`insert into kysely_migration values ('9999-from-the-future', '2099-01-01T00:00:00Z')`)
  file.close()
  const reason = /database is newer than this release .* 9999-from-the-future\. Run the release/
  await holdfastThere.refuses(['booking', 'list'], 1, reason)
  await holdfastThere.refuses(['migrate'], 1, reason)
  // its log may mention that the widget was built
  expect(await holdfastThere.run('serve')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(reason) as string,
  })
  await newer.drop()
})

longTest('a database that another program holds is told without a stack', async () => {
  const file = new DatabaseSync(database.url.slice('sqlite:'.length))
  file.exec('begin immediate')
  try {
    const made = commandLine(database.url)
    await made.refuses(
      ['hub', 'create', 'Waiting'],
      1,
      /The database is unavailable \(database is locked\)\. .*"holdfast doctor"/,
    )
  } finally {
    file.close()
  }
  expect(existsSync(database.url.slice('sqlite:'.length))).toBe(true)
})

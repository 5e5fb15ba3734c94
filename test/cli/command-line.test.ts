import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { runCommand } from '../support/command-line.ts'
import { emptyDirectory, runHoldfast } from '../support/holdfast-process.ts'
import { onOneEngine } from '../support/long.ts'
import { createTestDatabase } from '../support/test-database.ts'

test('--version prints the version alone', async () => {
  expect(await runHoldfast(['--version'])).toMatchObject({
    code: 0,
    stdout: `${packageJson.version}\n`,
    stderr: '',
  })
})

test('--help names every command, and opens no database', async () => {
  const ran = await runHoldfast(['--help'], { variables: { DATABASE_URL: 'postgres://127.0.0.1:1/none' } })
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  for (const command of ['serve', 'migrate', 'demo', 'hub', 'business', 'key']) {
    expect(ran.stdout).toMatch(new RegExp(`^  ${command} `, 'm'))
  }
})

test.each(['serve', 'migrate', 'demo', 'hub create', 'business create', 'key create'])(
  '%s --help shows an example',
  async (command) => {
    const ran = await runCommand([...command.split(' '), '--help'])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(new RegExp(`^  \\$ .*holdfast ${command}`, 'm'))
  },
)

test.each([
  [['serv'], /unknown command 'serv'[^]*Did you mean serve/],
  [['demo', '--jsno'], /unknown option '--jsno'[^]*Did you mean --json/],
  [['demo', 'extra'], /too many arguments/],
  [['hub', 'crate', 'x'], /unknown command 'crate'[^]*Did you mean create/],
  [['hub', 'create'], /missing required argument 'name'/],
  [['hub', 'create', 'x', '--plan', 'gold'], /Allowed choices are growth, pro, enterprise/],
  [['business', 'create', 'x'], /required option '--timezone <zone>' not specified/],
  [['key', 'create', '--type', 'secret'], /Allowed choices are business, publishable/],
])('%j is told what is wrong with it, and ends with exit code 2', async (args, reason) => {
  const ran = await runCommand(args)
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr).toMatch(reason)
  expect(ran.stderr).toContain('--help')
})

test.each(['', 'hub', 'business', 'key'])('"holdfast %s" alone shows what is possible', async (group) => {
  const ran = await runCommand(group === '' ? [] : [group])
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr).toContain('Usage: holdfast')
})

onOneEngine('sqlite', 'holdfast migrate', (engine) => {
  test('tells what it ran, and the next time that there was nothing to do', async () => {
    const database = await createTestDatabase(engine)
    const migrate = (...args: string[]) => runCommand(['migrate', ...args], { DATABASE_URL: database.url })
    expect(await migrate('--json')).toMatchObject({ code: 0, stderr: '' })
    expect(await migrate()).toMatchObject({ code: 0, stdout: 'up to date\n', stderr: '' })
    expect(JSON.parse((await migrate('--json')).stdout)).toEqual({ ran: [], restored: [] })
    await database.drop()
  })

  test('names every migration that it ran, in order', async () => {
    const database = await createTestDatabase(engine)
    const ran = await runHoldfast(['migrate'], { variables: { DATABASE_URL: database.url } })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const names = ran.stdout.trimEnd().split('\n')
    expect(names[0]).toBe('ran 0001-first-schema')
    expect(names).toEqual(names.toSorted())
    await database.drop()
  })
})

test('a SQLite file that cannot be made is told with the variable, without a stack', async () => {
  const directory = emptyDirectory()
  const ran = await runCommand(['migrate'], { DATABASE_URL: `sqlite:${directory}` })
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(ran.stderr).toMatch(/^holdfast: DATABASE_URL: the SQLite file .* cannot be opened/)
  expect(ran.stderr).not.toContain('    at ')
})

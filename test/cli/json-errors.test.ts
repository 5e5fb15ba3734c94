import { expect, test } from 'vitest'
import { onOneEngine } from '../support/long.ts'
import { runCommand } from '../support/command-line.ts'
import { emptyDirectory } from '../support/holdfast-process.ts'
import { createMigratedDatabase } from '../support/test-database.ts'

const unknown = '01990000-0000-7000-8000-000000000000'

/** Runs a command that must fail, with only one line of JSON on standard error. */
async function failure(args: string[], url: string) {
  const { code, stdout, stderr } = await runCommand([...args, '--json'], { DATABASE_URL: url })
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^[^\n]+\n$/)
  return { code, ...(JSON.parse(stderr) as { error: { message: string; fix?: string; code?: string } }) }
}

test.each([
  ['serv', "unknown command 'serv'.", 'Did you mean serve?'],
  ['hub crate', "unknown command 'crate'.", 'Did you mean create?'],
  ['hub create', "missing required argument 'name'.", 'See --help.'],
  ['hub list --jsn', "unknown option '--jsn'.", 'Did you mean --json?'],
  ['session create', "required option '--business <name or id>' not specified.", 'See --help.'],
  ['key create', 'Give either --hub or --business.', undefined],
  [
    'hub create x --plan gold',
    "option '--plan <plan>' argument 'gold' is invalid. Allowed choices are growth, pro, enterprise.",
    'See --help.',
  ],
])('with --json, "%s" says in JSON what is wrong, and ends with exit code 2', async (args, message, fix) => {
  expect(await failure(args.split(' '), `sqlite:${emptyDirectory()}/holdfast.db`)).toEqual({
    code: 2,
    error: { code: 'usage', message, ...(fix !== undefined && { fix }) },
  })
})

test('with --json, a missing database is told with what to do, and ends with exit code 1', async () => {
  expect(await failure(['hub', 'list'], 'sqlite:/nowhere/at/all.db')).toEqual({
    code: 1,
    error: {
      message: 'There is no database at /nowhere/at/all.db.',
      fix: expect.stringContaining('set DATABASE_URL') as string,
    },
  })
})

onOneEngine('sqlite', 'errors in JSON', (engine) => {
  test('have the fix apart, the code of the API where it refuses, and no secret', async () => {
    const database = await createMigratedDatabase(engine)
    const fail = (...args: string[]) => failure(args, database.url)
    expect(await fail('business', 'show', unknown)).toEqual({
      code: 2,
      error: {
        code: 'usage',
        message: `There is no business ${unknown}.`,
        fix: '"holdfast business list" shows them.',
      },
    })
    const key = `cal_biz_${'aB3'.repeat(13).slice(0, 38)}`
    const { error } = await fail('business', 'show', key) // a key in place of an ID
    expect(error.message).toMatch(/^There is no business cal_biz_/)
    expect(JSON.stringify(error)).not.toContain(key)
    expect(await fail('block', 'delete', unknown)).toEqual({
      code: 2,
      error: { code: 'not_found', message: 'There is no block with this id.' },
    })
    await database.drop()
  })
})

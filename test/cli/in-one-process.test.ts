import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { runCommand } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { onOneEngine } from '../support/long.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

/** Counts the things that keep a process alive, by kind: sockets, timers, pipes. */
function heldOpen(): Record<string, number> {
  const kinds = Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind)
  return Object.fromEntries(Object.entries(kinds).map(([kind, all]) => [kind, all?.length ?? 0]))
}

onOneEngine('sqlite', 'a command that runs in the process of something else', (engine) => {
  let database: TestDatabase
  let business: string
  beforeAll(async () => {
    database = await createTestDatabase(engine)
    const made = await runCommand(['business', 'create', 'One', '--timezone', 'UTC', '--json'], here())
    business = (JSON.parse(made.stdout) as { id: string }).id
  })
  afterAll(() => database.drop())

  const here = () => ({ DATABASE_URL: database.url })

  test.each([
    ['migrate', 0],
    ['demo', 0],
    ['doctor', 0],
    ['business list', 0],
    ['booking list', 0],
    ['payments reconcile', 0],
    ['export ID', 0],
    ['key revoke x', 2],
    ['hub lsit', 2],
    ['booking show x', 2],
  ])('"%s" leaves nothing open, as a process of its own would have to end', async (command, code) => {
    const before = heldOpen()
    const redis = command === 'doctor' ? { REDIS_URL: inject('redisUrl') ?? '' } : {}
    const args = command.replace('ID', business).split(' ')
    expect(await runCommand(args, { ...here(), ...redis })).toMatchObject({ code })
    await eventually('nothing more open than before', () =>
      Object.entries(heldOpen()).every(([kind, count]) => count <= (before[kind] ?? 0)) ? true : undefined,
    )
  })

  test('sees the variables that it was given, and leaves the exit code of the process alone', async () => {
    const before = process.exitCode
    const lists = await Promise.all([
      runCommand(['business', 'show', business, '--json'], here()),
      runCommand(['business', 'show', business, '--json'], { DATABASE_URL: 'sqlite:/nowhere/at/all.db' }),
      runCommand(['doctor'], { ...here(), PORT: 'http' }),
    ])
    expect(lists.map(({ code }) => code)).toEqual([0, 1, 1])
    expect(JSON.parse(lists[0].stdout)).toMatchObject({ id: business, name: 'One' })
    expect(lists[1]).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('/nowhere/at/all.db') as string,
    })
    expect(lists[2].stdout).toContain('PORT must be a whole number')
    expect(process.exitCode).toBe(before)
  })
})

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { DemoWorld } from '../../src/catalogue/demo-world.ts'
import { commandLine } from '../support/command-line.ts'
import { demoWorld, runHoldfast } from '../support/holdfast-process.ts'
import { inBash, quickNpx } from '../support/shell.ts'
import { execute } from '../support/statements.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { engines } from '../support/test-service.ts'
import { blocksOf, documentAt, documents, project } from './documents.ts'
import { longTest } from '../support/long.ts'

const onDemo = documents.flatMap((document) =>
  blocksOf(document)
    .filter(({ mark }) => mark === 'runs on a demo database')
    .map(({ text }) => ({ path: document.path, text, first: text.split('\n')[0] ?? '' })),
)

// the documents are independent of the engine
describe('on a demo database', () => {
  let database: TestDatabase
  let world: DemoWorld
  beforeAll(async () => {
    database = await createTestDatabase('sqlite')
    world = await demoWorld(database.url)
  })
  afterAll(() => database.drop())

  longTest.each(onDemo)('the commands of $path that begin with $first work', async ({ text }) => {
    const [business] = world.businesses
    const variables = { DATABASE_URL: database.url }
    const { data } = (await commandLine(database.url).json('key', 'list')) as { data: { id: string }[] }
    const [key] = data
    const lines = text
      .replace(/^BUSINESS=….*$/m, `BUSINESS=${business?.id ?? ''}`)
      .replaceAll('--business <id>', `--business ${business?.id ?? ''}`)
      .replaceAll('--hub <id>', `--hub ${world.hub.id}`)
      .replaceAll('<key id>', key?.id ?? '')
    expect(lines).not.toMatch(/<[a-z ]+>/)
    const printed = await inBash(`set -e\n${lines}`, {
      variables: { ...variables, ...quickNpx },
      directory: project,
    })
    expect(printed.trim()).not.toBe('')
  })
})

const guide = 'docs/guides/self-hosting.md'

/** Returns the one block of the guide that contains these words. */
function blockWith(words: string): string {
  const found = blocksOf(documentAt(guide)).filter(({ text }) => text.includes(words))
  expect(found).toHaveLength(1)
  return found[0]?.text ?? ''
}

describe.runIf(engines.includes('postgres'))('the statements that prepare a PostgreSQL server', () => {
  test('give an owner whose first "holdfast migrate" makes tables and extension', async () => {
    const admin = inject('postgresUrl') ?? ''
    const name = `holdfast_test_${process.pid}_owner`
    const statements = blockWith('create role')
      .replaceAll(/\bholdfast\b/g, name)
      .split('\n')
    for (const statement of statements) await execute(admin, statement)
    const url = Object.assign(new URL(admin), { username: name, password: 'secret', pathname: `/${name}` })
    const ran = await runHoldfast(['migrate'], { variables: { DATABASE_URL: url.href } })
    await execute(admin, `drop database ${name} with (force)`)
    await execute(admin, `drop role ${name}`)
    expect(ran, ran.stderr).toMatchObject({ code: 0 })
    expect(ran.stdout).toMatch(/^ran 0001-/)
  })
})

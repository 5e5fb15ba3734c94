import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig, settings } from '../../src/base/config.ts'
import { type Block, blocksOf, documentAt, documents, project } from './documents.ts'

/*
 * Runs each block in a document as a reader would, or compares it with an answer. The tests for that are
 * examples.test.ts, operating.test.ts and ../packaging/production.test.ts. Otherwise the comment before a block names
 * its purpose:
 *   - <!-- checked by test/… -->: by this test, which names the document
 *   - <!-- settings -->: each variable is known and accepts the value (below)
 *   - <!-- not run: … -->: and the reason
 */
const runs = [
  'runs',
  'runs with a session',
  'runs on a new machine',
  'runs on a demo database',
  'printed by npm start',
  'runs as an example',
  'typed client',
  'values',
]

const all = documents.flatMap((document) =>
  blocksOf(document).map((block, index, blocks) => ({
    path: document.path,
    block,
    before: blocks[index - 1],
    first: block.text.split('\n')[0] ?? '',
  })),
)

/** Returns the use of a block, or undefined if it has none. */
function fateOf(path: string, { mark = '', language }: Block, before: Block | undefined): string | undefined {
  if (runs.includes(mark) || mark === 'settings') return mark
  if (mark === '' && /^jsonc?$/.test(language) && before?.mark !== undefined && runs.includes(before.mark))
    return 'answer'
  if (/^not run: (\S+ ){4,}\S+$/.test(mark)) return 'not run'
  const [, test] = /^checked by (test\/[\w/-]+\.test\.ts)$/.exec(mark) ?? []
  return test !== undefined && names(test, path) ? 'checked' : undefined
}

function names(testFile: string, path: string): boolean {
  const file = join(project, testFile)
  return existsSync(file) && readFileSync(file, 'utf8').includes(path)
}

test.each(all)('$path: the block that begins with "$first" is run or checked', ({ path, block, before }) => {
  expect(fateOf(path, block, before)).toBeDefined()
})

const ids = (text = '') =>
  [...text.matchAll(/"(\w+_id)": "([0-9a-f-]{36})"/g)].map(([, name, id]) => ({ name, id }))
const answers = all.filter(({ block, before }) => block.mark === undefined && ids(before?.text).length > 0)

test.each(answers)('$path: an answer has the ids that its request names', ({ block, before }) => {
  const asked = new Map(ids(before?.text).map(({ name, id }) => [name, id]))
  const answered = ids(block.text).filter(({ name }) => asked.has(name))
  expect(answered).toEqual(answered.map(({ name }) => ({ name, id: asked.get(name) })))
})

test('few blocks are not run, and most are run rather than checked', () => {
  const fates = all.map(({ path, block, before }) => fateOf(path, block, before))
  const count = (...names: string[]) => fates.filter((fate) => names.includes(fate ?? '')).length
  expect(count('not run')).toBeLessThanOrEqual(2)
  expect(count(...runs, 'answer')).toBeGreaterThan(count('checked'))
})

test('a block that nobody runs is found', () => {
  const [block] = blocksOf({ path: 'x.md', text: '1. Step\n\n   ```sh\n   rm -r data\n   ```\n' })
  expect(block).toEqual({ mark: undefined, language: 'sh', text: 'rm -r data' })
  if (!block) throw new Error('there is no block')
  expect(fateOf('x.md', block, undefined)).toBeUndefined()
  for (const mark of ['not run: because', 'checked by test/gone.test.ts', 'checked by me']) {
    expect(() => expect(fateOf('x.md', { ...block, mark }, undefined)).toBeDefined()).toThrow()
  }
  const answer: Block = { mark: undefined, language: 'json', text: '{}' }
  expect(fateOf('x.md', answer, block)).toBeUndefined()
  expect(fateOf('x.md', answer, { ...block, mark: 'runs' })).toBe('answer')
})

const assignments = all
  .filter(({ block }) => block.mark === 'settings')
  .flatMap(({ path, block }) =>
    [...block.text.matchAll(/(?:^|export )([A-Z_]+)=(\S+)/gm)].map(([, name = '', value = '']) => ({
      path,
      name,
      value,
    })),
  )

test.each(assignments)('$path: $name takes the value $value', ({ name, value }) => {
  const known = Object.values(settings).map(({ variable }) => variable)
  expect(known).toContain(name)
  const needed = name === 'DATABASE_READ_URL' ? { DATABASE_URL: value } : {} // it is no setting of SQLite
  expect(() => readConfig({ ...needed, [name]: value })).not.toThrow()
})

test('the map in ARCHITECTURE.md has every folder and every file that stands beside them', () => {
  const map = blocksOf(documentAt('ARCHITECTURE.md'))[0]?.text ?? ''
  const [, ofSources = ''] = /^src\/\n((?: {2}.*\n)+)/m.exec(map) ?? []
  const drawn = [...ofSources.matchAll(/^ {2}((?:[\w-]+(?:\.(?:ts|json)|\/) +)+)/gm)].flatMap(
    ([, names = '']) => names.trim().split(/ +/),
  )
  const there = globSync('*', { cwd: join(project, 'src'), withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `${entry.name}/` : basename(entry.name),
  )
  expect(drawn.toSorted()).toEqual(there.toSorted())
})

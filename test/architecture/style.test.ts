import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const project = resolve(import.meta.dirname, '../..')

const files = projectFiles().filter((file) =>
  statSync(resolve(project, file), { throwIfNoEntry: false })?.isFile(),
)
const sources = files.filter((file) => /^(src|tools)\//.test(file))
const tests = files.filter((file) => /^test\/.*[.]ts$/.test(file))

// Uses classes of one character, so that no pattern finds itself.
const KEBAB_CASE = /^(src|tools)(\/[a-z0-9]+(-[a-z0-9]+)*)+([.][a-z]+)+$/
const UNFINISHED = /\b(TO[D]O|FIX[M]E)\b/
const SWITCHED_OFF = /[.](only|skip|todo)[(]/
const EXPORT = /^export (async function|class) \w/
const EXPORTED = /^export (?:async )?(?:function|const|class|interface|type) (\w+)/
const MACHINE_PATH = /(?<![\w.])[/](work[/]|tmp[/]bash|home[/]\w+[/]|Users[/]\w+[/])/

/** Returns the files that git tracks or is about to track. The style applies to a new file before it is committed. */
function projectFiles(): string[] {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z']
  // The owner of a checkout in a container is often a different user, whom git would not trust.
  const git = spawnSync('git', ['-c', 'safe.directory=*', ...list], { cwd: project, encoding: 'utf8' })
  if (git.status === 0) return git.stdout.split('\0').filter(Boolean)
  // An archive of the sources has no git.
  return globSync(['package-lock.json', '{src,tools,test,bench,bin,docs}/**/*.*'], { cwd: project })
}

/** Returns every line that the pattern finds, as file:line: text. */
function linesWith(pattern: RegExp, among: string[]): string[] {
  return among.flatMap((file) =>
    linesOf(file).flatMap((line, index) =>
      pattern.test(line) ? [`${file}:${String(index + 1)}: ${line.trim()}`] : [],
    ),
  )
}

function linesOf(file: string): string[] {
  return readFileSync(resolve(project, file), 'utf8').trimEnd().split('\n')
}

test('there are files to look at', () => {
  expect(sources.length).toBeGreaterThan(0)
  expect(tests.length).toBeGreaterThan(0)
})

test('every source file has a name in kebab-case', () => {
  expect(sources.filter((file) => !KEBAB_CASE.test(file))).toEqual([])
})

// A clear name needs no sentence. But no name reveals the errors of a promise, or the purpose of a class.
test('every asynchronous function and class that a source file exports has a docstring, but for queries', () => {
  const undocumented = sources
    .filter((file) => file.endsWith('.ts') && !file.endsWith('-queries.ts'))
    .flatMap((file) => {
      const lines = linesOf(file).filter((line) => !line.startsWith('// eslint-disable'))
      return lines
        .filter((line, index) => EXPORT.test(line) && !lines[index - 1]?.trimEnd().endsWith('*/'))
        .map((line) => `${file}: ${line}`)
    })
  expect(undocumented).toEqual([])
})

test('nothing in the sources and tests is left for later', () => {
  expect(linesWith(UNFINISHED, [...sources, ...tests])).toEqual([])
})

test('no test is switched off, and none switches off the others', () => {
  expect(linesWith(SWITCHED_OFF, tests)).toEqual([])
})

test('what a source file exports, another file imports', () => {
  const code = files.filter((file) => /[.](ts|tsx|js|mjs)$/.test(file))
  const users = new Map<string, number>()
  for (const file of code) {
    for (const word of new Set(linesOf(file).join(' ').match(/\w+/g)))
      users.set(word, (users.get(word) ?? 0) + 1)
  }
  const exported = sources.flatMap((file) =>
    linesOf(file).flatMap((line) => {
      const [, name = ''] = EXPORTED.exec(line) ?? []
      return name !== '' && users.get(name) === 1 ? [`${file}: ${name}`] : []
    }),
  )
  expect(exported).toEqual([])
})

test('no file names a directory of the machine that it was written on', () => {
  expect(linesWith(MACHINE_PATH, files)).toEqual([])
})

test('the lockfile names no registry, so that each installation uses its own', () => {
  expect(linesWith(/"resolved": "(?!src")/, ['package-lock.json'])).toEqual([])
})

describe('a pattern finds what it is for, and no more', () => {
  // Joined here, because the tests above read this file, too.
  const path = (...parts: string[]) => ['', ...parts, ''].join('/')

  test.each([
    [KEBAB_CASE, ['src/bookings/hold.ts', 'src/database/migrations/0001-claims.ts'], ['src/placeHold.ts']],
    [
      EXPORT,
      ['export async function a(', 'export class B extends C {'],
      ['export { a }', 'export const a = 1', "export type { A } from './a.ts'"],
    ],
    [
      EXPORTED,
      ['export async function a(', 'export const a = 1', 'export interface A {', 'export type A = B'],
      ['export { a }', "export type { A } from './a.ts'"],
    ],
    [UNFINISHED, ['TO' + 'DO: later', '// FIX' + 'ME'], ['todoList', 'METHODS']],
    [SWITCHED_OFF, ['test.' + "only('x')", 'describe.' + "skip('x')"], ['test.skipIf(x)', 'rows.skipped(1)']],
    [
      MACHINE_PATH,
      [path('work'), `cd ${path('home', 'ada')}x`],
      ['./home/ada/x', 'https://example.com/home/ada/'],
    ],
  ])('%s', (pattern, found, passed) => {
    expect(found.filter((line) => !pattern.test(line))).toEqual([])
    expect(passed.filter((line) => pattern.test(line))).toEqual([])
  })
})

test('commands take streams and exit codes from the command line alone, so that they run in any process', () => {
  const commands = sources.filter((file) => file.startsWith('src/cli/') && !file.endsWith('/command-line.ts'))
  expect(commands.length).toBeGreaterThan(0)
  expect(linesWith(/\bprocess[.](stdout|stderr|exitCode|argv)\b/, commands)).toEqual([])
})

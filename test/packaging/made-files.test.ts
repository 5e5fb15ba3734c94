import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeUnlessMade } from '../../packaging/made-files.ts'
import { emptyDirectory, project } from '../support/holdfast-process.ts'
import { longTest } from '../support/long.ts'

/** Makes a file in capitals of each source in a directory, and counts how often it does so. */
function copier(root: string) {
  let runs = 0
  const make = () =>
    makeUnlessMade({
      root,
      sources: ['*.txt'],
      notSources: ['made-*.txt'],
      note: '.made-of',
      make: async (write) => {
        runs += 1
        const names = readdirSync(root).filter((name) => /^\w+[.]txt$/.test(name))
        for (const name of names) write(`made-${name}`, readFileSync(join(root, name), 'utf8').toUpperCase())
      },
    })
  return { make, runs: () => runs }
}

test('what is made of sources is made again when one has changed, come or gone, or when it is missing', async () => {
  const root = emptyDirectory()
  const { make, runs } = copier(root)
  const made = () =>
    Object.fromEntries(
      readdirSync(root)
        .filter((name) => name.startsWith('made-'))
        .map((name) => [name, readFileSync(join(root, name), 'utf8')]),
    )
  const steps: [change: () => void, remade: boolean, made: object][] = [
    [() => writeFileSync(join(root, 'one.txt'), 'a'), true, { 'made-one.txt': 'A' }],
    [() => undefined, false, { 'made-one.txt': 'A' }],
    [() => writeFileSync(join(root, 'one.txt'), 'b'), true, { 'made-one.txt': 'B' }],
    [() => rmSync(join(root, 'made-one.txt')), true, { 'made-one.txt': 'B' }],
    [() => writeFileSync(join(root, 'two.txt'), 'c'), true, { 'made-one.txt': 'B', 'made-two.txt': 'C' }],
    [() => rmSync(join(root, 'one.txt')), true, { 'made-two.txt': 'C' }],
  ]
  for (const [change, remade, expected] of steps) {
    change()
    const before = runs()
    expect([await make(), runs() - before, made()]).toEqual([remade, remade ? 1 : 0, expected])
  }
  expect(readdirSync(root).toSorted()).toEqual(['.made-of', 'made-two.txt', 'two.txt'])
})

test('several processes that build the widget at once leave it whole', async () => {
  const built = join(project, 'widget/dist')
  const texts = () =>
    Object.fromEntries(readdirSync(built).map((name) => [name, readFileSync(join(built, name), 'utf8')]))
  const before = texts()
  writeFileSync(join(built, '.made-of'), 'other sources\n')
  const builds = Array.from({ length: 3 }, () => spawn(process.execPath, [join(project, 'widget/build.ts')]))
  const codes = builds.map(async (build) => (await once(build, 'close'))[0] as number)
  for (const code of codes) {
    // every caller gets a complete file, even while it is being made
    expect(readFileSync(join(built, 'v1.js'), 'utf8')).toBe(before['v1.js'])
    expect(await code).toBe(0)
  }
  expect(texts()).toEqual(before)
})

longTest('a package brings the widget along, and nothing that notes how it was made', () => {
  const packed = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: project,
    encoding: 'utf8',
  })
  const [{ files }] = JSON.parse(packed.stdout) as [{ files: { path: string }[] }]
  const paths = files.map(({ path }) => path)
  expect(paths).toContain('widget/dist/v1.js')
  expect(paths.filter((path) => /^(client|embed|examples)\//.test(path))).toEqual([])
  const ofLanguage = (start: string) =>
    paths.filter((path) =>
      new RegExp(`^widget/dist/${start}(de|es|fr|ar|pl|it|pt|nl|tr|ja)-.*[.]js$`).test(path),
    )
  expect(ofLanguage('')).toHaveLength(10)
  expect(ofLanguage('manage-')).toHaveLength(10)
  expect(paths.filter((path) => path.includes('.made-of') || path.startsWith('widget/flow'))).toEqual([])
  const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  expect(scripts).toMatchObject({
    prepare: 'node packaging/build.js',
    prepack: 'node packaging/build.js --all',
  })
})

test('no commit holds what is made', () => {
  const git = spawnSync(
    'git',
    [
      '-c',
      'safe.directory=*',
      'ls-files',
      'widget/dist',
      'client/dist',
      'client/api-types.ts',
      'client/LICENSE',
      ...['widget', 'react'].flatMap((name) => [`embed/${name}/dist`, `embed/${name}/LICENSE`]),
    ],
    {
      cwd: project,
      encoding: 'utf8',
    },
  )
  expect(git.stdout).toBe('')
})

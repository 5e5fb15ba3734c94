/*
 * `npm run release` checks that the committed state can be released, packs all packages, writes their SBOMs and tries
 * them. Then it prints the next steps for a person. It never publishes and never tags. With `--dry-run` it leaves no
 * files behind, and a release without a date causes only a message.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const project = resolve(import.meta.dirname, '..')

/** A fault that must be fixed before a release. Printed without a stack. */
class Fault extends Error {}

/** One of the packages. Sizes are in bytes. */
interface Package {
  name: string
  folder: string
  maxBytes: number
  maxUnpackedBytes: number
  /** `name@version` of each package that is inside, or that npm installs with it. */
  parts: () => string[]
  /** Arguments of Node, in a folder where it is installed, and the expected output. */
  trial: { args: string[]; prints: RegExp }[]
}

/** The used parts of the output of `npm pack --json`. */
interface Packed {
  filename: string
  size: number
  unpackedSize: number
  files: { path: string }[]
}

interface Component {
  'bom-ref': string
  name: string
  version: string
}

/** The changed parts of a CycloneDX document. */
interface Sbom {
  metadata: { component: Component & { purl?: string } }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

const manifest = manifestAt('package.json')
const { version } = manifest

const launcher = 'node_modules/holdfast/bin/holdfast.js'

const packages: Package[] = [
  {
    name: 'holdfast',
    folder: '.',
    maxBytes: 5_500_000,
    maxUnpackedBytes: 21_000_000,
    parts: () => [
      ...bundledServer(),
      ...Object.entries(manifestAt('package.json').optionalDependencies ?? {}).map(pair),
      ...['preact', '@hotwired/turbo'].map((name) =>
        pair([name, manifestAt('src/package.json').optionalDependencies?.[name] ?? 'missing']),
      ),
    ],
    trial: [
      { args: [launcher, '--version'], prints: exactly(version) },
      { args: [launcher, '--help'], prints: /^Usage: holdfast / }, // loads the bundle
    ],
  },
  {
    name: '@holdfast/client',
    folder: 'client',
    maxBytes: 30_000,
    maxUnpackedBytes: 150_000,
    parts: () => [],
    trial: [
      {
        args: [
          '--input-type=module',
          '-e',
          "console.log(Object.keys(await import('@holdfast/client')).join())",
        ],
        prints: /\bverifyWebhook\b/,
      },
    ],
  },
  embed('widget', /^bookingAttributes,loadHoldfast\n$/),
  embed('react', /^HoldfastBooking,HoldfastButton\n$/),
]

/** Returns a package of the widget, whose exports a trial prints. They contain no other package. */
function embed(folder: string, prints: RegExp): Package {
  const name = `@holdfast/${folder}`
  const script = `console.log(Object.keys(await import('${name}')).join())`
  return {
    ...{ name, folder: `embed/${folder}`, maxBytes: 10_000, maxUnpackedBytes: 40_000, parts: () => [] },
    trial: [{ args: ['--input-type=module', '-e', script], prints }],
  }
}

try {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } })
  release(values['dry-run'])
} catch (error) {
  if (!(error instanceof Fault) && !(error instanceof TypeError && 'code' in error)) throw error
  console.error(`release: ${error.message}`)
  process.exitCode = 1
}

function release(dryRun: boolean): void {
  assertClean()
  const commit = run('git', ['rev-parse', '--short', 'HEAD']).trim()
  const tag = `v${version}`
  assertVersions()
  assertManifests()
  assertChangelog(dryRun)
  if (run('git', ['tag', '--list', tag]) !== '') throw new Fault(`The tag ${tag} exists; raise the version.`)

  const target = dryRun ? mkdtempSync(join(tmpdir(), 'holdfast-release-')) : join(project, 'release')
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target)
  const made = packages.map((one) => ({ one, tarball: packInto(target, one) }))
  const sbom = readSbom()
  const files = made.flatMap(({ one, tarball }) => [tarball, writeSbom(target, one, sbom)])
  const widget = made.find(({ one }) => one.name === '@holdfast/widget')?.tarball ?? ''
  for (const { one, tarball } of made) {
    const needed = one.name === '@holdfast/react' ? [widget] : [] // no registry has it yet
    tryOut(
      one,
      [...needed, tarball].map((file) => join(target, file)),
    )
  }
  assertClean() // nothing that was built is committed

  const steps = [
    `git tag --annotate ${tag} --message "Holdfast ${version}" ${commit}`,
    `git push origin ${tag}`,
    ...made.map(({ tarball }) => `npm publish ./release/${tarball} --access public`),
  ]
  console.log(
    [
      dryRun ? `Would release Holdfast ${version} of commit ${commit}:` : `In ${target}:`,
      ...files.map((file) => `  ${file}`),
      dryRun ? 'Would tag and publish:' : 'Nothing is published yet. Tag and publish:',
      ...steps.map((step) => `  ${step}`),
      '  in a job of GitHub Actions or GitLab CI, where npm can record the provenance,',
      `  and attach ${files.filter((file) => file.endsWith('.json')).join(' and ')} to the release`,
    ].join('\n'),
  )
  if (dryRun) rmSync(target, { recursive: true })
}

function assertClean(): void {
  const changes = run('git', ['status', '--porcelain'])
  if (changes !== '') throw new Fault(`The tree has changes that are not committed:\n${changes.trimEnd()}`)
  done('the tree is clean')
}

/** The version is in several files, none of which can read it from another. */
function assertVersions(): void {
  const text = (path: string) => readFileSync(join(project, path), 'utf8')
  const found = {
    'src/package.json': manifestAt('src/package.json').version,
    'client/package.json': manifestAt('client/package.json').version,
    'embed/widget/package.json': manifestAt('embed/widget/package.json').version,
    'embed/react/package.json': manifestAt('embed/react/package.json').version,
    'its @holdfast/widget': manifestAt('embed/react/package.json').dependencies?.['@holdfast/widget'],
    'package-lock.json': manifestAt('package-lock.json').version,
    Dockerfile: /image\.version="(.*?)"/.exec(text('Dockerfile'))?.[1],
    'compose.yaml': /image: holdfast:(\S+)/.exec(text('compose.yaml'))?.[1],
  }
  const others = Object.entries(found).filter(([, one]) => one !== version)
  if (others.length > 0) {
    const told = others.map(([path, one]) => `${path} says ${one ?? 'none'}`)
    throw new Fault(`package.json says version ${version}, but ${told.join(', ')}.`)
  }
  done(`${version} in package.json, ${Object.keys(found).join(', ')}`)
}

/** Provenance ties a package to the commit and the CI job that built it. npm records it only if the package asks. */
function assertManifests(): void {
  for (const { name, folder } of packages) {
    const path = join(folder, 'package.json')
    const found = manifestAt(path)
    if (found.name !== name) throw new Fault(`${path} has the name ${found.name}, not ${name}.`)
    if (!found.publishConfig?.provenance || found.publishConfig.access !== 'public') {
      throw new Fault(`${path} needs "publishConfig": { "access": "public", "provenance": true }.`)
    }
    if (found.repository === undefined) {
      console.log(`TO DO  ${path} names no "repository", which npm compares with the provenance.`)
    }
  }
  done('names and provenance of the packages')
}

function assertChangelog(dryRun: boolean): void {
  const [, heading, date = ''] =
    /^## \[(.*?)\] - (.*)$/m.exec(readFileSync(join(project, 'CHANGELOG.md'), 'utf8')) ?? []
  if (heading !== version) {
    throw new Fault(`CHANGELOG.md begins with ${heading ?? 'no version'}, not with ${version}.`)
  }
  if (/^\d{4}-\d{2}-\d{2}$/.test(date)) return done(`CHANGELOG.md begins with ${version}, of ${date}`)
  const what = `CHANGELOG.md says "${date}" for ${version}; write the date of the release.`
  if (!dryRun) throw new Fault(what)
  console.log(`TO DO  ${what}`)
}

/** Packs a package, which builds it, and checks its contents. Returns the name of the file. */
function packInto(target: string, { name, folder, maxBytes, maxUnpackedBytes }: Package): string {
  const said = run('npm', ['pack', '--json', '--pack-destination', target], { cwd: join(project, folder) })
  const [packed] = JSON.parse(said.slice(said.indexOf('[\n'))) as [Packed] // builds print before it
  const { filename, size, unpackedSize, files } = packed
  if (size > maxBytes || unpackedSize > maxUnpackedBytes) {
    throw new Fault(
      `${filename} has ${size} bytes, ${unpackedSize} unpacked; at most ${maxBytes} and ${maxUnpackedBytes} are allowed.`,
    )
  }
  const sources = files.map(({ path }) => path).filter((path) => /(?<!\.d)\.tsx?$/.test(path))
  if (sources.length > 0) throw new Fault(`${filename} has TypeScript: ${sources.join(', ')}.`)
  for (const needed of ['package.json', 'LICENSE', 'README.md']) {
    if (!files.some(({ path }) => path === needed)) throw new Fault(`${filename} has no ${needed}.`)
  }
  done(`${name}: ${filename}, ${size} bytes, ${unpackedSize} unpacked, ${files.length} files`)
  return filename
}

/** Returns all packages of the lock file, as npm describes them. */
function readSbom(): Sbom {
  return JSON.parse(run('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'])) as Sbom
}

/**
 * Writes the SBOM of a package: of all packages that npm knows, those inside it. npm itself would list the dependencies
 * of the published package, which has next to none, because all is bundled. Returns the name of the file.
 */
function writeSbom(target: string, { name, parts }: Package, all: Sbom): string {
  const wanted = new Set(parts())
  const components = all.components.filter((one) => wanted.has(pair([one.name, one.version])))
  const listed = new Set(components.map((one) => pair([one.name, one.version])))
  const missing = [...wanted].filter((one) => !listed.has(one))
  if (missing.length > 0) throw new Fault(`npm's SBOM lacks what ${name} contains: ${missing.join(', ')}.`)
  const self = { ...all.metadata.component, 'bom-ref': `${name}@${version}`, name, version }
  const refs = new Set(components.map((one) => one['bom-ref']))
  const sbom = {
    ...all,
    metadata: { ...all.metadata, component: { ...self, purl: `pkg:npm/${name}@${version}` } },
    components,
    dependencies: [
      { ref: self['bom-ref'], dependsOn: [...refs] },
      ...all.dependencies
        .filter(({ ref }) => refs.has(ref))
        .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
    ],
  }
  const file = `${name.replace('@', '').replace('/', '-')}-${version}.cdx.json`
  writeFileSync(join(target, file), `${JSON.stringify(sbom, null, 2)}\n`)
  done(`${name}: ${file}, ${components.length} packages`)
  return file
}

/** Returns the bundled packages, as the build records them with the licences. */
function bundledServer(): string[] {
  const notices = readFileSync(join(project, 'dist/licenses.txt'), 'utf8')
  return [...notices.matchAll(/^={80}\n(\S+) (\S+) \(/gm)].map(([, name = '', found = '']) =>
    pair([name, found]),
  )
}

/** Installs a package into an empty folder, as a user would, and runs it. The last file is the package. */
function tryOut({ name, trial }: Package, tarballs: string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-trial-'))
  try {
    run('npm', ['install', '--prefer-offline', '--no-audit', ...tarballs], { cwd: folder })
    for (const { args, prints } of trial) {
      const said = run(process.execPath, args, { cwd: folder })
      if (!prints.test(said)) throw new Fault(`${name}, installed, answers ${args.join(' ')} by:\n${said}`)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  done(`${name}: installs and runs, ${statSync(tarballs.at(-1) ?? '').size} bytes`)
}

function manifestAt(path: string) {
  return JSON.parse(readFileSync(join(project, path), 'utf8')) as {
    name: string
    version: string
    repository?: string | { url: string }
    publishConfig?: { access?: string; provenance?: boolean }
    dependencies?: Record<string, string>
    devDependencies?: Record<string, string>
    optionalDependencies?: Record<string, string>
  }
}

function pair([name, found]: [string, string]): string {
  return `${name}@${found}`
}

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replaceAll('.', '\\.')}\\n$`)
}

/** Runs a program and returns its output. Throws a Fault with the output if it fails. */
function run(program: string, args: string[], { cwd = project } = {}): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (error || status !== 0) {
    throw new Fault(`${program} ${args.join(' ')} failed:\n${error?.message ?? stderr + stdout}`)
  }
  return stdout
}

function done(what: string): void {
  console.log(`ok     ${what}`)
}

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { makeClient } from '../../client/build.ts'
import { makeEmbeds } from '../../embed/build.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { afterEachFile } from './after-file.ts'
import { project } from './holdfast-process.ts'

/** The package of the client, as `npm pack` creates it. */
export interface PackedClient {
  tarball: string
  bytes: number
  /** Paths within the package. */
  files: string[]
}

/** A Node 20 on this machine. Undefined with a loud warning if there is none. */
export const oldNode = findNode(20)

function findNode(major: number): string | undefined {
  const beside = (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, 'node'))
  const found = ['/usr/bin/node', '/usr/local/bin/node', ...beside].find((command) => {
    const { stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' }) as { stdout: string | null }
    return stdout?.startsWith(`v${major}.`)
  })
  if (found === undefined) {
    console.warn(`\n*** SKIPPED: there is no Node ${major} here, so the client is not tried with it.\n`)
  }
  return found
}

const temporary: string[] = []
const groups = new Set<number>()
let packed: PackedClient | undefined

afterEachFile(() => {
  for (const group of groups) process.kill(-group, 'SIGKILL')
  groups.clear()
  for (const directory of temporary.splice(0)) rmSync(directory, { recursive: true, force: true })
  packed = undefined
})

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-client-'))
  temporary.push(directory)
  return directory
}

/**
 * The shell variables of an unrelated user. npm stores nothing in the home directory of the person who runs the tests.
 */
export function shellVariables(node = process.execPath): Record<string, string> {
  const path = `${dirname(node)}:${process.env['PATH'] ?? ''}`
  return { PATH: path, HOME: temporaryDirectory(), npm_config_update_notifier: 'false' }
}

/**
 * The shell variables of the person who runs the tests, for commands that need a registry: with npm's settings and the
 * person's Node.
 */
export function ownShellVariables(): Record<string, string> {
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((directory) => !directory.startsWith(project))
  return { ...(process.env as Record<string, string>), PATH: path.join(delimiter) }
}

/** Packs the client and the packages of the widget with the command of examples/README.md, once for each test file. */
export async function packClient(): Promise<PackedClient> {
  if (packed) return packed
  await makeEmbeds()
  await makeClient()
  const target = temporaryDirectory()
  const [command = ''] = blocksOf(documentAt('examples/README.md')).map(({ text }) => text)
  const script = `${command.replace('--pack-destination examples', `--pack-destination ${target}`)} --json`
  const { status, stdout, stderr } = spawnSync('sh', ['-eu', '-c', script], {
    cwd: project,
    env: shellVariables(),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`npm pack failed:\n${stderr}`)
  const [made] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [
    { filename: string; files: { path: string }[] },
  ]
  const tarball = join(target, made.filename)
  packed = { tarball, bytes: statSync(tarball).size, files: made.files.map(({ path }) => path) }
  return packed
}

/** Creates an empty project with the package installed, without a registry. */
export async function projectWithClient(node?: string): Promise<string> {
  const { tarball } = await packClient()
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
  const args = ['install', '--offline', '--no-audit', '--no-fund', tarball]
  const ran = spawnSync('npm', args, { cwd: directory, env: shellVariables(node), encoding: 'utf8' })
  if (ran.status !== 0) throw new Error(`npm install failed:\n${ran.stderr}`)
  return directory
}

/** Creates an empty project with the packages of the widget installed, with React and its types. */
export async function projectWithEmbeds(): Promise<string> {
  const { tarball } = await packClient()
  const root = temporaryDirectory()
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  const embeds = globSync(join(dirname(tarball), 'holdfast-{widget,react}-*.tgz'))
  const args = ['install', '--offline', '--no-audit', '--no-fund', '--legacy-peer-deps', ...embeds]
  const ran = spawnSync('npm', args, { cwd: root, env: shellVariables(), encoding: 'utf8' })
  if (ran.status !== 0) throw new Error(`npm install failed:\n${ran.stderr}`)
  for (const name of ['@types', 'react', 'react-dom', 'scheduler', 'csstype'])
    symlinkSync(join(project, 'node_modules', name), join(root, 'node_modules', name))
  return root
}

/** Copies an example, with the packed packages in the place that its README expects. */
export async function copyOfExample(name: string): Promise<string> {
  const { tarball } = await packClient()
  const root = temporaryDirectory()
  const files = globSync(`examples/${name}/**/*.*`, {
    cwd: project,
    exclude: ['**/node_modules/**', '**/.next/**'],
  })
  for (const file of files) cpSync(join(project, file), join(root, file), { recursive: true })
  for (const file of globSync(join(dirname(tarball), '*.tgz')))
    cpSync(file, join(root, 'examples', basename(file)))
  return join(root, 'examples', name)
}

/**
 * Returns the blocks of an example's README as filled in by its reader: pairs of the original text and its replacement.
 */
export function readmeBlocks(name: string, filledIn: [shown: string, value: string][]): string[] {
  return blocksOf(documentAt(`examples/${name}/README.md`)).map(({ text }) =>
    filledIn.reduce((block, [shown, value]) => block.replaceAll(shown, value), text),
  )
}

/** A shell, and everything that it has started. */
export interface RunningShell {
  output(): string
  /** Resolves when its output matches all of the patterns. Rejects if it fails first, or after five minutes. */
  says(...patterns: RegExp[]): Promise<void>
  stop(): Promise<void>
}

/** Runs commands in a shell whose processes end with the test, and after ten minutes at the latest. */
export function startShell(
  script: string,
  { cwd, variables = shellVariables() }: { cwd: string; variables?: Record<string, string> },
): RunningShell {
  const shell = spawn('timeout', ['600', 'sh', '-eu', '-c', script], {
    cwd,
    env: variables,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { pid } = shell
  if (pid === undefined) throw new Error('there is no shell')
  groups.add(pid)
  let output = ''
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      shell.emit('said')
    })
  }
  const closed = once(shell, 'close')
  shell.once('exit', () => shell.emit('said'))
  return {
    output: () => output,
    says: (...patterns) =>
      new Promise((resolve, reject) => {
        const missing = () => patterns.filter((pattern) => !pattern.test(output))
        const fail = (why: string) => reject(new Error(`${why} without ${missing().join()}:\n${output}`))
        const timer = setTimeout(() => fail('five minutes passed'), 300_000)
        const look = () => {
          if (missing().length > 0 && (shell.exitCode ?? 0) === 0) return
          clearTimeout(timer)
          shell.off('said', look)
          if (missing().length === 0) resolve()
          else fail(`the shell ended with ${String(shell.exitCode)}`)
        }
        shell.on('said', look)
        look()
      }),
    stop: async () => {
      if (!groups.delete(pid)) return
      process.kill(-pid, 'SIGKILL')
      await closed
    },
  }
}

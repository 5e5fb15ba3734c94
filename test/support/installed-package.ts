import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterEachFile } from './after-file.ts'
import { eventually } from './eventually.ts'
import { emptyDirectory, project } from './holdfast-process.ts'
import { endGroupWithTests } from './watched.ts'

/** The package as a new user has it: packed from the checkout, installed into an empty folder. */
export interface InstalledPackage {
  /** The folder in which `npm install` ran. */
  folder: string
  tarball: string
  /** The output of `npm install`. */
  said: string
}

/** A user's Node, first on the PATH. */
export interface UsersNode {
  name: string
  path: string
}

/** The command in the documents for new users. */
export const installation = 'npm install ./holdfast-0.2.0.tgz'

/** npm's output without a reachable registry. */
export const noRegistry = /ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|ECONNRESET/

const systemPath = ['/usr/local/bin', '/usr/bin', '/bin']

/** The Node that runs the tests, and an older one of the system, if any. */
export const usersNodes: UsersNode[] = [dirname(process.execPath), '/usr/local/bin', '/usr/bin'].flatMap(
  (directory) => {
    const node = join(directory, 'node')
    if (!existsSync(node)) return []
    const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
    if (directory !== dirname(process.execPath) && version === process.version) return []
    return [{ name: `Node ${version}`, path: [directory, ...systemPath].join(delimiter) }]
  },
)

/** Certificates of a network whose proxy has its own. Without them, npm repeats each download for minutes. */
const certificates = process.env['NODE_EXTRA_CA_CERTS']

const environmentOf = ({ path }: UsersNode, variables: Record<string, string> = {}) => ({
  PATH: path,
  HOME: process.env['HOME'],
  ...(certificates !== undefined && { NODE_EXTRA_CA_CERTS: certificates }),
  ...variables,
})

/**
 * Packs the sources and installs the package, as a user would, into an empty folder unless one is given. Returns
 * undefined with a loud warning if the registry is unreachable.
 */
export function installPackage(
  node: UsersNode,
  sources = project,
  folder = emptyDirectory(),
): InstalledPackage | undefined {
  const packed = npm(node, sources, 'pack', '--pack-destination', folder)
  if (packed.status !== 0) throw new Error(`npm pack failed:\n${packed.stdout}\n${packed.stderr}`)
  const tarball = packed.stdout.trim().split('\n').at(-1) ?? ''
  return addPackage(node, join(folder, tarball), folder)
}

/** Installs a packed package. */
export function addPackage(
  node: UsersNode,
  tarball: string,
  folder = emptyDirectory(),
): InstalledPackage | undefined {
  const { status, stdout, stderr } = npm(node, folder, 'install', tarball, '--prefer-offline')
  const said = stdout + stderr
  if (status === 0) return { folder, tarball, said }
  if (!noRegistry.test(said) || process.env['CI']) {
    throw new Error(`npm install of the package failed:\n${said}`)
  }
  console.warn(`\n*** SKIPPED: the package cannot be installed, because npm reaches no registry:\n${said}\n`)
  return undefined
}

function npm(node: UsersNode, directory: string, ...args: string[]) {
  return spawnSync('npm', args, { cwd: directory, env: environmentOf(node), encoding: 'utf8' })
}

/** Runs `npx holdfast` in the folder of the installation. */
export function npxHoldfast(
  { folder }: InstalledPackage,
  node: UsersNode,
  { args = [], variables = {} }: { args?: string[]; variables?: Record<string, string> } = {},
) {
  const env = environmentOf(node, variables)
  return spawnSync('npx', ['holdfast', ...args], { cwd: folder, env, encoding: 'utf8' })
}

const running = new Set<ChildProcessByStdio<null, Readable, Readable>>()
afterEachFile(() => {
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid, 'SIGKILL')
})

/** Runs `npx holdfast serve`, on a free port and an empty database, until it has printed everything about its start. */
export async function serveInstalled(
  { folder }: InstalledPackage,
  node: UsersNode,
): Promise<{ said: string; address: string; stop: () => Promise<string> }> {
  const variables = { PORT: '0', DATABASE_URL: `sqlite:${emptyDirectory()}/holdfast.db` }
  const child = spawn('npx', ['holdfast', 'serve'], {
    cwd: folder,
    env: environmentOf(node, variables),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a separate process group, as in a terminal
  })
  endGroupWithTests(child)
  running.add(child)
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const ended = once(child, 'close').then(() => running.delete(child))
  const [, address = ''] = await eventually('a start', () => {
    if (child.exitCode !== null) throw new Error(`it ended:\n${said}`)
    return /^Holdfast serves (http:\S+)$[^]*-X DELETE .*\n/m.exec(said) ?? undefined
  })
  const stop = async () => {
    process.kill(-(child.pid ?? NaN), 'SIGINT') // like Ctrl-C
    await ended
    return said
  }
  return { said, address, stop }
}

/** Sums the bytes of all files below a folder, except in folders whose name matches. */
export function bytesBelow(folder: string, except: RegExp): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !except.test(name))
    .map((entry) => {
      const path = join(folder, entry.name)
      if (entry.isSymbolicLink()) return 0
      return entry.isDirectory() ? bytesBelow(path, except) : statSync(path).size
    })
    .reduce((sum, bytes) => sum + bytes, 0)
}

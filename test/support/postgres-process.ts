import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { lchown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

const run = promisify(execFile)

const START_MILLISECONDS = 90_000
const STOP_MILLISECONDS = 60_000

/** Settings of a server that override its defaults. */
export type PostgresSettings = Record<string, string>

/**
 * A test server may lose its last commits in a crash of the machine. The tests run faster without waiting for them.
 * fsync and full_page_writes stay enabled, because Holdfast refuses a server without them.
 */
const SETTINGS: PostgresSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  synchronous_commit: 'off',
  max_connections: '200',
}

/** The user of a server. Empty for the user of this process. */
interface RunAs {
  uid?: number
  gid?: number
}

/** The directory of a server's files, and its user. */
export interface Place {
  directory: string
  user: RunAs
}

export interface PostgresProcess {
  url: string
  /** The server's own process. Those of its connections are its children. */
  pid: () => number
  /** Ends it permanently and removes its files. */
  stop(): Promise<void>
  /** Ends it like an operator (a fast shutdown) or a lack of memory. Its files stay. */
  halt(signal: 'SIGINT' | 'SIGKILL'): Promise<void>
  /** Serves the files of a halted server again, at the same address. */
  startAgain(): Promise<void>
}

/** Creates a directory for the files of one server, temporary unless its parent is given. */
export async function makePlace(parent = tmpdir()): Promise<Place> {
  const user = await userForPostgres()
  return { user, directory: await mkdtemp(join(parent, 'holdfast-postgres-')) }
}

/** PostgreSQL refuses to run as root, so root hands it to an unprivileged user. */
export async function userForPostgres(): Promise<RunAs> {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])])
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
    } catch {
      // This system has no such user, but the next name may exist.
    }
  }
  throw new Error('This is root, PostgreSQL refuses to run as root, and there is no user postgres or nobody.')
}

/** Hands the directory and everything in it to the server's user. */
export async function giveToServer({ directory, user: { uid, gid } }: Place): Promise<void> {
  if (uid === undefined || gid === undefined) return
  const entries = await readdir(directory, { recursive: true })
  await Promise.all(['.', ...entries].map((entry) => lchown(join(directory, entry), uid, gid)))
}

/**
 * Runs a server together with a watcher that reads this process's pipe. However this process ends, the pipe closes. The
 * watcher then stops the server and removes its directory ($0), so nothing outlives the tests. The pipe of an ended
 * server closes, too, but its files are kept for a restart. The watcher is no child of the server. A test that freezes
 * the server with its children leaves it running. It wakes up the server and kills all processes that are still frozen
 * after 20 seconds.
 */
const WATCHED = `
  exec 3<&0
  ( (read -r _ <&3; kill -INT $$ || exit; kill -CONT $$; seconds=0
    while kill -0 $$; do
      sleep 1; seconds=$((seconds + 1))
      [ $seconds -ne 20 ] || kill -QUIT $$
    done; rm -rf "$0") >/dev/null 2>&1 &)
  exec "$@" 3<&- </dev/null`

/**
 * Creates a database cluster and serves it on a free port of 127.0.0.1 until it is stopped. With `primaryUrl` it is a
 * copy of that server and follows it from then on.
 */
export async function startPostgres(
  binaries: string,
  place: Place,
  more: PostgresSettings = {},
  primaryUrl?: string,
): Promise<PostgresProcess> {
  const password = primaryUrl ? new URL(primaryUrl).password : randomBytes(16).toString('hex')
  const data = primaryUrl
    ? await copyCluster(binaries, place, primaryUrl)
    : await makeCluster(binaries, place, password)
  const port = String(await freePort())
  const settings = Object.entries({ ...SETTINGS, ...more }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const command = [join(binaries, 'postgres'), '-D', data, '-p', port, ...settings]
  let server = spawnWatched(place, command)
  await becomeReady(server)
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    pid: () => server.pid ?? 0,
    stop: async () => {
      await stopServer(server)
      await rm(place.directory, { recursive: true, force: true }) // a halted one no longer has a watcher
    },
    halt: async (signal) => {
      const ended = once(server, 'exit')
      server.kill(signal)
      await ended
    },
    startAgain: async () => {
      server = await startSoon(() => spawnWatched(place, command))
    },
  }
}

function spawnWatched(place: Place, command: string[]): ChildProcess {
  return spawn('sh', ['-c', WATCHED, place.directory, ...command], {
    ...place.user,
    cwd: place.directory,
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['pipe', 'ignore', 'pipe'],
    // A separate process group: Ctrl-C in the terminal must not end the server while tests are still ending.
    detached: true,
  })
}

/** PostgreSQL refuses to start while processes of a killed server still use its shared memory. */
async function startSoon(spawnServer: () => ChildProcess): Promise<ChildProcess> {
  const deadline = performance.now() + START_MILLISECONDS
  for (;;) {
    const server = spawnServer()
    try {
      await becomeReady(server)
      return server
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
  }
}

async function makeCluster(binaries: string, place: Place, password: string): Promise<string> {
  const data = join(place.directory, 'data')
  const passwordFile = join(place.directory, 'password')
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
  await giveToServer(place)
  // C.UTF-8 and similar locales are not on every system, but the locale C is built in everywhere.
  const options = [
    '--username=postgres',
    '--auth=md5', // scram-sha-256 costs 2 ms for each of thousands of connections
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ]
  await run(join(binaries, 'initdb'), [`--pgdata=${data}`, `--pwfile=${passwordFile}`, ...options], {
    ...place.user,
    cwd: place.directory,
  })
  return data
}

/** Makes a base backup with the settings of a standby. */
async function copyCluster(binaries: string, place: Place, primaryUrl: string): Promise<string> {
  const data = join(place.directory, 'data')
  await giveToServer(place)
  const options = ['--write-recovery-conf', '--checkpoint=fast', '--wal-method=stream', '--no-sync']
  await run(join(binaries, 'pg_basebackup'), [`--dbname=${primaryUrl}`, `--pgdata=${data}`, ...options], {
    ...place.user,
    cwd: place.directory,
  })
  return data
}

/** Waits for the server's message that it accepts connections. Its log so far explains a failure. */
async function becomeReady(server: ChildProcess): Promise<void> {
  let log = ''
  const ready = Promise.withResolvers<undefined>()
  const timeout = setTimeout(() => {
    ready.reject(new Error(`PostgreSQL did not start within ${String(START_MILLISECONDS)} ms:\n${log}`))
  }, START_MILLISECONDS)
  const onLog = (chunk: Buffer) => {
    log += chunk.toString()
    if (/ready to accept (read-only )?connections/.test(log)) ready.resolve(undefined)
  }
  server.stderr?.on('data', onLog)
  server.once('error', ready.reject)
  server.once('exit', () => {
    ready.reject(new Error(`PostgreSQL ended while starting:\n${log}`))
  })
  try {
    await ready.promise
  } catch (error) {
    server.kill('SIGQUIT')
    server.stdin?.end()
    throw error
  } finally {
    clearTimeout(timeout)
    server.stderr?.off('data', onLog)
    // The pipe must be read, because a full one would stop the server in the middle of a test.
    server.stderr?.resume()
  }
}

/** Closing the pipe makes the watcher do a fast shutdown, which ends open sessions. A server that stays is killed. */
async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const timeout = setTimeout(() => server.kill('SIGKILL'), STOP_MILLISECONDS)
  server.stdin?.end()
  await once(server, 'exit')
  clearTimeout(timeout)
}

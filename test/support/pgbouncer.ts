import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { userForPostgres } from './postgres-process.ts'
import { spawnWatched } from './watched.ts'

/** Finds the program. If it is missing, returns undefined with a warning, and fails with CI=true. */
export function pgbouncerProgram(): string | undefined {
  try {
    return execFileSync('sh', ['-c', 'command -v pgbouncer || command -v /usr/sbin/pgbouncer'], {
      encoding: 'utf8',
    }).trim()
  } catch {
    const without = 'PgBouncer is not installed'
    if (process.env['CI'] === 'true') throw new Error(without)
    console.warn(`SKIPPED: ${without}`)
    return undefined
  }
}

export interface PgBouncer {
  /** URL of the same database through it. */
  url: string
  /** Makes it reconnect to the server, through its console. */
  reconnect(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts it in transaction mode, with so few server connections that every transaction gets another one. `more`
 * contains further lines of its section.
 */
export async function startPgBouncer(
  program: string,
  databaseUrl: string,
  more: string[] = [],
): Promise<PgBouncer> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-pgbouncer-'))
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const listenPort = await freePort()
  const settings = [
    '[databases]',
    `${pathname.slice(1)} = host=${hostname} port=${port || 5432} user=${username} password=${password}`,
    '[pgbouncer]',
    ...['pool_mode = transaction', 'default_pool_size = 8', 'auth_type = any', 'unix_socket_dir ='],
    'admin_users = pgbouncer', // the name for auth_type=any, which lets everyone into its console
    ...['listen_addr = 127.0.0.1', `listen_port = ${listenPort}`],
    ...more,
  ]
  const file = join(directory, 'pgbouncer.ini')
  writeFileSync(file, settings.join('\n'))
  chmodSync(directory, 0o755)
  const server = spawnWatched(program, [file], await userForPostgres()) // it refuses root
  const ended = once(server, 'exit')
  let log = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString()
      if (log.includes('process up')) resolve()
    })
    void ended.then(() => {
      reject(new Error(`PgBouncer ended:\n${log}`))
    })
  })
  const url = new URL(databaseUrl)
  Object.assign(url, { hostname: '127.0.0.1', port: String(listenPort), search: '?pgbouncer=true' })
  return {
    url: url.href,
    reconnect: async () => {
      const console = new pg.Client({
        host: '127.0.0.1',
        port: listenPort,
        user: 'pgbouncer',
        database: 'pgbouncer',
      })
      await console.connect()
      await console.query('RECONNECT')
      await console.end()
    },
    stop: async () => {
      server.kill('SIGINT')
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

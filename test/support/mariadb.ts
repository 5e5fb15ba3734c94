import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { spawnWatched } from './watched.ts'

/** Finds the server. If it is missing, returns undefined with a warning, and fails with CI=true. */
export function mariaDbProgram(): string | undefined {
  try {
    return execFileSync('sh', ['-c', 'PATH=$PATH:/usr/sbin command -v mariadbd'], { encoding: 'utf8' }).trim()
  } catch {
    const without = 'MariaDB is not installed'
    if (process.env['CI'] === 'true') throw new Error(without)
    console.warn(`SKIPPED: ${without}`)
    return undefined
  }
}

/** A MariaDB server that only its socket reaches, with one database and one login. */
export interface MariaDb {
  socket: string
  name: string
  user: string
  password: string
  /** Runs statements as root. */
  run(sql: string, database?: string): void
  dump(): string
  stop(): Promise<void>
}

export async function startMariaDb(program: string): Promise<MariaDb> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-mariadb-'))
  const socket = join(directory, 's')
  const [data, owner] = [join(directory, 'data'), userInfo().username]
  const own = ['--no-defaults', `--datadir=${data}`, `--user=${owner}`]
  execFileSync('mariadb-install-db', [...own, '--auth-root-authentication-method=normal'], {
    stdio: 'ignore',
  })
  const server = spawnWatched(program, [
    ...own,
    `--socket=${socket}`,
    '--skip-networking',
    '--innodb-flush-log-at-trx-commit=0',
  ])
  const ended = once(server, 'exit')
  const client = ['--no-defaults', `--socket=${socket}`, '--user=root']
  const run: MariaDb['run'] = (sql, database = 'mysql') => {
    execFileSync('mariadb', [...client, database], { input: sql, stdio: ['pipe', 'ignore', 'pipe'] })
  }
  await eventually('an answer of MariaDB', () => {
    try {
      run('select 1')
      return true
    } catch {
      return undefined
    }
  })
  const [name, user, password] = ['easyappointments', 'reader', String.raw`p"ä\ss #1'`]
  const quoted = `'${password.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
  run(`create database ${name} character set utf8mb4; create user ${user}@localhost identified by ${quoted};
       grant all on ${name}.* to ${user}@localhost;`)
  return {
    ...{ socket, name, user, password, run },
    dump: () => execFileSync('mariadb-dump', [...client, name], { encoding: 'utf8', maxBuffer: 2 ** 28 }),
    async stop() {
      server.kill()
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

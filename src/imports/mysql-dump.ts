import { spawn } from 'node:child_process'
import { UsageError } from '../base/errors.ts'

/*
 * Dumps a database of MySQL or MariaDB with the program that comes with it, as its owner would: the programs know every
 * way of logging in, and the import has one reader for a server and a file. The password goes through a
 * pipe that the program reads as its file of options. No list of processes, file or message contains it.
 */

const programs = ['mariadb-dump', 'mysqldump']

const maxDumpBytes = 256 * 1024 * 1024
const maxMinutes = 10

/** Dumps a database. Throws a UsageError for an invalid address, without a program, and when the program fails. */
export async function dumpMysql(address: string): Promise<string> {
  const { args, password } = argumentsFor(address)
  for (const program of programs) {
    const dump = await run(program, { args, password })
    if (dump !== undefined) return dump
  }
  throw new UsageError(
    `Neither ${programs.join(' nor ')} is installed here. Install it (Debian: mariadb-client), or dump the database where it is and import the file.`,
  )
}

/** Returns the arguments for `mysql://user:password@host:port/database?socket=/path`. */
function argumentsFor(address: string): { args: string[]; password: string } {
  const url = URL.parse(address)
  const database = decodeURIComponent(url?.pathname.slice(1) ?? '')
  if (!url || !['mysql:', 'mariadb:'].includes(url.protocol) || !/^[^/\\]+$/.test(database))
    throw new UsageError('The address must look like mysql://user:password@host/database.')
  const password = decodeURIComponent(url.password)
  if (/[\r\n]/.test(password)) throw new UsageError('The password must be one line.')
  const socket = url.searchParams.get('socket')
  return {
    args: [
      ...(socket === null
        ? [`--host=${url.hostname}`, `--port=${url.port || '3306'}`, '--protocol=TCP']
        : [`--socket=${socket}`]),
      ...(url.username === '' ? [] : [`--user=${decodeURIComponent(url.username)}`]),
      ...['--single-transaction', '--skip-lock-tables', '--no-tablespaces', '--skip-triggers'],
      // MySQL asks a MariaDB server otherwise for statistics that it does not have
      ...['--default-character-set=utf8mb4', '--loose-column-statistics=0', '--', database],
    ],
    password,
  }
}

/** The program opens its input by name, and only a pipe of the shell can be opened so. */
const piped = 'cat | "$0" --defaults-file=/dev/stdin "$@"'
/** The shell found no such program. */
const notFound = 127

/** Returns undefined if the program is not installed. */
function run(
  program: string,
  { args, password }: { args: string[]; password: string },
): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  const child = spawn('sh', ['-c', piped, program, ...args], {
    ...{ stdio: ['pipe', 'pipe', 'pipe'], timeout: maxMinutes * 60_000 },
  })
  child.stdin.on('error', () => undefined) // a program that does not start reads nothing
  child.stdin.end(`[client]\npassword="${password.replaceAll(/[\\"]/g, '\\$&')}"\n`)
  const chunks: Buffer[] = []
  let bytes = 0
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxDumpBytes) child.kill()
    else chunks.push(chunk)
  })
  child.stderr.on('data', (chunk: Buffer) => {
    if (errors.length < 2_000) errors += chunk.toString()
  })
  child.on('error', (error) => reject(new UsageError(`${program} cannot be started: ${error.message}`)))
  child.on('close', (code) => {
    if (code === notFound) resolve(undefined)
    else if (bytes > maxDumpBytes) reject(new UsageError(`The database has more than ${maxDumpBytes} bytes.`))
    else if (code !== 0) reject(new UsageError(`${program} failed: ${errors.trim() || `exit code ${code}`}`))
    else resolve(Buffer.concat(chunks).toString('utf8'))
  })
  return promise
}

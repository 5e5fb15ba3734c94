import { execFile, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { request } from 'undici'
import { findPostgres } from '../test/support/postgres-server.ts'
import { endingWithUs, ownDirectory } from './children.ts'
import type { Sample } from './load.ts'
import type { Engine, World } from './operations.ts'
import { ownDatabase } from './support/own-database.ts'

/*
 * The measured thing: a checkout of Holdfast with a separate database, used only through its command line and its API.
 * So any checkout can be compared with this one.
 */

/** A running service with something to book. */
export interface Target {
  /** Unlike that of any other. */
  name: string
  /** The operations of a peer. Undefined: all. */
  does?: readonly string[]
  addresses: string[]
  /** URL of a PostgreSQL database. */
  databaseUrl: string | undefined
  /** URL for either engine. */
  storeUrl: string
  /** One for each of its businesses. */
  worlds: World[]
  /** CPU seconds that the service and its connections in PostgreSQL have used so far. */
  processorSeconds(): Promise<{ service: number; database: number }>
  /** Returns the JSON output of a command of the program. */
  command<T>(...args: string[]): Promise<T>
  /** Resident memory of the larger process. */
  megabytes(): number
  /** Stops the servers and starts them again. Returns the milliseconds until the last one reports that it serves. */
  restart(): Promise<number>
  stop(): Promise<void>
}

export const services = 20
export const peopleOfService = 2
const dayMs = 86_400_000

interface StartOptions {
  postgresUrl: string | undefined
  /** Unlike that of any other target of the run. */
  number: number
  businesses?: number
  /** Settings in addition to those of every target. */
  settings?: Record<string, string>
}

/** The default checkout. */
export const thisCheckout = resolve(import.meta.dirname, '..')

/** Returns the URL of a PostgreSQL, if one of the engines needs it. `undo` stops the server if it was started here. */
export async function postgresFor(
  engines: readonly Engine[],
  undo: AsyncDisposableStack,
): Promise<string | undefined> {
  const postgres = engines.some((engine) => engine !== 'sqlite') ? await findPostgres(process.env) : null
  if (postgres) undo.defer(() => postgres.stop())
  return postgres?.url
}

/** Starts this checkout, and another one or Floyd Engine to compare, if any. `undo` stops them. */
export async function startTargets(
  engine: Engine,
  {
    against,
    peer,
    ...options
  }: Omit<StartOptions, 'number'> & { against: string | undefined; peer?: string | undefined },
  undo: AsyncDisposableStack,
): Promise<Target[]> {
  const targets: Target[] = []
  for (const checkout of [thisCheckout, ...(against === undefined ? [] : [resolve(against)])]) {
    const target = await startTarget(checkout, engine, { ...options, number: targets.length })
    undo.defer(() => target.stop())
    targets.push(target)
  }
  if (peer !== undefined && options.postgresUrl !== undefined && engine === 'postgres') {
    const { startFloyd } = await import('./floyd.ts')
    const target = await startFloyd(resolve(peer), options.postgresUrl)
    undo.defer(() => target.stop())
    targets.push(target)
  }
  return targets
}

/** Starts the servers of a checkout on an empty database, and creates the world of the benchmark in it. */
export async function startTarget(
  checkout: string,
  engine: Engine,
  { postgresUrl, number, businesses = 1, settings = {} }: StartOptions,
): Promise<Target> {
  await using undo = new AsyncDisposableStack()
  const { path: directory, remove } = ownDirectory()
  undo.defer(remove)
  let databaseUrl = `sqlite:${directory}/bench.db`
  if (engine !== 'sqlite') {
    if (postgresUrl === undefined) throw new Error(`${engine} needs a PostgreSQL`)
    const database = await ownDatabase(postgresUrl, number)
    undo.defer(() => database.drop())
    databaseUrl = database.url
  }
  const program = { path: join(checkout, 'bin/holdfast.js'), directory, databaseUrl, settings }
  const keys: Keys[] = []
  for (let business = 0; business < businesses; business += 1) keys.push(await makeKeys(program))
  const servers: Server[] = []
  const stopServers = async () => {
    for (const server of servers.splice(0)) await server.stop()
  }
  const startServers = async () => {
    // one after the other, because the first migrates the schema
    for (let server = 0; server < (engine === 'two-servers' ? 2 : 1); server += 1)
      servers.push(await serve(program))
  }
  undo.defer(stopServers)
  await startServers()
  const worlds: World[] = []
  for (const own of keys) worlds.push(await makeWorld(servers[0]?.address ?? '', own))
  const stack = undo.move()
  return {
    name: `${engine} ${number}`,
    get addresses() {
      return servers.map(({ address }) => address)
    },
    databaseUrl: engine === 'sqlite' ? undefined : databaseUrl,
    storeUrl: databaseUrl,
    worlds,
    processorSeconds: async () => ({
      service: usedSeconds(servers.map(({ pid }) => pid)),
      database: engine === 'sqlite' ? NaN : usedSeconds(await backendsOf(databaseUrl)),
    }),
    command: (...args) => commandOf(program, ...args),
    megabytes: () => Math.max(...servers.map(({ pid }) => residentMegabytes(pid))),
    restart: async () => {
      await stopServers()
      const begun = performance.now()
      await startServers()
      return performance.now() - begun
    },
    stop: () => stack.disposeAsync(),
  }
}

interface Program {
  path: string
  /** Its working directory, without anyone's .env. */
  directory: string
  databaseUrl: string
  settings: Record<string, string>
}

/** As users start it, but without limits, and with each visitor's address trusted. */
function environmentOf({ databaseUrl, settings }: Program): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'error',
    DRAIN_SECONDS: '0',
    RATE_LIMIT_FACTOR: '999999',
    TRUST_PROXY: '127.0.0.0/8',
    ...settings,
  }
}

type Keys = Pick<World, 'businessKey' | 'publishableKey'>

/** Returns the output of a command. */
async function commandOf<T = Record<string, string>>(program: Program, ...args: string[]): Promise<T> {
  const options = { cwd: program.directory, env: environmentOf(program) }
  const running = promisify(execFile)(process.execPath, [program.path, ...args, '--json'], options)
  endingWithUs(running.child)
  const { stdout } = await running
  return JSON.parse(stdout) as T
}

async function makeKeys(program: Program): Promise<Keys> {
  const command = (...args: string[]) => commandOf(program, ...args)
  const { id = '' } = await command('business', 'create', 'Bench', '--timezone', 'UTC')
  const { key: businessKey = '' } = await command('key', 'create', '--business', id)
  const type = ['--type', 'publishable']
  const { key: publishableKey = '' } = await command('key', 'create', '--business', id, ...type)
  return { businessKey, publishableKey }
}

interface Server {
  pid: number
  address: string
  stop(): Promise<void>
}

async function serve(program: Program): Promise<Server> {
  const flags = process.env['BENCH_NODE_FLAGS']?.split(' ') ?? [] // such as --cpu-prof
  const child = spawn(process.execPath, [...flags, program.path, 'serve'], {
    cwd: program.directory,
    env: environmentOf(program),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  endingWithUs(child)
  const exited = once(child, 'exit')
  let said = ''
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += String(text)
    const address = /Holdfast serves (http:\/\/\S+)/.exec(said)?.[1]
    if (address === undefined) continue
    child.stdout.resume()
    const stop = async () => {
      child.kill('SIGTERM')
      await exited
    }
    return { pid: child.pid ?? 0, address, stop }
  }
  throw new Error(`a server of ${program.path} ended before it served:\n${said}`)
}

async function makeWorld(address: string, keys: Keys): Promise<World> {
  const make = async (path: string, body: object): Promise<string> => {
    const answer = await request(`${address}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.businessKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 201) throw new Error(`POST ${path} answered ${answer.statusCode}: ${text}`)
    return (JSON.parse(text) as { id: string }).id
  }
  const locationId = await make('/locations', { name: 'Bench', timezone: 'UTC' })
  const [serviceIds, staffIds]: [string[], string[][]] = [[], []]
  for (let index = 0; index < services; index += 1) {
    const staff_ids: string[] = []
    for (let person = 0; person < peopleOfService; person += 1) {
      staff_ids.push(await make('/staff', { name: `Person ${index}.${person}` }))
    }
    const times = { duration_minutes: 15, slot_interval_minutes: 15, max_advance_days: 365 } // room for a long run
    const offer = { name: `Service ${index}`, ...times, location_ids: [locationId], staff_ids }
    serviceIds.push(await make('/services', offer))
    staffIds.push(staff_ids)
  }
  return { ...keys, locationId, serviceIds, staffIds, firstSlotMs: firstSlotMs() }
}

/** Returns a midnight (UTC) at least a day ahead. */
export function firstSlotMs(): number {
  return Math.ceil(Date.now() / dayMs + 1) * dayMs
}

/** Starts a Fastify that returns these answers and does nothing else. */
export async function startBare(samples: Sample[]): Promise<Server> {
  const child = endingWithUs(fork(join(import.meta.dirname, 'bare.ts'), { execArgv: [], detached: true }))
  child.send(samples)
  const [address] = (await once(child, 'message')) as [string]
  const stop = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { pid: child.pid ?? 0, address, stop }
}

export async function backendsOf(databaseUrl: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await client.end()
  return rows.map(({ pid }) => pid)
}

/** Converts the clock ticks of /proc: 100 a second on every Linux that Node runs on. NaN without /proc. */
export function usedSeconds(pids: number[]): number {
  const seconds = pids.map((pid) => {
    const fields = (procFile(pid, 'stat') ?? '').replace(/^.*\) /, '').split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  })
  return seconds.reduce((sum, one) => sum + one, 0)
}

export function residentMegabytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(procFile(pid, 'status') ?? '')?.[1]) / 1024
}

function procFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return undefined // ended, or not Linux
  }
}

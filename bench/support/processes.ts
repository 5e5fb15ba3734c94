import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

const project = resolve(import.meta.dirname, '../..')

/** A server in a process of its own. */
export interface OwnServer {
  pid: number
  /** Such as http://127.0.0.1:41234. */
  address: string
  stop(): Promise<void>
}

const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** However this process ends, the other one does not outlive it. */
export function endWithUs(child: ChildProcess): void {
  children.add(child)
  child.once('exit', () => children.delete(child))
}

/** Starts the service itself over a database as `npm start` does, with limits out of the way. */
export function startHoldfast(
  databaseUrl: string,
  variables: Record<string, string> = {},
  flags = process.env['BENCH_NODE_FLAGS']?.split(' ') ?? [], // such as --cpu-prof
): Promise<OwnServer> {
  return startServer([...flags, resolve(project, 'bin/holdfast.js'), 'serve'], {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'error',
    DRAIN_SECONDS: '0',
    RATE_LIMIT_FACTOR: '999999',
    ...variables,
  })
}

/** Starts a Fastify server with one route that answers with what a file holds: what the others are compared with. */
export function startBareServer(file: string): Promise<OwnServer> {
  return startServer([resolve(import.meta.dirname, 'bare-server.ts'), file], {})
}

/** Starts a Fastify server whose routes answer with what a JSON file says. */
export function startBareRoutes(file: string): Promise<OwnServer> {
  return startServer([resolve(project, 'bench/whole/bare-routes.ts'), file], {})
}

async function startServer(args: string[], variables: Record<string, string>): Promise<OwnServer> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
    // in a group of its own: who interrupts a benchmark in a terminal leaves it to clean up
    detached: true,
  })
  const exited = once(child, 'exit')
  endWithUs(child)
  let said = ''
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += String(text)
    const address = /(http:\/\/\S+)/.exec(said)?.[1]
    if (address === undefined) continue
    child.stdout.resume()
    return {
      pid: child.pid ?? 0,
      address,
      stop: async () => {
        child.kill('SIGTERM')
        await exited
      },
    }
  }
  throw new Error(`a server ended before it served:\n${said}`)
}

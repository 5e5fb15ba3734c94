import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readConfig } from '../base/config.ts'
import { OperatorError, UsageError } from '../base/errors.ts'
import { type DemoWorld, seedDemoData } from '../catalogue/demo-world.ts'
import { createContext } from '../operate/open.ts'
import { type CliCommand, print, withDatabase } from './command-line.ts'

/** A server in a child process with a temporary database. */
interface DemoServer {
  url: string
  world: DemoWorld
  stop(): Promise<void>
}

const startTimeoutMs = 20_000
const stopTimeoutMs = 10_000

/**
 * Module that the server preloads. It exits when standard input closes, so that the server never outlives
 * this process.
 */
const endsWithUs =
  'data:text/javascript,process.stdin.on("end",()=>process.exit()).resume();process.stdin.unref()'

export function registerDemo(program: CliCommand): void {
  program
    .command('demo')
    .description('add the demo data (a hub and four businesses) and print new keys')
    .option('--yes', 'also run in production')
    .withJson()
    .examples('demo --json > demo.json')
    .action(async ({ json, yes }: { json?: boolean; yes?: boolean }) => {
      const world = await withDatabase((context) => {
        if (context.config.environment === 'production' && !yes) {
          throw new UsageError('NODE_ENV is production: add --yes to add demo businesses to this database.')
        }
        return seedDemoData(context)
      })
      print(world, json, () => demoLines(world))
    })
}

/** Lists the keys of the demo businesses. */
export function demoLines({ hub, businesses }: DemoWorld): string[] {
  return [
    `${hub.name} (${hub.plan})`,
    `  hub key          ${hub.key}`,
    ...businesses.flatMap((business) => [
      `${business.name} (${business.plan}, ${business.timezone}${business.hub_id ? ', in the hub' : ''})`,
      `  business key     ${business.business_key}`,
      `  publishable key  ${business.publishable_key}`,
    ]),
  ]
}

/** Starts a server with the demo businesses and no other settings than these. */
export async function startDemoServer(settings: Record<string, string>): Promise<DemoServer> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-demo-'))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  try {
    const variables = {
      DATABASE_URL: `sqlite:${join(directory, 'demo.db')}`,
      LOG_LEVEL: 'error',
      ...settings,
    }
    const world = await demoWorld(variables)
    const child = startServer(directory, variables)
    const stop = async () => {
      await end(child)
      remove()
    }
    try {
      return { url: await addressOf(child), world, stop }
    } catch (error) {
      await stop()
      throw error
    }
  } catch (error) {
    remove()
    throw error
  }
}

async function demoWorld(variables: Record<string, string>): Promise<DemoWorld> {
  const context = await createContext(readConfig(variables))
  try {
    await context.db.migrate()
    return await seedDemoData(context)
  } finally {
    await context.db.close()
  }
}

/**
 * Runs in a temporary directory, so that no `.env` applies. A new process group ensures that Ctrl+C reaches
 * only this process.
 */
function startServer(directory: string, variables: Record<string, string>): ChildProcess {
  const program = resolve(import.meta.dirname, '../../bin/holdfast.js')
  return spawn(process.execPath, ['--import', endsWithUs, program, 'serve'], {
    cwd: directory,
    env: { NODE_ENV: 'production', PORT: '0', DRAIN_SECONDS: '0', ...variables },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
}

async function addressOf(child: ChildProcess): Promise<string> {
  let said = ''
  return new Promise((found, failed) => {
    const timer = setTimeout(
      () => failed(new OperatorError('The demo server did not start in time.')),
      startTimeoutMs,
    )
    child.once('error', failed)
    child.once('exit', () => failed(new OperatorError('The demo server stopped during startup.')))
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text
      const [, address] = /^Holdfast serves (http:\S+)$/m.exec(said) ?? []
      if (address === undefined) return
      clearTimeout(timer)
      found(address)
    })
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  await ended
  clearTimeout(timer)
}

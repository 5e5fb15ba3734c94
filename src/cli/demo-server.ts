import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeDemoWorld, type DemoWorld } from '../catalogue/make-demo-world.ts'
import { readConfig } from '../config.ts'
import { createContext } from '../create-context.ts'
import { OperatorError } from '../errors.ts'

/** A server of one's own in a process of its own, over a database that is gone with it. */
export interface DemoServer {
  url: string
  world: DemoWorld
  stop(): Promise<void>
}

const startTimeoutMs = 20_000
const stopTimeoutMs = 10_000

/**
 * Loaded before the server: when the pipe to its standard input closes, because whoever started it is gone in whatever
 * way, it ends too.
 */
const endsWithUs =
  'data:text/javascript,process.stdin.on("end",()=>process.exit()).resume();process.stdin.unref()'

/** Starts one with the demo world and these settings, and nothing else of the environment. */
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
    return await makeDemoWorld(context)
  } finally {
    await context.db.close()
  }
}

/** In its own directory, so that it meets no `.env`; in its own group, so that an interrupt is for us alone. */
function startServer(directory: string, variables: Record<string, string>): ChildProcess {
  const program = resolve(import.meta.dirname, '../holdfast.ts')
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
    child.once('exit', () => failed(new OperatorError('The demo server ended at its start.')))
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

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { DemoWorld } from '../../src/catalogue/demo-world.ts'
import { afterEachFile } from './after-file.ts'
import { runCommand } from './command-line.ts'

/** The directory of the checkout. */
export const project = resolve(import.meta.dirname, '../..')

const sources = resolve(project, 'src/main.ts')

/**
 * The contents of the package, built from the sources before the first test (global-setup.ts). It starts in half the
 * time.
 */
export const builtServer = resolve(project, 'dist/server/main.js')

/** Node keeps compiled code here. Hundreds of processes with the same code start in half the time. */
const compileCache = resolve(project, 'node_modules/.cache/node-compile-cache')

/** The variables of every `holdfast` process in tests. Of this process's own, only PATH. */
export const bareVariables = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCache }

/**
 * Loaded before the program. The process ends when the pipe to its standard input closes, because the tests have ended
 * for whatever reason. Nothing outlives the tests.
 */
const endsWithTests =
  'data:text/javascript,process.stdin.on("end",()=>process.kill(process.pid,"SIGKILL")).resume();process.stdin.unref()'

/** The end of a process. Exactly one of the two is not null. */
export interface Ending {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface ProcessOptions {
  variables?: Record<string, string>
  /** A separate temporary directory by default, so that the process finds no `.env` and no `data/` of the checkout. */
  directory?: string
  /**
   * Modules that Node loads before the program. The program is then the sources, because a bundle contains its own
   * modules.
   */
  preloads?: string[]
  /** Runs this program instead of the built server or the sources. */
  program?: string
}

/** A process of `holdfast`. */
export interface HoldfastProcess {
  pid: number
  /** Its output so far. */
  stdout(): string
  stderr(): string
  signal(name: NodeJS.Signals): void
  /** Resolves when it has ended and its output is complete. */
  ended: Promise<Ending>
  /** Resolves with the match as soon as its standard output has one. Rejects if it ends first, or too late. */
  says(pattern: RegExp, withinMs?: number): Promise<RegExpExecArray>
}

let directories: string | undefined

/** Returns a new directory that is removed after the tests of the file. */
export function emptyDirectory(): string {
  directories ??= mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  return mkdtempSync(join(directories, 'run-'))
}

const running = new Set<ChildProcessByStdio<Writable, Readable, Readable>>()

afterEachFile(async () => {
  await Promise.all(
    [...running].map(async (child) => {
      child.kill('SIGKILL')
      await once(child, 'close')
    }),
  )
  // here, because test processes end without an exit event
  if (directories !== undefined) rmSync(directories, { recursive: true, force: true })
  directories = undefined
})

/** Starts `holdfast` with the given arguments. Of this process's environment it sees only PATH. It stops at once. */
export function startHoldfast(args: string[], options: ProcessOptions = {}): HoldfastProcess {
  const { variables = {}, directory = emptyDirectory(), preloads = [] } = options
  const { program = preloads.length > 0 ? sources : builtServer } = options
  const imports = [endsWithTests, ...preloads].flatMap((module) => ['--import', module])
  const child = spawn(process.execPath, [...imports, program, ...args], {
    cwd: directory,
    env: { ...bareVariables, DRAIN_SECONDS: '0', ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  running.add(child)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = once(child, 'close').then(([code, signal]): Ending => {
    running.delete(child)
    return { code: code as Ending['code'], signal: signal as Ending['signal'] }
  })
  return {
    pid: child.pid ?? NaN,
    stdout: () => stdout,
    stderr: () => stderr,
    signal: (name) => child.kill(name),
    ended,
    says: (pattern, withinMs = 90_000) =>
      new Promise((found, failed) => {
        const look = () => {
          const match = pattern.exec(stdout)
          if (match) done(() => found(match))
        }
        const fail = (why: string) =>
          done(() => failed(new Error(`${why} without saying ${String(pattern)}:\n${stdout}\n${stderr}`)))
        const timer = setTimeout(() => fail(`${withinMs} ms passed`), withinMs)
        const done = (settle: () => void) => {
          clearTimeout(timer)
          child.stdout.off('data', look)
          settle()
        }
        child.stdout.on('data', look)
        void ended.then(({ code, signal }) => fail(`holdfast ended (${String(code ?? signal)})`))
        look()
      }),
  }
}

/** The output of a finished command. */
export interface Finished extends Ending {
  stdout: string
  stderr: string
}

/** Runs a command of `holdfast` to its end. */
export async function runHoldfast(args: string[], options: ProcessOptions = {}): Promise<Finished> {
  const command = startHoldfast(args, options)
  const ending = await command.ended
  return { ...ending, stdout: command.stdout(), stderr: command.stderr() }
}

/** Adds the demo world to a database, as an operator would. Returns it with its keys. */
export async function demoWorld(databaseUrl: string): Promise<DemoWorld> {
  const ran = await runCommand(['demo', '--json'], { DATABASE_URL: databaseUrl })
  if (ran.code !== 0) throw new Error(`holdfast demo failed:\n${ran.stderr}`)
  return JSON.parse(ran.stdout) as DemoWorld
}

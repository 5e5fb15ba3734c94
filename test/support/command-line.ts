import { PassThrough, Writable } from 'node:stream'
import { expect } from 'vitest'
import { runCommandLine } from '../../src/cli/program.ts'
import { runWithin } from '../../src/cli/command-line.ts'

/** The exit code and the output of a command. */
interface Ran {
  code: number
  stdout: string
  stderr: string
}

/**
 * Runs a command in this process, in a twentieth of the time of a separate one. It sees the given variables and no
 * others. Signals, closed pipes, a terminal, or proof that it ends at all need `runHoldfast`.
 */
export async function runCommand(args: string[], variables: Record<string, string> = {}): Promise<Ran> {
  const [stdout, stderr] = [new Collected(), new Collected()]
  let code = 0
  const given = {
    variables: () => ({ ...variables }),
    ...{ stdout, stderr, logStream: stdout },
    endWith: (exitCode: number) => (code = exitCode),
  }
  await runWithin(given, () => runCommandLine(args))
  return { code, stdout: stdout.text, stderr: stderr.text }
}

/** Runs a command on a terminal. Answers each question in turn, and ends the input at one without an answer. */
export async function onTerminal(
  args: string[],
  variables: Record<string, string>,
  answers: Record<string, string[]>,
): Promise<Ran> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const said = { stdout: '', stderr: '' }
  const left = structuredClone(answers)
  const streamTo = (name: keyof typeof said) =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        said[name] += chunk.toString()
        if (name === 'stderr' && chunk.toString().endsWith(': ')) {
          const question = Object.keys(left).find((text) => chunk.toString().includes(text)) ?? ''
          const next = left[question]?.shift()
          setImmediate(() => (next === undefined ? stdin.end() : stdin.write(`${next}\n`)))
        }
        done()
      },
    })
  let code = 0
  const io = {
    ...{ variables: () => ({ ...variables }), stdin: () => stdin },
    ...{ stdout: streamTo('stdout'), stderr: streamTo('stderr') },
    endWith: (exitCode: number) => (code = exitCode),
  }
  await runWithin(io, () => runCommandLine(args))
  return { code, ...said }
}

/** A stream that is no terminal and collects its input. */
class Collected extends Writable {
  text = ''
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

/** The command line over one database, in this process. */
export interface CommandLine {
  run(...args: string[]): Promise<Ran>
  /** Runs a command that must succeed and returns its output for people. */
  text(...args: string[]): Promise<string>
  /** Returns the data that it prints with `--json`. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what the command gives
  json(...args: string[]): Promise<any>
  /** Expects a refusal with this exit code, a reason on one line, and no output. */
  refuses(args: string[], code: 1 | 2, reason: RegExp | string): Promise<void>
}

export function commandLine(databaseUrl: string, variables: Record<string, string> = {}): CommandLine {
  const run = (...args: string[]) => runCommand(args, { DATABASE_URL: databaseUrl, ...variables })
  const text = async (...args: string[]) => {
    const ran = await run(...args)
    expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' })
    return ran.stdout
  }
  return {
    run,
    text,
    json: async (...args) => JSON.parse(await text(...args, '--json')) as unknown,
    refuses: async (args, code, reason) => {
      const ran = await run(...args)
      expect(ran, ran.stderr).toMatchObject({ code, stdout: '' })
      expect(ran.stderr).toMatch(/^holdfast: [^\n]+\n$/)
      expect(ran.stderr).toMatch(reason)
    },
  }
}

/** Returns the cells of a printed table, without the title of a list. Two or more spaces separate columns. */
export function cellsOf(table: string): string[][] {
  return table
    .trimEnd()
    .split('\n')
    .filter((line, index) => index > 0 || !line.endsWith(':'))
    .map((line) => line.split(/ {2,}/))
}

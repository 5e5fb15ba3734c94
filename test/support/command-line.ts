import { expect } from 'vitest'
import { runHoldfast, type Finished } from './holdfast-process.ts'

/** The command line over one database. */
export interface CommandLine {
  run(...args: string[]): Promise<Finished>
  /** What a command that has to succeed prints for people. */
  text(...args: string[]): Promise<string>
  /** The data that it prints with `--json`. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what the command gives
  json(...args: string[]): Promise<any>
  /** Expects that a command is refused with this exit code, says why on one line, and prints nothing. */
  refuses(args: string[], code: 1 | 2, reason: RegExp | string): Promise<void>
}

export function commandLine(databaseUrl: string, variables: Record<string, string> = {}): CommandLine {
  const run = (...args: string[]) =>
    runHoldfast(args, { variables: { DATABASE_URL: databaseUrl, ...variables } })
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

/** The cells of a table as it is printed: columns are two spaces or more apart. Headings first. */
export function cellsOf(table: string): string[][] {
  return table
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/))
}

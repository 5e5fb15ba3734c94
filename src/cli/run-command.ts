import { existsSync } from 'node:fs'
import type { DestinationStream } from 'pino'
import { createContext } from '../create-context.ts'
import { readConfig, type Config } from '../config.ts'
import type { Context } from '../context.ts'
import { OperatorError } from '../errors.ts'
import { surroundings } from './surroundings.ts'

/** The configuration from the environment, or an OperatorError that names each fault. */
export function configFromEnvironment(): Config {
  return readConfig(surroundings().variables())
}

/** What a command works with. Its output is its result, so of the log comes only what went wrong. */
export function openContext(): Promise<Context> {
  return createContext({ ...configFromEnvironment(), logLevel: 'error' }, logReplacement())
}

/** Where a command's log goes, for createContext. */
export function logReplacement(): { logStream?: DestinationStream } {
  const { logStream } = surroundings()
  return logStream ? { logStream } : {}
}

/** Runs a command of the operator over an open database whose schema is up to date. A server may run beside it. */
export async function withDatabase<T>(work: (context: Context) => Promise<T>): Promise<T> {
  const context = await openContext()
  try {
    await context.db.migrate()
    return await work(context)
  } finally {
    await context.db.close()
  }
}

/**
 * The same for commands that only make sense where something is already: in the wrong directory they must not
 * make a new, empty SQLite file and say that it holds nothing.
 */
export async function withExistingDatabase<T>(work: (context: Context) => Promise<T>): Promise<T> {
  const { database } = configFromEnvironment()
  if (database.engine === 'sqlite' && !existsSync(database.file)) {
    throw new OperatorError(
      `There is no database at ${database.file}. Run this where the server runs, or set DATABASE_URL as the ` +
        'server has it; "holdfast serve" and "holdfast migrate" make a new one.',
    )
  }
  return withDatabase(work)
}

/** Prints lines for people, or the data of them with `--json`. */
export function print(
  data: unknown,
  { json, lines }: { json: boolean | undefined; lines: () => string[] },
): void {
  writeLines(json ? [JSON.stringify(data, null, 2)] : lines())
}

/** Writes lines to the standard output. */
export function writeLines(lines: string[]): void {
  surroundings().stdout.write(lines.map((line) => `${line}\n`).join(''))
}

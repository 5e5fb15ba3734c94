import { createContext } from '../app.ts'
import { environmentVariables, readConfig, type Config } from '../config.ts'
import type { Context } from '../context.ts'

/** The configuration from the environment, or an OperatorError that names each fault. */
export function configFromEnvironment(): Config {
  return readConfig(environmentVariables())
}

/** Runs a command of the operator over an open database whose schema is up to date. A server may run beside it. */
export async function withDatabase<T>(work: (context: Context) => Promise<T>): Promise<T> {
  // a command's output is its result: of the log only what went wrong
  const context = await createContext({ ...configFromEnvironment(), logLevel: 'error' })
  try {
    await context.db.migrate()
    return await work(context)
  } finally {
    await context.db.close()
  }
}

/** Prints lines for people, or the data of them with `--json`. */
export function print(
  data: unknown,
  { json, lines }: { json: boolean | undefined; lines: () => string[] },
): void {
  process.stdout.write(json ? `${JSON.stringify(data, null, 2)}\n` : `${lines().join('\n')}\n`)
}

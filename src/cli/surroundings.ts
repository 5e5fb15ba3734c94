import { AsyncLocalStorage } from 'node:async_hooks'
import type { DestinationStream } from 'pino'
import { environmentVariables } from '../config.ts'

/** What a command has of the process that it runs in. */
export interface Surroundings {
  /** Throws an OperatorError when they cannot be read. */
  variables: () => Record<string, string | undefined>
  stdout: NodeJS.WritableStream
  stderr: NodeJS.WritableStream
  /** Where the log is written in place of the standard output. */
  logStream?: DestinationStream
  /** Tells with which code the command ends; without, it is 0. */
  endWith: (exitCode: number) => void
}

const ofProcess: Surroundings = {
  variables: environmentVariables,
  stdout: process.stdout,
  stderr: process.stderr,
  // at once: whoever ends the process early, as a closed pipe does, ends it with this code
  endWith: (exitCode) => {
    process.exitCode = exitCode
  },
}

/** Several commands may run in one process, each within its own: the actions of commander are handed nothing but options. */
const handedIn = new AsyncLocalStorage<Surroundings>()

/** Those of the command in progress: the process itself, unless it was run within others. */
export function surroundings(): Surroundings {
  return handedIn.getStore() ?? ofProcess
}

/** Runs a command within these surroundings in place of those of the process. */
export function runWithin<T>(given: Surroundings, work: () => Promise<T>): Promise<T> {
  return handedIn.run(given, work)
}

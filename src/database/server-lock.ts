import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../errors.ts'
import { makePrivateFile } from './sqlite-file.ts'

/**
 * Takes the place of the one server of a SQLite file, or throws an OperatorError when one is there. The lock is SQLite's
 * own, on a file beside: the operating system gives it up even when the process is killed. A file is the same file by
 * whatever link it is reached, so the lock lies beside the real one.
 */
export function takeServerLock(file: string, realFile: string): { close(): void } {
  makePrivateFile(serverLockOf(realFile))
  const lock = new DatabaseSync(serverLockOf(realFile), { timeout: 0 })
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    throw new OperatorError(
      `Another Holdfast server already uses ${file}. Stop it first, or give this one another ` +
        'DATABASE_URL; several servers can share a PostgreSQL database.',
      { cause: error },
    )
  }
}

/** The file whose lock it is. */
export function serverLockOf(file: string): string {
  return `${file}.server-lock`
}

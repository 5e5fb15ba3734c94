import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FileFacts } from './diagnosis-types.ts'

/** What belongs to a SQLite database in WAL mode, and the lock of the server. */
const companions = ['', '-wal', '-shm', '.server-lock']

const rightsOfOthers = 0o077

/** Looks at a SQLite file from outside: it need not be there, and is not opened. */
export function lookAtFile(file: string): FileFacts {
  const exists = existsSync(file)
  const files = companions.map((ending) => file + ending).filter((path) => existsSync(path))
  const directory = nearestThere(dirname(file))
  return {
    file,
    exists,
    insteadOfFile: exists ? insteadOfFile(file) : null,
    unwritable: [
      ...(mayMakeFilesIn(directory) ? [] : [directory]),
      ...files.filter((path) => !mayWrite(path)),
    ],
    open: files.filter((path) => (statSync(path).mode & rightsOfOthers) !== 0),
    user: `the user with the id ${process.getuid?.() ?? 'unknown'}`,
  }
}

function insteadOfFile(path: string): string | null {
  const found = statSync(path)
  if (found.isFile()) return null
  return found.isDirectory() ? 'a directory' : 'no regular file'
}

/** The directory, or the one above it in which it would have to be made. */
function nearestThere(directory: string): string {
  const parent = dirname(directory)
  return existsSync(directory) || parent === directory ? directory : nearestThere(parent)
}

function mayMakeFilesIn(path: string): boolean {
  return statSync(path).isDirectory() && mayWrite(path)
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** Flushes a file, or the entries of a directory, to the disk. */
export function flush(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Renames a file over another, in one step that survives a power failure. */
export function replaceBy(path: string, target: string): void {
  renameSync(path, target)
  flush(dirname(target))
}

/** Renames a file unless the target exists, and returns false in that case. */
export function placeBy(path: string, target: string): boolean {
  if (!nameToo(path, target)) return false
  rmSync(path)
  flush(dirname(target))
  return true
}

/** Gives a file a second name. Returns false if that exists. Copies on file systems without hard links. */
export function nameToo(path: string, other: string): boolean {
  try {
    linkSync(path, other)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error))) throw error
  }
  try {
    copyFileSync(path, other, constants.COPYFILE_EXCL)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  flush(other)
  return true
}

/** Gives a file this owner if run by root, and makes it private. */
export function makeLike(path: string, { uid, gid }: Pick<Stats, 'uid' | 'gid'>): void {
  if (process.getuid?.() === 0) chownSync(path, uid, gid)
  chmodSync(path, 0o600)
}

export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }))
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

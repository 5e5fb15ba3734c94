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
  statSync,
  type Stats,
} from 'node:fs'
import { dirname } from 'node:path'

/** Makes a file, or the entries of a directory, survive a power cut. */
export function flush(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Gives a file its name, in the place of what has it, in one step that survives a power cut. */
export function replaceBy(path: string, target: string): void {
  renameSync(path, target)
  flush(dirname(target))
}

/** Gives a file its name unless something has it; false then. */
export function placeBy(path: string, target: string): boolean {
  if (!nameToo(path, target)) return false
  rmSync(path)
  flush(dirname(target))
  return true
}

/** Gives a file another name; false when something has that already. Where files have one name only it is copied. */
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

/** Gives a file the owner of another, where whoever runs this may do so; only the owner can read it. */
export function makeLike(path: string, { uid, gid }: Pick<Stats, 'uid' | 'gid'>): void {
  if (process.getuid?.() === 0) chownSync(path, uid, gid)
  chmodSync(path, 0o600)
}

/** Whether both paths lead to one and the same file. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }))
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

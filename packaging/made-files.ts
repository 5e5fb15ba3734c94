/*
 * Builds files that are not committed, only if one is missing or a source has changed. A note next to them contains the
 * hash of the sources.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The sources and the build of some files. Paths are relative to `root`. */
interface Recipe {
  root: string
  /** Patterns of the sources. */
  sources: string[]
  /** Built files that the patterns match. */
  notSources: string[]
  /** The file with the hash of the sources and the names of the built files. */
  note: string
  /** Builds each file and passes it to `write`, those that refer to others last. */
  make: (write: (path: string, content: string | Uint8Array) => void) => Promise<void>
}

/**
 * Builds the files if a source has changed. Returns true if it did. Several processes may build at once, because each
 * replaces whole files with the same text.
 */
export async function makeUnlessMade({ root, sources, notSources, note, make }: Recipe): Promise<boolean> {
  const digest = digestOf(root, globSync(sources, { cwd: root, exclude: notSources }).toSorted())
  const [madeOf, ...before] = linesOf(join(root, note))
  if (madeOf === digest && before.every((path) => existsSync(join(root, path)))) return false
  const made: string[] = []
  await make((path, content) => {
    replace(join(root, path), content)
    made.push(path)
  })
  replace(join(root, note), `${[digest, ...made].join('\n')}\n`)
  for (const path of before) if (!made.includes(path)) rmSync(join(root, path), { force: true })
  return true
}

function digestOf(root: string, paths: string[]): string {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(`${path}\n`).update(readFileSync(join(root, path)))
  return hash.digest('hex')
}

function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []
}

/** Replaces the file in one step. A reader sees the old content or the new, never half of it. */
function replace(path: string, content: string | Uint8Array): void {
  const beside = `${path}.${process.pid}.new`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(beside, content)
  renameSync(beside, path)
}

/*
 * Files that programs make out of the sources, and that no commit holds. What made them last is noted beside them, so
 * that whoever needs them can ask for them each time: they are made when one is missing or a source has changed.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What is made, and of what. Paths are from `root`. */
export interface Recipe {
  root: string
  /** Patterns of the files that it is made of. */
  sources: string[]
  /** Made files that the patterns would find too. */
  notSources: string[]
  /** The file that notes of which sources which files were made. */
  note: string
  /** Makes each file and hands it to `write`: last those that refer to others. */
  make: (write: (path: string, text: string) => void) => Promise<void>
}

/**
 * Makes the files, unless they were made of these very sources. Several processes may do so at once: each file is replaced
 * as a whole, by the same text. Tells whether it had to.
 */
export async function makeUnlessMade({ root, sources, notSources, note, make }: Recipe): Promise<boolean> {
  const digest = digestOf(root, globSync(sources, { cwd: root, exclude: notSources }).toSorted())
  const [madeOf, ...before] = linesOf(join(root, note))
  if (madeOf === digest && before.every((path) => existsSync(join(root, path)))) return false
  const made: string[] = []
  await make((path, text) => {
    replace(join(root, path), text)
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

/** Whoever reads the file meanwhile sees the old text or the new one, never half of it. */
function replace(path: string, text: string): void {
  const beside = `${path}.${process.pid}.new`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(beside, text)
  renameSync(beside, path)
}

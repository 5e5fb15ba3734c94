import { existsSync, globSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { isAlive } from './is-alive.ts'

const memory = '/dev/shm'
/** A server and the databases of a whole run take about a third of it. */
const neededBytes = 3 * 1024 ** 3

/**
 * Returns the directory for databases of tests: in memory if there is room, otherwise the temporary directory. The
 * engines write and sync them as on a disk, but it takes a hundredth of the time in memory.
 */
export function placeOfFiles(): string {
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= neededBytes ? memory : tmpdir()
}

/** Creates a directory for the files of one run. Returns it with a function that removes it. */
export function makeFilesDirectory(): { path: string; remove: () => void } {
  const place = placeOfFiles()
  removeLeftovers(place)
  const path = mkdtempSync(join(place, `holdfast-files-${process.pid}-`))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Removes directories of runs that were killed before their own clean-up. Their names contain the process ID. */
function removeLeftovers(place: string): void {
  for (const path of globSync(join(place, 'holdfast-files-*'))) {
    if (!isAlive(Number(basename(path).split('-')[2]))) rmSync(path, { recursive: true, force: true })
  }
}

import { existsSync, globSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { isAlive } from './is-alive.ts'

const memory = '/dev/shm'
/** A server and the databases of a whole run take about a third of it. */
const neededBytes = 3 * 1024 ** 3

/**
 * Where databases of tests lie: in memory where there is room, else in the temporary directory. They are written and
 * synced as on a disk, which the engines are asked to do; there it takes a hundredth of the time.
 */
export function placeOfFiles(): string {
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= neededBytes ? memory : tmpdir()
}

/** Makes a directory for the files of one run, and gives it with what removes it. */
export function makeFilesDirectory(): { path: string; remove: () => void } {
  const place = placeOfFiles()
  removeLeftovers(place)
  const path = mkdtempSync(join(place, `holdfast-files-${process.pid}-`))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Those of runs that died before they could do so themselves: their names carry the process. */
function removeLeftovers(place: string): void {
  for (const path of globSync(join(place, 'holdfast-files-*'))) {
    if (!isAlive(Number(basename(path).split('-')[2]))) rmSync(path, { recursive: true, force: true })
  }
}

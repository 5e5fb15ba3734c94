import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk of a few MiB that a test can fill. */
export interface SmallDisk {
  directory: string
  /** Fills it completely. */
  fill(): void
  /** Frees the room again. */
  clear(): void
  remove(): Promise<void>
}

/**
 * Mounts it, and unmounts it when the pipe closes, so that nothing is left however the tests end. Unmounts lazily,
 * because a process that is still ending may have files open on it.
 */
const mounted = `
  mount -t tmpfs -o "size=$1" tmpfs "$0" && echo mounted && read -r _
  umount -l "$0"; rmdir "$0"`

/** Creates a file system in memory. Returns null if this process may not mount one. */
export async function makeSmallDisk(mebibytes: number): Promise<SmallDisk | null> {
  // not below the directories of other tests, which the user of PostgreSQL cannot access
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-disk-'))
  const holder = spawn('sh', ['-c', mounted, directory, `${mebibytes}m`], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true, // Ctrl-C in the terminal must not leave it mounted
  })
  const ended = once(holder, 'exit')
  const isMounted = await Promise.race([once(holder.stdout, 'data'), ended.then(() => undefined)])
  if (!isMounted) return null
  chmodSync(directory, 0o777) // PostgreSQL runs as a different user
  const ballast = join(directory, 'ballast')
  return {
    directory,
    fill: () => {
      for (const bytes of [1_048_576, 4_096, 1]) fillWith(ballast, bytes)
    },
    clear: () => {
      rmSync(ballast, { force: true })
    },
    remove: async () => {
      holder.stdin.end()
      await ended
    },
  }
}

/** Appends blocks until there is no room for one more. */
function fillWith(path: string, bytes: number): void {
  for (;;) {
    try {
      writeFileSync(path, Buffer.alloc(bytes), { flag: 'a' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return
      throw error
    }
  }
}

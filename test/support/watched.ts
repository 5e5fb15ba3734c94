import { type ChildProcess, type ChildProcessByStdio, spawn, type SpawnOptions } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

/**
 * A watcher of the program ($0) reads this process's pipe and ends the program when the pipe closes. It asks first,
 * because some programs have children.
 */
const watched = `
  exec 3<&0
  (read -r _ <&3; kill -TERM $$ && sleep 1 && kill -KILL $$) >/dev/null 2>&1 &
  exec "$0" "$@" 3<&- </dev/null`

/** Starts a program that ends with this process, because its pipe closes even if this process is killed. */
export function spawnWatched(
  program: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> = {},
): ChildProcessByStdio<Writable, null, Readable> {
  return spawn('sh', ['-c', watched, program, ...args], { ...options, stdio: ['pipe', 'ignore', 'pipe'] })
}

/** Ends a process group together with this process. A terminal would start and signal such a group as a whole. */
export function endGroupWithTests(leader: ChildProcess): void {
  const watcher = spawn('sh', ['-c', 'read -r _; kill -s KILL -- "-$0"', String(leader.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  leader.once('exit', () => watcher.kill()) // its ID may soon belong to another process
}

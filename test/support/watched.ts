import { type ChildProcess, type ChildProcessByStdio, spawn, type SpawnOptions } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

/** A watcher beside the program ($0) reads this process's pipe, and ends the program when that closes: first kindly, as some have children. */
const watched = `
  exec 3<&0
  (read -r _ <&3; kill -TERM $$ && sleep 1 && kill -KILL $$) >/dev/null 2>&1 &
  exec "$0" "$@" 3<&- </dev/null`

/** Starts a program that ends with this process, however that ends: killed or finished, its pipe closes. */
export function spawnWatched(
  program: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> = {},
): ChildProcessByStdio<Writable, null, Readable> {
  return spawn('sh', ['-c', watched, program, ...args], { ...options, stdio: ['pipe', 'ignore', 'pipe'] })
}

/** Has the process group that a program leads end with this process: for one that a terminal would start, and signal as a whole. */
export function endGroupWithTests(leader: ChildProcess): void {
  const watcher = spawn('sh', ['-c', 'read -r _; kill -s KILL -- "-$0"', String(leader.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  leader.once('exit', () => watcher.kill()) // its id may soon be another's
}

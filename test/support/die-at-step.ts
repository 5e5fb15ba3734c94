import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync } from 'node:sqlite'

/*
 * Loaded before the program. Kills the process with SIGKILL instead of running step number DIE_AT: a change of a file,
 * or a statement of SQLite. With DIE_AT=0 it prints the steps.
 */
const at = Number(process.env['DIE_AT'])
const steps: unknown[] = []

function dieInPlaceOf<This, Args extends unknown[], Result>(
  name: string,
  work: (this: This, ...args: Args) => Result,
) {
  return function (this: This, ...args: Args): Result {
    steps.push(`${name} ${String(args[0])}`)
    if (steps.length === at) process.kill(process.pid, 'SIGKILL')
    return work.apply(this, args)
  }
}

const files = fs as unknown as Record<string, (...args: unknown[]) => unknown>
for (const name of ['chmodSync', 'fsyncSync', 'linkSync', 'renameSync', 'rmSync']) {
  const work = files[name]
  if (work) files[name] = dieInPlaceOf(name, work)
}
syncBuiltinESMExports()
const sqlite = DatabaseSync.prototype
sqlite.exec = dieInPlaceOf('exec', sqlite.exec)
sqlite.prepare = dieInPlaceOf('prepare', sqlite.prepare)
sqlite.close = dieInPlaceOf('close', sqlite.close)
if (at === 0) process.on('exit', () => process.stderr.write(JSON.stringify(steps)))

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync } from 'node:sqlite'

/*
 * Loaded before the program, it kills the process with SIGKILL in place of the step whose number DIE_AT says: whatever
 * changes a file, or a statement of SQLite. With DIE_AT=0 it writes how many there were.
 */
const at = Number(process.env['DIE_AT'])
let step = 0

function dieInPlaceOf<This, Args extends unknown[], Result>(work: (this: This, ...args: Args) => Result) {
  return function (this: This, ...args: Args): Result {
    step += 1
    if (step === at) process.kill(process.pid, 'SIGKILL')
    return work.apply(this, args)
  }
}

const files = fs as unknown as Record<string, (...args: unknown[]) => unknown>
for (const name of ['chmodSync', 'fsyncSync', 'linkSync', 'renameSync', 'rmSync']) {
  const work = files[name]
  if (work) files[name] = dieInPlaceOf(work)
}
syncBuiltinESMExports()
const sqlite = DatabaseSync.prototype
sqlite.exec = dieInPlaceOf(sqlite.exec)
sqlite.prepare = dieInPlaceOf(sqlite.prepare)
sqlite.close = dieInPlaceOf(sqlite.close)
if (at === 0) process.on('exit', () => process.stderr.write(`steps ${step}\n`))

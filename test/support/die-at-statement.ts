import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/*
 * Loaded before the program, it kills the process with SIGKILL in place of the statement whose number
 * DIE_AT says: what a power cut or an impatient operator does in the middle of the first start.
 */
let left = Number(process.env['DIE_AT'])

function dieInPlaceOf<This, Args extends unknown[], Result>(
  statement: (this: This, ...args: Args) => Result,
) {
  return function (this: This, ...args: Args): Result {
    left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
    return statement.apply(this, args)
  }
}

const sqlite = DatabaseSync.prototype
sqlite.exec = dieInPlaceOf(sqlite.exec)
sqlite.prepare = dieInPlaceOf(sqlite.prepare)
const postgres = pg.Client.prototype as { query: (...args: unknown[]) => unknown }
postgres.query = dieInPlaceOf(postgres.query)

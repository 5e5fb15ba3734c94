import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/*
 * Loaded before the program. Kills the process with SIGKILL instead of running the first statement that contains the
 * text in DIE_AT_TEXT. This is the point between two steps of the program.
 */
const text = process.env['DIE_AT_TEXT'] ?? ''

function dieInPlaceOf<This, Args extends unknown[], Result>(
  statement: (this: This, ...args: Args) => Result,
) {
  return function (this: This, ...args: Args): Result {
    const [first] = args
    const sent = typeof first === 'string' ? first : (first as { text?: string } | undefined)?.text
    if (sent?.includes(text)) process.kill(process.pid, 'SIGKILL')
    return statement.apply(this, args)
  }
}

const sqlite = DatabaseSync.prototype
sqlite.prepare = dieInPlaceOf(sqlite.prepare)
const postgres = pg.Client.prototype as { query: (...args: unknown[]) => unknown }
postgres.query = dieInPlaceOf(postgres.query)

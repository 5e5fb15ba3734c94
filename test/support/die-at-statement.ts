import { Socket } from 'node:net'
import { DatabaseSync } from 'node:sqlite'

/*
 * Loaded before the program. Kills the process with SIGKILL instead of running statement number DIE_AT. This simulates
 * a power failure, or an impatient operator, in the middle of the first start.
 */
let left = Number(process.env['DIE_AT'])

function dieInTurn(): void {
  left -= 1
  if (left === 0) process.kill(process.pid, 'SIGKILL')
}

function dieInPlaceOf<This, Args extends unknown[], Result>(
  statement: (this: This, ...args: Args) => Result,
) {
  return function (this: This, ...args: Args): Result {
    dieInTurn()
    return statement.apply(this, args)
  }
}

const sqlite = DatabaseSync.prototype
sqlite.exec = dieInPlaceOf(sqlite.exec)
sqlite.prepare = dieInPlaceOf(sqlite.prepare)

/** Recognises a message to PostgreSQL that runs a statement: Query or Bind, with its length. */
function runsStatement(bytes: unknown): boolean {
  if (!Buffer.isBuffer(bytes) || bytes.length < 5) return false
  return 'QB'.includes(String.fromCharCode(bytes[0] ?? 0)) && bytes.readInt32BE(1) <= bytes.length - 1
}

// on the wire, because the driver is part of the bundle
const socket = Socket.prototype as { write: (...args: unknown[]) => boolean }
const write = socket.write
socket.write = function (this: Socket, ...args: unknown[]): boolean {
  if (runsStatement(args[0])) dieInTurn()
  return write.apply(this, args)
}

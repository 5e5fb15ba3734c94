import { Socket } from 'node:net'
import { DatabaseSync } from 'node:sqlite'

/*
 * Loaded before the program. Kills the process with SIGKILL instead of running the first statement that contains the
 * text in DIE_AT_TEXT. This is the point between two steps of the program.
 */
const text = process.env['DIE_AT_TEXT'] ?? ''

function dieAt(statement: string | Buffer): void {
  if (statement.includes(text)) process.kill(process.pid, 'SIGKILL')
}

const sqlite = DatabaseSync.prototype
const { prepare } = sqlite
sqlite.prepare = function (this: DatabaseSync, ...args: Parameters<DatabaseSync['prepare']>) {
  dieAt(args[0])
  return prepare.apply(this, args)
}

/** Recognises a message to PostgreSQL that contains a statement: Query or Parse. */
function isStatement(bytes: unknown): bytes is Buffer {
  if (!Buffer.isBuffer(bytes) || bytes.length < 5) return false
  return 'QP'.includes(String.fromCharCode(bytes[0] ?? 0)) && bytes.readInt32BE(1) <= bytes.length - 1
}

// on the wire, because the driver is part of the bundle
const socket = Socket.prototype as { write: (...args: unknown[]) => boolean }
const { write } = socket
socket.write = function (this: Socket, ...args: unknown[]): boolean {
  if (isStatement(args[0])) dieAt(args[0])
  return write.apply(this, args)
}

import { DatabaseUnavailable } from './database.ts'

/** Result codes of SQLite that say "not now": busy, locked, I/O error, full, cannot open, read-only. */
const unavailableCodes = [5, 6, 8, 10, 13, 14]
const busyCode = 5
/** I/O error (as when the file of the WAL cannot grow), full. */
const wantOfRoomCodes = [10, 13]
/** A file that is damaged, or none of SQLite's own. */
const damageCodes = [11, 26]

function resultCode(error: unknown): number {
  // the low byte is the primary code (https://sqlite.org/rescode.html)
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : 0
}

/** Another process holds the file. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === busyCode
}

/** The disk may have no room. */
export function isWantOfRoom(error: unknown): boolean {
  return wantOfRoomCodes.includes(resultCode(error))
}

/** The file is damaged, or no database at all. */
export function isDamage(error: unknown): error is Error {
  return damageCodes.includes(resultCode(error))
}

/** What says "not now" becomes DatabaseUnavailable; everything else stays what it is. */
export function translate(error: unknown): unknown {
  return unavailableCodes.includes(resultCode(error))
    ? new DatabaseUnavailable('the database file cannot be used now', { cause: error })
    : error
}

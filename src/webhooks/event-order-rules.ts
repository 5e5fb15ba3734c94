/** What PostgreSQL tells of the transactions of this moment. */
export interface Transactions {
  /** No transaction with this id or a higher one has ended. */
  next: number
  /** The lowest that is running, in whatever database of the server. */
  oldest: number
  /** Those that run in this database: the low 32 bits of their ids, with commas. */
  running: string | null
  /** Sessions of other roles, of which it is not told what they run. */
  hidden: number
}

const wrap = 2 ** 32

/** The lowest transaction that has not ended, or may not have. All below it have, in this database. */
export function unsettledFrom({ next, oldest, running, hidden }: Transactions): number {
  if (hidden > 0) return oldest
  const ids = running === null ? [] : running.split(',').map((id) => wholeId(Number(id), next))
  return Math.min(next, ...ids)
}

/** The id whose low 32 bits are known: of all that there are, the one nearest to `near`. */
function wholeId(lowBits: number, near: number): number {
  const distance = (((near % wrap) - lowBits + wrap * 1.5) % wrap) - wrap / 2
  return near - distance
}

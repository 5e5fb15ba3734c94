import { AsyncLocalStorage } from 'node:async_hooks'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import pg from 'pg'
import type { Engine } from '../../src/database/database.ts'
import type { Random } from '../support/random.ts'

/* Makes one statement of one request fail, as the engine or the network can, below the driver of the service. */

/**
 * `lost` and `answer lost`: the connection is cut before or after the statement was done. `later`: a retry may succeed.
 */
export type Failure = 'lost' | 'answer lost' | 'refused' | 'later'

export interface Fault {
  how: Failure
  /** Number of statements (or commits, for those) that succeed before. */
  after: number
  commitsOnly: boolean
  inTransaction: boolean
  /** The statement that failed. */
  struck: string | undefined
}

const current = new AsyncLocalStorage<Fault>()
/** The same for statements that the request does not send itself. SQLite commits several requests at once. */
let present: Fault | undefined

export function randomFault(random: Random): Fault {
  const commitsOnly = random.chance(0.35)
  return {
    how: random.of(['lost', 'answer lost', 'refused', 'later'] as const),
    after: commitsOnly ? (random.below(10) === 0 ? 1 : 0) : random.below(12),
    commitsOnly,
    inTransaction: false,
    struck: undefined,
  }
}

export async function sufferFault<T>(fieldError: Fault, work: () => Promise<T>): Promise<T> {
  present = fieldError
  try {
    return await current.run(fieldError, work)
  } finally {
    present = undefined
  }
}

/** True if the request may have succeeded without an answer, because its commit failed. */
export function isInDoubt({ struck, how }: Fault): boolean {
  return struck === 'commit' && how === 'answer lost'
}

/** Makes statements fail from now on. The returned function stops this. */
export function letStatementsFail(engine: Engine): () => void {
  return engine === 'sqlite' ? inSqlite() : inPostgres()
}

/** Returns the fault of a request if this statement has to fail. */
function faultAt(text: string, fieldError = current.getStore()): Fault | undefined {
  if (!fieldError || fieldError.struck !== undefined) return undefined
  const wasInTransaction = fieldError.inTransaction
  if (text.startsWith('begin')) fieldError.inTransaction = true
  if (text === 'commit' || text === 'rollback') fieldError.inTransaction = false
  if (text === 'rollback' || (fieldError.commitsOnly && text !== 'commit')) return undefined
  // outside a transaction, and at its ends, no engine asks for a retry
  if (fieldError.how === 'later' && (!wasInTransaction || text === 'commit')) return undefined
  if (fieldError.after > 0) {
    fieldError.after -= 1
    return undefined
  }
  fieldError.struck = text
  return fieldError
}

function inPostgres(): () => void {
  const client = pg.Client.prototype
  const query = client.query as (this: pg.Client, ...parts: unknown[]) => Promise<unknown>
  function failing(this: pg.Client, ...parts: unknown[]): Promise<unknown> {
    const [first] = parts
    const fieldError = faultAt(typeof first === 'string' ? first : (first as { text: string }).text)
    return fieldError ? strike(fieldError.how, this, parts) : query.apply(this, parts)
  }
  async function strike(how: Failure, on: pg.Client, parts: unknown[]): Promise<unknown> {
    if (how === 'refused' || how === 'later') {
      const code = how === 'later' ? '40001' : '53100'
      return query.call(on, `do $$ begin raise exception 'refused' using errcode = '${code}'; end $$`)
    }
    if (how === 'answer lost') await query.apply(on, parts)
    on.connection.stream.destroy()
    throw new Error('Connection terminated unexpectedly')
  }
  client.query = failing as typeof client.query
  return () => {
    client.query = query as typeof client.query
  }
}

/** Result codes of SQLite (https://sqlite.org/rescode.html): I/O error, full, busy. */
const resultCodes: Record<Failure, number> = { lost: 10, 'answer lost': 10, refused: 13, later: 5 }

function inSqlite(): () => void {
  const { exec } = DatabaseSync.prototype
  const { all, run } = StatementSync.prototype
  const wrapped = <Of, Parts extends unknown[], Result>(
    original: (this: Of, ...parts: Parts) => Result,
    textOf: (self: Of, parts: Parts) => string,
  ) =>
    function (this: Of, ...parts: Parts): Result {
      const text = textOf(this, parts)
      const fieldError = text === 'commit' ? present && faultAt(text, present) : faultAt(text)
      if (!fieldError) return original.apply(this, parts)
      // a transaction whose beginning failed has not begun
      if (fieldError.how === 'answer lost' && !text.startsWith('begin')) original.apply(this, parts)
      const error = new Error(`the statement fails: ${fieldError.how}`)
      throw Object.assign(error, { code: 'ERR_SQLITE_ERROR', errcode: resultCodes[fieldError.how] })
    }
  const sourceOf = ({ sourceSQL }: StatementSync) => sourceSQL
  Object.assign(DatabaseSync.prototype, { exec: wrapped(exec, (_self, [text]) => text) })
  Object.assign(StatementSync.prototype, { all: wrapped(all, sourceOf), run: wrapped(run, sourceOf) })
  return () => {
    Object.assign(DatabaseSync.prototype, { exec })
    Object.assign(StatementSync.prototype, { all, run })
  }
}

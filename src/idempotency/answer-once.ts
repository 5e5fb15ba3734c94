import { monotonicMs } from '../clock.ts'
import type { Context } from '../context.ts'
import { aroundTransactions, pause, type Transaction } from '../database/database.ts'
import { Problem } from '../errors.ts'
import { plusSeconds, type Instant } from '../instants.ts'
import { completeRecord, findRecord, insertRecord, isAlone, type RecordKey } from './idempotency-queries.ts'

/** How long an answer is kept for repetitions (contract: Idempotency). */
export const keptSeconds = 86_400
/** How long a repetition waits for the first request to end, in milliseconds. */
const longestWaitMs = 5_000
/** How often it looks whether a first request on another node has ended, in milliseconds. */
const lookEveryMs = 100

/** An answer as it goes over the wire, to the byte. */
export interface Answer {
  status: number
  etag: string | null
  body: string
}

/** A request that names an `Idempotency-Key`. */
export interface KeyedRequest<Result> {
  key: RecordKey
  /** Of what it asks for: a repetition asks for the same. */
  digest: string
  /** Does the work in exactly one transaction of the context's database that is committed, and gives its result. */
  run: (context: Context) => Promise<Result>
  present: (result: Result) => Answer
}

/** Tells that another request with the same key does the work or has done it; the own transaction is rolled back. */
class WorkOfAnother extends Error {
  override readonly name = 'WorkOfAnother'
}

/**
 * Does the work of a request once for its key, and gives every repetition the first answer. The record
 * is written in the transaction of the effect: neither exists without the other, so a crash leaves
 * no key behind that is in progress. Refusals are not kept. Throws idempotency_key_reused when the key
 * came with another request, idempotency_in_flight when the first still runs after five seconds.
 */
export async function answerOnce<Result>(
  context: Context,
  request: KeyedRequest<Result>,
): Promise<{ answer: Answer; replayed: boolean }> {
  const { caller_id, route, idempotency_key } = request.key
  const deadlineMs = monotonicMs() + longestWaitMs
  // of those on this node only one goes on; it waits for those on other nodes
  const outcome = await context.flights.alone(
    [caller_id, route, idempotency_key].join('\n'),
    longestWaitMs,
    () => replayOrWork(context, request, deadlineMs),
  )
  if (!outcome) throw inFlight()
  return outcome
}

async function replayOrWork<Result>(context: Context, request: KeyedRequest<Result>, deadlineMs: number) {
  for (;;) {
    const kept = await keptAnswer(context, request)
    if (kept) return { answer: kept, replayed: true }
    try {
      return { answer: await workAndRecord(context, request), replayed: false }
    } catch (error) {
      if (!(error instanceof WorkOfAnother)) throw error
      if (monotonicMs() > deadlineMs) throw inFlight()
      // not in the database: a statement that waits there ends with its own, shorter limit
      await pause(lookEveryMs)
    }
  }
}

function inFlight(): Problem {
  return new Problem(
    'idempotency_in_flight',
    'The first request with this Idempotency-Key is still running; repeat it later.',
    {
      headers: { 'retry-after': '1' },
    },
  )
}

function expiry(now: Instant): Instant {
  return plusSeconds(now, -keptSeconds)
}

async function keptAnswer<Result>(
  context: Context,
  request: KeyedRequest<Result>,
): Promise<Answer | undefined> {
  const record = await findRecord(context.db.reads, request.key, expiry(context.clock.now()))
  if (!record) return undefined
  if (record.request_digest !== request.digest) {
    throw new Problem(
      'idempotency_key_reused',
      'This Idempotency-Key came with another request; use a new one.',
    )
  }
  return { status: record.status, etag: record.etag, body: record.body }
}

async function workAndRecord<Result>(context: Context, request: KeyedRequest<Result>): Promise<Answer> {
  let answer: Answer | undefined
  const db = aroundTransactions(context.db, async (tx: Transaction, work: () => Promise<unknown>) => {
    const record = { ...request.key, request_digest: request.digest, created_at: tx.now }
    const isFirst =
      (await isAlone(context.db.engine, tx.db, request.key)) &&
      (await insertRecord(tx.db, { ...record, status: 0, etag: null, body: '' }, expiry(tx.now)))
    if (!isFirst) throw new WorkOfAnother('another request with the same key came first')
    const result = await work()
    answer = request.present(result as Result) // what `run` gives is what its transaction gives
    await completeRecord(tx.db, request.key, answer)
    return result
  })
  await request.run({ ...context, db })
  if (!answer) throw new Error('a keyed request did its work outside a transaction')
  return answer
}

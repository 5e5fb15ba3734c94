import { monotonicMs, realNow } from '../base/clock.ts'
import { Problem } from '../base/errors.ts'
import { type Instant, plusSeconds } from '../base/instants.ts'
import type { CleanupJob, Context } from './context.ts'
import { allOf, type Transaction } from './database.ts'
import type { IdempotencyRecordsTable } from './tables.ts'
import {
  deleteOldRecords,
  erasedDigest,
  findRecord,
  findRecordsOf,
  findRecordsOfBlocks,
  findRecordWithin,
  forgetRequest,
  insertRecord,
  type RecordKey,
  type StoredBody,
  updateRecordBody,
} from './idempotency-queries.ts'

/** Repeated requests get the stored response for a day. */
const retentionSeconds = 86_400

/** A repeated request waits this long for the first one to end. */
const maxWaitMs = 5_000

/** A response, byte for byte. */
interface StoredResponse {
  status: number
  etag: string | null
  body: string
}

/** A hold that is being inserted while its response is stored. */
interface HoldOnItsWay {
  id: string
  isInserted: Promise<boolean>
}

/**
 * Stores the response to a keyed request in the transaction that does the work: as the last step, or together with the
 * hold. If another request with the key has stored a response, throws KeyTaken, which rolls back the transaction.
 */
export interface StoreResponse<Result> {
  (tx: Transaction, result: Result, hold?: HoldOnItsWay): Promise<void>
  /** Throws Repeated if a response exists. For work that starts with this check (`looks`). */
  look(tx: Transaction): Promise<void>
}

/** For requests without a key. */
export const storeNothing: StoreResponse<unknown> = Object.assign(() => Promise.resolve(), {
  look: () => Promise.resolve(),
})

/** A request with an `Idempotency-Key`. */
interface KeyedRequest<Result> {
  key: RecordKey
  /** Digest of the body. A repeated request must have the same body. */
  digest: string
  /** Works in one transaction, which ends with `store`. */
  run: (store: StoreResponse<unknown>) => Promise<Result>
  /** Set if `run` itself checks for a stored response, which saves a statement. */
  looks?: boolean
  present: (result: Result) => StoredResponse
}

class KeyTaken extends Error {
  override readonly name = 'KeyTaken'
}

/** The request is a repetition. */
class Repeated extends Error {
  override readonly name = 'Repeated'
  readonly response: StoredResponse

  constructor(response: StoredResponse) {
    super('the request was made before')
    this.response = response
  }
}

/** Keyed requests that run on this server, by database. A repetition waits for the first request. */
const running = new WeakMap<object, Map<string, Promise<unknown>>>()

/**
 * Works once per key and returns the first response to every repeated request. The transaction of the effect also
 * writes the record, so a crash leaves no key in progress. Refusals are not stored. Throws idempotency_key_reused if
 * the key belongs to a different request. Throws idempotency_in_flight if the first request still runs here after five
 * seconds.
 */
export async function respondOnce<Result>(
  context: Pick<Context, 'db' | 'clock'>,
  request: KeyedRequest<Result>,
): Promise<{ response: StoredResponse; replayed: boolean }> {
  const { caller_id, route, idempotency_key } = request.key
  const name = [caller_id, route, idempotency_key].join('\n')
  const here = running.get(context.db.reads) ?? new Map<string, Promise<unknown>>()
  running.set(context.db.reads, here)
  const deadlineMs = monotonicMs() + maxWaitMs
  for (let first = here.get(name); first; first = here.get(name)) {
    if (!(await endsWithin(first, deadlineMs - monotonicMs()))) throw inFlight()
  }
  const work = replayOrWork(context, request)
  here.set(name, work)
  try {
    return await work
  } finally {
    here.delete(name)
  }
}

async function replayOrWork<Result>(context: Pick<Context, 'db' | 'clock'>, request: KeyedRequest<Result>) {
  const { caller_id, route, idempotency_key } = request.key
  const replay = async () => {
    const record = await findRecord(context.db, [caller_id, route, idempotency_key])
    const response = responseOf(record, request, realNow(context.clock.now()))
    return response && { response, replayed: true }
  }
  const before = request.looks ? undefined : await replay()
  if (before) return before
  try {
    return { response: await workAndStore(request), replayed: false }
  } catch (error) {
    if (error instanceof Repeated) return { response: error.response, replayed: true }
    // the first request may have finished on another server and taken the slot that this one wants
    const first = error instanceof KeyTaken || error instanceof Problem ? await replay() : undefined
    if (first) return first
    throw error
  }
}

async function workAndStore<Result>(request: KeyedRequest<Result>) {
  const { key, digest, run, present } = request
  let response: StoredResponse | undefined
  const store = async (tx: Transaction, result: unknown, hold?: HoldOnItsWay) => {
    response = present(result as Result) // `run` stores what it returns
    const now = realNow(tx.now)
    const record = { ...key, request_digest: digest, created_at: now, ...response }
    const storing = insertRecord(tx, { record, claimId: hold?.id, since: expiry(now) })
    const [isStored, isDue = true] = await allOf([storing, hold?.isInserted])
    if (isDue && !isStored) throw new KeyTaken()
  }
  const look = async (tx: Transaction) => {
    const known = responseOf(await findRecordWithin(tx, key), request, realNow(tx.now))
    if (known) throw new Repeated(known)
  }
  await run(Object.assign(store, { look }))
  if (!response) throw new Error('a keyed request did its work without storing its response')
  return response
}

function responseOf(
  record: IdempotencyRecordsTable | undefined,
  { digest }: Pick<KeyedRequest<unknown>, 'digest'>,
  now: Instant,
): StoredResponse | undefined {
  if (!record || record.created_at <= expiry(now)) return undefined
  if (record.request_digest !== digest && record.request_digest !== erasedDigest) {
    throw new Problem(
      'idempotency_key_reused',
      'This Idempotency-Key was used for a different request; use a new one.',
    )
  }
  return { status: record.status, etag: record.etag, body: record.body }
}

function inFlight(): Problem {
  return new Problem(
    'idempotency_in_flight',
    'The first request with this Idempotency-Key is still running; repeat it later.',
    { headers: { 'retry-after': '1' } },
  )
}

/** Records older than this instant have expired. */
function expiry(now: Instant): Instant {
  return plusSeconds(now, -retentionSeconds)
}

async function endsWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, milliseconds), false)
  })
  const ended = promise.then(
    () => true,
    () => true, // those who asked for the work get its failure
  )
  try {
    return await Promise.race([ended, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the owner of records. A person has separate records for each business or hub. */
export function recordOwner({
  type,
  keyId,
  ownerId,
}: {
  type: string
  keyId: string
  ownerId: string
}): string {
  return type === 'person' ? keyId : ownerId
}

/** Stored responses that have expired. */
export const oldRecords: CleanupJob = {
  name: 'stored responses',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => deleteOldRecords(tx.db, plusSeconds(tx.now, -retentionSeconds), max)),
}

/** Returns the new content of a stored response, or undefined to keep it. */
type Rewrite = (body: Record<string, unknown>) => Record<string, unknown> | undefined

/**
 * Rewrites the stored responses that created things and erases the digests of their requests. A repeated request still
 * gets a response, and nobody can guess the contents of a request from its digest. Returns the number of rewritten
 * responses.
 */
export async function rewriteResponses(
  tx: Transaction,
  made: readonly { id: string; at: Instant }[],
  rewrite: Rewrite,
): Promise<number> {
  if (made.length === 0) return 0
  const records = await findRecordsOf(tx.db, made)
  const rewritten = await rewriteAll(tx, records, rewrite)
  for (const key of records) await forgetRequest(tx.db, key)
  return rewritten
}

/** Like `rewriteResponses`, for responses that blocked clients. */
export async function rewriteBlocks(tx: Transaction, rewrite: Rewrite): Promise<number> {
  return rewriteAll(tx, await findRecordsOfBlocks(tx.db), rewrite)
}

async function rewriteAll(tx: Transaction, records: StoredBody[], rewrite: Rewrite): Promise<number> {
  let rewritten = 0
  for (const record of records) {
    const body = rewrite(JSON.parse(record.body) as Record<string, unknown>) // only `run` stored it
    if (!body) continue
    await updateRecordBody(tx.db, { ...record, body: JSON.stringify(body) })
    await forgetRequest(tx.db, record)
    rewritten += 1
  }
  return rewritten
}

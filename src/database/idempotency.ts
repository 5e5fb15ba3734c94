import { monotonicMs } from '../base/clock.ts'
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

/** How long a response is stored for repeated requests. */
const retentionSeconds = 86_400

/** How long a repeated request waits for the first one to end. */
const maxWaitMs = 5_000

/** A response, byte for byte. */
interface StoredResponse {
  status: number
  etag: string | null
  body: string
}

/** A hold whose insertion is under way while its response is stored. */
interface HoldOnItsWay {
  id: string
  isInserted: Promise<boolean>
}

/**
 * Stores the response to a keyed request, in the transaction that does the work: last, or together with the hold that it is
 * about. Throws KeyTaken, which rolls it back, when another request with the key has stored one.
 */
export interface StoreResponse<Result> {
  (tx: Transaction, result: Result, hold?: HoldOnItsWay): Promise<void>
  /** Throws Repeated when there is a response already; for work that begins with it (`looks`). */
  look(tx: Transaction): Promise<void>
}

/** For requests without a key. */
export const storeNothing: StoreResponse<unknown> = Object.assign(() => Promise.resolve(), {
  look: () => Promise.resolve(),
})

/** A request with an `Idempotency-Key`. */
interface KeyedRequest<Result> {
  key: RecordKey
  /** Of the body: a repeated request must have the same. */
  digest: string
  /** Works in one transaction, which ends with `store`. */
  run: (store: StoreResponse<unknown>) => Promise<Result>
  /** Whether `run` looks for a stored response itself, which saves a statement. */
  looks?: boolean
  present: (result: Result) => StoredResponse
}

class KeyTaken extends Error {
  override readonly name = 'KeyTaken'
}

/** The request was made before. */
class Repeated extends Error {
  override readonly name = 'Repeated'
  readonly response: StoredResponse

  constructor(response: StoredResponse) {
    super('the request was made before')
    this.response = response
  }
}

/** Keyed requests that run on this server, by database: a repeated one waits for the first. */
const running = new WeakMap<object, Map<string, Promise<unknown>>>()

/**
 * Works once per key, and gives every repeated request the first response. The transaction of the effect also writes the
 * record, so a crash leaves no key in progress behind. Refusals are not stored. Throws idempotency_key_reused when the
 * key was used for a different request, idempotency_in_flight when the first still runs here after five seconds.
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
    const response = responseOf(record, request, context.clock.now())
    return response && { response, replayed: true }
  }
  const before = request.looks ? undefined : await replay()
  if (before) return before
  try {
    return { response: await workAndStore(request), replayed: false }
  } catch (error) {
    if (error instanceof Repeated) return { response: error.response, replayed: true }
    // the first request may have ended meanwhile on another server: what it took is in the way of this one
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
    const record = { ...key, request_digest: digest, created_at: tx.now, ...response }
    const storing = insertRecord(tx, { record, claimId: hold?.id, since: expiry(tx.now) })
    const [isStored, isDue = true] = await allOf([storing, hold?.isInserted])
    if (isDue && !isStored) throw new KeyTaken()
  }
  const look = async (tx: Transaction) => {
    const known = responseOf(await findRecordWithin(tx, key), request, tx.now)
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

/** Records from before this instant are over. */
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

/** Whose records they are: of a person, those of each business or hub stand apart. */
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

/** What a stored response says in place of what it said; undefined where it is to stay. */
type Rewrite = (body: Record<string, unknown>) => Record<string, unknown> | undefined

/**
 * Rewrites the stored responses that made things, so that a repeated request still gets one, and forgets the digests of the
 * requests: what a request held could be guessed from them. Returns how many it rewrote.
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

/** As `rewriteResponses`, for those that blocked clients. */
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

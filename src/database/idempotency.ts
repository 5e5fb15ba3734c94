import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { monotonicMs } from '../base/clock.ts'
import { type FieldError, Problem, validationProblem } from '../base/errors.ts'
import { type Instant, plusSeconds } from '../base/instants.ts'
import type { CleanupJob, Context } from './context.ts'
import { allOf, type Transaction } from './database.ts'
import type { IdempotencyRecordsTable } from './tables.ts'
import {
  deleteOldRecords,
  findRecord,
  findRecordsOf,
  findRecordsOfBlocks,
  findRecordWithin,
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
  if (record.request_digest !== digest) {
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

/** A creation does its work in one transaction, which ends with `store`. */
export interface Creation<Result> {
  run: (store: StoreResponse<unknown>) => Promise<Result>
  /** Whether that transaction begins with `store.look`. */
  looks?: true
  present: (result: Result) => { body: object; etag?: string }
  /** Adds to each reply, first or repeated, what is not to be stored, such as a token. */
  complete?: (body: object, replayed: boolean) => Promise<object>
}

const maxKeyLength = 255

/**
 * Responds to a creation with 201. With an `Idempotency-Key`, works once, and repeated requests get the first response,
 * byte for byte, marked by `Idempotent-Replayed: true`.
 */
export async function createdOnce<Result>(
  context: Pick<Context, 'db' | 'clock'>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { run, looks, present, complete }: Creation<Result>,
): Promise<FastifyReply> {
  void reply.code(201)
  const key = request.headers['idempotency-key']
  if (key === undefined) {
    const { body, etag } = present(await run(storeNothing))
    if (etag !== undefined) void reply.header('etag', etag)
    return reply.send(complete ? await complete(body, false) : body)
  }
  const { response, replayed } = await respondOnce(context, {
    key: {
      caller_id: request.actor.ownerId,
      route: `${request.method} ${request.routeOptions.url ?? ''}`,
      idempotency_key: checkKey(key.toString()),
    },
    digest: requestDigest(request.body),
    run,
    ...(looks && { looks }),
    present: (result) => {
      const { body, etag = null } = present(result)
      return { status: 201, etag, body: reply.serialize(body) as string } // the route's serialiser returns text
    },
  })
  if (replayed) void reply.header('idempotent-replayed', 'true')
  if (response.etag !== null) void reply.header('etag', response.etag)
  void reply.code(response.status).type('application/json; charset=utf-8')
  if (!complete) return reply.send(response.body)
  return reply.send(await complete(JSON.parse(response.body) as object, replayed)) // it was serialised from an object
}

/** Throws validation_failed unless the key can be logged, stored and compared on any engine. */
function checkKey(key: string): string {
  const fieldErrors: FieldError[] = []
  if (key.length < 1 || key.length > maxKeyLength) {
    fieldErrors.push(fieldError('wrong_length', `(a header) must have 1 to ${maxKeyLength} characters`))
  }
  if (/[^ -~]/.test(key)) {
    fieldErrors.push(
      fieldError('invalid_format', '(a header) may have letters, digits and signs of ASCII, no others'),
    )
  }
  if (fieldErrors.length > 0) throw validationProblem(fieldErrors)
  return key
}

function fieldError(code: string, detail: string): FieldError {
  return { pointer: '/Idempotency-Key', code, detail }
}

/** A digest of a body, whatever the order of its members. */
function requestDigest(body: unknown): string {
  const canonical = JSON.stringify(body, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  )
  return hash('sha256', canonical, 'hex')
}

/** Stored responses that have expired. */
export const oldRecords: CleanupJob = {
  name: 'stored responses',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => deleteOldRecords(tx.db, plusSeconds(tx.now, -retentionSeconds), max)),
}

/** What a stored response says in place of what it said; undefined where it is to stay. */
type Rewrite = (body: Record<string, unknown>) => Record<string, unknown> | undefined

/** Rewrites the stored responses that made things, so that a repeated request still gets one. */
export async function rewriteResponses(
  tx: Transaction,
  made: readonly { id: string; at: Instant }[],
  rewrite: Rewrite,
): Promise<number> {
  return made.length === 0 ? 0 : rewriteAll(tx, await findRecordsOf(tx.db, made), rewrite)
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
    rewritten += 1
  }
  return rewritten
}

import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { monotonicMs } from '../base/clock.ts'
import { type FieldError, Problem, validationProblem } from '../base/errors.ts'
import { type Instant, plusSeconds } from '../base/instants.ts'
import type { CleanupJob, Context } from '../database/context.ts'
import type { Transaction } from '../database/database.ts'
import { deleteOldRecords, findRecord, insertRecord, type RecordKey } from './idempotency-queries.ts'

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

/**
 * Stores the response to a keyed request; the last step of the transaction that does the work. Throws KeyTaken, which
 * rolls it back, when another request with the key has stored one.
 */
export type StoreResponse<Result> = (tx: Transaction, result: Result) => Promise<void>

/** For requests without a key. */
export const storeNothing: StoreResponse<unknown> = () => Promise.resolve()

/** A request with an `Idempotency-Key`. */
interface KeyedRequest<Result> {
  key: RecordKey
  /** Of the body: a repeated request must have the same. */
  digest: string
  /** Works in one transaction, which ends with `store`. */
  run: (store: StoreResponse<unknown>) => Promise<Result>
  present: (result: Result) => StoredResponse
}

class KeyTaken extends Error {
  override readonly name = 'KeyTaken'
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
  const replay = async () => {
    const response = await storedResponse(context, request)
    return response && { response, replayed: true }
  }
  const before = await replay()
  if (before) return before
  try {
    return { response: await workAndStore(request), replayed: false }
  } catch (error) {
    // on another server the first request may have ended meanwhile: what it took is in the way of this one
    const first = error instanceof KeyTaken || error instanceof Problem ? await replay() : undefined
    if (first) return first
    throw error
  }
}

async function workAndStore<Result>({ key, digest, run, present }: KeyedRequest<Result>) {
  let response: StoredResponse | undefined
  await run(async (tx, result) => {
    response = present(result as Result) // `run` stores what it returns
    const record = { ...key, request_digest: digest, created_at: tx.now, ...response }
    if (!(await insertRecord(tx, { record, since: expiry(tx.now) }))) throw new KeyTaken()
  })
  if (!response) throw new Error('a keyed request did its work without storing its response')
  return response
}

async function storedResponse(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { key, digest }: Pick<KeyedRequest<unknown>, 'key' | 'digest'>,
): Promise<StoredResponse | undefined> {
  const record = await findRecord(db, [key.caller_id, key.route, key.idempotency_key])
  if (!record || record.created_at <= expiry(clock.now())) return undefined
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
  { run, present, complete }: Creation<Result>,
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
  return createHash('sha256').update(canonical).digest('hex')
}

/** Stored responses that have expired. */
export const oldRecords: CleanupJob = {
  name: 'stored responses',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => deleteOldRecords(tx.db, plusSeconds(tx.now, -retentionSeconds), max)),
}

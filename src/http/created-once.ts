import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type FieldError, validationProblem } from '../base/errors.ts'
import type { Context } from '../database/context.ts'
import { recordOwner, respondOnce, storeNothing, type StoreResponse } from '../database/idempotency.ts'

/** A creation works in one transaction, which ends with `store`. */
export interface Creation<Result> {
  /** The status of the response. Default: 201. */
  status?: 200 | 201
  run: (store: StoreResponse<unknown>) => Promise<Result>
  /** Set if that transaction begins with `store.look`. */
  looks?: true
  present: (result: Result) => { body: object; etag?: string }
  /** Adds members to each reply, first or repeated, that must not be stored, such as a token. */
  complete?: (body: object, replayed: boolean) => Promise<object>
}

const maxKeyLength = 255

/**
 * Responds to a creation, usually with 201. With an `Idempotency-Key`, works once. Repeated requests get the first response,
 * byte for byte, marked by `Idempotent-Replayed: true`.
 */
export async function createdOnce<Result>(
  context: Pick<Context, 'db' | 'clock'>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { status = 201, run, looks, present, complete }: Creation<Result>,
): Promise<FastifyReply> {
  void reply.code(status)
  const key = request.headers['idempotency-key']
  if (key === undefined) {
    const { body, etag } = present(await run(storeNothing))
    if (etag !== undefined) void reply.header('etag', etag)
    return reply.send(complete ? await complete(body, false) : body)
  }
  const { response, replayed } = await respondOnce(context, {
    key: {
      caller_id: recordOwner(request.actor),
      route: `${request.method} ${request.routeOptions.url ?? ''}`,
      idempotency_key: checkKey(key.toString()),
    },
    // the route names a pattern, so the address belongs to the request
    digest: requestDigest(isPlain(request.params) ? request.body : [request.params, request.body]),
    run,
    ...(looks && { looks }),
    present: (result) => {
      const { body, etag = null } = present(result)
      return { status, etag, body: reply.serialize(body) as string } // the route's serialiser returns text
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
      fieldError('invalid_format', '(a header) may contain only ASCII letters, digits and punctuation'),
    )
  }
  if (fieldErrors.length > 0) throw validationProblem(fieldErrors)
  return key
}

function fieldError(code: string, detail: string): FieldError {
  return { pointer: '/Idempotency-Key', code, detail }
}

/** Returns a digest of a body that is independent of the order of its members. */
function requestDigest(body: unknown): string {
  const canonical = JSON.stringify(body, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  )
  return hash('sha256', canonical, 'hex')
}

function isPlain(params: unknown): boolean {
  return typeof params !== 'object' || params === null || Object.keys(params).length === 0
}

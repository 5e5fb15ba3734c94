import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { validationProblem, type Fault } from '../errors.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import { requestDigest } from '../idempotency/request-digest.ts'

/** A creation: its work in one transaction of the context that it is handed, and how the result is shown. */
export interface Creation<Result> {
  run: (context: Context) => Promise<Result>
  present: (result: Result) => { body: object; etag?: string }
}

const longestKey = 255

/**
 * Answers a creation by 201. With an `Idempotency-Key` the work is done once, and a repetition gets
 * the first answer to the byte, marked by `Idempotent-Replayed: true` (contract: Idempotency).
 */
export async function createdOnce<Result>(
  context: Context,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { run, present }: Creation<Result>,
): Promise<FastifyReply> {
  void reply.code(201)
  const key = request.headers['idempotency-key']
  if (key === undefined) {
    const { body, etag } = present(await run(context))
    if (etag !== undefined) void reply.header('etag', etag)
    return reply.send(body)
  }
  const { answer, replayed } = await answerOnce(context, {
    key: {
      caller_id: request.actor.ownerId,
      route: `${request.method} ${request.routeOptions.url ?? ''}`,
      idempotency_key: checkKey(key.toString()),
    },
    digest: requestDigest(request.body),
    run,
    present: (result) => {
      const { body, etag = null } = present(result)
      return { status: 201, etag, body: reply.serialize(body) as string } // the route's own serialiser gives text
    },
  })
  if (replayed) void reply.header('idempotent-replayed', 'true')
  if (answer.etag !== null) void reply.header('etag', answer.etag)
  return reply.code(answer.status).type('application/json; charset=utf-8').send(answer.body)
}

/** Throws validation_failed: a key is a name that can be logged, stored and compared on any engine. */
function checkKey(key: string): string {
  const faults: Fault[] = []
  if (key.length < 1 || key.length > longestKey) {
    faults.push(fault('wrong_length', `(a header) must have 1 to ${longestKey} characters`))
  }
  if (/[^ -~]/.test(key)) {
    faults.push(fault('invalid_format', '(a header) may have letters, digits and signs of ASCII, no others'))
  }
  if (faults.length > 0) throw validationProblem(faults)
  return key
}

function fault(code: string, detail: string): Fault {
  return { pointer: '/Idempotency-Key', code, detail }
}

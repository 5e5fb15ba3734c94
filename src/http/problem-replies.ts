import type { ErrorObject } from 'ajv'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DatabaseUnavailable } from '../database/database.ts'
import { Problem, problemKinds, unavailable, validationProblem, type Fault } from '../errors.ts'
import type { ProblemBody } from '../wire.ts'
import { bodyLimitBytes } from './json-body.ts'
import { faultsOf, type Validator } from './validation.ts'

/** The body of a problem reply (RFC 9457). */
export function problemBody(problem: Problem, requestId: string): ProblemBody {
  const { status, title } = problemKinds[problem.code]
  return {
    type: `/problems/${problem.code}`,
    title,
    status,
    detail: problem.message,
    code: problem.code,
    request_id: requestId,
    ...(problem.parts.errors && { errors: problem.parts.errors }),
    ...problem.parts.extensions,
  }
}

/** Turns whatever a request failed with into a problem reply; what is unknown is `internal` and shows nothing. */
export function problemReplies(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) =>
    sendProblem(request, reply, toProblem(error, request)),
  )
  app.setNotFoundHandler((request, reply) => sendProblem(request, reply, nothingHere()))
}

/** Answers an unknown path when it is counted, before its body is read. To be called after authentication. */
export function refuseUnknownPaths(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) done(nothingHere())
    else done()
  })
}

function nothingHere(): Problem {
  return new Problem('not_found', 'There is nothing at this address.')
}

function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  reply.problem = problem.code
  return reply
    .code(problemKinds[problem.code].status)
    .headers(problem.parts.headers ?? {})
    .type('application/problem+json')
    .serializer((body) => JSON.stringify(body))
    .send(problemBody(problem, request.id))
}

function toProblem(error: Error & Partial<FastifyError>, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error
  if (error.validation) return fromValidation(error, request)
  if (error instanceof DatabaseUnavailable) {
    request.log.error({ err: error }, 'the database is not available')
    return unavailable('The service cannot reach its data at the moment; try again.')
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('payload_too_large', `The body may have at most ${bodyLimitBytes} bytes.`)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem(
        'unsupported_media_type',
        'Send the body as JSON with "Content-Type: application/json".',
      )
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('malformed_request', 'The body is shorter or longer than its Content-Length says.')
    case undefined:
    default:
      request.log.error({ err: error }, 'a request failed')
      return new Problem('internal', 'Something went wrong on our side; the request id helps us to find it.')
  }
}

function fromValidation(error: Partial<FastifyError>, request: FastifyRequest): Problem {
  if (error.validationContext === 'params') return nothingHere()
  request.log.debug({ context: error.validationContext }, 'a request has faults')
  // the errors come from our own compiler, so they are complete
  const found = faultsOf(error.validation as ErrorObject[])
  return validationProblem(error.validationContext === 'body' ? [...found, ...queryFaults(request)] : found)
}

/** The query is checked after the body only when that has no faults; all faults are told at once. */
function queryFaults(request: FastifyRequest): Fault[] {
  const validate = request.getValidationFunction('querystring') as Validator | undefined // from our own compiler
  return validate && !validate(request.query) ? faultsOf(validate.errors ?? []) : []
}

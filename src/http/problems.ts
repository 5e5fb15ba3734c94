import { METHODS } from 'node:http'
import type { ErrorObject } from 'ajv'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FieldError, Problem, problemKinds, unavailable, validationProblem } from '../base/errors.ts'
import { MemberGone } from '../base/together.ts'
import { DatabaseUnavailable } from '../database/database.ts'
import { bodyLimitBytes } from './body.ts'
import { fieldErrorsOf, type Validator } from './validation.ts'
import type { ProblemBody } from './wire.ts'

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

/** Turns every error into a problem response; an unknown one becomes `internal` and shows nothing of itself. */
export function problemReplies(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) =>
    error instanceof MemberGone
      ? reply.hijack() // nobody is there to get a response
      : sendProblem(request, reply, toProblem(error, request)),
  )
  app.setNotFoundHandler((request, reply) => sendProblem(request, reply, nothingHere()))
}

/** Refuses an unknown path after it was counted and before its body is read. Call it after authentication. */
export function refuseUnknownPaths(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    done(request.is404 ? nothingHere() : undefined)
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
    request.log.error({ err: error }, 'the database is unavailable')
    return unavailable('The database is unavailable. Retry.')
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
      return new Problem('internal', 'Internal error. Report it with this request ID.')
  }
}

function fromValidation(error: Partial<FastifyError>, request: FastifyRequest): Problem {
  if (error.validationContext === 'params') return nothingHere()
  request.log.debug({ context: error.validationContext }, 'a request is invalid')
  // the errors come from our own compiler, so they are complete
  const found = fieldErrorsOf(error.validation as ErrorObject[])
  return validationProblem(error.validationContext === 'body' ? [...found, ...queryErrors(request)] : found)
}

/** Fastify skips the query after an invalid body; one response names all invalid fields. */
function queryErrors(request: FastifyRequest): FieldError[] {
  const validate = request.getValidationFunction('querystring') as Validator | undefined // from our own compiler
  return validate && !validate(request.query) ? fieldErrorsOf(validate.errors ?? []) : []
}

/** A CONNECT never becomes a request. */
const methods = METHODS.filter((method) => method !== 'CONNECT')

/** Responds to a wrong method with 405 and `Allow` (RFC 9110, section 15.5.6). Call it after adding all routes. */
export function answerWrongMethods(app: FastifyInstance): void {
  for (const method of methods) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  }
  const allowedAt = new Map<string, Set<string>>()
  for (const { method, url } of app.knownRoutes) {
    allowedAt.set(url, (allowedAt.get(url) ?? new Set(['OPTIONS'])).add(method))
  }
  for (const [url, allowed] of allowedAt) {
    const allow = [...allowed].toSorted().join(', ')
    app.route({
      method: methods.filter((method) => !allowed.has(method)),
      url,
      config: { answersWrongMethod: true },
      // before any credentials are asked for
      onRequest: (_request, _reply, done) => {
        done(new Problem('method_not_allowed', `Use one of: ${allow}.`, { headers: { allow } }))
      },
      handler: () => undefined,
    })
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route only refuses the methods that its path does not have. */
    answersWrongMethod?: boolean
  }
}

import type { ErrorObject } from 'ajv'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FieldError, Problem, problemKinds, unavailable, validationProblem } from '../base/errors.ts'
import { MemberGone } from '../base/together.ts'
import { DatabaseUnavailable } from '../database/database.ts'
import { bodyLimitBytes } from './body.ts'
import { isOfApi } from './route-list.ts'
import { fieldErrorsOf, type Validator } from '../base/validation.ts'
import type { ProblemBody } from '../base/wire.ts'

/** Returns the body of a problem reply (RFC 9457). */
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

/** Sends a problem as a page, with the status already set. */
export type ShowProblem = (
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
) => Promise<FastifyReply>

/**
 * Turns every error into a problem response. An unknown one becomes `internal` and reveals no details. Outside the API,
 * people get a page instead, which `show` sends.
 */
export function problemReplies(app: FastifyInstance, show?: ShowProblem): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof MemberGone) return reply.hijack() // nobody is left to receive a response
    const answer = (what: Error) => {
      const problem = toProblem(what, request)
      if (isOfApi(request)) return sendProblem(request, reply, problem)
      void reply.header('vary', 'Accept')
      if (!show || !asksForHtml(request)) return sendProblem(request, reply, problem)
      reply.problem = problem.code
      void reply.code(problemKinds[problem.code].status).headers(problem.parts.headers ?? {})
      return show(request, reply, problem).catch((cause: unknown) => {
        request.log.error({ err: cause }, 'the page of a problem failed')
        return sendProblem(request, reply, problem)
      })
    }
    const { counting } = request
    if (!counting) return answer(error)
    request.counting = undefined
    return counting.then(() => answer(error), answer) // a refusal by the rate limits takes precedence
  })
  app.setNotFoundHandler(() => {
    throw nothingHere()
  })
}

/** True for a browser, which prefers HTML to JSON by name (RFC 9110, section 12.5.1). Scripts accept anything. */
function asksForHtml({ headers }: FastifyRequest): boolean {
  const weights = new Map(
    (headers.accept ?? '')
      .toLowerCase()
      .split(',', maxMediaTypes)
      .map((part) => {
        const [type = '', ...parameters] = part.split(';').map((text) => text.trim())
        const weight = parameters.find((one) => one.startsWith('q='))?.slice(2)
        return [type, weight === undefined ? 1 : Number(weight) || 0] as const
      }),
  )
  const json = Math.max(
    ...['application/json', 'application/problem+json'].map((type) => weights.get(type) ?? 0),
  )
  const html = weights.get('text/html') ?? 0
  return html > 0 && html >= json
}

/** More than any browser sends. */
const maxMediaTypes = 50

/** A path with parameters and its methods. */
interface KnownPath {
  url: string
  matches: RegExp
  allowed: Set<string>
}

/**
 * Refuses an unknown path, and a known one's wrong method with 405 and `Allow` (RFC 9110, section 15.5.6). The request
 * is counted first, and its body is not read. Call it after authentication.
 */
export function refuseUnknownPaths(app: FastifyInstance): void {
  app.decorateRequest('wrongMethodOf')
  let known: KnownPath[] | undefined
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) return done()
    known ??= knownPaths(app)
    const path = decodeURI(request.url.split(/[?#]/, 1)[0] ?? '')
    const found = known.find(({ matches }) => matches.test(path))
    request.wrongMethodOf = found?.url
    done(found ? wrongMethod(found) : nothingHere())
  })
}

/** A literal part of a path precedes a parameter, as in the router. */
function knownPaths({ knownRoutes }: FastifyInstance): KnownPath[] {
  const methods = Map.groupBy(knownRoutes, ({ url }) => url)
  const urls = [...methods.keys()].toSorted().toReversed()
  return urls.map((url) => ({
    url,
    matches: new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]*')}$`),
    allowed: new Set([...(methods.get(url) ?? []).map(({ method }) => method), 'OPTIONS']),
  }))
}

/**
 * Refuses the wrong methods of paths that match another's parameter, such as `/bookings/hold`. The router would find
 * the other's route. Call it after adding all routes.
 */
export function answerWrongMethods(app: FastifyInstance): void {
  const known = knownPaths(app)
  const withParameters = known.filter(({ url }) => url.includes(':'))
  for (const path of known) {
    const others = withParameters.filter((other) => other !== path && other.matches.test(path.url))
    const method = others.flatMap(({ allowed }) => [...allowed.difference(path.allowed)])
    if (method.length === 0) continue
    app.route({
      method: [...new Set(method)],
      url: path.url,
      config: { answersWrongMethod: true },
      // before any check of credentials
      onRequest: (_request, _reply, done) => done(wrongMethod(path)),
      handler: () => undefined,
    })
  }
}

function wrongMethod({ allowed }: KnownPath): Problem {
  const allow = [...allowed].toSorted().join(', ')
  return new Problem('method_not_allowed', `Use one of: ${allow}.`, { headers: { allow } })
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
  if (request.raw.errored === error)
    return new Problem('malformed_request', 'The connection ended before the body did.') // nobody reads it
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

/** Validates the query, which Fastify skips after an invalid body. One response names all invalid fields. */
function queryErrors(request: FastifyRequest): FieldError[] {
  const validate = request.getValidationFunction('querystring') as Validator | undefined // from our own compiler
  return validate && !validate(request.query) ? fieldErrorsOf(validate.errors ?? []) : []
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The pattern of a known path with an unknown method. */
    wrongMethodOf: string | undefined
  }
  interface FastifyContextConfig {
    /** The route only refuses the methods that its path lacks. */
    answersWrongMethod?: boolean
  }
}

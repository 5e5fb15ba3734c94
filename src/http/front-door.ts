import helmet from '@fastify/helmet'
import underPressure from '@fastify/under-pressure'
import type { FastifyBaseLogger, FastifyInstance, FastifyServerOptions } from 'fastify'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Context } from '../context.ts'
import { Problem, problemKinds } from '../errors.ts'
import { bodyLimitBytes } from './json-body.ts'
import { problemBody } from './problem-replies.ts'
import { isOfApi } from './route-list.ts'

/** The largest address and set of headers that is read, together, in bytes. */
export const headerLimitBytes = 16 * 1024
/** The most headers of a request. */
const mostHeaders = 100

const headersTimeoutMs = 10_000
const requestTimeoutMs = 15_000
/** How often these two are looked at. Node's 30 seconds would make 45 of the 15. */
const timeoutCheckMs = 1_000
/** Longer than the minute that load balancers keep idle connections: whoever is to reuse one must be the first to let go. */
const idleTimeoutMs = 72_000
/** For clients who do not take their answer: no byte went either way. */
const silenceTimeoutMs = 30_000
/** How long a client whose connection is given up may take to read why. */
const farewellMs = 1_000

/** What a request may be, and how long it may take to arrive, as far as that is Node's and Fastify's to see to. */
export const frontDoorOptions = {
  bodyLimit: bodyLimitBytes,
  requestTimeout: requestTimeoutMs,
  keepAliveTimeout: idleTimeoutMs,
  connectionTimeout: silenceTimeoutMs,
  http: {
    maxHeaderSize: headerLimitBytes,
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    requireHostHeader: false, // it would answer without a problem document; see below
  },
} satisfies FastifyServerOptions & { http: object }

/** The loop has hardly turned for seconds on end: what comes in now would wait longer than its client does. */
const longestMeanDelayMs = 2_000
const delaySampleMs = 4_000
/** The next sample is there by then. */
const overloadRetrySeconds = 5

/**
 * Keeps out what would harm the others: too many connections, too many headers, and any request to the
 * API while the event loop lags. Also the headers that tell browsers what an answer is not for. To be
 * called after CORS and before authentication.
 */
export async function guardFrontDoor(app: FastifyInstance, { config, log }: Context): Promise<void> {
  limitConnections(app.server, config.maxConnections, log)
  refuseOddRequests(app)
  await app.register(underPressure, {
    maxEventLoopDelay: longestMeanDelayMs,
    sampleInterval: delaySampleMs,
    // health checks, pages and preflights are answered in any case: they cost little, and say that the process lives
    pressureHandler: (request) => (isOfApi(request) ? Promise.reject(overloaded()) : undefined),
  })
  await secureAnswers(app)
}

function overloaded(): Problem {
  return new Problem('unavailable', 'The service has more to do than it can at the moment; try again.', {
    headers: { 'retry-after': String(overloadRetrySeconds) },
  })
}

/** At most one line in the log for all that are refused in this time. */
const refusalLogMs = 1_000

/** One connection too many is closed unread: to answer it would take what there is too little of. */
function limitConnections(server: Server, most: number, log: FastifyBaseLogger): void {
  server.maxConnections = most
  let refused = 0
  server.on('drop', () => {
    refused += 1
    if (refused > 1) return // the line to come tells of them all
    setTimeout(() => {
      log.warn({ refused, MAX_CONNECTIONS: most }, 'connections were closed: there were too many')
      refused = 0
    }, refusalLogMs).unref()
  })
}

/**
 * What Node lets through, drops without a word (headers beyond its number, an Authorization perhaps) or
 * answers itself, without our headers.
 */
function refuseOddRequests(app: FastifyInstance): void {
  app.server.maxHeadersCount = mostHeaders + 1
  // an expectation that is not known may be ignored (RFC 9110, section 10.1.1)
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    done(oddity(raw))
  })
}

function oddity({ httpVersion, headers, rawHeaders }: IncomingMessage): Problem | undefined {
  if (rawHeaders.length > 2 * mostHeaders) {
    return new Problem('headers_too_large', `A request may have at most ${mostHeaders} headers.`)
  }
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return new Problem('malformed_request', 'Use HTTP/1.1.')
  }
  // RFC 9112, section 3.2; of several, proxies and Node may choose different ones
  if (httpVersion === '1.1' && headers.host === undefined) {
    return new Problem('malformed_request', 'HTTP/1.1 needs the header Host.')
  }
  if (rawHeaders.filter(isHostName).length > 1) {
    return new Problem('malformed_request', 'A request may have one header Host.')
  }
  return undefined
}

/** Names and values take turns in Node's raw headers. */
function isHostName(text: string, index: number): boolean {
  return index % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host'
}

/** A page of its own says what it needs by the route option `helmet`, or by setting the header itself. */
async function secureAnswers(app: FastifyInstance): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
    },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    hsts: false, // below
    // The rest is for documents, or would keep other websites from loading the widget.
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    dnsPrefetchControl: false,
    ieNoOpen: false,
    originAgentCluster: false,
    permittedCrossDomainPolicies: false,
    xssFilter: false,
  })
  app.addHook('onRequest', (request, reply, done) => {
    // without TLS it means nothing (RFC 6797, section 7.2); for the other names of the domain it is not ours to say
    if (request.protocol === 'https') void reply.header('strict-transport-security', 'max-age=31536000')
    done()
  })
}

const clientErrors: Partial<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: new Problem(
    'headers_too_large',
    `The address and all headers together may have at most ${headerLimitBytes} bytes.`,
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem('request_timeout', 'The request did not arrive in time.'),
}

/** Answers what never became a request, broken or endless HTTP, and ends the connection. */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  { ids, metrics }: Context,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const problem =
    clientErrors[error.code ?? ''] ?? new Problem('malformed_request', 'This is not valid HTTP/1.1.')
  const { status, title } = problemKinds[problem.code]
  const requestId = ids.request()
  metrics.answered({ method: 'unknown', route: 'unknown', status, problem: problem.code })
  const body = JSON.stringify(problemBody(problem, requestId))
  const headers = [
    `HTTP/1.1 ${status} ${title}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Access-Control-Allow-Origin: *',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ]
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`)
  // at once, the client would often see a reset in place of the answer; never, one that drips on would stay for ever
  const farewell = setTimeout(() => socket.destroy(), farewellMs)
  socket.once('close', () => {
    clearTimeout(farewell)
  })
}

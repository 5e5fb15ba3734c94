import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import underPressure from '@fastify/under-pressure'
import type { FastifyBaseLogger, FastifyInstance, FastifyServerOptions } from 'fastify'
import helmet from 'helmet'
import { liesIn, readClientAddress } from '../base/client-network.ts'
import { Problem, type ProblemCode, problemKinds } from '../base/errors.ts'
import type { Context } from '../database/context.ts'
import { bodyLimitBytes } from './body.ts'
import { isOfApi } from './route-list.ts'
import { problemBody } from './problems.ts'

/** Limit of the request target and all headers together. */
export const headerLimitBytes = 16 * 1024
const maxHeaders = 100

const headersTimeoutMs = 10_000
const requestTimeoutMs = 15_000
/** Interval at which Node checks these two. Its default of 30 seconds would turn 15 into 45. */
const timeoutCheckMs = 1_000
/** Longer than the minute for which load balancers keep idle connections, because the reusing side must close first. */
const idleTimeoutMs = 72_000
/** Time without a byte in either direction, for clients that do not read their response. */
const silenceTimeoutMs = 30_000
/** A client may read the response for this long before its connection is destroyed. */
const closeDelayMs = 1_000

/** Limits that Node and Fastify enforce. */
export const hardeningOptions = {
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

/** With a longer delay of the event loop, a request would outlast the patience of its client. */
const maxMeanDelayMs = 2_000
const delaySampleMs = 4_000
/** Seconds, at least until the next sample. */
const overloadRetrySeconds = 5

/**
 * Refuses too many connections, too many headers, and requests to the API while the event loop lags. Adds the security
 * headers. Call it after CORS and before authentication.
 */
export async function hardenServer(app: FastifyInstance, { config, log }: Context): Promise<void> {
  limitConnections(app.server, config, log)
  limitPipelining(app.server)
  refuseProtocolErrors(app)
  await app.register(underPressure, {
    maxEventLoopDelay: maxMeanDelayMs,
    sampleInterval: delaySampleMs,
    // health checks, pages and preflights always get a response: they cost little and prove that the process is alive
    pressureHandler: (request) => (isOfApi(request) ? Promise.reject(overloaded()) : undefined),
  })
  addSecurityHeaders(app)
}

function overloaded(): Problem {
  return new Problem('unavailable', 'The server is overloaded. Retry.', {
    headers: { 'retry-after': String(overloadRetrySeconds) },
  })
}

/** One log line counts all connections refused in this time. */
const refusalLogMs = 1_000

/**
 * Closes excess connections unread, both for each address and in total. A response would use the very resources that
 * are short. Proxies with a trusted X-Forwarded-For bring connections of many addresses.
 */
function limitConnections(
  server: Server,
  { maxConnections, maxConnectionsPerIp, trustProxy }: Context['config'],
  log: FastifyBaseLogger,
): void {
  server.maxConnections = maxConnections
  let refused = 0
  const refuse = () => {
    refused += 1
    if (refused > 1) return // the next line counts it
    setTimeout(() => {
      const limits = { MAX_CONNECTIONS: maxConnections, MAX_CONNECTIONS_PER_IP: maxConnectionsPerIp }
      log.warn({ refused, ...limits }, 'connections closed: too many')
      refused = 0
    }, refusalLogMs).unref()
  }
  server.on('drop', refuse)
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const { address, network } = readClientAddress(socket.remoteAddress ?? '')
    if (liesIn(address, trustProxy)) return
    const count = (open.get(network) ?? 0) + 1
    if (count > maxConnectionsPerIp) {
      socket.destroy()
      refuse()
      return
    }
    open.set(network, count)
    socket.once('close', () => {
      const rest = (open.get(network) ?? 0) - 1
      if (rest > 0) open.set(network, rest)
      else open.delete(network)
    })
  })
}

/** Maximum number of requests that a client may send ahead of their answers on one connection. Proxies send none. */
export const maxAhead = 20

/** Node's parser of a connection: an undocumented property of the socket. */
interface ParsedSocket extends Socket {
  parser?: { onIncoming: (request: IncomingMessage) => number } | null
}
/** Node's value for a request whose body is not read. */
const skipsBody = 1

/**
 * Closes a connection with too many requests ahead of their answers (pipelining). Node parses 64 KiB at once, about
 * 2,000 requests, and keeps them until the client reads the first answer. Call it before the server listens.
 */
export function limitPipelining(server: Server): void {
  const ahead = new WeakMap<Socket, number>()
  const handlers = server.listeners('request') as ((
    request: IncomingMessage,
    response: ServerResponse,
  ) => void)[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const socket: ParsedSocket = request.socket
    // a response without a socket waits for earlier ones
    if (response.socket === null) {
      const count = (ahead.get(socket) ?? 0) + 1
      if (count > maxAhead) {
        // the rest of the 64 KiB costs nothing
        if (socket.parser) socket.parser.onIncoming = () => skipsBody
        socket.destroy()
        return
      }
      ahead.set(socket, count)
      response.once('close', () => ahead.set(socket, (ahead.get(socket) ?? 1) - 1))
    }
    for (const handle of handlers) handle.call(server, request, response)
  })
}

/** Refuses requests that Node accepts, answers without our headers, or silently strips of headers beyond its limit. */
function refuseProtocolErrors(app: FastifyInstance): void {
  app.server.maxHeadersCount = maxHeaders + 1
  // an unknown expectation may be ignored (RFC 9110, section 10.1.1)
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    done(protocolError(raw))
  })
}

function protocolError({ httpVersion, headers, rawHeaders }: IncomingMessage): Problem | undefined {
  if (rawHeaders.length > 2 * maxHeaders) {
    return new Problem('headers_too_large', `A request may have at most ${maxHeaders} headers.`)
  }
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return new Problem('malformed_request', 'Use HTTP/1.1.')
  }
  // RFC 9112, section 3.2; of several Host headers, proxies and Node may choose different ones
  if (httpVersion === '1.1' && headers.host === undefined) {
    return new Problem('malformed_request', 'HTTP/1.1 needs a Host header.')
  }
  if (countHosts(rawHeaders) > 1) {
    return new Problem('malformed_request', 'A request may have only one Host header.')
  }
  return undefined
}

/** Node's raw headers alternate between names and values. */
function countHosts(rawHeaders: string[]): number {
  let count = 0
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place]
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count
}

/** Created once, because helmet would build them again for each request. */
const securityHeaders = headersOf(
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
    },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    hsts: false, // set below
    // the others are for documents, or would prevent other websites from loading the widget
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    dnsPrefetchControl: false,
    ieNoOpen: false,
    originAgentCluster: false,
    permittedCrossDomainPolicies: false,
    xssFilter: false,
  }),
)

/** Returns the headers that a middleware of helmet sets on any response. */
function headersOf(middleware: ReturnType<typeof helmet>): OutgoingHttpHeaders {
  // importing node:http reads all its exports, some of which load an unused client: 60 ms and 3 MB
  const http = process.getBuiltinModule('node:http')
  const request = new http.IncomingMessage(new Socket())
  const response = new http.ServerResponse(request)
  middleware(request, response, () => undefined)
  return { ...response.getHeaders() }
}

/** A page overrides these by setting the header itself. */
function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(securityHeaders)
    // only over TLS (RFC 6797, section 7.2); without includeSubDomains, because other hosts of the domain are not ours
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

/** Receives the status and problem of each response to bytes that never became a request. */
export type BrokenRequestListener = (status: number, problem: ProblemCode) => void

/** Responds to broken or endless HTTP that never became a request, and closes the connection. */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  { ids, onBrokenRequest }: Pick<Context, 'ids'> & { onBrokenRequest: BrokenRequestListener },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const problem =
    clientErrors[error.code ?? ''] ?? new Problem('malformed_request', 'This is not valid HTTP/1.1.')
  const { status, title } = problemKinds[problem.code]
  const requestId = ids.request()
  onBrokenRequest(status, problem.code)
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
  // an immediate destroy often resets the connection before the client reads; without one, a slow sender would stay
  const destroying = setTimeout(() => socket.destroy(), closeDelayMs)
  socket.once('close', () => clearTimeout(destroying))
}

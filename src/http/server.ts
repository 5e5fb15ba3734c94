import type { Server } from 'node:http'
import cors from '@fastify/cors'
import { fastify, type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { monotonicMs } from '../base/clock.ts'
import type { Context } from '../database/context.ts'
import { readJsonBodies } from './body.ts'
import { compressLongAnswers } from './compression.ts'
import {
  answerClientError,
  type BrokenRequestListener,
  hardeningOptions,
  hardenServer,
  headerLimitBytes,
} from './hardening.ts'
import { listRoutes } from './route-list.ts'
import { describeInOpenApi } from './openapi.ts'
import { answerWrongMethods, problemReplies, refuseUnknownPaths, type ShowProblem } from './problems.ts'
import { boundUnreadAnswers } from './unread-answers.ts'
import { compileCreation, compileQuery, compileSchema } from '../base/validation.ts'

/** A draining server still responds, but sends clients and load balancers away. */
export interface Draining {
  draining: boolean
}

/** Adds routes that need the context `C`. */
export type Routes<C extends Context> = (app: FastifyInstance, context: C) => void

/** Hooks that other folders add to every request. */
interface ServerHooks {
  state: Draining
  /** Added first, to see each request from its first byte to its last. */
  watch: (app: FastifyInstance) => void
  onBrokenRequest: BrokenRequestListener
  /** Authenticates and applies rate limits. */
  guard: (app: FastifyInstance) => void
  /** Shows a page to people instead of a problem document. */
  showProblem: ShowProblem
}

const safeRequestId = /^[\w.~:/+=@-]{1,128}$/

const exposedHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'ETag',
  'X-Request-Id',
  'Idempotent-Replayed',
  'WWW-Authenticate',
]

/** Creates the HTTP server with its routes, those of the API under `/api/v1`. It does not listen yet. */
export async function createServer<C extends Context>(
  context: C,
  routes: { api: Routes<C>[]; around: Routes<C>[] },
  { state, watch, onBrokenRequest, guard, showProblem }: ServerHooks,
): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = context.log
  const app = fastify({
    loggerInstance,
    // Fastify's own request lines would contain URLs with clients' data
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    trustProxy: context.config.trustProxy.length > 0 ? context.config.trustProxy : false,
    ...hardeningOptions,
    // longer than any path: the routes refuse texts that are too long for an ID
    routerOptions: { maxParamLength: headerLimitBytes, ignoreTrailingSlash: false },
    rewriteUrl: ({ url = '' }) => (isReadable(url) ? url : unreadableAddress),
    genReqId: (request) => requestId(request.headers['x-request-id'], context),
    return503OnClosing: false, // a stopping server finishes the requests that reach it
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) =>
      answerClientError(error, socket, { ids: context.ids, onBrokenRequest }),
  })
  app.setValidatorCompiler(({ schema, method, httpPart }) => {
    if (httpPart === 'querystring') return compileQuery(schema)
    return method === 'POST' && httpPart === 'body' ? compileCreation(schema) : compileSchema(schema)
  })
  // faster than a serialiser of the schema, which would check the members of each union
  app.setSerializerCompiler(() => JSON.stringify)
  listRoutes(app)
  describeInOpenApi(app)
  readJsonBodies(app)
  problemReplies(app, showProblem)
  watch(app)
  addCommonHeaders(app, state)
  await app.register(cors, {
    origin: '*',
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'MCP-Protocol-Version',
      'Mcp-Method',
      'Mcp-Name',
      'X-Previous-Session',
      'X-Request-Id',
    ],
    exposedHeaders,
    maxAge: 7200,
    strictPreflight: false,
  })
  await hardenServer(app, context)
  compressLongAnswers(app)
  guard(app)
  boundUnreadAnswers(app)
  for (const add of routes.around) add(app, context)
  refuseUnknownPaths(app) // after the hooks that find the person, for the console's error page
  await app.register(
    (api, _options, done) => {
      for (const add of routes.api) add(api, context)
      done()
    },
    { prefix: '/api/v1' },
  )
  answerWrongMethods(app)
  return app
}

/** Replaces a path that cannot be decoded. The router would respond itself, without our headers. */
const unreadableAddress = '/unreadable-address'

function isReadable(url: string): boolean {
  if (!url.includes('%')) return true
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '')
    return true
  } catch {
    return false
  }
}

function requestId(header: string | string[] | undefined, context: Context): string {
  return typeof header === 'string' && safeRequestId.test(header) ? header : context.ids.request()
}

/** Sends the request ID and forbids caching. */
function addCommonHeaders(app: FastifyInstance, state: Draining): void {
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id)
    if (request.routeOptions.config.access) void reply.header('cache-control', 'no-store')
    if (state.draining) void reply.header('connection', 'close')
    done()
  })
}

/** Turns of the event loop without an arrival. One accepts a connection, and the next reads its request. */
const quietTurns = 3
/** Limits the wait if requests never cease. */
const maxDrainMs = 2_000

/**
 * Accepts connections and requests that have already reached this machine. Closing at once would reset them, and on a
 * busy server there may be many. Timers run before arrivals, and a turn of the event loop accepts one connection.
 */
export async function drainAcceptQueue(server: Server): Promise<void> {
  let quiet = 0
  const arrived = () => {
    quiet = 0
  }
  const deadlineMs = monotonicMs() + maxDrainMs
  server.on('connection', arrived).on('request', arrived)
  while (quiet < quietTurns && monotonicMs() < deadlineMs) {
    quiet += 1
    await new Promise(setImmediate)
  }
  server.off('connection', arrived).off('request', arrived)
}

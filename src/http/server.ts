import cors from '@fastify/cors'
import { fastify, LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { rememberedCaller } from '../access/authenticate.ts'
import type { Context } from '../context.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import { authentication } from './authentication.ts'
import { answerClientError, frontDoorOptions, guardFrontDoor, headerLimitBytes } from './front-door.ts'
import { readJsonBodies } from './json-body.ts'
import { listRoutes } from './route-list.ts'
import { answerWrongMethods } from './method-not-allowed.ts'
import { describeInOpenApi } from './openapi.ts'
import { problemReplies, refuseUnknownPaths } from './problem-replies.ts'
import { rateLimiting } from './rate-limiting.ts'
import { compileResponse } from './serialization.ts'
import { compileCreation, compileSchema } from './validation.ts'
import { watchRequests } from './watch-requests.ts'

/** Whether the server is stopping: it still answers, but asks its clients and load balancers to look elsewhere. */
export interface Draining {
  draining: boolean
}

/** Adds the routes of one part of the service. */
export type Routes = (app: FastifyInstance, context: Context) => void

const safeRequestId = /^[\w.~:/+=@-]{1,128}$/

const exposedHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'ETag',
  'X-Request-Id',
  'Idempotent-Replayed',
]

/** Builds the HTTP server around its routes: those of the API under `/api/v1`, the others as they are. It does not listen yet. */
export async function createServer(
  context: Context,
  routes: { api: Routes[]; around: Routes[] },
  { state, limiter }: { state: Draining; limiter: RateLimiter },
): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = context.log
  const app = fastify({
    loggerInstance,
    // its own lines for a request would hold addresses with clients' data; ours is below
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    trustProxy: context.config.trustProxy.length > 0 ? context.config.trustProxy : false,
    ...frontDoorOptions,
    // longer than a path can be: what is too long to be an id is no id, and that is for the routes to say
    routerOptions: { maxParamLength: headerLimitBytes, ignoreTrailingSlash: false },
    rewriteUrl: ({ url = '' }) => (isReadable(url) ? url : unreadableAddress),
    genReqId: (request) => requestId(request.headers['x-request-id'], context),
    return503OnClosing: false, // a stopping server finishes what reaches it
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => answerClientError(error, socket, context),
  })
  app.setValidatorCompiler(({ schema, method, httpPart }) =>
    method === 'POST' && httpPart === 'body'
      ? compileCreation(schema as object)
      : compileSchema(schema as object),
  )
  app.setSerializerCompiler(compileResponse)
  listRoutes(app)
  await describeInOpenApi(app)
  readJsonBodies(app)
  problemReplies(app)
  watchRequests(app, context)
  everyRequest(app, state)
  await app.register(cors, {
    origin: '*',
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'X-Previous-Session',
      'X-Request-Id',
    ],
    exposedHeaders,
    maxAge: 7200,
    strictPreflight: false,
  })
  await guardFrontDoor(app, context)
  const counting = rateLimiting(app, {
    limiter,
    factor: context.config.rateLimitFactor,
    remembered: (authorization) => rememberedCaller(context, authorization),
  })
  authentication(app, context, counting)
  refuseUnknownPaths(app)
  for (const add of routes.around) add(app, context)
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

/** Where a path that cannot be decoded is sent: the router would answer it itself, without our headers. */
const unreadableAddress = '/unreadable-address'

function isReadable(url: string): boolean {
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '')
    return true
  } catch {
    return false
  }
}

function requestId(given: string | string[] | undefined, context: Context): string {
  return typeof given === 'string' && safeRequestId.test(given) ? given : context.ids.request()
}

/** What holds for each request: its id, and no caching. */
function everyRequest(app: FastifyInstance, state: Draining): void {
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id)
    if (request.routeOptions.config.access) void reply.header('cache-control', 'no-store')
    if (state.draining) void reply.header('connection', 'close')
    done()
  })
}

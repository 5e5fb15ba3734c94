import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import packageJson from '../../package.json' with { type: 'json' }
import { withinCounted } from '../access/authentication-hook.ts'
import { keyScopes } from '../base/key-scopes.ts'
import { coversScopes, scopesOfRoute } from '../http/route-scopes.ts'
import { assertMayCall, type Caller, hasRole, isProgram, isSession } from '../access/actor.ts'
import { coversProgramScope } from '../access/program-rules.ts'
import { Problem, unavailable } from '../base/errors.ts'
import { ownOrigins } from '../base/public-url.ts'
import type { Context } from '../bookings/context.ts'
import { ownManageToken } from '../bookings/manage.ts'
import { problemBody } from '../http/problems.ts'
import { EmptyObject } from '../base/wire.ts'
import { resourceMetadataUrl } from './oauth-metadata.ts'
import { type Answer, type Call, failure, readMessage, supportedVersions } from './mcp-rules.ts'
import { type ApiDocument, type Tool, toolsOf } from './tools.ts'

const Message = Type.Unsafe<unknown>({
  title: 'McpMessage',
  description: 'One message of JSON-RPC 2.0, as the Model Context Protocol says.',
  examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }],
})

const sent = (description: string) => ({
  description,
  content: { 'application/json': { schema: Message } },
})

/** Time in milliseconds for which a client may cache the list of tools. */
const listLifeMs = 3_600_000

const instructions =
  'Book appointments: list_services, then find_slots or find_next_slot, then hold_slot. Ask the person whether the held time suits them, and only then call confirm_booking. Times are those of the location: say its zone where the person may be elsewhere. A refusal is a problem document (RFC 9457): its code does not change, its detail says what to do, its alternatives are free slots to offer instead.'

/** Registers `POST /mcp`: the API as tools for agents, over the Model Context Protocol (Streamable HTTP). */
export function mcpRoutes(app: FastifyInstance, context: Context): void {
  const ours = ownOrigins(context.config)
  let all: Tool[] | undefined
  const tools = async () => (all ??= toolsOf((await app.openApi()) as ApiDocument))

  app.post(
    '/mcp',
    {
      config: {
        access: ['session', 'business', 'hub'],
        programs: true,
        scopes: keyScopes, // each tool has its own
        challenge: `resource_metadata="${resourceMetadataUrl(context.config)}"`,
      },
      schema: {
        operationId: 'callMcp',
        tags: ['Agents'],
        summary: 'Use the API as tools of an agent',
        description:
          'A message of the Model Context Protocol, versions 2025-06-18, 2025-11-25 and 2026-07-28. A publishable key must be exchanged for a session token first. Programs that a person has allowed send their access token (OAuth 2.1).',
        querystring: EmptyObject,
        body: Message,
        response: {
          200: sent(
            'The answer to a request. A refusal of the API is the result of its tool, with `isError`.',
          ),
          202: Type.Null({ description: 'A notification was accepted.' }),
          400: sent('The message is none, or its version or headers do not fit.'),
          404: sent('There is no such method.'),
        },
      },
      onRequest: (request, _reply, done) => {
        done(strangeOrigin(request, ours))
      },
      errorHandler: (error, _request, reply) => {
        if (!(error instanceof Problem && error.code === 'malformed_json')) throw error
        void send(reply, { ...failure(null, 'unreadable', error.message), status: 400 })
      },
    },
    async (request, reply) => {
      const read = readMessage(request.body, request.headers)
      return send(
        reply,
        'answer' in read
          ? read.answer
          : await answerTo(read.call, { app, context, request, tools: await tools() }),
      )
    },
  )
}

/**
 * Refuses messages from pages, except those of this server, of the key's origins, and of allowed programs.
 * Elsewhere in the API, a key without a list allows every page. Agents are programs, however, and the protocol
 * requires a check.
 */
function strangeOrigin({ headers: { origin }, actor }: FastifyRequest, ours: ReadonlySet<string>) {
  const allowed = 'allowedOrigins' in actor ? actor.allowedOrigins : null
  if (origin === undefined || ours.has(origin) || allowed?.includes(origin) || isProgram(actor))
    return undefined
  return new Problem('origin_not_allowed', 'Pages may do this only from the allowed origins of the key.')
}

function send(reply: FastifyReply, { status, message }: Answer): FastifyReply {
  void reply.code(status)
  if (!message) return reply.send()
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(message))
}

interface Called {
  app: FastifyInstance
  context: Context
  request: FastifyRequest
  tools: Tool[]
}

async function answerTo(call: Call, called: Called): Promise<Answer> {
  const { id, isStateless } = call
  const tool = toolFor(call.tool, called)
  if (call.method === 'tools/call' && !tool) {
    return failure(id, 'invalidParams', `There is no tool ${call.tool.slice(0, 64).toWellFormed()}.`)
  }
  const result = call.method === 'tools/call' && tool ? await run(tool, call, called) : told(call, called)
  const own = isStateless && {
    resultType: 'complete',
    _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
    ...(call.method !== 'tools/call' && { ttlMs: listLifeMs, cacheScope: 'private' }),
  }
  return { status: 200, message: { jsonrpc: '2.0', id, result: { ...result, ...own } } }
}

/** Returns the caller's tool of this name, or else that of other callers. */
function toolFor(name: string, { tools, app, request: { actor } }: Called): Tool | undefined {
  const named = tools.filter(({ shown }) => shown.name === name)
  return named.find((tool) => isFor(tool, app, actor)) ?? named[0]
}

const serverInfo = { name: 'holdfast', title: 'Holdfast', version: packageJson.version }
const capabilities = { tools: {} }

function told({ method, version }: Call, { app, request, tools }: Called): object {
  switch (method) {
    case 'initialize':
      return { protocolVersion: version, capabilities, serverInfo, instructions }
    case 'server/discover':
      return { supportedVersions, capabilities, instructions }
    case 'tools/list': {
      const { actor } = request
      const granted = actor.type === 'business' || actor.type === 'hub' ? actor.scopes : null
      const isOpen = (tool: Tool) =>
        isFor(tool, app, actor) && (isProgram(actor) || coversScopes(granted, rulesOf(tool, app).scopes))
      return { tools: tools.filter(isOpen).map(({ shown }) => shown) }
    }
    case 'ping':
    case 'tools/call':
      return {}
  }
}

/** Returns the callers of a tool, the lowest role, and the scopes that open it to a limited key. */
function rulesOf({ method, url, access }: Tool, { knownRoutes }: FastifyInstance) {
  const route = knownRoutes.find((one) => one.method === method && one.url === url)
  return {
    access: access ?? route?.access ?? [],
    people: access ? undefined : route?.options.config?.people,
    scopes: route ? scopesOfRoute(route.options) : [],
  }
}

/** True if a tool is for callers of this kind. For a program, it must be within role and scope. */
function isFor(tool: Tool, app: FastifyInstance, actor: Caller): boolean {
  const { access, people } = rulesOf(tool, app)
  if (!isProgram(actor)) return access.some((type) => type === actor.type)
  return people !== undefined && hasRole(actor, people) && coversProgramScope(actor.grant.scope, tool.scope)
}

/** Throws insufficient_scope if a program has too few rights for a tool. */
function assertScope({ scope, shown }: Tool, actor: Caller): void {
  if (!isProgram(actor) || coversProgramScope(actor.grant.scope, scope)) return
  throw new Problem(
    'insufficient_scope',
    `The program may only ${actor.grant.scope}; ${shown.name} needs the right ${scope}. The person can allow it by connecting the program again.`,
    { extensions: { required_scopes: [scope] } },
  )
}

/** Headers of the message that the request to the API copies. */
const passedOn = ['authorization', 'host', 'origin', 'traceparent', 'tracestate'] as const

/**
 * Sends the request of a tool through the API itself, with all its checks. Rate limits are the exception,
 * because the message has already counted.
 */
async function run(tool: Tool, call: Call, { app, context, request }: Called): Promise<object> {
  try {
    // before reading the arguments, because callers without permission do not see validation errors
    assertMayCall(request.actor, rulesOf(tool, app), undefined) // the origin of the message was already checked
    assertScope(tool, request.actor)
    const { method, url, headers, body } = tool.request(call.arguments)
    const own = passedOn.flatMap((name) => {
      const value = request.headers[name]
      return value === undefined ? [] : [[name, String(value)] as const]
    })
    const bookingId = tool.bookingOf(call.arguments)
    const credential = bookingId === undefined ? undefined : await manageToken(context, request, bookingId)
    const reply = await withinCounted(() =>
      app.inject({
        method: method as 'GET', // a method of the document
        url,
        headers: {
          ...Object.fromEntries(own),
          ...headers,
          ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
          'x-request-id': request.id,
        },
        remoteAddress: request.ip,
        ...(body !== undefined && { payload: body }),
      }),
    )
    if (credential !== undefined && reply.statusCode === 401) throw linkEnded()
    const isError = reply.statusCode >= 400
    const answer: unknown = JSON.parse(reply.body === '' ? '{}' : reply.body)
    if (isError || !tool.answer) return resultOf(answer as object, isError, tool.details)
    return resultOf(await tool.answer(answer, { context, actor: request.actor }), false)
  } catch (error) {
    if (error instanceof Problem) return resultOf(problemBody(error, request.id), true)
    if (error instanceof Error && 'code' in error && error.code === 'FST_ERR_REOPENED_CLOSE_SERVER') {
      throw unavailable('The server is stopping. Retry.')
    }
    throw error
  }
}

/** Returns a manage token, which lets a session change its own booking by the rules for clients. */
async function manageToken(context: Context, { actor }: FastifyRequest, id: string): Promise<string> {
  if (!isSession(actor)) throw new TypeError('only sessions use manage links') // the tool allows sessions only
  return ownManageToken(context, actor, id)
}

/** Returns the refusal for a manage link, which expires a day after its booking. */
function linkEnded(): Problem {
  const extensions = { reason: 'too_late' }
  return new Problem('change_not_allowed', 'The booking is over and cannot be changed.', { extensions })
}

function resultOf(
  answer: object & { code?: string },
  isError: boolean,
  details: Tool['details'] = {},
): object {
  const detail = isError ? details[answer.code ?? ''] : undefined
  const structuredContent = detail === undefined ? answer : { ...answer, detail }
  const content = [{ type: 'text', text: JSON.stringify(structuredContent) }]
  return { content, structuredContent, ...(isError && { isError }) }
}

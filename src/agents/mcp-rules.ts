/*
 * Rules for messages of the Model Context Protocol. Two generations use the same address. Since
 * 2026-07-28, each request names its version and the server keeps no state. Before, a client began with
 * `initialize`. https://modelcontextprotocol.io/specification
 */

/** The version in which each request is independent. */
const statelessVersion = '2026-07-28'
/**
 * The versions that begin with `initialize`, latest first. Older ones allow batches, which this server does
 * not support.
 */
const latestHandshake = '2025-11-25'
const handshakeVersions = [latestHandshake, '2025-06-18']
export const supportedVersions = [statelessVersion, ...handshakeVersions]

/** Error codes of JSON-RPC 2.0 and of the protocol. */
const codes = {
  unreadable: -32_700,
  invalidRequest: -32_600,
  unknownMethod: -32_601,
  invalidParams: -32_602,
  headerMismatch: -32_020,
  unknownVersion: -32_022,
}

type MessageId = string | number | null

/** A response: its HTTP status and its message, if the request expects one. */
export interface Answer {
  status: number
  message?: object
}

/** A valid request. */
export interface Call {
  id: MessageId
  method: 'server/discover' | 'initialize' | 'ping' | 'tools/list' | 'tools/call'
  isStateless: boolean
  /** The version that both sides use; for `initialize`, the version to answer. */
  version: string
  /** Only for `tools/call`. */
  tool: string
  arguments: Record<string, unknown>
}

interface Headers {
  [name: string]: string | string[] | undefined
}

type Members = Record<string, unknown>

const meta = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
}

/** Reads the parsed body of a POST and its headers. Returns the call, or the answer to an invalid request. */
export function readMessage(body: unknown, headers: Headers): { call: Call } | { answer: Answer } {
  if (Array.isArray(body)) return refusal(null, 'invalidRequest', 'Send one message at a time, not a batch.')
  if (!isObject(body) || body['jsonrpc'] !== '2.0') {
    return refusal(null, 'invalidRequest', 'This is not a message of JSON-RPC 2.0.')
  }
  const { id, method, params = {} } = body
  if (id === undefined || method === undefined) {
    const isMessage = typeof method === 'string' || 'result' in body || 'error' in body
    return isMessage ? accepted : refusal(null, 'invalidRequest', 'A message has a method.')
  }
  if (typeof method !== 'string' || (typeof id !== 'string' && !Number.isSafeInteger(id))) {
    return refusal(null, 'invalidRequest', 'A request has an id, text or a whole number, and a method.')
  }
  const request = { id: id as MessageId, method, params }
  if (!isObject(params)) return refusal(request.id, 'invalidParams', 'The params are an object.')
  const version = versionOf(request, params, headers)
  return typeof version === 'object' ? version : readCall(request, params, version)
}

const accepted = { answer: { status: 202 } }

interface Request {
  id: MessageId
  method: string
}

/** Returns the version for serving a request, or its refusal. */
function versionOf({ id, method }: Request, params: Members, headers: Headers): string | { answer: Answer } {
  const said = headers['mcp-protocol-version']?.toString()
  const own = isObject(params['_meta']) ? params['_meta'] : {}
  const version = own[meta.version]
  if (version === undefined) {
    if (method === 'initialize') return offered(params)
    if (said === statelessVersion || method === 'server/discover') {
      return refusal(id, 'invalidParams', `_meta lacks ${meta.version}, such as "${statelessVersion}".`)
    }
    if (said !== undefined && !handshakeVersions.includes(said)) return unknownVersion(id, said)
    return said ?? latestHandshake
  }
  if (typeof version !== 'string') return refusal(id, 'invalidParams', `${meta.version} is a text.`)
  if (said !== version) return mismatch(id, 'MCP-Protocol-Version', said, version)
  if (handshakeVersions.includes(version)) return version
  if (version !== statelessVersion) return unknownVersion(id, version)
  if (!isObject(own[meta.capabilities])) {
    return refusal(id, 'invalidParams', `_meta lacks ${meta.capabilities}, such as {}.`)
  }
  const mirrored = { 'Mcp-Method': method, ...(method === 'tools/call' && { 'Mcp-Name': params['name'] }) }
  for (const [name, value] of Object.entries(mirrored)) {
    const given = decoded(headers[name.toLowerCase()]?.toString())
    if (given !== value) return mismatch(id, name, given, value)
  }
  return version
}

/** Returns the version requested by `initialize` if it is supported, otherwise the latest. */
function offered({ protocolVersion }: Members): string {
  return handshakeVersions.find((version) => version === protocolVersion) ?? latestHandshake
}

const methods = {
  stateless: ['server/discover', 'tools/list', 'tools/call'],
  handshake: ['initialize', 'ping', 'tools/list', 'tools/call'],
}

function readCall(
  { id, method }: Request,
  params: Members,
  version: string,
): { call: Call } | { answer: Answer } {
  const isStateless = version === statelessVersion
  if (!methods[isStateless ? 'stateless' : 'handshake'].includes(method)) {
    const answer = failure(
      id,
      'unknownMethod',
      `There is no method ${method.slice(0, 64).toWellFormed()} here.`,
    )
    return { answer: { ...answer, status: isStateless ? 404 : 200 } }
  }
  const { name = '', arguments: given = {}, cursor } = params
  if (method === 'tools/list' && cursor !== undefined) {
    return { answer: failure(id, 'invalidParams', 'The tools are on one page: leave the cursor out.') }
  }
  if (method === 'tools/call' && (typeof name !== 'string' || !isObject(given))) {
    return { answer: failure(id, 'invalidParams', 'Name a tool, and give its arguments as an object.') }
  }
  const call = { id, isStateless, version, method: method as Call['method'] } // one of the methods above
  return { call: { ...call, tool: String(name), arguments: given as Members } } // an object if the method uses it
}

/** Returns the value of a header. Values beyond ASCII may be encoded in Base64. */
function decoded(value: string | undefined): string | undefined {
  const wrapped = /^=\?base64\?(.*)\?=$/.exec(value ?? '')?.[1]
  return wrapped === undefined ? value : Buffer.from(wrapped, 'base64').toString()
}

function mismatch(id: MessageId, header: string, given: unknown, value: unknown): { answer: Answer } {
  const said = given === undefined ? 'is missing' : 'is not what the body says'
  return refusal(id, 'headerMismatch', `The header ${header} ${said}: ${String(value)}.`)
}

function unknownVersion(id: MessageId, requested: string): { answer: Answer } {
  const data = { supported: supportedVersions, requested: requested.slice(0, 64) }
  return refusal(id, 'unknownVersion', 'Unsupported protocol version', data)
}

/** Returns an answer with status 400 for an invalid message. */
function refusal(
  id: MessageId,
  code: keyof typeof codes,
  message: string,
  data?: object,
): { answer: Answer } {
  return { answer: { ...failure(id, code, message, data), status: 400 } }
}

/** Returns an error as a response with HTTP status 200. */
export function failure(id: MessageId, code: keyof typeof codes, message: string, data?: object): Answer {
  const error = { code: codes[code], message, ...(data && { data }) }
  return { status: 200, message: { jsonrpc: '2.0', id, error } }
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

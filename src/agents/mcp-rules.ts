/*
 * What a message of the Model Context Protocol asks for. Two generations come to one address: since 2026-07-28 each request
 * names its version and nothing is remembered; before, a client began with `initialize`.
 * https://modelcontextprotocol.io/specification
 */

/** The version in which each request speaks for itself. */
const statelessVersion = '2026-07-28'
/** Those that begin with `initialize`, the latest first. Older ones know batches, which are not served. */
const latestHandshake = '2025-11-25'
const handshakeVersions = [latestHandshake, '2025-06-18']
export const supportedVersions = [statelessVersion, ...handshakeVersions]

/** The code of an error of JSON-RPC 2.0, or of the protocol. */
const codes = {
  unreadable: -32_700,
  invalidRequest: -32_600,
  unknownMethod: -32_601,
  invalidParams: -32_602,
  headerMismatch: -32_020,
  unknownVersion: -32_022,
}

type MessageId = string | number | null

/** A response: its HTTP status, and its message; none for what wants none. */
export interface Answer {
  status: number
  message?: object
}

/** A request that can be done. */
export interface Call {
  id: MessageId
  method: 'server/discover' | 'initialize' | 'ping' | 'tools/list' | 'tools/call'
  isStateless: boolean
  /** The version that both sides speak; the one to answer, for `initialize`. */
  version: string
  /** Of `tools/call`. */
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

/** Reads the body of a POST, parsed, with its headers: what is to be done, or the answer to what cannot be. */
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

/** The version that a request is served in, or its refusal. */
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

/** What `initialize` asks for where it is served, else the latest. */
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
  const call = { id, isStateless, version, method: method as Call['method'] } // one of those above
  return { call: { ...call, tool: String(name), arguments: given as Members } } // an object, where it is read
}

/** The value of a header, which may be wrapped in Base64 where it has more than ASCII. */
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

/** An answer with 400: the message as such is wrong. */
function refusal(
  id: MessageId,
  code: keyof typeof codes,
  message: string,
  data?: object,
): { answer: Answer } {
  return { answer: { ...failure(id, code, message, data), status: 400 } }
}

/** An error as a response: HTTP itself went well. */
export function failure(id: MessageId, code: keyof typeof codes, message: string, data?: object): Answer {
  const error = { code: codes[code], message, ...(data && { data }) }
  return { status: 200, message: { jsonrpc: '2.0', id, error } }
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

import { reasonOf } from './connection-faults.ts'

/** Endpoints of a bridge. */
interface Bridge {
  url: string
  /** A publishable key is exchanged for a session token. Any other credential is sent unchanged. */
  key: string
  isPublishable: boolean
  /** Messages, one per line. */
  lines: AsyncIterable<string>
  /** Receives the responses, one line each. */
  write: (line: string) => void
  /** Receives messages for people. */
  complain: (text: string) => void
}

interface Message {
  id?: unknown
  method?: unknown
  params?: { name?: unknown; _meta?: Record<string, unknown> }
}

interface Reply {
  status: number
  /** Undefined if it is empty or not JSON. */
  body: Record<string, unknown> | undefined
}

const timeoutMs = 30_000
const unreadable = -32_700
const internalError = -32_603

/**
 * Passes messages of the Model Context Protocol from standard input to `/mcp` of a service, and returns the
 * responses. Handles several at once until the input ends. Renews an expired session together with its holds.
 */
export async function runBridge(bridge: Bridge): Promise<void> {
  const line = new Line(bridge)
  const underWay = new Set<Promise<void>>()
  for await (const text of bridge.lines) {
    if (text.trim() === '') continue
    const passed = line.pass(text).finally(() => underWay.delete(passed))
    underWay.add(passed)
  }
  await Promise.all(underWay)
}

class Line {
  private readonly bridge: Bridge
  private session: Promise<string> | undefined
  /** The version negotiated by `initialize`. Messages of later versions name their own. */
  private version: string | undefined

  constructor(bridge: Bridge) {
    this.bridge = bridge
  }

  /** Passes a message. Never rejects: a failure becomes the response, if one is expected. */
  async pass(text: string): Promise<void> {
    const message = read(text)
    if (!message) {
      this.answer(undefined, errorOf(null, unreadable, 'This line is not a JSON object.'))
      return
    }
    try {
      const { status, body } = await this.send(text, message)
      if (body?.['jsonrpc'] === '2.0') {
        const result = body['result'] as { protocolVersion?: string } | undefined
        if (message.method === 'initialize') this.version = result?.protocolVersion
        this.answer(message, body)
      } else if (status !== 202) this.answer(message, refusalOf(message, status, body))
    } catch (error) {
      const said = `${this.bridge.url} cannot be used: ${reasonOf(error)}`
      this.bridge.complain(said)
      this.answer(message, errorOf(message.id, internalError, said))
    }
  }

  private answer(message: Message | undefined, answer: object): void {
    const isWanted = message === undefined || (message.id !== undefined && message.method !== undefined)
    if (isWanted) this.bridge.write(`${JSON.stringify(answer)}\n`)
  }

  private async send(text: string, message: Message): Promise<Reply> {
    const before = await this.token()
    const reply = await this.post('/mcp', before, { body: text, headers: this.headersOf(message) })
    if (reply.status !== 401 || !this.bridge.isPublishable) return reply
    return this.post('/mcp', await this.token(before), { body: text, headers: this.headersOf(message) })
  }

  /** Returns the credential to send. Replaces a session that has expired. */
  private async token(ended?: string): Promise<string> {
    if (!this.bridge.isPublishable) return this.bridge.key
    if (ended !== undefined && (await this.session) === ended) this.session = undefined
    this.session ??= this.exchange(ended)
    const session = this.session
    session.catch(() => {
      if (this.session === session) this.session = undefined
    })
    return session
  }

  private async exchange(ended: string | undefined): Promise<string> {
    const headers = ended === undefined ? {} : { 'x-previous-session': ended }
    const { status, body } = await this.post('/api/v1/session', this.bridge.key, { body: '{}', headers })
    const token = body?.['session_token']
    if (typeof token !== 'string') {
      throw new Error(`it did not create a session for the key. ${detailOf(status, body)}`)
    }
    return token
  }

  private headersOf({ method, params }: Message): Record<string, string> {
    const own = params?._meta?.['io.modelcontextprotocol/protocolVersion']
    const version = typeof own === 'string' ? own : this.version
    return {
      accept: 'application/json, text/event-stream',
      ...(version !== undefined && { 'mcp-protocol-version': inHeader(version) }),
      ...(typeof method === 'string' && { 'mcp-method': inHeader(method) }),
      ...(typeof params?.name === 'string' && { 'mcp-name': inHeader(params.name) }),
    }
  }

  private async post(
    path: string,
    token: string,
    { body, headers }: { body: string; headers: Record<string, string> },
  ): Promise<Reply> {
    const response = await fetch(this.bridge.url + path, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
      redirect: 'error', // the key must not reach another server
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: response.status, body: read(await response.text()) as Reply['body'] }
  }
}

/** Parses a JSON object. */
function read(text: string): (Message & Record<string, unknown>) | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Message & Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Returns a header value: the text itself, or Base64 as the protocol requires. */
function inHeader(text: string): string {
  return /^[!-~]([ -~]*[!-~])?$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}

function errorOf(id: unknown, code: number, message: string, data?: object): object {
  return { jsonrpc: '2.0', id: id ?? null, error: { code, message, ...(data && { data }) } }
}

/** Converts an HTTP problem such as 429. For a tool, it becomes the result, so that the agent can read it. */
function refusalOf({ id, method }: Message, status: number, problem: Reply['body']): object {
  const detail = detailOf(status, problem)
  if (method !== 'tools/call' || !problem) return errorOf(id, internalError, detail, problem)
  const content = [{ type: 'text', text: JSON.stringify(problem) }]
  return { jsonrpc: '2.0', id, result: { content, structuredContent: problem, isError: true } }
}

function detailOf(status: number, problem: Reply['body']): string {
  const detail = problem?.['detail']
  if (typeof detail === 'string') return detail
  return `The response is ${status} without a message from Holdfast. Check that --url is its address, without a path.`
}

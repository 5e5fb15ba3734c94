import type { ProblemDocument, Session } from './api-types.ts'
import { Refused, Unreachable } from './refusals.ts'

/** What the connection needs of the world; tests put their own in its place. */
export interface ConnectionPorts {
  fetch: typeof fetch
  nowMs(): number
  pause(ms: number): Promise<void>
  /** A text that nobody else makes. */
  randomId(): string
}

export interface Answer<T> {
  status: number
  body: T
  etag: string | null
}

interface Sent {
  method: string
  path: string
  token: string
  body?: unknown
  headers?: Record<string, string>
  keepalive?: boolean
}

export interface CallOptions {
  body?: unknown
  etag?: string
  /** The answer may come after the page is gone. */
  keepalive?: boolean
}

const answerTimeoutMs = 20_000
const retryPauseMs = 1_000
const longestRetryPauseMs = 5_000
/** Nobody looks at a form for longer; past it a sentence and a button are kinder. */
const longestWaitSeconds = 90
const mostWaits = 3
/** A session is renewed this long before its end, so that no request meets it. */
const renewBeforeMs = 5 * 60_000
/** A session that seems to have ended already was not: the clock of this device is wrong, and 401 will tell. */
const unknownEnd = Number.POSITIVE_INFINITY

interface LiveSession extends Session {
  renewAtMs: number
}

/**
 * Speaks with the API as one visitor. The session is exchanged when it is first needed, and renewed before its
 * hour is over or when the service no longer takes it, with the old one sent along, so that no hold is lost.
 */
export class Connection {
  /** Told how long the widget waits because of a limit, in seconds, and null when it goes on. */
  onWait: (seconds: number | null) => void = () => undefined
  private live: LiveSession | undefined
  private exchanging: Promise<LiveSession> | undefined
  private readonly base: string
  private readonly publishableKey: string
  private readonly ports: ConnectionPorts

  constructor(base: string, publishableKey: string, ports: ConnectionPorts) {
    this.base = base
    this.publishableKey = publishableKey
    this.ports = ports
  }

  /** The session in use. */
  async session(): Promise<Session> {
    return this.current()
  }

  /** The token in use, for a page that goes to a checkout and comes back. */
  get token(): string | undefined {
    return this.live?.session_token
  }

  /** Takes up the session of before the checkout. */
  async resume(token: string): Promise<Session> {
    this.exchanging ??= this.exchange(token)
    return this.exchanging
  }

  /** One request to the API, with the patience that the service asks for. Throws Refused or Unreachable. */
  async call<T>(method: string, path: string, options: CallOptions = {}): Promise<Answer<T>> {
    const { body, etag, keepalive } = options
    const headers = {
      ...(etag !== undefined && { 'If-None-Match': etag }),
      // so that trying again after a lost answer does the work once
      ...(method === 'POST' && { 'Idempotency-Key': this.ports.randomId() }),
    }
    const send = async () => {
      const { session_token: token } = await this.current()
      const sent = { method, path, token, body, headers, ...(keepalive && { keepalive }) }
      return { token, response: await this.patiently(sent) }
    }
    let { token, response } = await send()
    if (response.status === 401) {
      await this.renew(token)
      ;({ token, response } = await send())
    }
    return this.read<T>(response)
  }

  private async current(): Promise<LiveSession> {
    if (this.live && this.ports.nowMs() < this.live.renewAtMs) return this.live
    return this.renew(this.live?.session_token)
  }

  /** At most one exchange at a time: who comes meanwhile gets its outcome. */
  private async renew(token: string | undefined): Promise<LiveSession> {
    if (this.live && this.live.session_token !== token) return this.live
    this.exchanging ??= this.exchange(token)
    return this.exchanging
  }

  private async exchange(previous: string | undefined): Promise<LiveSession> {
    try {
      const startedMs = this.ports.nowMs()
      const response = await this.patiently({
        method: 'POST',
        path: '/session',
        token: this.publishableKey,
        ...(previous !== undefined && { headers: { 'X-Previous-Session': previous } }),
      })
      const { body } = await this.read<Session>(response)
      const endsAtMs = Date.parse(body.expires_at)
      const renewAtMs = endsAtMs > startedMs + renewBeforeMs ? endsAtMs - renewBeforeMs : unknownEnd
      this.live = { ...body, renewAtMs }
      return this.live
    } finally {
      this.exchanging = undefined
    }
  }

  /** Sends once more when nothing came back or the server was in trouble, and waits where a limit asks for it. */
  private async patiently(sent: Sent): Promise<Response> {
    let retried = false
    for (let waits = 0; ;) {
      const response = await this.once(sent)
      if (!response || response.status >= 500) {
        if (retried || sent.keepalive) throw new Unreachable()
        retried = true
        await this.ports.pause(Math.min((secondsOf(response) ?? 1) * retryPauseMs, longestRetryPauseMs))
        continue
      }
      const seconds = secondsOf(response)
      if (response.status !== 429 || seconds === null || sent.keepalive) return response
      if (seconds > longestWaitSeconds || waits >= mostWaits) return response
      waits += 1
      this.onWait(seconds)
      await this.ports.pause(seconds * 1000)
      this.onWait(null)
    }
  }

  private async once({ method, path, token, body, headers, keepalive }: Sent): Promise<Response | undefined> {
    try {
      return await this.ports.fetch(`${this.base}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(keepalive && { keepalive }),
        cache: 'no-store',
        credentials: 'omit',
        signal: AbortSignal.timeout(answerTimeoutMs),
      })
    } catch {
      return undefined // no network, or no answer in time: fetch tells no more
    }
  }

  private async read<T>(response: Response): Promise<Answer<T>> {
    const text = await response.text()
    if (!response.ok && response.status !== 304) {
      throw new Refused(problemOf(response.status, text), secondsOf(response))
    }
    // an answer without a body has none to be read
    const body = (text === '' ? undefined : JSON.parse(text)) as T
    return { status: response.status, body, etag: response.headers.get('etag') }
  }
}

function secondsOf(response: Response | undefined): number | null {
  const text = response?.headers.get('retry-after')
  return text && /^\d+$/.test(text) ? Math.max(Number(text), 1) : null
}

/** A proxy between may answer with a page of its own. */
function problemOf(status: number, text: string): ProblemDocument {
  try {
    const problem = JSON.parse(text) as Partial<ProblemDocument> | null
    if (typeof problem?.code === 'string')
      return { title: '', detail: '', ...problem, status, code: problem.code }
  } catch {
    // told below
  }
  return { status, code: 'unknown', title: '', detail: '' }
}

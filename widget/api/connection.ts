import type { BookingStart, ProblemDocument, Session } from './api-types.ts'
import { Refused, Unreachable } from './refusals.ts'

/** The browser's functions that the connection uses, for tests to replace. */
interface ConnectionPorts {
  fetch: typeof fetch
  nowMs(): number
  pause(ms: number): Promise<void>
  /** Returns a unique text. */
  randomId(): string
  /** Returns the tab's storage, which may be disabled. */
  storage(): Storage
  /** Returns the initial data that the page embeds, once; null without it. */
  carried(): BookingStart | null
}

export interface Answer<T> {
  status: number
  body: T
  etag: string | null
}

interface Sent {
  method: string
  path: string
  token?: string
  body?: unknown
  headers?: Record<string, string>
  keepalive?: boolean
}

export interface CallOptions {
  body?: unknown
  etag?: string | null
  /** The request may outlive the page. */
  keepalive?: boolean
}

const answerTimeoutMs = 20_000
const retryPauseMs = 1_000
const maxRetryPauseMs = 5_000
/** Longest wait before the widget shows a message and a button. */
const maxWaitSeconds = 90
const maxWaits = 3
/** Renews a session this long before it expires, so that no request fails. */
const renewBeforeMs = 5 * 60_000
/**
 * A new session that seems expired means that the device's clock is wrong. A 401 then triggers the renewal.
 */
const unknownEnd = Number.POSITIVE_INFINITY

interface LiveSession {
  session_token: string
  renewAtMs: number
}

/**
 * Calls the API as one visitor. Exchanges the session on first use and keeps it for the tab. Renews it
 * shortly before it expires or after a 401. Sends the old session along, so that no hold is lost.
 */
export class Connection {
  /** Called with the wait in seconds at a rate limit, and with null when the wait is over. */
  onWait: (seconds: number | null) => void = () => undefined
  private live: LiveSession | undefined
  private exchanging: Promise<LiveSession> | undefined
  private readonly base: string
  private readonly publishableKey: string
  private readonly ports: ConnectionPorts
  private readonly storageKey: string

  constructor(base: string, publishableKey: string, ports: ConnectionPorts) {
    this.base = base
    this.publishableKey = publishableKey
    this.ports = ports
    this.storageKey = `holdfast:session:${publishableKey}`
    this.live = this.kept()
  }

  /** Returns the initial data of a page. Needs no session. Throws Refused or Unreachable. */
  async start(query: string): Promise<BookingStart> {
    const carried = this.ports.carried()
    if (carried) return carried
    const path = `/../../book/${encodeURIComponent(this.publishableKey || '-')}/start${query && `?${query}`}`
    const { body } = await this.read<BookingStart>(await this.patiently({ method: 'GET', path }))
    return body
  }

  /** True if a request would not have to exchange a session. */
  get isOpen(): boolean {
    return this.live !== undefined && this.ports.nowMs() < this.live.renewAtMs
  }

  /** The current token, which is stored while the visitor is at a checkout. */
  get token(): string | undefined {
    return this.live?.session_token
  }

  /** Resumes the session from before the checkout, unless the tab still has one. */
  resume(token: string): void {
    this.live ??= { session_token: token, renewAtMs: 0 }
  }

  /** Sends a request, and waits as `Retry-After` asks. Throws Refused or Unreachable. */
  async call<T>(method: string, path: string, options: CallOptions = {}): Promise<Answer<T>> {
    const { body, etag, keepalive = false } = options
    const headers = {
      ...(etag && { 'If-None-Match': etag }),
      // a retry after a lost response then does the work only once
      ...(method === 'POST' && { 'Idempotency-Key': this.ports.randomId() }),
    }
    const send = async () => {
      const { session_token: token } = await this.current()
      const sent = { method, path, token, body, headers, keepalive }
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
    return this.live && this.isOpen ? this.live : this.renew(this.token)
  }

  /** Runs one exchange at a time. Concurrent callers share its result. */
  private async renew(token: string | undefined): Promise<LiveSession> {
    const other = this.kept() // another widget of the page may have renewed it
    if (other && other.session_token !== token) this.live = other
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
      this.live = { session_token: body.session_token, renewAtMs }
      try {
        this.ports.storage().setItem(this.storageKey, JSON.stringify(this.live))
      } catch {
        // storage is disabled
      }
      return this.live
    } finally {
      this.exchanging = undefined
    }
  }

  /** Returns the session of this tab, unless it expires soon. */
  private kept(): LiveSession | undefined {
    try {
      const kept = JSON.parse(this.ports.storage().getItem(this.storageKey) ?? '') as LiveSession
      return this.ports.nowMs() < kept.renewAtMs ? kept : undefined
    } catch {
      return undefined
    }
  }

  /** Retries once after no response or a server error, and waits at a rate limit. */
  private async patiently(sent: Sent): Promise<Response> {
    let retried = false
    for (let waits = 0; ;) {
      const response = await this.once(sent)
      if (!response || response.status >= 500) {
        if (retried || sent.keepalive) throw response ? new Error('server error') : new Unreachable()
        retried = true
        await this.ports.pause(Math.min((secondsOf(response) ?? 1) * retryPauseMs, maxRetryPauseMs))
        continue
      }
      const seconds = secondsOf(response)
      if (response.status !== 429 || seconds === null || sent.keepalive) return response
      if (seconds > maxWaitSeconds || waits >= maxWaits) return response
      waits += 1
      this.onWait(seconds)
      await this.ports.pause(seconds * 1000)
      this.onWait(null)
    }
  }

  private async once({
    method,
    path,
    token,
    body,
    headers,
    keepalive = false,
  }: Sent): Promise<Response | undefined> {
    try {
      return await this.ports.fetch(`${this.base}${path}`, {
        method,
        headers: {
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        keepalive,
        cache: 'no-store',
        credentials: token ? 'omit' : 'same-origin', // must match the preload of the start by the page
        signal: AbortSignal.timeout(answerTimeoutMs),
      })
    } catch {
      return undefined // no network, or a timeout: fetch does not distinguish them
    }
  }

  private async read<T>(response: Response): Promise<Answer<T>> {
    const text = await response.text()
    if (!response.ok && response.status !== 304) {
      throw new Refused(problemOf(response.status, text), secondsOf(response))
    }
    // an empty response
    const body = (text === '' ? undefined : JSON.parse(text)) as T
    return { status: response.status, body, etag: response.headers.get('etag') }
  }
}

function secondsOf(response: Response | undefined): number | null {
  const text = response?.headers.get('retry-after')
  return text && /^\d+$/.test(text) ? Math.max(Number(text), 1) : null
}

/** A proxy may respond with its own page. */
function problemOf(status: number, text: string): ProblemDocument {
  const unknown = { status, code: 'unknown', title: '', detail: '' }
  try {
    const problem = JSON.parse(text) as Partial<ProblemDocument> | null
    if (typeof problem?.code === 'string') return { ...unknown, ...problem, status }
  } catch {
    // reported below
  }
  return unknown
}

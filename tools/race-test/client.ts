import { Agent, request } from 'undici'
import { monotonicMs, systemClock } from '../../src/base/clock.ts'
import { OperatorError } from '../../src/base/errors.ts'
import { systemIds } from '../../src/base/ids.ts'
import type { BookingShown } from './rules.ts'

/** Thrown if the test could not run and ends without a verdict. */
export class Inconclusive extends OperatorError {}

/** A response of the service. */
export interface RaceResponse {
  status: number
  body: Record<string, unknown>
}

interface RaceClientOptions {
  /** URLs of one service, used in turn. */
  urls: string[]
  key: string
  /** Milliseconds from now during which requests are sent. */
  lastsMs: number
  stopping: AbortSignal
}

const answerTimeoutMs = 10_000
const maxAttempts = 5
const maxConnections = 64
const maxPages = 40

/**
 * Calls a service over HTTP as any program would. Uses the URLs in turn and retries after 429 and 503.
 * Finishes pending requests, so that the clean-up knows everything that was created.
 */
export class RaceClient {
  /** Requests sent so far. */
  sent = 0
  /** Requests that the key may send before it has to wait. */
  requestsLeft = Infinity
  private readonly options: RaceClientOptions
  private endsAtMs: number
  private stopping: AbortSignal
  private readonly agent = new Agent({
    connections: maxConnections,
    pipelining: 1,
    headersTimeout: answerTimeoutMs,
    bodyTimeout: answerTimeoutMs,
    connect: { timeout: answerTimeoutMs },
  })
  /** Bounds of the service's clock ahead of ours, in milliseconds. */
  private readonly ahead = { min: -Infinity, max: Infinity }

  constructor(options: RaceClientOptions) {
    this.options = options
    this.endsAtMs = monotonicMs() + options.lastsMs
    this.stopping = options.stopping
  }

  /** Returns the time left; 0 once stopped. */
  timeLeftMs(): number {
    return this.stopping.aborted ? 0 : this.endsAtMs - monotonicMs()
  }

  /** Allows more time for the clean-up, even after a stop. */
  prolong(lastsMs: number): void {
    this.stopping = new AbortController().signal
    this.endsAtMs = monotonicMs() + lastsMs
  }

  /** Returns the service's time, estimated from its Date headers, in epoch milliseconds. */
  serviceNowMs(): number {
    const { min, max } = this.ahead
    const ahead = Number.isFinite(min) && Number.isFinite(max) ? (min + max) / 2 : 0
    return systemClock.nowMs() + ahead
  }

  /** Sends a request that must succeed. Throws Inconclusive with the response. */
  async have(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const response = await this.send(method, path, body)
    if (response.status < 300) return response.body
    const { code, detail } = response.body
    throw new Inconclusive(
      `${method} ${path} was answered with ${response.status} ${String(code)}: ${String(detail)}`,
    )
  }

  /** Sends a request and repeats it after 429 and 503. Throws Inconclusive without a timely response. */
  async send(method: string, path: string, body?: object): Promise<RaceResponse> {
    const turn = this.sent
    this.sent += 1
    const url = this.options.urls[turn % this.options.urls.length] ?? ''
    return this.sendTo(url, { method, path, ...(body && { body }) })
  }

  /** Sends a request like `send`, to one URL. */
  async sendTo(
    url: string,
    { method, path, body }: { method: string; path: string; body?: object },
  ): Promise<RaceResponse> {
    const headers = {
      authorization: `Bearer ${this.options.key}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(method === 'POST' && { 'idempotency-key': systemIds.request() }), // a retry creates nothing twice
    }
    for (let attempt = 1; ; attempt += 1) {
      if (this.stopping.aborted) throw new Inconclusive('it was interrupted')
      if (this.timeLeftMs() <= 0) throw new Inconclusive(`time ran out before ${method} ${path}`)
      const { retryAfterSeconds, ...response } = await this.once(`${url}/api/v1${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      if (retryAfterSeconds === undefined) return response
      if (attempt === maxAttempts || retryAfterSeconds * 1000 > this.timeLeftMs()) {
        throw new Inconclusive(
          `${url} answers ${response.status} ${String(response.body['code'])} and asks to wait for ${retryAfterSeconds} s`,
        )
      }
      await new Promise((resolve) => setTimeout(resolve, retryAfterSeconds * 1000))
    }
  }

  /** Returns all bookings at a location. */
  async listBookings(locationId: string): Promise<BookingShown[]> {
    const all: BookingShown[] = []
    let cursor = ''
    for (let page = 0; page < maxPages; page += 1) {
      const body = await this.have('GET', `/bookings?limit=100&location_id=${locationId}${cursor}`)
      all.push(...(body['data'] as BookingShown[]))
      const next = body['next_cursor'] as string | null // the list in the API's format
      if (next === null) return all
      cursor = `&cursor=${encodeURIComponent(next)}`
    }
    throw new Inconclusive('the list of bookings never ends')
  }

  async close(): Promise<void> {
    await this.agent.destroy()
  }

  private async once(
    url: string,
    what: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<RaceResponse & { retryAfterSeconds: number | undefined }> {
    const sentMs = systemClock.nowMs()
    try {
      const { statusCode, headers, body } = await request(url, {
        ...what,
        method: what.method as 'GET', // a method of the API
        dispatcher: this.agent,
      })
      const text = await body.text()
      this.learnTime(String(headers['date']), sentMs)
      this.requestsLeft = readNumber(headers['x-ratelimit-remaining']) ?? this.requestsLeft
      const waits = statusCode === 429 || statusCode === 503
      return {
        status: statusCode,
        body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>), // responses of the API are objects
        retryAfterSeconds: waits ? (readNumber(headers['retry-after']) ?? 1) : undefined,
      }
    } catch (error) {
      const cause = error instanceof SyntaxError ? 'the response is not JSON' : reasonOf(error)
      throw new Inconclusive(`no Holdfast answers at ${new URL(url).origin} (${cause})`, { cause: error })
    }
  }

  /** Narrows down the service's time. The header has whole seconds, but many of them give a fraction. */
  private learnTime(date: string, sentMs: number): void {
    const dateMs = Date.parse(date)
    if (Number.isNaN(dateMs)) return
    this.ahead.min = Math.max(this.ahead.min, dateMs - systemClock.nowMs())
    this.ahead.max = Math.min(this.ahead.max, dateMs + 1000 - sentMs)
  }
}

function readNumber(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,10}$/.test(header) ? Number(header) : undefined
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  // a host with several IP addresses has an error for each, and no message itself
  return error.message || ('code' in error ? String(error.code) : error.name)
}

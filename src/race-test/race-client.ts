import { Agent, request } from 'undici'
import { monotonicMs, systemClock } from '../clock.ts'
import { OperatorError } from '../errors.ts'
import { systemIds } from '../ids.ts'

/** The test ends without a verdict: the service could not be asked what it has to be asked. */
export class NoVerdict extends OperatorError {}

/** What the service answered. */
export interface Answer {
  status: number
  body: Record<string, unknown>
}

/** How the service is reached. */
export interface RaceClientOptions {
  /** Addresses of one service, each with its own turn. */
  urls: string[]
  key: string
  /** How long requests are made, in milliseconds from now. */
  lastsMs: number
  /** Ends it early. */
  stopping: AbortSignal
}

const answerTimeoutMs = 10_000
const mostAttempts = 5
const mostConnections = 64

/**
 * Asks a service over HTTP as any program would: each request at the address whose turn it is, and again when it is
 * told to wait. What is under way is always finished, so that whoever cleans up knows what there is.
 */
export class RaceClient {
  /** How many requests were sent. */
  sent = 0
  /** How many more the key may make before it has to wait. */
  requestsLeft = Infinity
  private readonly options: RaceClientOptions
  private endsAtMs: number
  private stopping: AbortSignal
  private readonly agent = new Agent({
    connections: mostConnections,
    pipelining: 1,
    headersTimeout: answerTimeoutMs,
    bodyTimeout: answerTimeoutMs,
    connect: { timeout: answerTimeoutMs },
  })
  /** The clock of the service is ahead of ours by at least and at most so much, in milliseconds. */
  private readonly ahead = { least: -Infinity, most: Infinity }

  constructor(options: RaceClientOptions) {
    this.options = options
    this.endsAtMs = monotonicMs() + options.lastsMs
    this.stopping = options.stopping
  }

  /** How much time is left, in milliseconds; none when it was told to stop. */
  timeLeftMs(): number {
    return this.stopping.aborted ? 0 : this.endsAtMs - monotonicMs()
  }

  /** More time for what has to be done in any case, also after it was told to stop. */
  prolong(lastsMs: number): void {
    this.stopping = new AbortController().signal
    this.endsAtMs = monotonicMs() + lastsMs
  }

  /** The time of the service as its answers tell it, in epoch milliseconds. */
  serviceNowMs(): number {
    const { least, most } = this.ahead
    const ahead = Number.isFinite(least) && Number.isFinite(most) ? (least + most) / 2 : 0
    return systemClock.nowMs() + ahead
  }

  /** One request that has to succeed. Throws a NoVerdict that says what came back. */
  async have(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const answer = await this.send(method, path, body)
    if (answer.status < 300) return answer.body
    const { code, detail } = answer.body
    throw new NoVerdict(
      `${method} ${path} was answered with ${answer.status} ${String(code)}: ${String(detail)}`,
    )
  }

  /** One request, and again after 429 and 503 as they ask. Throws a NoVerdict when there is no answer in time. */
  async send(method: string, path: string, body?: object): Promise<Answer> {
    const turn = this.sent
    this.sent += 1
    const url = this.options.urls[turn % this.options.urls.length] ?? ''
    return this.sendTo(url, { method, path, ...(body && { body }) })
  }

  /** The same at one of the addresses. */
  async sendTo(
    url: string,
    { method, path, body }: { method: string; path: string; body?: object },
  ): Promise<Answer> {
    const headers = {
      authorization: `Bearer ${this.options.key}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(method === 'POST' && { 'idempotency-key': systemIds.request() }), // so that a repetition makes nothing twice
    }
    for (let attempt = 1; ; attempt += 1) {
      if (this.stopping.aborted) throw new NoVerdict('it was interrupted')
      if (this.timeLeftMs() <= 0) throw new NoVerdict(`the time was up before ${method} ${path}`)
      const { retryAfterSeconds, ...answer } = await this.once(`${url}/api/v1${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      if (retryAfterSeconds === undefined) return answer
      if (attempt === mostAttempts || retryAfterSeconds * 1000 > this.timeLeftMs()) {
        throw new NoVerdict(
          `${url} answers ${answer.status} ${String(answer.body['code'])} and asks to wait for ${retryAfterSeconds} s`,
        )
      }
      await new Promise((resolve) => setTimeout(resolve, retryAfterSeconds * 1000))
    }
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await this.agent.destroy()
  }

  private async once(
    url: string,
    what: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<Answer & { retryAfterSeconds: number | undefined }> {
    const sentMs = systemClock.nowMs()
    try {
      const { statusCode, headers, body } = await request(url, {
        ...what,
        method: what.method as 'GET', // the methods of the API
        dispatcher: this.agent,
      })
      const text = await body.text()
      this.learnTime(String(headers['date']), sentMs)
      this.requestsLeft = readNumber(headers['x-ratelimit-remaining']) ?? this.requestsLeft
      const waits = statusCode === 429 || statusCode === 503
      return {
        status: statusCode,
        body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>), // the API answers with objects
        retryAfterSeconds: waits ? (readNumber(headers['retry-after']) ?? 1) : undefined,
      }
    } catch (error) {
      const cause = error instanceof SyntaxError ? 'the answer is not JSON' : reasonOf(error)
      throw new NoVerdict(`no Holdfast answers at ${new URL(url).origin} (${cause})`, { cause: error })
    }
  }

  /** The header has whole seconds; many of them, at different fractions of a second, tell the time closely. */
  private learnTime(date: string, sentMs: number): void {
    const dateMs = Date.parse(date)
    if (Number.isNaN(dateMs)) return
    this.ahead.least = Math.max(this.ahead.least, dateMs - systemClock.nowMs())
    this.ahead.most = Math.min(this.ahead.most, dateMs + 1000 - sentMs)
  }
}

function readNumber(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,10}$/.test(header) ? Number(header) : undefined
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  // an address with several families has an error for each, and no message of its own
  return error.message || ('code' in error ? String(error.code) : error.name)
}

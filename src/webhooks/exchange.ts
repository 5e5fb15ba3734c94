import type { Dispatcher } from 'undici'
import type { AttemptError, Exchange } from './delivery-types.ts'
import { AddressNotAllowed } from './guarded-agent.ts'
import { readRetryAfter } from './retry-rules.ts'

/** No more of an answer is read, in bytes: it is of no interest. */
const longestAnswer = 65_536

/** Where a request goes: the server, and what it is asked for. */
export interface Target {
  origin: string
  path: string
}

/** Takes an address apart. Throws a TypeError when it is none. */
export function targetOf(url: string): Target {
  const { origin, pathname, search } = new URL(url)
  return { origin, path: pathname + search }
}

/** A request to a receiver. */
export interface Sending {
  to: Target
  headers: Record<string, string>
  body: string
}

/** What an exchange goes over, how long it may take, and what is called to end it early. */
export interface Means {
  dispatcher: Pick<Dispatcher, 'dispatch'>
  timeoutMs: number
  stopping: Set<() => void>
  nowMs: () => number
}

/**
 * Sends one request and reads its answer, all within the time limit: from the look-up of the name to the last byte.
 * Never throws; undefined when it was ended early, so that nothing can be said of it.
 */
export function exchange(sending: Sending, means: Means): Promise<Exchange | undefined> {
  const { to, headers, body } = sending
  return new Promise((done) => {
    const handler = new ExchangeHandler(means, done)
    means.dispatcher.dispatch({ origin: to.origin, path: to.path, method: 'POST', headers, body }, handler)
  })
}

/** Hears of the client what happens. A stream for each answer would cost more than all the rest of the exchange. */
class ExchangeHandler implements Dispatcher.DispatchHandler {
  private readonly means: Means
  private readonly done: (exchanged: Exchange | undefined) => void
  private readonly timer: NodeJS.Timeout
  private controller: Dispatcher.DispatchController | undefined
  private responseStatus: number | null = null
  private retryAfter: string | string[] | undefined
  private bytes = 0
  private isOver = false

  constructor(means: Means, done: (exchanged: Exchange | undefined) => void) {
    this.means = means
    this.done = done
    this.timer = setTimeout(() => this.giveUp(this.failed('timeout')), means.timeoutMs)
    means.stopping.add(this.stop)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.isOver) controller.abort(new GivenUp()) // the connection came too late
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return // an interim one
    this.responseStatus = status
    this.retryAfter = headers['retry-after']
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length
    if (this.bytes > longestAnswer) this.giveUp(this.answered())
  }

  onResponseEnd(): void {
    this.end(this.answered())
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.end(this.failed(reasonOf(error)))
  }

  private readonly stop = () => this.giveUp(undefined)

  private answered(): Exchange {
    return judge(this.responseStatus ?? 0, this.retryAfter, this.means.nowMs)
  }

  private failed(error: AttemptError): Exchange {
    return { responseStatus: this.responseStatus, error }
  }

  /** Ends it in the middle: the connection cannot be used again. */
  private giveUp(exchanged: Exchange | undefined): void {
    this.end(exchanged)
    this.controller?.abort(new GivenUp())
  }

  private end(exchanged: Exchange | undefined): void {
    if (this.isOver) return
    this.isOver = true
    clearTimeout(this.timer)
    this.means.stopping.delete(this.stop)
    this.done(exchanged)
  }
}

/** What the client is told when nobody waits for the answer any more. */
class GivenUp extends Error {
  override readonly name = 'GivenUp'
}

function judge(status: number, retryAfter: string | string[] | undefined, nowMs: () => number): Exchange {
  if (status >= 200 && status < 300) return { responseStatus: status, error: null }
  if (status >= 300 && status < 400) return { responseStatus: status, error: 'redirect_not_followed' }
  const seconds = [429, 503].includes(status)
    ? readRetryAfter(Array.isArray(retryAfter) ? retryAfter[0] : retryAfter, nowMs())
    : undefined
  return {
    responseStatus: status,
    error: 'status_not_2xx',
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  }
}

/** What the codes of Node, of its TLS and of the client say. */
const reasons: [pattern: RegExp, reason: AttemptError][] = [
  [/^(ENOTFOUND|ENODATA|EAI_\w+)$/, 'dns_failed'],
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'connection_reset'],
  [/TIMEOUT|ETIMEDOUT/, 'timeout'],
  [/^HTTPParserError$|^HPE_|UND_ERR_(HEADERS_OVERFLOW|RES_|INVALID|BODY)/, 'invalid_response'],
  [/CERT|SIGNATURE|ISSUER|CRL|HOSTNAME_MISMATCH/, 'certificate_rejected'],
]

function reasonOf(error: unknown): AttemptError {
  if (error instanceof AddressNotAllowed) return 'address_not_allowed'
  const { code, name } = error as { code?: unknown; name?: unknown }
  const known = reasons.find(([pattern]) => pattern.test(String(code ?? name)))
  return known?.[1] ?? 'connection_failed'
}

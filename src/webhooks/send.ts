import type { LookupFunction } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import { monotonicMs } from '../clock.ts'
import { addressLiteral, isAllowedAddress, systemResolve, type Resolve } from './addresses.ts'
import { serviceSignature, standardSignature } from './signature.ts'

/*
 * One attempt: a signed POST to a receiver, over a connection whose address was checked.
 *
 * Guarantees: it ends within the time limit, from resolving the name to the last byte. Only a whole answer with 2xx is a
 * success. In production nothing connects to an address of the inner network. Redirects are not followed.
 */

/** More bytes than this of an answer are not read. */
const maxAnswerBytes = 65_536

/** Why an attempt failed, in words that do not change. */
export type AttemptError =
  | 'timeout'
  | 'status_not_2xx'
  | 'redirect_not_followed'
  | 'response_too_large'
  | 'address_not_allowed'
  | 'dns_failed'
  | 'connection_refused'
  | 'connection_reset'
  | 'connection_failed'
  | 'certificate_rejected'
  | 'invalid_response'

/** How an attempt ended. */
export interface AttemptResult {
  /** When it began, in milliseconds since 1970-01-01T00:00:00Z. */
  atMs: number
  tookMs: number
  /** Null when no status came. */
  responseStatus: number | null
  /** Null when it succeeded. */
  error: AttemptError | null
  /** How long the receiver asks to be left alone, in seconds (429 and 503). */
  retryAfterSeconds?: number
}

/** A delivery as it is sent. */
export interface OutboundDelivery {
  url: string
  /** The secret in force, and for a day after a rotation the previous one. */
  secrets: string[]
  eventId: string
  body: string
  /** Whether it is of no event, for trying out. */
  isSample: boolean
}

/** How deliveries are sent. */
export interface SendOptions {
  /** Of Holdfast, for `User-Agent`. */
  version: string
  /** Of one attempt. */
  timeoutMs: number
  /** Whether any address may be connected to: outside of production. */
  isUnguarded: boolean
  /** Ranges (CIDR) that may be connected to beside public addresses. */
  allowedRanges: readonly string[]
  /** The present, in milliseconds since 1970-01-01T00:00:00Z. */
  nowMs: () => number
  resolve?: Resolve
}

/** Sends deliveries over connections of its own, until it is closed. */
export class Sender {
  private readonly options: SendOptions
  private opened: Promise<Dispatcher> | undefined
  private isAborted = false
  private readonly exchanges = new Set<Exchange>()

  constructor(options: SendOptions) {
    this.options = options
  }

  /** Makes one attempt. Gives undefined when it was aborted. Throws a TypeError when the URL is not valid. */
  async send(delivery: OutboundDelivery): Promise<AttemptResult | undefined> {
    const { nowMs, timeoutMs } = this.options
    const [atMs, startedMs] = [nowMs(), monotonicMs()]
    const { origin, pathname, search } = new URL(delivery.url)
    const headers = this.headersOf(delivery, Math.floor(atMs / 1000))
    const dispatcher = await (this.opened ??= guardedAgent(this.options))
    if (this.isAborted) return undefined
    const answer = await new Promise<Answer | undefined>((done) => {
      const exchange = new Exchange(timeoutMs, (ended) => {
        this.exchanges.delete(exchange)
        done(ended)
      })
      this.exchanges.add(exchange)
      const request = {
        origin,
        path: pathname + search,
        method: 'POST' as const,
        headers,
        body: delivery.body,
      }
      dispatcher.dispatch(request, exchange)
    })
    if (answer === undefined) return undefined
    const { retryAfter, ...judged } = answer
    const seconds = readRetryAfter(retryAfter, nowMs())
    const retry = seconds === undefined ? {} : { retryAfterSeconds: seconds }
    return { atMs, tookMs: monotonicMs() - startedMs, ...judged, ...retry }
  }

  /** Ends every attempt in flight, of which nothing is known then, and makes no other. */
  abortAll(): void {
    this.isAborted = true
    for (const exchange of this.exchanges) exchange.abort()
  }

  async close(): Promise<void> {
    await (await this.opened)?.destroy()
  }

  /** `timestamp` is in Unix seconds. */
  private headersOf({ secrets, eventId, body, isSample }: OutboundDelivery, timestamp: number) {
    return {
      'Content-Type': 'application/json',
      'User-Agent': `Holdfast/${this.options.version}`,
      'X-Service-Signature': serviceSignature(secrets[0] ?? '', body),
      'webhook-id': eventId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': standardSignature(secrets, { id: eventId, timestamp, body }),
      ...(isSample && { 'X-Service-Test': 'true' }),
    }
  }
}

/** What became of a request. */
type Answer = Pick<AttemptResult, 'responseStatus' | 'error'> & { retryAfter?: string | undefined }

/** Follows one request. It hears of the client itself: a stream for each answer would cost more than all the rest. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly done: (answer: Answer | undefined) => void
  private readonly timer: NodeJS.Timeout
  private controller: Dispatcher.DispatchController | undefined
  private status: number | null = null
  private retryAfter: string | undefined
  private bytes = 0
  private isOver = false

  constructor(timeoutMs: number, done: (answer: Answer | undefined) => void) {
    this.done = done
    this.timer = setTimeout(() => this.giveUp({ responseStatus: this.status, error: 'timeout' }), timeoutMs)
  }

  /** Ends it as if it had not been made. */
  abort(): void {
    this.giveUp(undefined)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.isOver) controller.abort(new SendAborted()) // the connection came too late
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return // an interim one
    this.status = status
    const { 'retry-after': retryAfter } = headers
    if (status === 429 || status === 503)
      this.retryAfter = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length
    if (this.bytes <= maxAnswerBytes) return
    const answer = this.judged()
    this.giveUp({ ...answer, error: answer.error ?? 'response_too_large' })
  }

  onResponseEnd(): void {
    this.end(this.judged())
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.end({ responseStatus: this.status, error: reasonOf(error) })
  }

  private judged(): Answer {
    const status = this.status ?? 0
    if (status >= 200 && status < 300) return { responseStatus: status, error: null }
    const error = status >= 300 && status < 400 ? 'redirect_not_followed' : 'status_not_2xx'
    return { responseStatus: status, error, retryAfter: this.retryAfter }
  }

  /** Ends it in the middle: the connection cannot be used again. */
  private giveUp(answer: Answer | undefined): void {
    this.end(answer)
    this.controller?.abort(new SendAborted())
  }

  private end(answer: Answer | undefined): void {
    if (this.isOver) return
    this.isOver = true
    clearTimeout(this.timer)
    this.done(answer)
  }
}

/** Told to the client when nobody waits for the answer any more. */
class SendAborted extends Error {
  override readonly name = 'SendAborted'
}

/**
 * Reads a `Retry-After` (RFC 9110, section 10.2.3) as seconds, at least one; undefined when it is absent or not valid.
 * `nowMs` is the present, to which a date is compared.
 */
function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,10}$/.test(text)) return Math.max(Number(text), 1)
  const dateMs = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(dateMs) ? undefined : Math.max(Math.ceil((dateMs - nowMs) / 1000), 1)
}

/** Codes of Node, of its TLS and of the client. */
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

/** Thrown instead of connecting to an address of the inner network. */
class AddressNotAllowed extends Error {
  override readonly name = 'AddressNotAllowed'
}

/**
 * Connections to receivers, kept for a few seconds. The address that is checked is the one that the connection is made to:
 * a name that resolves differently a moment later changes nothing. A server without webhooks never loads the client.
 */
async function guardedAgent(options: SendOptions): Promise<Dispatcher> {
  const { Agent, buildConnector } = await import('undici')
  const { timeoutMs, isUnguarded, allowedRanges, resolve = systemResolve } = options
  const mayConnect = (address: string) => isUnguarded || isAllowedAddress(address, allowedRanges)
  const lookup = checkedLookup(resolve, mayConnect)
  const connector = buildConnector({ timeout: timeoutMs, allowH2: false, lookup })
  const connect: buildConnector.connector = (target, callback) => {
    // an address literal never passes the look-up
    const literal = addressLiteral(bracketed(target.hostname))
    if (literal !== undefined && !mayConnect(literal)) {
      callback(new AddressNotAllowed(), null)
      return
    }
    connector(target, (...result) => {
      const [error, socket] = result
      if (error === null && !mayConnect(socket.remoteAddress ?? '')) {
        socket.destroy()
        callback(new AddressNotAllowed(), null)
        return
      }
      callback(...result)
    })
  }
  return new Agent({ connect, allowH2: false, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
}

/** The connector gets an IPv6 address without the brackets that it has in a URL. */
function bracketed(hostname: string): string {
  return hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname
}

function checkedLookup(resolve: Resolve, mayConnect: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses
        // one forbidden address among others is a trap, not a mistake
        if (!first || !addresses.every(({ address }) => mayConnect(address))) {
          callback(new AddressNotAllowed(), '', 0)
        } else if (options.all) callback(null, addresses)
        else callback(null, first.address, first.family)
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error('no address'), '', 0)
      },
    )
  }
}

import type { LookupFunction } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import { type Clock, monotonicMs } from '../base/clock.ts'
import { toMs } from '../base/instants.ts'
import { addressLiteral, isAllowedAddress, type Resolve, systemResolve } from './addresses.ts'
import type { LeasedDelivery } from './delivery-queries.ts'
import { serviceSignature, standardSignature } from './signature.ts'

/*
 * One attempt: a signed POST to a receiver, over a connection whose address was checked.
 *
 * Guarantees: it ends within the time limit, from resolving the name to the last byte. Only a whole response with 2xx is a
 * success. In production nothing connects to an address of the inner network. Redirects are not followed.
 */

const maxResponseBytes = 65_536

/** Why an attempt failed, as the API shows it. */
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
  /** From `Retry-After` of a 429 or 503. */
  retryAfterSeconds?: number
}

interface SendOptions extends GuardOptions {
  /** Of Holdfast, for `User-Agent`. */
  version: string
  clock: Clock
}

/** What an agent connects to. */
export interface GuardOptions {
  /** The limit of one attempt. */
  timeoutMs: number
  /** Outside of production any address may be connected to. */
  isUnguarded: boolean
  /** Ranges (CIDR) that are allowed beside public addresses. */
  allowedRanges: readonly string[]
  resolve?: Resolve
}

/** Sends deliveries over connections of its own, until it is closed. */
export class Sender {
  private readonly options: SendOptions
  private agent: Promise<Dispatcher> | undefined
  private closing: Promise<void> | undefined

  constructor(options: SendOptions) {
    this.options = options
  }

  /** Makes one attempt. Gives undefined when the sender was closed before its end. Throws a TypeError when the URL is not valid. */
  async send(delivery: LeasedDelivery): Promise<AttemptResult | undefined> {
    const { clock, timeoutMs } = this.options
    const [atMs, startedMs] = [clock.nowMs(), monotonicMs()]
    const { origin, pathname, search } = new URL(delivery.url)
    const body = delivery.payload ?? delivery.sample_payload ?? ''
    const headers = this.headersOf(delivery, body)
    const request = { origin, path: pathname + search, method: 'POST' as const, headers, body }
    const agent = await (this.agent ??= guardedAgent(this.options))
    if (this.isClosed()) return undefined
    const { retryAfter, ...ending } = await new Promise<Ending>((done) => {
      agent.dispatch(request, new Exchange(timeoutMs, done))
    })
    if (this.isClosed() && ending.error !== null) return undefined
    const seconds = readRetryAfter(retryAfter, clock.nowMs())
    const retry = seconds === undefined ? {} : { retryAfterSeconds: seconds }
    return { atMs, tookMs: monotonicMs() - startedMs, ...ending, ...retry }
  }

  /** Cuts off every attempt in flight, and makes no other. */
  close(): Promise<void> {
    this.closing ??= Promise.resolve(this.agent).then((agent) => agent?.destroy())
    return this.closing
  }

  private isClosed(): boolean {
    return this.closing !== undefined
  }

  private headersOf(delivery: LeasedDelivery, body: string) {
    const { secret, previous_secret: previous, previous_secret_until: until, event_id: id } = delivery
    const now = this.options.clock.now()
    const secrets = previous !== null && until !== null && until > now ? [secret, previous] : [secret]
    const timestamp = Math.floor(toMs(now) / 1000)
    return {
      'Content-Type': 'application/json',
      'User-Agent': `Holdfast/${this.options.version}`,
      'X-Service-Signature': serviceSignature(secret, body),
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': standardSignature(secrets, { id, timestamp, body }),
      ...(delivery.sample_payload !== null && { 'X-Service-Test': 'true' }),
    }
  }
}

/** The end of an exchange. */
type Ending = Pick<AttemptResult, 'responseStatus' | 'error'> & { retryAfter?: string | undefined }

/** Follows one request as a handler of the client: a stream for each response would cost more than all the rest. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly done: (ending: Ending) => void
  private readonly timer: NodeJS.Timeout
  private controller: Dispatcher.DispatchController | undefined
  private status: number | null = null
  private retryAfter: string | undefined
  private bytes = 0
  private isOver = false

  constructor(timeoutMs: number, done: (ending: Ending) => void) {
    this.done = done
    this.timer = setTimeout(() => this.giveUp({ responseStatus: this.status, error: 'timeout' }), timeoutMs)
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
    if (this.bytes <= maxResponseBytes) return
    const ending = this.judged()
    this.giveUp({ ...ending, error: ending.error ?? 'response_too_large' })
  }

  onResponseEnd(): void {
    this.end(this.judged())
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.end({ responseStatus: this.status, error: reasonOf(error) })
  }

  private judged(): Ending {
    const status = this.status ?? 0
    if (status >= 200 && status < 300) return { responseStatus: status, error: null }
    const error = status >= 300 && status < 400 ? 'redirect_not_followed' : 'status_not_2xx'
    return { responseStatus: status, error, retryAfter: this.retryAfter }
  }

  /** Ends it early: the connection cannot be used again. */
  private giveUp(ending: Ending): void {
    this.end(ending)
    this.controller?.abort(new SendAborted())
  }

  private end(ending: Ending): void {
    if (this.isOver) return
    this.isOver = true
    clearTimeout(this.timer)
    this.done(ending)
  }
}

/** Tells the client that nobody waits for the response any more. */
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

/** By codes of Node, of its TLS and of the client. */
const reasons: [pattern: RegExp, reason: AttemptError][] = [
  [/^(ENOTFOUND|ENODATA|EAI_\w+)$/, 'dns_failed'],
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'connection_reset'],
  [/TIMEOUT|ETIMEDOUT/, 'timeout'],
  [/^HTTPParserError$|^HPE_|UND_ERR_(HEADERS_OVERFLOW|RES_|INVALID|BODY)/, 'invalid_response'],
  [/CERT|SIGNATURE|ISSUER|CRL|HOSTNAME_MISMATCH/, 'certificate_rejected'],
]

/** Why a connection failed, by the error of the client. */
export function reasonOf(error: unknown): AttemptError {
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
 * Opens connections to receivers and keeps them for a few seconds. It checks the very address that it connects to: a name
 * that resolves differently a moment later changes nothing. A server without webhooks never loads the client.
 */
export async function guardedAgent(options: GuardOptions): Promise<Dispatcher> {
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
        // one forbidden address among others is no accident
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

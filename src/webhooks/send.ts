import { once } from 'node:events'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import { type Clock, monotonicMs } from '../base/clock.ts'
import { toMs } from '../base/instants.ts'
import { addressLiteral, isAllowedAddress, type Resolve, systemResolve } from './addresses.ts'
import type { LeasedDelivery } from './delivery-queries.ts'
import { sampleType } from './event-payload.ts'
import { serviceSignature, standardSignature } from './signature.ts'

/*
 * One attempt: a signed POST to a receiver, over a connection whose address was checked.
 *
 * Guarantees: it ends within the time limit, from resolving the name to the last byte. Only a complete response with
 * 2xx is a success. In production nothing connects to an address of the internal network. Redirects are not followed.
 */

const maxResponseBytes = 65_536

/** The reason why an attempt failed, as the API shows it. */
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

/** The outcome of an attempt. */
export interface AttemptResult {
  /** Start of the attempt, in milliseconds since 1970-01-01T00:00:00Z. */
  atMs: number
  tookMs: number
  /** Null if no status arrived. */
  responseStatus: number | null
  /** Null if it succeeded. */
  error: AttemptError | null
  /** From `Retry-After` of a 429 or 503. */
  retryAfterSeconds?: number
}

interface SendOptions extends GuardOptions {
  /** Version of Holdfast, for `User-Agent`. */
  version: string
  clock: Clock
}

/** The limits of an agent's connections. */
export interface GuardOptions {
  /** Time limit of one attempt. */
  timeoutMs: number
  /** Outside production, connections may go to any address. */
  isUnguarded: boolean
  /** Ranges (CIDR) that are allowed in addition to public addresses. */
  allowedRanges: readonly string[]
  resolve?: Resolve
}

/** Sends deliveries over separate connections until it is closed. */
export class Sender {
  private readonly options: SendOptions
  private agent: Promise<Dispatcher> | undefined
  private closing: Promise<void> | undefined

  constructor(options: SendOptions) {
    this.options = options
  }

  /** Makes one attempt. Returns undefined if the sender was closed first. Throws a TypeError if the URL is invalid. */
  send(delivery: LeasedDelivery): Promise<AttemptResult | undefined> {
    const body = delivery.payload ?? delivery.sample_payload ?? ''
    return this.post(delivery.url, this.headersOf(delivery, body), body)
  }

  /** Posts a body like `send`. */
  async post(
    url: string,
    headers: Record<string, string>,
    body: string | Buffer,
  ): Promise<AttemptResult | undefined> {
    const { clock, timeoutMs } = this.options
    const [atMs, startedMs] = [clock.nowMs(), monotonicMs()]
    const { origin, pathname, search } = new URL(url)
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

  /** Aborts every attempt in flight and starts no more. */
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
      ...(delivery.sample_payload !== null &&
        delivery.event_type === sampleType && { 'X-Service-Test': 'true' }),
    }
  }
}

/** The end of an exchange. */
type Ending = Pick<AttemptResult, 'responseStatus' | 'error'> & { retryAfter?: string | undefined }

/** Follows one request as a handler of the client. A stream for each response would cost more than all the rest. */
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
    if (status < 200) return // an interim response
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

  /** Ends the exchange early. The connection cannot be used again. */
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

/** Makes the client drop a response that nobody waits for. */
class SendAborted extends Error {
  override readonly name = 'SendAborted'
}

/**
 * Reads a `Retry-After` (RFC 9110, section 10.2.3) in seconds, at least one. Returns undefined if it is absent or
 * invalid. Dates are compared with `nowMs`.
 */
export function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,10}$/.test(text)) return Math.max(Number(text), 1)
  const dateMs = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(dateMs) ? undefined : Math.max(Math.ceil((dateMs - nowMs) / 1000), 1)
}

/** Reasons by codes of Node, of its TLS and of the client. */
const reasons: [pattern: RegExp, reason: AttemptError][] = [
  [/^(ENOTFOUND|ENODATA|EAI_\w+)$/, 'dns_failed'],
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'connection_reset'],
  [/TIMEOUT|ETIMEDOUT/, 'timeout'],
  [/^HTTPParserError$|^HPE_|UND_ERR_(HEADERS_OVERFLOW|RES_|INVALID|BODY)/, 'invalid_response'],
  [/CERT|SIGNATURE|ISSUER|CRL|HOSTNAME_MISMATCH/, 'certificate_rejected'],
]

/** Returns the reason for a failed connection from the client's error. */
export function reasonOf(error: unknown): AttemptError {
  if (error instanceof AddressNotAllowed) return 'address_not_allowed'
  const { code, name } = error as { code?: unknown; name?: unknown }
  const known = reasons.find(([pattern]) => pattern.test(String(code ?? name)))
  return known?.[1] ?? 'connection_failed'
}

/** Thrown instead of connecting to an address of the internal network. */
class AddressNotAllowed extends Error {
  override readonly name = 'AddressNotAllowed'
}

/**
 * Opens connections to receivers and keeps them for a few seconds. Checks the very address that it connects to, so a
 * name that resolves differently a moment later changes nothing. A server without webhooks never loads the client.
 */
export async function guardedAgent(options: GuardOptions): Promise<Dispatcher> {
  const { Agent, buildConnector } = await import('undici')
  const { timeoutMs, isUnguarded, allowedRanges, resolve = systemResolve } = options
  const mayConnect = (address: string) => isUnguarded || isAllowedAddress(address, allowedRanges)
  const lookup = checkedLookup(resolve, mayConnect)
  const connector = buildConnector({ timeout: timeoutMs, allowH2: false, lookup })
  const connect: buildConnector.connector = (target, callback) => {
    // an address literal bypasses the lookup
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

/** Opens a connection to a server other than HTTP, with the same checks. */
export async function guardedSocket(
  { host, port }: { host: string; port: number },
  { timeoutMs, isUnguarded, allowedRanges, resolve = systemResolve }: GuardOptions,
): Promise<Socket> {
  const mayConnect = (address: string) => isUnguarded || isAllowedAddress(address, allowedRanges)
  if (isIP(host) !== 0 && !mayConnect(host)) throw new AddressNotAllowed()
  const socket = connect({ host, port, lookup: checkedLookup(resolve, mayConnect) })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(timeoutMs) })
    if (!mayConnect(socket.remoteAddress ?? '')) throw new AddressNotAllowed()
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** The connector gets an IPv6 address without the brackets of a URL. */
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

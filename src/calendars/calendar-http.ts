import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { isWebAddress, type Resolve } from '../webhooks/addresses.ts'
import { guardedAgent, type GuardOptions, readRetryAfter, reasonOf } from '../webhooks/send.ts'
import type { FileProblem } from './busy-times.ts'

/*
 * Requests to servers of external calendars.
 *
 * Guarantees: in production no connection to the internal network, not even after redirects (send.ts). At
 * most 5 MB, also after decompression. An end within the given time. Credentials go to no other site.
 */

const maxBytes = 5_000_000
const maxRedirects = 5
/** Time limit of a request in milliseconds. */
const fetchMs = 20_000

/** The reason why there is no new copy: a code, which the API turns into a sentence. */
export type FetchProblem =
  | FileProblem
  | Exclude<ReturnType<typeof reasonOf>, 'status_not_2xx' | 'redirect_not_followed' | 'response_too_large'>
  | `status_${number}`
  | 'redirect_not_allowed'
  | 'too_large'
  | 'too_slow'
  | 'too_much_memory'
  | 'sign_in_refused'
  | 'no_calendars'
  | 'secret_changed'
  | 'access_revoked'
  | 'access_incomplete'
  | 'provider_not_set_up'
  | 'grant_expired'
  | 'grant_refused'

/** The reason why there is no new copy, and the location in the file. */
export interface FetchFault {
  problem: FetchProblem
  where?: string
}

/** Thrown with a reason. */
export class FetchFailed extends Error {
  readonly fault: FetchFault
  /** The header by which a server asks for a pause. */
  readonly retryAfter: string | null

  constructor(problem: FetchProblem, where?: string, retryAfter: string | null = null) {
    super(problem)
    this.retryAfter = retryAfter
    this.fault = { problem, ...(where !== undefined && { where }) }
  }
}

/** Returns the reason of an error of a request. */
export function faultOf(error: unknown): FetchFault {
  return error instanceof FetchFailed ? error.fault : { problem: problemOf(error) }
}

interface Pauses {
  /** Failures before this one. */
  failures: number
  nowMs: number
  minSeconds: number
  maxSeconds: number
}

/** Returns the pause after a failure in seconds: as long as the server asks for, else twice as long each time. */
export function pauseAfter(error: unknown, { failures, nowMs, minSeconds, maxSeconds }: Pauses): number {
  const asked =
    error instanceof FetchFailed ? readRetryAfter(error.retryAfter ?? undefined, nowMs) : undefined
  const usual = minSeconds * 2 ** Math.min(failures, 10)
  return Math.min(Math.max(asked ?? usual, 1), maxSeconds)
}

function problemOf(error: unknown): FetchProblem {
  const { name, code } = error as { name?: unknown; code?: unknown }
  if (name === 'AbortError' || name === 'TimeoutError') return 'timeout'
  if (String(code).startsWith('Z_')) return 'invalid_response' // not gzip
  return reasonOf(error) as FetchProblem
}

/** Options that tests replace. */
export interface CalendarHttpOptions {
  /** The version of Holdfast, for `User-Agent`. */
  version: string
  /** Outside production, allows connections to any address, also over http. */
  isUnguarded: boolean
  allowsHttp: boolean
  /** Ranges (CIDR) that are allowed in addition to public addresses. */
  allowedRanges: readonly string[]
  resolve?: Resolve
}

interface CalendarRequest {
  method?: string
  headers?: Record<string, string>
  /** Goes to no other site, which a redirect may name. */
  authorization?: string
  body?: string
  /** True for an API: follows no redirect, and reads the text of refusals, too. */
  isDirect?: boolean
  /** In milliseconds. */
  withinMs?: number | undefined
  /** Called with the number of bytes read, also after a refusal. */
  onEnd?: ((bytes: number) => void) | undefined
}

interface CalendarAnswer {
  /** After redirects. */
  url: URL
  status: number
  header: (name: string) => string | null
  /** Empty for a response that has no use. */
  text: string
}

/** Sends requests over its own connections until it is closed. */
export class CalendarHttp {
  private readonly options: CalendarHttpOptions
  private readonly closing = new AbortController()
  private agent: Promise<Dispatcher> | undefined

  constructor(options: CalendarHttpOptions) {
    this.options = options
  }

  get isClosed(): boolean {
    return this.closing.signal.aborted
  }

  /**
   * Sends a request and follows redirects. Reads the text of a successful answer only, unless it is direct. Throws a
   * FetchFailed, or the error of the connection (see `faultOf`).
   */
  async request(
    address: URL,
    {
      headers,
      authorization,
      method,
      body,
      isDirect = false,
      withinMs = fetchMs,
      onEnd,
    }: CalendarRequest = {},
  ): Promise<CalendarAnswer> {
    const { version, isUnguarded, allowsHttp, allowedRanges, resolve } = this.options
    const guard: GuardOptions = {
      ...{ timeoutMs: fetchMs, isUnguarded, allowedRanges },
      ...(resolve && { resolve }),
    }
    const dispatcher = await (this.agent ??= guardedAgent(guard))
    const { request } = await import('undici')
    const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(withinMs)])
    const shared = { 'user-agent': `Holdfast/${version}`, 'accept-encoding': 'gzip', ...headers }
    let url = address
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      const isKnown = siteOf(url) === siteOf(address)
      const response = await request(url, {
        ...{ dispatcher, signal, method: method ?? 'GET', body: body ?? null },
        headers: { ...shared, ...(authorization !== undefined && isKnown && { authorization }) },
      })
      const { statusCode: status } = response
      const header = (name: string) => {
        const value = response.headers[name]
        return (Array.isArray(value) ? value[0] : value) ?? null
      }
      const isRedirect = [301, 302, 303, 307, 308].includes(status)
      if (isDirect ? !isRedirect : status >= 200 && status < 300 && status !== 204) {
        const text = await readText(response.body, { encoding: header('content-encoding'), signal, onEnd })
        return { url, status, header, text }
      }
      response.body.on('error', () => undefined).destroy() // without a listener, its end would be an unhandled error
      if (!isRedirect) return { url, status, header, text: '' }
      if (isDirect) break
      const next = URL.parse(header('location') ?? '', url)
      if (!next || !isWebAddress(next, { isProduction: !allowsHttp })) break
      url = next
    }
    throw new FetchFailed('redirect_not_allowed')
  }

  /** Aborts every request in progress. */
  async close(): Promise<void> {
    this.closing.abort()
    await (await this.agent)?.destroy()
  }
}

/** The last two labels of a name. Servers of one provider share them, such as those of iCloud. */
function siteOf({ protocol, hostname, port }: URL): string {
  return `${protocol} ${/^[\d.]+$|:/.test(hostname) ? hostname : hostname.split('.').slice(-2).join('.')} ${port}`
}

async function readText(
  body: Dispatcher.ResponseData['body'],
  {
    encoding,
    signal,
    onEnd,
  }: { encoding: string | null; signal: AbortSignal; onEnd: ((bytes: number) => void) | undefined },
): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new FetchFailed('too_large')
      chunks.push(chunk)
    }
  }
  try {
    if (encoding === null || encoding === 'identity') await pipeline(body, collect, { signal })
    else await pipeline(body, createGunzip(), collect, { signal }) // no other encoding was requested
  } finally {
    onEnd?.(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

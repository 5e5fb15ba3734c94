import { request, type Dispatcher } from 'undici'
import type { AttemptError, Exchange } from './delivery-types.ts'
import { AddressNotAllowed } from './guarded-agent.ts'
import { readRetryAfter } from './retry-rules.ts'

/** No more of an answer is read, in bytes: it is of no interest. */
const longestAnswer = 65_536

/** A request to a receiver. */
export interface Sending {
  url: string
  headers: Record<string, string>
  body: string
}

/** What an exchange goes over, how long it may take, and what ends it early. */
export interface Means {
  dispatcher: Dispatcher
  timeoutMs: number
  stopping: AbortSignal
  nowMs: () => number
}

/**
 * Sends one request and reads its answer, all within the time limit: from the look-up of the name to the last byte.
 * Never throws; undefined when it was ended early, so that nothing can be said of it.
 */
export async function exchange(sending: Sending, means: Means): Promise<Exchange | undefined> {
  const { timeoutMs, stopping } = means
  const ending = new AbortController()
  const end = () => ending.abort()
  const timer = setTimeout(end, timeoutMs)
  stopping.addEventListener('abort', end)
  let responseStatus: number | null = null
  try {
    const answer = await request(sending.url, {
      dispatcher: means.dispatcher,
      method: 'POST',
      headers: sending.headers,
      body: sending.body,
      signal: ending.signal,
    })
    responseStatus = answer.statusCode
    await readSome(answer.body)
    return judge(responseStatus, answer.headers['retry-after'], means.nowMs())
  } catch (error) {
    if (stopping.aborted) return undefined
    return { responseStatus, error: ending.signal.aborted ? 'timeout' : reasonOf(error) }
  } finally {
    clearTimeout(timer)
    stopping.removeEventListener('abort', end)
  }
}

/** Reads an answer to its end, or as much of it as is read at all; then the connection is given up. */
async function readSome(body: AsyncIterable<Buffer>): Promise<void> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > longestAnswer) return // leaving the loop destroys the stream
  }
}

function judge(status: number, retryAfter: string | string[] | undefined, nowMs: number): Exchange {
  if (status >= 200 && status < 300) return { responseStatus: status, error: null }
  if (status >= 300 && status < 400) return { responseStatus: status, error: 'redirect_not_followed' }
  const seconds = [429, 503].includes(status)
    ? readRetryAfter(Array.isArray(retryAfter) ? retryAfter[0] : retryAfter, nowMs)
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

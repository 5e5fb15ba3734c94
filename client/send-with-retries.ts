/** Sends a request, like the global `fetch`. */
export type Send = (request: Request) => Promise<Response>

/** Time, for tests to replace. */
export interface Time {
  /** Monotonic time in milliseconds. */
  nowMs(): number
  /** Returns a number from 0 to 1. */
  random(): number
  /** Waits, or throws the signal's reason as soon as it aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

export interface RetryOptions {
  /** Maximum attempts, including the first. */
  attempts: number
  /** Longest wait before a retry. If the server asks for more, the response is returned. */
  maxWaitSeconds: number
  /** Timeout of one attempt, in seconds. */
  timeoutSeconds: number
}

/** Longest wait before the first retry without `Retry-After`, in seconds. It doubles with each retry. */
const firstWaitSeconds = 1

/** Nothing has happened: the server refused the request before it did anything. */
const refusedStatuses = [429]

/** The request may have taken effect. */
const lostStatuses = [500, 502, 503, 504]

/**
 * Retries after 429, and if no connection was made. If a repetition does no harm, also retries after 500, 502, 503, 504
 * and a dropped connection. Waits for `Retry-After`, or else for a random time that grows. Never retries a timeout or an aborted request.
 *
 * @internal
 */
export function sendWithRetries(send: Send, time: Time, options: RetryOptions): Send {
  return async (request) => {
    const isRepeatable = doesNoHarmTwice(request)
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= options.attempts
      const response = await send(bounded(request, options.timeoutSeconds))
        .then((answer) => (isRepeatable && !isLast ? whole(answer) : answer))
        .catch((error: unknown) => {
          if (isLast || isGivenUp(error, request) || !(isRepeatable || wasNeverSent(error))) throw error
          return undefined // dropped
        })
      const statuses = isRepeatable ? [...refusedStatuses, ...lostStatuses] : refusedStatuses
      if (response && (isLast || !statuses.includes(response.status))) return response
      const seconds = secondsToWait(response) ?? randomWait(attempt, time)
      if (response && seconds > options.maxWaitSeconds) return response
      await response?.body?.cancel() // otherwise its connection would wait to be read
      await time.wait(Math.min(seconds, options.maxWaitSeconds) * 1000, request.signal)
    }
  }
}

/** True for a safe method (RFC 9110, section 9.2.1), or a creation that the server performs once. */
function doesNoHarmTwice({ method, headers }: Request): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method) || headers.has('idempotency-key')
}

/** Reads the body, so that a connection that drops in the middle of it fails here. */
async function whole(response: Response): Promise<Response> {
  await response.clone().arrayBuffer()
  return response
}

/** True if no server has received anything, as Node reports. Browsers do not say why a request failed. */
function wasNeverSent(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined
  return ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'].includes(
    String(cause?.code),
  )
}

function isGivenUp(error: unknown, { signal }: Request): boolean {
  return signal.aborted || (error instanceof Error && error.name === 'TimeoutError')
}

/** Returns a copy, so that the body can be sent again. */
function bounded(request: Request, timeoutSeconds: number): Request {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutSeconds * 1000)])
  return new Request(request.clone(), { signal })
}

/** RFC 9110, section 10.2.3: seconds or a date. Undefined without the header. */
function secondsToWait(response: Response | undefined): number | undefined {
  const asked = response?.headers.get('retry-after') ?? null
  if (asked === null) return undefined
  if (/^\d+$/.test(asked)) return Number(asked)
  const seconds = (Date.parse(asked) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** Returns between half and all of a wait that doubles, so that clients that failed together do not return together. */
function randomWait(attempt: number, time: Time): number {
  return firstWaitSeconds * 2 ** (attempt - 1) * (0.5 + time.random() / 2)
}

/**
 * Returns 16 random bytes. Not `randomUUID`, which browsers provide only on pages of https and localhost.
 *
 * @internal
 */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** @internal */
export const systemTime: Time = {
  nowMs: () => performance.now(),
  random: () => Math.random(),
  wait: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const aborted = () => {
        clearTimeout(timer)
        reject(signal.reason as Error)
      }
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', aborted)
        resolve()
      }, milliseconds)
      if (signal.aborted) aborted()
      else signal.addEventListener('abort', aborted, { once: true })
    }),
}

/** Sends a request, like the global `fetch`. */
export type Send = (request: Request) => Promise<Response>

/** Time, for tests to replace. */
export interface Time {
  /** Monotonic time in milliseconds. */
  nowMs(): number
  /** Waits, or throws the signal's reason as soon as it aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

export interface RetryOptions {
  /** Maximum attempts, including the first. */
  attempts: number
  /** Longest wait before a retry; returns the response if the server asks for more. */
  maxWaitSeconds: number
  /** Timeout of one attempt, in seconds. */
  timeoutSeconds: number
}

/** The wait after a response without `Retry-After`, in seconds. */
const usualWaitSeconds = 1

/** Retries after 429 and 503, when `Retry-After` has passed. */
export function sendWithRetries(send: Send, time: Time, options: RetryOptions): Send {
  return async (request) => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await send(bounded(request, options.timeoutSeconds))
      if (attempt >= options.attempts || ![429, 503].includes(response.status)) return response
      const seconds = secondsToWait(response)
      if (seconds > options.maxWaitSeconds) return response
      await response.body?.cancel() // else its connection would wait to be read
      await time.wait(seconds * 1000, request.signal)
    }
  }
}

/** A copy, so that the body can be sent again. */
function bounded(request: Request, timeoutSeconds: number): Request {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutSeconds * 1000)])
  return new Request(request.clone(), { signal })
}

/** RFC 9110, section 10.2.3: seconds or a date. */
function secondsToWait(response: Response): number {
  const asked = response.headers.get('retry-after')
  if (asked === null) return usualWaitSeconds
  if (/^\d+$/.test(asked)) return Number(asked)
  const seconds = (Date.parse(asked) - Date.now()) / 1000
  return Number.isNaN(seconds) ? usualWaitSeconds : Math.max(0, seconds)
}

export const systemTime: Time = {
  nowMs: () => performance.now(),
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

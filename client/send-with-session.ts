import type { Schemas } from './api-types.ts'
import { isProblem } from './problems.ts'
import { newIdempotencyKey, type Send, type Time } from './send-with-retries.ts'

type Session = Schemas['Session']

export interface SessionSource {
  /** URL of the service, without a slash at the end. */
  url: string
  publishableKey: string
  /** An earlier session token, whose holds and bookings the first session takes over. */
  previousSession: string | undefined
  /** Called with each new session, for example to keep its token for a reload. */
  onSession: (session: Session) => void
}

/** Renews a session this long before it expires, or when a tenth of it is left if that is less. */
const renewedBeforeMs = 300_000

interface Current {
  token: string
  renewAtMs: number
}

/**
 * Sends requests with a session token. Exchanges it on first use, renews it before its hour is over and once after a
 * 401. Each new session takes over holds and bookings.
 */
export function sendWithSession(send: Send, time: Time, source: SessionSource): Send {
  let previousToken = source.previousSession
  let current: Current | undefined
  let exchange: Promise<Current | Response> | undefined

  async function exchangeNow(): Promise<Current | Response> {
    const response = await send(
      new Request(`${source.url}/api/v1/session`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${source.publishableKey}`,
          // the server ignores it here: it marks a retry that does no harm, because a lost session only expires
          'idempotency-key': newIdempotencyKey(),
          ...(previousToken !== undefined && { 'x-previous-session': previousToken }),
        },
      }),
    )
    if (!response.ok) return response
    const session = (await response.json()) as Session
    previousToken = session.session_token
    current = { token: session.session_token, renewAtMs: time.nowMs() + renewAfterMs(session, response) }
    source.onSession(session)
    return current
  }

  /** Concurrent requests share one exchange, and each may stop waiting separately. */
  function renewed(signal: AbortSignal): Promise<Current | Response> {
    exchange ??= exchangeNow().finally(() => {
      exchange = undefined
    })
    return orAborted(exchange, signal)
  }

  return async (request) => {
    const valid = current && time.nowMs() < current.renewAtMs ? current : await renewed(request.signal)
    if (valid instanceof Response) return valid.clone()
    const response = await send(withToken(request, valid.token))
    if (response.status !== 401 || !(await refusesSession(response))) return response
    // another request may have renewed the session in the meantime
    const next = current && current.token !== valid.token ? current : await renewed(request.signal)
    return next instanceof Response ? next.clone() : send(withToken(request, next.token))
  }
}

function withToken(request: Request, token: string): Request {
  const copy = request.clone()
  copy.headers.set('authorization', `Bearer ${token}`)
  return copy
}

async function refusesSession(response: Response): Promise<boolean> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  return isProblem(body) && ['session_expired', 'invalid_credentials'].includes(body.code)
}

/** Uses the service's Date header if there is one, because the device's clock may be wrong. */
function renewAfterMs({ expires_at }: Session, response: Response): number {
  const date = Date.parse(response.headers.get('date') ?? '')
  const lifetimeMs = Date.parse(expires_at) - (Number.isNaN(date) ? Date.now() : date)
  // if the clock is wrong by more than a session, a 401 triggers the renewal
  if (!(lifetimeMs > 0)) return Infinity
  return lifetimeMs - Math.min(renewedBeforeMs, lifetimeMs / 10)
}

function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const aborted = () => {
      reject(signal.reason as Error)
    }
    if (signal.aborted) aborted()
    signal.addEventListener('abort', aborted, { once: true })
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', aborted)
    })
  })
}

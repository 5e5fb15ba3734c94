import type { components } from './api-types.ts'
import { isProblem } from './problems.ts'
import type { Send, Time } from './send-with-retries.ts'

type Session = components['schemas']['Session']

/** What the sessions of a client come from. */
export interface SessionSource {
  /** Where the service is, such as https://booking.example.com. */
  baseUrl: string
  publishableKey: string
  /** A session token from before, whose holds and bookings go over to the first session. */
  previousSession: string | undefined
  /** Told of each new session, for example to keep its token over a reload of the page. */
  onSession: (session: Session) => void
}

/** A session is renewed so long before its end, or when a tenth of it is left where that is less. */
const renewedBeforeMs = 300_000

interface Current {
  token: string
  renewAtMs: number
}

/**
 * Sends each request with a session token: exchanged when it is first needed, renewed before its hour is over, and
 * once more when the service refuses it with 401. Holds and bookings go over to each new session.
 */
export function sendWithSession(send: Send, time: Time, source: SessionSource): Send {
  let previousToken = source.previousSession
  let current: Current | undefined
  let exchange: Promise<Current | Response> | undefined

  async function exchangeNow(): Promise<Current | Response> {
    const response = await send(
      new Request(new URL('/api/v1/session', source.baseUrl), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${source.publishableKey}`,
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

  /** Requests at the same moment wait for one exchange; whose request it was may give up waiting. */
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
    // another request may have got a new session meanwhile
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

/** By the clock of the service where it tells the time: that of the device may be wrong. */
function renewAfterMs({ expires_at }: Session, response: Response): number {
  const date = Date.parse(response.headers.get('date') ?? '')
  const lifetimeMs = Date.parse(expires_at) - (Number.isNaN(date) ? Date.now() : date)
  // a clock that is wrong by more than a session makes no difference: then a 401 says when
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

import createClient, { type Client } from 'openapi-fetch'
import type { components, paths } from './api-types.ts'
import { sendWithRetries, systemTime, type RetryOptions, type Send, type Time } from './send-with-retries.ts'
import { sendWithSession } from './send-with-session.ts'

export { HoldfastError, isProblem, orThrow, UnexpectedAnswerError } from './problems.ts'
export type { Problem, ProblemCode } from './problems.ts'
export type { RetryOptions } from './send-with-retries.ts'
export type { components, paths }

type Schemas = components['schemas']

export type Booking = Schemas['Booking']
export type BookingStatus = Schemas['BookingStatus']
export type Hold = Schemas['Hold']
export type Location = Schemas['Location']
export type Service = Schemas['Service']
export type Session = Schemas['Session']
export type StaffMember = Schemas['StaffMember']

/** Calls the operations of the API by method and path; gives `data`, or the problem as `error`. */
export type HoldfastClient = Client<paths>

export type HoldfastClientOptions = {
  /** Where the service is, such as https://booking.example.com. */
  baseUrl: string
  /** How often and how long a request that was answered by 429 or 503 is tried again. */
  retries?: Partial<RetryOptions>
  /** In place of the global `fetch`. */
  fetch?: Send
} & (
  | {
      /** A business or hub key, or any token that is to be sent as it is. */
      key: string
    }
  | {
      /** A publishable key: the client exchanges it for a session and renews that by itself. */
      publishableKey: string
      /** A session token from before, whose holds and bookings go over to the first session. */
      previousSession?: string
      /** Told of each new session, for example to keep its token over a reload of the page. */
      onSession?: (session: Session) => void
    }
)

const usualRetries: RetryOptions = { attempts: 3, longestWaitSeconds: 30, timeoutSeconds: 30 }

/**
 * A client of the Holdfast API. Every answer and every problem has its type. A request that is answered by 429 or 503 is
 * sent again after `Retry-After`; a creation carries an `Idempotency-Key`, so that it happens once all the same.
 */
export function createHoldfastClient(
  options: HoldfastClientOptions,
  time: Time = systemTime,
): HoldfastClient {
  const { baseUrl, retries, fetch: send = (request: Request) => fetch(request) } = options
  const patient = sendWithRetries(send, time, { ...usualRetries, ...retries })
  const authorized =
    'key' in options
      ? withKey(patient, options.key)
      : sendWithSession(patient, time, {
          baseUrl,
          publishableKey: options.publishableKey,
          previousSession: options.previousSession,
          onSession: options.onSession ?? (() => undefined),
        })
  return createClient<paths>({ baseUrl, fetch: once(authorized) })
}

function withKey(send: Send, key: string): Send {
  return (request) => {
    request.headers.set('authorization', `Bearer ${key}`)
    return send(request)
  }
}

/** Names each creation, so that one whose answer was lost can be repeated. */
function once(send: Send): Send {
  return (request) => {
    const { headers, method } = request
    if (method === 'POST' && !headers.has('idempotency-key')) {
      headers.set('idempotency-key', crypto.randomUUID())
    }
    return send(request)
  }
}

import { routes, type Resources } from './api-resources.ts'
import type { Schemas } from './api-types.ts'
import { methodsOf } from './call.ts'
import { sendWithRetries, systemTime, type RetryOptions, type Send, type Time } from './send-with-retries.ts'
import { sendWithSession } from './send-with-session.ts'

export type { Call, CallOptions, CreateOptions, List } from './call.ts'
export { HoldfastError, isProblem, UnexpectedAnswerError } from './problems.ts'
export type { Problem, ProblemCode, ProblemOf } from './problems.ts'
export type { RetryOptions } from './send-with-retries.ts'
export { verifyWebhook, WebhookVerificationError } from './verify-webhook.ts'
export type { WebhookEvent, WebhookHeaders, WebhookRefusal } from './verify-webhook.ts'

export type { Schemas }

export type Booking = Schemas['Booking']
export type BookingStatus = Schemas['BookingStatus']
export type Hold = Schemas['Hold']
export type Location = Schemas['Location']
export type Service = Schemas['Service']
export type Session = Schemas['Session']
export type StaffMember = Schemas['StaffMember']

/** A client of one service: its resources, such as `bookings`, with their methods. */
export type HoldfastClient = Resources

export type HoldfastClientOptions = {
  /** URL of the service, such as https://booking.example.com. May end in a slash or `/api/v1`. */
  baseUrl: string
  /** Limits of retries. */
  retries?: Partial<RetryOptions>
  /** Replaces the global `fetch`. */
  fetch?: Send
} & (
  | {
      /** A business or hub key, or any token to send unchanged. */
      key: string
    }
  | {
      /** A publishable key. The client exchanges it for a session and renews that. */
      publishableKey: string
      /** An earlier session token, whose holds and bookings the first session takes over. */
      previousSession?: string
      /** Called with each new session, for example to keep its token for a reload. */
      onSession?: (session: Session) => void
    }
)

/** Waits of 8 to 15 seconds in all, in which a server restarts. */
const usualRetries: RetryOptions = { attempts: 5, maxWaitSeconds: 30, timeoutSeconds: 30 }

/**
 * Returns a typed client of the Holdfast API. It sends creations with an `Idempotency-Key`, so that they happen once.
 * It retries after 429. It retries reads and creations also after 500, 502, 503, 504 and dropped connections. Throws a
 * TypeError if `baseUrl` is not a URL, or without a key.
 */
export function createHoldfastClient(
  options: HoldfastClientOptions,
  time: Time = systemTime,
): HoldfastClient {
  const { baseUrl, retries, fetch: send = (request: Request) => fetch(request) } = options
  const url = serviceUrl(baseUrl)
  const credential: unknown = 'key' in options ? options.key : options.publishableKey
  if (typeof credential !== 'string' || credential === '')
    throw new TypeError('Pass a key as `key` or `publishableKey`. It is missing or empty.')
  const patient = sendWithRetries(send, time, { ...usualRetries, ...retries })
  const authorized =
    'key' in options
      ? withKey(patient, options.key)
      : sendWithSession(patient, time, {
          url,
          publishableKey: options.publishableKey,
          previousSession: options.previousSession,
          onSession: options.onSession ?? (() => undefined),
        })
  return methodsOf(routes, { url, send: authorized }) as unknown as HoldfastClient
}

/** Returns the URL without a slash or `/api/v1` at its end. */
function serviceUrl(baseUrl: string): string {
  const [url] = /^https?:\/\/[^/?#\s]+[^?#\s]*$/i.exec(baseUrl) ?? []
  if (url !== undefined) return url.replace(/\/*$/, '').replace(/\/+api\/v1$/, '')
  throw new TypeError(`baseUrl is a URL such as https://booking.example.com, not ${JSON.stringify(baseUrl)}.`)
}

function withKey(send: Send, key: string): Send {
  return (request) => {
    request.headers.set('authorization', `Bearer ${key}`)
    return send(request)
  }
}

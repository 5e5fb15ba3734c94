import createClient, { type Client } from 'openapi-fetch'
import type { components, paths } from './api-types.ts'
import {
  newIdempotencyKey,
  sendWithRetries,
  systemTime,
  type RetryOptions,
  type Send,
  type Time,
} from './send-with-retries.ts'
import { sendWithSession } from './send-with-session.ts'

export { HoldfastError, isProblem, orThrow, UnexpectedAnswerError } from './problems.ts'
export type { Problem, ProblemCode, ProblemOf } from './problems.ts'
export type { RetryOptions } from './send-with-retries.ts'
export { verifyWebhook, WebhookVerificationError } from './verify-webhook.ts'
export type { WebhookEvent, WebhookHeaders, WebhookRefusal } from './verify-webhook.ts'
export type { components, paths }

/** Every shape of the API by its name, such as `Schemas['Availability']`. */
export type Schemas = components['schemas']

export type Booking = Schemas['Booking']
export type BookingStatus = Schemas['BookingStatus']
export type Hold = Schemas['Hold']
export type Location = Schemas['Location']
export type Service = Schemas['Service']
export type Session = Schemas['Session']
export type StaffMember = Schemas['StaffMember']

/** Calls operations by method and path. Returns `data`, or the problem as `error`. */
export type HoldfastClient = Client<paths>

export type HoldfastClientOptions = {
  /** URL of the service, such as https://booking.example.com. */
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

const usualRetries: RetryOptions = { attempts: 3, maxWaitSeconds: 30, timeoutSeconds: 30 }

/**
 * Returns a typed client of the Holdfast API. It sends creations with an `Idempotency-Key`, so that they happen once.
 * It retries after 429. It retries reads and creations also after 500, 502, 503, 504 and dropped connections.
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

/** Adds an `Idempotency-Key` to each creation, so that it can be retried. */
function once(send: Send): Send {
  return (request) => {
    const { headers, method } = request
    if (method === 'POST' && !headers.has('idempotency-key')) {
      headers.set('idempotency-key', newIdempotencyKey())
    }
    return send(request)
  }
}

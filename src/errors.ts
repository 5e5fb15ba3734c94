/** What each problem code means: its HTTP status and its title (contract of the API: Errors). */
export const problemKinds = {
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  malformed_request: { status: 400, title: 'The request is malformed' },
  invalid_signature: { status: 400, title: 'The signature is not valid' },
  missing_credentials: { status: 401, title: 'A bearer token is needed' },
  invalid_credentials: { status: 401, title: 'The bearer token is not valid' },
  session_expired: { status: 401, title: 'The session token has expired' },
  key_type_not_allowed: { status: 403, title: 'This kind of key may not do that' },
  plan_required: { status: 403, title: 'The plan does not include this' },
  origin_not_allowed: { status: 403, title: 'This website may not use the key' },
  not_found: { status: 404, title: 'Not found' },
  hold_not_found: { status: 404, title: 'No such hold' },
  hold_expired: { status: 404, title: 'The hold has lapsed' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  slot_held: { status: 409, title: 'The slot is held by another client' },
  slot_booked: { status: 409, title: 'The slot is booked' },
  idempotency_in_flight: { status: 409, title: 'The first request with this key is still running' },
  hold_converted: { status: 409, title: 'The hold already became a booking' },
  webhook_limit_reached: { status: 409, title: 'There are as many webhooks as there can be' },
  rotation_in_progress: { status: 409, title: 'The secret was replaced less than 24 hours ago' },
  version_conflict: { status: 412, title: 'The booking has changed meanwhile' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body must be JSON' },
  validation_failed: { status: 422, title: 'The request has faults' },
  slot_not_offered: { status: 422, title: 'The slot is not offered' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key came with another request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  hold_limit_reached: { status: 429, title: 'Too many active holds' },
  booking_limit_reached: { status: 429, title: 'Too many bookings' },
  headers_too_large: { status: 431, title: 'The request headers are too large' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  unavailable: { status: 503, title: 'Not available at the moment' },
} as const

/** The closed list of codes that a problem document can carry. */
export type ProblemCode = keyof typeof problemKinds

/** One fault of a request: where it is (RFC 6901 pointer), what kind, and what to do about it. */
export interface Fault {
  pointer: string
  code: string
  detail: string
}

/** What a problem carries beside its code and detail. */
export interface ProblemParts {
  /** One entry per fault, all faults at once. */
  errors?: Fault[]
  /** Extension members of the problem document (RFC 9457, section 3.2). */
  extensions?: Record<string, unknown>
  /** Response headers, for example `retry-after` in seconds. */
  headers?: Record<string, string>
}

/**
 * A refusal that a client is told about (RFC 9457). `detail` is shown to people: it says what was
 * wrong with this very request and never holds a secret or an internal.
 */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly parts: ProblemParts

  constructor(code: ProblemCode, detail: string, parts: ProblemParts = {}) {
    super(detail)
    this.name = 'Problem'
    this.code = code
    this.parts = parts
  }
}

/** A 422 that names every fault. */
export function validationProblem(errors: Fault[]): Problem {
  const shown = errors.slice(0, 3).map((fault) => `${fault.pointer || 'the body'} ${fault.detail}`)
  const more = errors.length > 3 ? `; and ${errors.length - 3} more` : ''
  return new Problem('validation_failed', shown.join('; ') + more + '.', { errors })
}

/** A 422 for a cursor that no page has given out. */
export function invalidCursor(): Problem {
  const detail = 'must be the next_cursor of the page before'
  return validationProblem([{ pointer: '/cursor', code: 'invalid_cursor', detail }])
}

/** A 503 that asks the client to come back in a second. */
export function unavailable(detail: string): Problem {
  return new Problem('unavailable', detail, { headers: { 'retry-after': '1' } })
}

/** A mistake of the operator (configuration, command line), told without a stack. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}

/** A command line that names something unknown or impossible: exit code 2, as for an unknown option. */
export class UsageError extends OperatorError {}

import { closest, distance } from 'fastest-levenshtein'

/** The HTTP status and the title of each problem code. */
export const problemKinds = {
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  malformed_request: { status: 400, title: 'The request is malformed' },
  invalid_signature: { status: 400, title: 'The signature is not valid' },
  missing_credentials: { status: 401, title: 'A bearer token is required' },
  invalid_credentials: { status: 401, title: 'The bearer token is not valid' },
  session_expired: { status: 401, title: 'The session token has expired' },
  key_type_not_allowed: { status: 403, title: 'Key type not allowed' },
  plan_required: { status: 403, title: 'The plan does not include this' },
  insufficient_scope: { status: 403, title: 'The key is limited to other parts of the API' },
  origin_not_allowed: { status: 403, title: 'This website may not use the key' },
  not_found: { status: 404, title: 'Not found' },
  hold_not_found: { status: 404, title: 'No such hold' },
  hold_expired: { status: 404, title: 'The hold has expired' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  slot_held: { status: 409, title: 'The slot is held by another client' },
  slot_booked: { status: 409, title: 'The slot is booked' },
  idempotency_in_flight: { status: 409, title: 'The first request with this key is still running' },
  hold_converted: { status: 409, title: 'The hold already became a booking' },
  change_not_allowed: { status: 409, title: 'The change is not allowed' },
  webhook_limit_reached: { status: 409, title: 'Webhook limit reached' },
  calendar_limit_reached: { status: 409, title: 'Calendar limit reached' },
  catalogue_limit_reached: { status: 409, title: 'Catalogue limit reached' },
  client_exists: { status: 409, title: 'Another client has this name and contact' },
  test_business: { status: 409, title: 'Not possible for this kind of business' },
  rotation_in_progress: { status: 409, title: 'The secret was replaced less than 24 hours ago' },
  version_conflict: { status: 412, title: 'The booking has changed' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body must be JSON' },
  validation_failed: { status: 422, title: 'The request is invalid' },
  slot_not_offered: { status: 422, title: 'The slot is not offered' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was used for a different request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  hold_limit_reached: { status: 429, title: 'Too many active holds' },
  booking_limit_reached: { status: 429, title: 'Too many bookings' },
  headers_too_large: { status: 431, title: 'The request headers are too large' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  internal: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Service unavailable' },
} as const

/** The closed list of codes that a problem document can carry. */
export type ProblemCode = keyof typeof problemKinds

/** One invalid field of a request. */
export interface FieldError {
  /** RFC 6901. */
  pointer: string
  code: string
  /** Explains to people how to fix the field. */
  detail: string
}

/** The members of a problem, in addition to its code and detail. */
export interface ProblemParts {
  /** Every invalid field that the check found. */
  errors?: FieldError[]
  /** Extension members of the problem document (RFC 9457, section 3.2). */
  extensions?: Record<string, unknown>
  /** Response headers, for example `retry-after` in seconds. */
  headers?: Record<string, string>
}

/**
 * A refusal that the client gets as a problem document (RFC 9457). `detail` explains the fault of this request to
 * people. It never contains a secret or internal details.
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

/** Creates a 422 that names every invalid field. */
export function validationProblem(errors: FieldError[]): Problem {
  const first = errors.slice(0, 3).map(({ pointer, detail }) => `${pointer || 'the body'} ${detail}`)
  const more = errors.length > 3 ? `; and ${errors.length - 3} more` : ''
  return new Problem('validation_failed', `${first.join('; ')}${more}.`, { errors })
}

/** Creates a 503 that asks the client to retry in a second. */
export function unavailable(detail: string): Problem {
  return new Problem('unavailable', detail, { headers: { 'retry-after': '1' } })
}

/** A mistake of the operator (configuration, command line), printed without a stack. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
  /** The remedy in a sentence, if the message lacks it. */
  readonly fix: string | undefined

  constructor(message: string, { fix, ...options }: ErrorOptions & { fix?: string } = {}) {
    super(message, options)
    this.fix = fix
  }
}

/** A command line that names something unknown or impossible. The exit code is 2, as for an unknown option. */
export class UsageError extends OperatorError {}

/** An ID and its display name. */
export interface Named {
  id: string
  name: string
}

/** Maximum distance of a suggested ID or name, in characters. */
const maxTypos = 3
const minPrefix = 4
/** Allows one typo for this many characters, so that short names are not confused. */
const lettersPerTypo = 4

/**
 * Creates a UsageError for an unknown ID, or for an unknown name if names are allowed. It suggests the most similar
 * known one. `noun` is also the command that lists all of them. Without such a command, `otherwise` is the hint.
 */
export function unknownId(
  noun: string,
  id: string,
  { known, otherwise = `"holdfast ${noun} list" shows them.` }: { known: Named[]; otherwise?: string },
): UsageError {
  const wanted = id.trim().toLowerCase()
  const near = known.find(({ name }) => name.toLowerCase() === wanted) ?? nearest(wanted, known)
  const fix = near ? `Did you mean ${near.id} (${near.name})?` : otherwise
  return new UsageError(`There is no ${noun} ${id}.`, { fix })
}

const maxShownIds = 5

/** Creates a UsageError for a name that several things have. */
export function ambiguousName(name: string, named: Named[]): UsageError {
  const ids = named.slice(0, maxShownIds).map(({ id }) => id)
  const more = named.length > maxShownIds ? ' …' : ''
  return new UsageError(`"${name}" can be ${named.length} of them.`, {
    fix: `Use the id: ${ids.join(', ')}${more}.`,
  })
}

/** Returns the only one whose ID or name has this prefix, or else one that differs by a few typos. */
function nearest(wanted: string, known: Named[]): Named | undefined {
  const texts = known.flatMap((one) => [one.id, one.name.toLowerCase()].map((text) => ({ text, one })))
  const begins = texts.filter(({ text }) => wanted.length >= minPrefix && text.startsWith(wanted))
  if (new Set(begins.map(({ one }) => one)).size === 1) return begins[0]?.one
  const allowed = Math.min(maxTypos, Math.floor(wanted.length / lettersPerTypo))
  // the difference in length is a lower bound of the distance
  const near = texts.filter(({ text }) => Math.abs(text.length - wanted.length) <= allowed)
  if (near.length === 0) return undefined
  const guess = closest(
    wanted,
    near.map(({ text }) => text),
  )
  return distance(wanted, guess) <= allowed ? near.find(({ text }) => text === guess)?.one : undefined
}

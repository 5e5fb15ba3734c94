import type { Schemas } from './api-types.ts'

/** The contents of a delivery: a change of a booking. */
export type WebhookEvent = Schemas['EventBody'] & {
  /** The `webhook-id`, which is the same in each attempt. Ignore deliveries with a known one. */
  id: string
}

/** The reason for refusing a delivery. */
export type WebhookRefusal =
  /** `webhook-id`, `webhook-timestamp` or `webhook-signature` is missing. */
  | 'missing_header'
  /** `webhook-timestamp` is not a number of seconds. */
  | 'invalid_timestamp'
  /** Sent more than 300 seconds ago, so it may be a replay. */
  | 'too_old'
  /** Allegedly sent more than 300 seconds from now, so the clock of one side is wrong. */
  | 'too_new'
  /** No signature fits: a different secret, or a changed body. */
  | 'wrong_signature'
  /** The signature fits, but the body is not an event of Holdfast. */
  | 'invalid_body'

/** A delivery that is not genuine. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly reason: WebhookRefusal

  constructor(reason: WebhookRefusal, detail: string) {
    super(`${reason}: ${detail}`)
    this.reason = reason
  }
}

/** Headers of a request: of `fetch`, of Node (`request.headers`), or as pairs. Names in any case. */
export type WebhookHeaders =
  | Headers
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>

const toleranceSeconds = 300

/**
 * Verifies a delivery by the rules of Standard Webhooks (https://www.standardwebhooks.com), in constant time, and
 * returns its event. Pass the body as received, before any parsing. Throws a WebhookVerificationError for a delivery
 * that is not genuine, and a TypeError for an invalid secret.
 *
 * @param secret `whsec_…`, or several while a secret is being replaced, one of which must fit.
 * @param options.nowMs Replaces the clock: Unix time in milliseconds.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { nowMs = Date.now() }: { nowMs?: number } = {},
): Promise<WebhookEvent> {
  const keys = (typeof secret === 'string' ? [secret] : secret).map(bytesOfSecret)
  if (keys.length === 0) throw new TypeError('There is no secret to verify with.')
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature').split(' ').map(bytesOfSignature)
  requireRecent(timestamp, nowMs)
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  const expected = await Promise.all(keys.map((key) => signatureOf(key, signed)))
  // not `some`, because every comparison must run, whichever fits
  const fitting = expected.flatMap((one) => signatures.filter((given) => isSame(given, one)))
  if (fitting.length === 0) {
    throw new WebhookVerificationError('wrong_signature', 'no signature fits the body and the secret')
  }
  return { ...eventOf(bytes), id }
}

/** Decodes the base64 part of a secret. */
function bytesOfSecret(secret: string): Uint8Array<ArrayBuffer> {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? []
  const bytes = fromBase64(base64)
  if (bytes.length === 0) {
    throw new TypeError('A webhook secret is `whsec_` and base64, as the creation of the webhook shows it.')
  }
  return bytes
}

function headerOf(headers: WebhookHeaders, wanted: string): string {
  const pairs = Symbol.iterator in headers ? headers : Object.entries(headers)
  for (const [name, value] of pairs) {
    const text = typeof value === 'string' ? value : (value?.[0] ?? '')
    if (name.toLowerCase() === wanted && text !== '') return text
  }
  throw new WebhookVerificationError('missing_header', `${wanted} is missing`)
}

function requireRecent(timestamp: string, nowMs: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('invalid_timestamp', 'webhook-timestamp is not a number of seconds')
  }
  const age = nowMs / 1000 - Number(timestamp)
  if (age > toleranceSeconds) throw new WebhookVerificationError('too_old', 'sent more than 300 seconds ago')
  if (age < -toleranceSeconds) {
    throw new WebhookVerificationError('too_new', 'sent more than 300 seconds from now')
  }
}

async function signatureOf(key: Uint8Array<ArrayBuffer>, signed: Uint8Array<ArrayBuffer>) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, signed))
}

/** Returns an empty array for a signature of another version. */
function bytesOfSignature(text: string): Uint8Array {
  return fromBase64(text.startsWith('v1,') ? text.slice(3) : '')
}

/** Returns an empty array for invalid base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(one.length + other.length)
  bytes.set(one)
  bytes.set(other, one.length)
  return bytes
}

/** Takes the same time, wherever the two differ. */
function isSame(given: Uint8Array, expected: Uint8Array): boolean {
  let difference = given.length ^ expected.length
  for (const [index, byte] of expected.entries()) difference |= byte ^ (given[index] ?? 0)
  return difference === 0
}

function eventOf(bytes: Uint8Array): Schemas['EventBody'] {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    value = undefined
  }
  if (typeof value === 'object' && value !== null && 'event' in value && 'data' in value) {
    return value as Schemas['EventBody']
  }
  throw new WebhookVerificationError('invalid_body', 'the body is not an event')
}

import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto'
import type { Ids } from '../ids.ts'

const secretPrefix = 'whsec_'
const secretBytes = 32

/** A new secret of a webhook: the prefix and 32 random bytes in base64. */
export function newSecret(ids: Ids): string {
  return secretPrefix + ids.bytes(secretBytes).toString('base64')
}

/** What is signed: the exact body, and the id and time that go with it. */
export interface Signed {
  id: string
  /** In Unix seconds. */
  timestamp: number
  body: string
}

/** `X-Service-Signature`: HMAC-SHA256 over the raw body, keyed with the whole secret as it is shown. */
export function serviceSignature(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', keysOf(secret).whole).update(body).digest('hex')}`
}

/**
 * `webhook-signature` of Standard Webhooks (https://www.standardwebhooks.com): one for each secret, keyed with the bytes
 * that its base64 part stands for.
 */
export function standardSignature(secrets: string[], { id, timestamp, body }: Signed): string {
  const signatures = secrets.map((secret) => {
    return `v1,${createHmac('sha256', keysOf(secret).bytes).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return signatures.join(' ')
}

/** The keys that a secret is: its text as it is shown, and the bytes that its base64 part stands for. */
interface Keys {
  whole: KeyObject
  bytes: KeyObject
}

/** So many secrets have their keys kept; a key is made in a few microseconds. */
const mostKept = 1_000
const kept = new Map<string, Keys>()

function keysOf(secret: string): Keys {
  const known = kept.get(secret)
  if (known) return known
  const keys = {
    whole: createSecretKey(secret, 'utf8'),
    bytes: createSecretKey(secret.slice(secretPrefix.length), 'base64'),
  }
  if (kept.size >= mostKept) kept.clear()
  kept.set(secret, keys)
  return keys
}

/** A delivery may be so many seconds old, or ahead of the receiver's clock: an older one may be a replay. */
const toleranceSeconds = 300

/** What a receiver got: names of headers in lower case, and the body as it came. */
export interface GotDelivery {
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** What is wrong with a delivery that a receiver got, in words; undefined when it was signed with the secret, lately. */
export function faultOfDelivery(
  secret: string,
  { headers, body }: GotDelivery,
  nowMs: number,
): string | undefined {
  const header = (name: string) => String(headers[name] ?? '')
  if (!isSame(header('x-service-signature'), serviceSignature(secret, body))) {
    return 'X-Service-Signature does not fit'
  }
  const timestamp = Number(header('webhook-timestamp'))
  if (!(Math.abs(nowMs / 1000 - timestamp) <= toleranceSeconds)) return 'it is older than 300 seconds'
  const expected = standardSignature([secret], { id: header('webhook-id'), timestamp, body })
  const fits = header('webhook-signature')
    .split(' ')
    .some((signature) => isSame(signature, expected))
  return fits ? undefined : 'webhook-signature does not fit'
}

/** In a time that tells nothing of where they differ. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

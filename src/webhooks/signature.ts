import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Ids } from '../base/ids.ts'

const secretPrefix = 'whsec_'
const secretBytes = 32

/** Creates the secret of a webhook: the prefix and 32 random bytes in base64. */
export function newSecret(ids: Ids): string {
  return secretPrefix + ids.bytes(secretBytes).toString('base64')
}

/** The signed parts of a delivery. */
interface Signed {
  id: string
  /** In Unix seconds. */
  timestamp: number
  body: string
}

/** `X-Service-Signature`: HMAC-SHA256 over the raw body, keyed with the whole secret as displayed. */
export function serviceSignature(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

/**
 * `webhook-signature` of Standard Webhooks (https://www.standardwebhooks.com): one for each secret, keyed with the
 * bytes encoded in its base64 part.
 */
export function standardSignature(secrets: string[], { id, timestamp, body }: Signed): string {
  const signatures = secrets.map((secret) => {
    return `v1,${createHmac('sha256', bytesOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return signatures.join(' ')
}

/** Decodes the base64 part of a secret. */
function bytesOf(secret: string): Buffer {
  return Buffer.from(secret.slice(secretPrefix.length), 'base64')
}

/** Maximum difference between the time of a delivery and the receiver's clock. An older delivery may be a replay. */
const toleranceSeconds = 300

interface ReceivedDelivery {
  /** Names in lower case. */
  headers: Record<string, string | string[] | undefined>
  body: string
}

/**
 * Returns the reason why a received delivery is not genuine. Returns undefined if it was signed with the secret within
 * 300 seconds.
 */
export function faultOfDelivery(
  secret: string,
  { headers, body }: ReceivedDelivery,
  nowMs: number,
): string | undefined {
  const header = (name: string) => String(headers[name] ?? '')
  if (!isSame(header('x-service-signature'), serviceSignature(secret, body))) {
    return 'X-Service-Signature does not match'
  }
  const timestamp = Number(header('webhook-timestamp'))
  if (!(Math.abs(nowMs / 1000 - timestamp) <= toleranceSeconds)) return 'it is older than 300 seconds'
  const expected = standardSignature([secret], { id: header('webhook-id'), timestamp, body })
  const fits = header('webhook-signature')
    .split(' ')
    .some((signature) => isSame(signature, expected))
  return fits ? undefined : 'webhook-signature does not match'
}

/** Compares in constant time. */
function isSame(received: string, expected: string): boolean {
  const [one, other] = [Buffer.from(received), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

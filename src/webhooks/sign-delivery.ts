import { createHmac } from 'node:crypto'
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

/** `X-Service-Signature`: HMAC-SHA256 over the raw body, keyed with the whole secret as it is shown (specification: Signature). */
export function serviceSignature(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

/**
 * `webhook-signature` of Standard Webhooks (https://www.standardwebhooks.com): one for each secret, keyed with the bytes
 * that its base64 part stands for.
 */
export function standardSignature(secrets: string[], { id, timestamp, body }: Signed): string {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return signatures.join(' ')
}

import { timingSafeEqual } from 'node:crypto'
import { serviceSignature, standardSignature } from './sign-delivery.ts'

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

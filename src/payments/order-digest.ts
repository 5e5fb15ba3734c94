import { createHash } from 'node:crypto'
import type { Deposit } from '../checkouts.ts'

/** The same for the same order: what a checkout is opened with, beside its own id and expiry. */
export function orderDigest(
  { amount, currency, serviceName, email }: Deposit,
  returnAddress: string,
): string {
  const parts = [amount, currency, serviceName, email, returnAddress]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

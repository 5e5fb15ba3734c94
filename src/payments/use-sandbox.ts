import type { Context } from '../context.ts'
import { Problem } from '../errors.ts'
import { settleOne } from './settle-payment.ts'
import { closeSandboxCheckout, findSandboxCheckout, type SandboxCheckout } from './sandbox-queries.ts'

/** A checkout of the sandbox by its secret address. Throws not_found, also where the sandbox does not take payments. */
export async function findCheckout(context: Context, reference: string): Promise<SandboxCheckout> {
  const isServed = context.checkouts.provider?.name === 'sandbox' && /^[0-9A-Za-z]{32}$/.test(reference)
  const checkout = isServed ? await findSandboxCheckout(context.db.reads, reference) : undefined
  if (!checkout) throw new Problem('not_found', 'There is no such checkout.')
  return checkout
}

/**
 * Pays a checkout, or gives it up. It happens at the processor first and is told to the booking then, in two steps, as
 * with a real one: what is lost between them is found by looking. Throws not_found.
 */
export async function closeCheckout(
  context: Context,
  reference: string,
  status: 'paid' | 'expired',
): Promise<SandboxCheckout> {
  const checkout = await findCheckout(context, reference)
  await context.db.transaction(async (tx) => {
    const isOver = checkout.expires_at <= tx.now
    await closeSandboxCheckout(tx.db, checkout.payment_id, isOver ? 'expired' : status)
  })
  await settleOne(context, checkout.payment_id)
  return checkout
}

import { Problem } from '../base/errors.ts'
import { publicUrl } from '../base/public-url.ts'
import type { CheckoutProvider, CheckoutState, ProcessorRefund } from '../bookings/checkouts.ts'
import type { Context } from '../bookings/context.ts'
import { settleOne } from './payment.ts'
import {
  closeSandboxCheckout,
  findSandboxCheckout,
  findSandboxCheckoutOf,
  insertSandboxCheckout,
  refundSandboxCheckout,
  type SandboxCheckout,
} from './sandbox-queries.ts'

const secretLength = 32

/** A payment processor for trials, without money. Holdfast serves its page. */
export function sandboxProvider({
  db,
  ids,
  config,
}: Pick<Context, 'db' | 'ids' | 'config'>): CheckoutProvider {
  const stateOf = (checkout: SandboxCheckout | undefined): CheckoutState => {
    if (!checkout) return { status: 'unknown' }
    if (checkout.status === 'paid')
      return { status: 'paid', paymentReference: `sandbox:${checkout.payment_id}` }
    if (checkout.status === 'expired') return { status: 'expired' }
    return { status: 'open', url: sandboxAddress(config, checkout.reference) }
  }
  return {
    name: 'sandbox',
    load: () => Promise.resolve(),
    open: async ({ paymentId, serviceName }) => {
      const reference = await db.transaction((tx) =>
        insertSandboxCheckout(tx.db, {
          reference: ids.secret(secretLength),
          payment_id: paymentId,
          service_name: serviceName,
          status: 'open',
          refunded_at: null,
          created_at: tx.now,
        }),
      )
      return { reference, url: sandboxAddress(config, reference) }
    },
    retrieve: async ({ id }) => stateOf(await findSandboxCheckoutOf(db.reads, id)),
    expire: ({ id }) =>
      db.transaction(async (tx) => {
        await closeSandboxCheckout(tx.db, id, 'expired')
        return stateOf(await findSandboxCheckoutOf(tx.db, id))
      }),
    refund: async ({ id }, wanted) => {
      const made = await db.transaction((tx) => refundSandboxCheckout(tx.db, { id, wanted, now: tx.now }))
      const refunds = made.map(({ number, amount }): ProcessorRefund => {
        return { reference: `sandbox:${id}/${number}`, number, amount, status: 'refunded' }
      })
      return { refunds, refused: [] }
    },
  }
}

function sandboxAddress(config: Context['config'], reference: string): string {
  return `${publicUrl(config)}/sandbox/${reference}`
}

/** Finds a checkout by its secret reference. Throws not_found, also if the sandbox is not in use. */
export async function findCheckout(context: Context, reference: string): Promise<SandboxCheckout> {
  const isServed = context.checkouts.provider?.name === 'sandbox' && /^[0-9A-Za-z]{32}$/.test(reference)
  const checkout = isServed ? await findSandboxCheckout(context.db.reads, reference) : undefined
  if (!checkout) throw new Problem('not_found', 'There is no such checkout.')
  return checkout
}

/**
 * Pays or cancels a checkout: first at the processor, then at the booking, as with a real processor. The payment worker
 * recovers work lost in between. Throws not_found.
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

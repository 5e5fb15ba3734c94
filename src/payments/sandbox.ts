import type { CheckoutProvider, CheckoutState } from '../checkouts.ts'
import type { Context } from '../context.ts'
import { publicAddress } from '../public-address.ts'
import {
  closeSandboxCheckout,
  findSandboxCheckoutOf,
  insertSandboxCheckout,
  refundSandboxCheckout,
  type SandboxCheckout,
} from './sandbox-queries.ts'

const secretLength = 32

/** A payment processor for trials, in which no money moves: its page is served by Holdfast itself. */
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
    look: async ({ id }) => stateOf(await findSandboxCheckoutOf(db.reads, id)),
    expire: ({ id }) =>
      db.transaction(async (tx) => {
        await closeSandboxCheckout(tx.db, id, 'expired')
        return stateOf(await findSandboxCheckoutOf(tx.db, id))
      }),
    refund: async ({ id }) => {
      await db.transaction((tx) => refundSandboxCheckout(tx.db, id, tx.now))
      return 'refunded'
    },
  }
}

/** The address of a checkout's page. */
export function sandboxAddress(config: Context['config'], reference: string): string {
  return `${publicAddress(config)}/sandbox/${reference}`
}

import type { Context } from '../context.ts'
import { OperatorError } from '../errors.ts'
import { findUnsettled } from './payment-queries.ts'
import { settlePayment, type Settlement } from './settle-payment.ts'

const pageSize = 100

/** Asks the processor about every payment of which something may be left to do. Tells how many came out how. */
export async function reconcilePayments(context: Context): Promise<Record<Settlement, number>> {
  const { provider } = context.checkouts
  if (!provider) throw new OperatorError('There is no payment processor: set STRIPE_SECRET_KEY.')
  const counts: Record<Settlement, number> = { paid: 0, expired: 0, refunded: 0, open: 0, unreachable: 0 }
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const page = await findUnsettled(context.db.reads, { provider: provider.name, after, most: pageSize })
    for (const payment of page) counts[await settlePayment(context, provider, payment)] += 1
    const last = page.at(-1)
    if (!last || page.length < pageSize) return counts
    after = last.id
  }
}

import { plusSeconds } from '../base/instants.ts'
import type { Context } from '../bookings/context.ts'
import { LeaseLoop } from '../database/lease-loop.ts'
import { claimPayments, type PaymentRow } from './payment-queries.ts'
import { reconcilePayment } from './reconcile.ts'

/** Longer than any processor response, so that no other server checks the same payments. */
const leaseSeconds = 120

/**
 * Does the due work with the payment processor on every server: closes overdue checkouts, sends refunds, recovers lost
 * responses. Each step is idempotent. A payment whose check fails is checked again after its lease.
 */
export class PaymentWorker extends LeaseLoop<Context, PaymentRow> {
  constructor(context: Context) {
    super(context, {
      ...{ maxInFlight: 8, pollMs: 5_000, signal: context.checkouts.due },
      failing: 'payment check failed; retrying',
      failed: ['warn', 'payment_id', 'payment check failed'],
    })
  }

  protected override async lease(max: number) {
    const { db, checkouts, config } = this.context
    const provider = checkouts.provider?.name
    if (provider === undefined && config.environment !== 'production') return { leased: [] }
    const leased = await db.transaction((tx) => {
      const leaseEnd = plusSeconds(tx.now, leaseSeconds)
      return claimPayments(tx.db, { provider, now: tx.now, leaseEnd, max })
    })
    return { leased }
  }

  protected override async work(payment: PaymentRow): Promise<undefined> {
    const provider = await this.context.checkouts.providerOf(payment)
    if (provider) await reconcilePayment(this.context, provider, payment)
  }
}

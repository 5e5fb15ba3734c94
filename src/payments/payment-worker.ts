import { plusSeconds } from '../base/instants.ts'
import type { CheckoutProvider } from '../bookings/checkouts.ts'
import type { Context } from '../bookings/context.ts'
import { claimPayments } from './payment-queries.ts'
import { reconcilePayment } from './payment.ts'

/** Poll interval without a signal: finds expired checkouts and what other servers left. */
const pollMs = 5_000
const batchSize = 8
/** Longer than any processor response, so that no other server checks the same payments. */
const leaseSeconds = 120

/**
 * Does the due work with the payment processor on every server: closes overdue checkouts, sends refunds, recovers lost
 * responses. Each step is idempotent.
 */
export class PaymentWorker {
  private readonly context: Context
  private timer: NodeJS.Timeout | undefined
  private running: Promise<void> = Promise.resolve()
  private isRunning = false
  private isWoken = false
  private isStopped = false

  constructor(context: Context) {
    this.context = context
  }

  start(): void {
    this.context.checkouts.listen(() => {
      this.wake()
    })
    this.wait()
  }

  /** Checks at once for due payments. */
  wake(): void {
    this.isWoken = true
    if (this.isRunning || this.isStopped) return
    clearTimeout(this.timer)
    this.isRunning = true
    this.running = this.work().finally(() => {
      this.isRunning = false
      if (this.isWoken) this.wake()
      else this.wait()
    })
  }

  /** Resolves when nothing is due. */
  async settled(): Promise<void> {
    this.wake()
    while (this.isRunning) await this.running
  }

  /** Starts nothing more; resolves when work in progress has ended. */
  async stop(): Promise<void> {
    this.context.checkouts.listen(undefined)
    this.isStopped = true
    this.isWoken = false
    clearTimeout(this.timer)
    await this.running
  }

  private wait(): void {
    if (this.isStopped) return
    this.timer = setTimeout(() => {
      this.wake()
    }, pollMs).unref()
  }

  private async work(): Promise<void> {
    const { provider } = this.context.checkouts
    try {
      do this.isWoken = false
      while (provider && !this.isStopped && (await this.checkBatch(provider)))
    } catch (error) {
      this.context.log.warn({ err: error }, 'payment check failed; retrying')
    }
  }

  private async checkBatch(provider: CheckoutProvider): Promise<boolean> {
    const claimed = await this.context.db.transaction((tx) => {
      const claiming = { now: tx.now, leaseEnd: plusSeconds(tx.now, leaseSeconds), max: batchSize }
      return claimPayments(tx.db, { provider: provider.name, ...claiming })
    })
    await Promise.all(claimed.map((payment) => this.settle(provider, payment)))
    return claimed.length > 0
  }

  /** A failure affects no other payment; after its lease the payment is checked again. */
  private async settle(
    ...[provider, payment]: [CheckoutProvider, Parameters<typeof reconcilePayment>[2]]
  ): Promise<void> {
    try {
      await reconcilePayment(this.context, provider, payment)
    } catch (error) {
      this.context.log.warn({ err: error, payment_id: payment.id }, 'payment check failed')
    }
  }
}

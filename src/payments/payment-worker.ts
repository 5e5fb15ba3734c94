import type { CheckoutProvider } from '../checkouts.ts'
import type { Context } from '../context.ts'
import { plusSeconds } from '../instants.ts'
import { claimPayments } from './payment-queries.ts'
import { settlePayment } from './settle-payment.ts'

/** Without a signal the database is asked so often what is due: for lapses, and for what another node has left. */
const pollMs = 5_000
const batchSize = 8
/** Longer than the processor's answers take: nobody else asks about the same payments meanwhile. */
const leaseSeconds = 120

/**
 * Does what is due with the payment processor, on every server beside its requests: closes checkouts past their life,
 * sends refunds, looks after what got lost. All of it may be done twice without harm.
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

  /** Looks at once for what is due. */
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

  /** Resolves when nothing is due any more. */
  async settled(): Promise<void> {
    this.wake()
    while (this.isRunning) await this.running
  }

  /** Takes up nothing more; resolves when what is in progress has ended. */
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
      while (provider && !this.isStopped && (await this.look(provider)))
    } catch (error) {
      this.context.log.warn({ err: error }, 'payments cannot be looked after; trying again')
    }
  }

  private async look(provider: CheckoutProvider): Promise<boolean> {
    const claimed = await this.context.db.transaction((tx) => {
      const claiming = { now: tx.now, leaseEnd: plusSeconds(tx.now, leaseSeconds), most: batchSize }
      return claimPayments(tx.db, { provider: provider.name, ...claiming })
    })
    await Promise.all(claimed.map((payment) => this.settle(provider, payment)))
    return claimed.length > 0
  }

  /** One that fails keeps none of the others from being looked after; its lease ends, and it comes again. */
  private async settle(
    ...[provider, payment]: [CheckoutProvider, Parameters<typeof settlePayment>[2]]
  ): Promise<void> {
    try {
      await settlePayment(this.context, provider, payment)
    } catch (error) {
      this.context.log.warn({ err: error, payment_id: payment.id }, 'a payment could not be looked after')
    }
  }
}

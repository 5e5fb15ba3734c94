import { monotonicMs } from '../clock.ts'
import type { Context } from '../context.ts'
import { pause, type Listening } from '../database/database.ts'
import { claimDeliveries, dueWebhooks, leaveLeases } from './claim-deliveries.ts'
import { DeliveryLanes, type Choice } from './delivery-lanes.ts'
import { DeliverySender, type SenderOptions } from './delivery-sender.ts'
import { deliveriesChannel } from './delivery-types.ts'
import { hasWebhooks } from './webhook-queries.ts'

/** Without any signal the database is asked so often what is due: for retries, and for what a killed server left. */
const pollMs = 1_000
/** After this it is asked again for what another server had at that moment; then after twice as long, and so on. */
const soonMs = 50
/** With so many claimed there is no haste to claim more: the next look then finds more at once. */
const plenty = 512
const breathMs = 25

/** Claims what is due and has it sent, on every server beside its requests. */
export class DeliveryWorker {
  private readonly context: Context
  private readonly id: string
  private readonly sender: DeliverySender
  private readonly lanes = new DeliveryLanes()
  /** How often in a row others had all that was wanted. */
  private inVain = 0
  private isDraining = false
  private isWoken = false
  /** Whether something may be due of which the lanes know nothing. */
  private isTold = true
  private askedMs = 0
  private wakeUp: () => void = () => undefined
  private isDatabaseAway = false
  private readonly whenIdle: (() => void)[] = []
  private listening: Listening | undefined
  private running: Promise<void> = Promise.resolve()
  private stopped: Promise<void> | undefined

  constructor(context: Context, options: SenderOptions) {
    this.context = context
    this.id = context.ids.next()
    this.sender = new DeliverySender(context, options, {
      by: this.id,
      lanes: this.lanes,
      changed: (webhookIds) => this.wakeIfWanted(webhookIds),
    })
  }

  start(): void {
    const { db, dueDeliveries } = this.context
    dueDeliveries.listen(() => this.wake())
    this.listening = db.listen(deliveriesChannel, () => this.wake())
    this.running = this.run()
    void this.prepare()
  }

  /** Where there is anybody to send to, the thread is there before the first delivery is. */
  private async prepare(): Promise<void> {
    const isNeeded = await hasWebhooks(this.context.db.reads).catch(() => false) // the looks tell of it
    if (isNeeded && !this.isDraining) this.sender.prepare()
  }

  /** Looks at once for what is due. */
  wake(): void {
    this.isTold = true
    this.goOn()
  }

  private goOn(): void {
    this.isWoken = true
    this.wakeUp()
  }

  /** Resolves when nothing is due and nothing in flight. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.whenIdle.push(resolve)
      this.wake()
    })
  }

  /** Claims nothing more. What is in flight finishes within the grace, or is given back and sent again later. */
  stop(graceMs: number): Promise<void> {
    this.stopped ??= this.finish(graceMs)
    return this.stopped
  }

  private async finish(graceMs: number): Promise<void> {
    this.context.dueDeliveries.listen(undefined)
    this.isDraining = true
    this.wake()
    await this.running
    this.sender.drain()
    const end = setTimeout(() => this.sender.end(), graceMs)
    await this.emptied()
    clearTimeout(end)
    this.lanes.wantNoMore()
    // a database that hangs would hold up the stop; then leases end by themselves
    if (!this.isDatabaseAway) {
      await this.leaveLeases().catch((error: unknown) => {
        this.context.log.warn({ err: error }, 'leases of webhooks could not be ended; they end by themselves')
      })
    }
    await Promise.all([this.sender.close(), this.listening?.close()])
  }

  private async emptied(): Promise<void> {
    while (this.sender.isBusy) await new Promise<void>((resolve) => (this.wakeUp = resolve))
  }

  private async run(): Promise<void> {
    while (!this.isDraining) {
      this.isWoken = false
      const claimed = await this.look()
      if (this.sender.sending > plenty) await pause(breathMs)
      if (claimed > 0) continue
      this.tellIfIdle()
      await this.nextReason()
    }
  }

  /** Those who have asked since the last look began are told after the next. */
  private tellIfIdle(): void {
    if (this.sender.isBusy || this.isWoken) return
    for (const resolve of this.whenIdle.splice(0)) resolve()
  }

  private patienceMs(): number {
    return this.inVain === 0 ? pollMs : Math.min(soonMs * 2 ** (this.inVain - 1), pollMs)
  }

  private async nextReason(): Promise<void> {
    if (this.isWoken) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.wakeUp = resolve
      timer = setTimeout(resolve, this.patienceMs()).unref()
    })
    clearTimeout(timer)
  }

  /**
   * Whether the database is to be asked which webhooks have something due. While a backlog is worked off, without any
   * signal, those that had more at the last look are enough for a second.
   */
  private mustAsk(): boolean {
    return this.isTold || !this.sender.isBusy || monotonicMs() - this.askedMs >= pollMs
  }

  private askWhatIsDue(): Promise<string[]> {
    this.isTold = false
    this.askedMs = monotonicMs()
    return dueWebhooks(this.context)
  }

  /** Claims what is due as far as there is room for it, and hands it over. Tells how much was claimed. */
  private async look(): Promise<number> {
    try {
      const due = this.mustAsk() ? await this.askWhatIsDue() : this.lanes.haveMore()
      const choice = this.lanes.choose(due, this.context.clock.nowMs())
      const claimed = await this.claim(choice)
      this.isDatabaseAway = false
      await this.leaveLeases()
      return claimed
    } catch (error) {
      if (!this.isDatabaseAway)
        this.context.log.warn({ err: error }, 'deliveries cannot be claimed; trying again')
      this.isDatabaseAway = true
      this.isTold = true
      this.inVain = 0
      this.isWoken = false // signals of what cannot be read would be answered at once, again and again
      return 0
    }
  }

  private async claim(choice: Choice): Promise<number> {
    if (choice.wanted.length + choice.toLease.length === 0) {
      this.inVain = 0
      return 0
    }
    try {
      const claim = await claimDeliveries(this.context, { ...choice, by: this.id })
      this.sender.send(this.lanes.accept(choice, claim))
      const isRefused = claim.leased.length < choice.toLease.length
      this.inVain = isRefused && claim.due.length === 0 ? this.inVain + 1 : 0
      return claim.due.length
    } catch (error) {
      this.lanes.endClaim(choice)
      throw error
    }
  }

  /** Ends the leases of webhooks of which nothing is in hand, so that other servers need not wait for them. */
  private async leaveLeases(): Promise<void> {
    const ids = this.lanes.endLeases()
    if (ids.length === 0) return
    let isDone = false
    try {
      await leaveLeases(this.context, { ids, by: this.id })
      isDone = true
    } finally {
      this.lanes.haveEnded(ids, isDone)
    }
  }

  private wakeIfWanted(webhookIds: string[]): void {
    const isLast = !this.sender.isBusy && (this.isDraining || this.whenIdle.length > 0)
    const isWanted = () => webhookIds.some((id) => this.lanes.wantsLook(id))
    if (isLast || this.lanes.isFull || isWanted()) this.goOn()
  }
}

import type { Actor } from '../access/actor.ts'
import { readTestTime } from '../access/test-clock.ts'
import { atTestTime, realNow, type TestTime } from '../base/clock.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import { daySeconds, formatInstant, type Instant, plusSeconds, readInstant } from '../base/instants.ts'
import { repeat } from '../base/repeat.ts'
import { expiredHolds } from '../bookings/hold.ts'
import type { Context } from '../bookings/context.ts'
import { RequestWorker } from '../bookings/request.ts'
import { sweepAtOnce, WaitlistWorker } from '../bookings/waitlist-sweep.ts'
import { businessForCreation } from '../catalogue/catalogue.ts'
import { RetryTransaction } from '../database/database.ts'
import type { MailWorker } from '../mails/mail-worker.ts'
import { queueReminders } from '../mails/reminders.ts'
import type { TextWorker } from '../mails/text-worker.ts'
import { PaymentWorker } from '../payments/payment-worker.ts'
import { findStandingClocks, moveClock } from './test-clock-queries.ts'
import type { MoveTestClock, TestClock } from './test-clock-schemas.ts'

/*
 * The clock of a test business. It shows real time until somebody moves it, and then stands still.
 *
 *   1. Requests of the business read its clock (access/authentication-hook.ts), and so do their transactions.
 *   2. The usual sweeps leave businesses with a standing clock out (database/test-time.ts).
 *   3. A pass does the due work of one such business in its time. It follows each move and each request that changes
 *      something. A poll finds what a killed server has left.
 *
 * Guarantees: one pass at a time in each process, and leases between processes. Webhooks, keys and sessions, rate limits
 * and stored responses stay in real time. So does everything about other businesses.
 */

const pollMs = 5_000
/** Businesses that one query of the poll finds. */
const businessesAtOnce = 100
const holdsAtOnce = 500
const maxAheadSeconds = 5 * 366 * daySeconds
const firstId = '00000000-0000-0000-0000-000000000000'

/** The parts of a pass that need the server. They are not started, and so work in passes only. */
interface PassWorkers {
  mails: MailWorker
  texts: TextWorker
}

/** Moves the clocks of test businesses, and does their due work. */
export class TestClocks {
  private readonly context: Context
  private readonly workers
  private readonly remindedUntil = new Map<string, Instant>()
  /** Businesses that wait for a pass. */
  private readonly woken = new Set<string>()
  private last: Promise<void> = Promise.resolve()
  private poll: ReturnType<typeof repeat> | undefined
  private hasStopped = false

  constructor(context: Context, { mails, texts }: PassWorkers) {
    this.context = context
    const first = [new PaymentWorker(context), new WaitlistWorker(context)]
    this.workers = { first, requests: new RequestWorker(context), messages: [mails, texts] }
  }

  start(): void {
    this.poll = repeat(() => this.sweepAll(), pollMs)
  }

  async stop(): Promise<void> {
    this.hasStopped = true
    await Promise.all([this.poll?.stop(), this.last])
  }

  /** Does the due work of a business soon. */
  wake(businessId: string): void {
    if (this.woken.has(businessId) || this.hasStopped) return
    this.woken.add(businessId)
    void this.pass(businessId)
  }

  /** Resolves when all passes that were asked for have ended. */
  settled(): Promise<void> {
    return this.last
  }

  /**
   * Moves a clock forward and does what falls due by then, before it returns. Throws not_found, test_business, and
   * validation_failed for a time before the present one or more than five years ahead.
   */
  async move(actor: Actor, { now: text, business_id }: MoveTestClock): Promise<TestClock> {
    const now = readInstant(text)
    const clock = await this.context.db.transaction(async (tx) => {
      const business = await testBusiness(tx.reads, actor, business_id)
      const { id: businessId, timezone } = business
      const present = business.test_now ?? tx.now
      if (now < present) throw fault(`must not be before ${formatInstant(present, timezone)}`)
      if (now > plusSeconds(tx.now, maxAheadSeconds)) throw fault('must be at most five years ahead')
      if (!(await moveClock(tx.db, { businessId, now })))
        throw new RetryTransaction('the clock was moved meanwhile')
      return { business_id: businessId, now: formatInstant(now, timezone), frozen: true }
    })
    this.woken.add(clock.business_id)
    await this.pass(clock.business_id)
    return clock
  }

  /** Queues a pass. Never rejects. */
  private pass(businessId: string): Promise<void> {
    this.last = this.last.then(async () => {
      this.woken.delete(businessId)
      if (this.hasStopped) return
      try {
        const time = await readTestTime(this.context, businessId)
        if (time) await atTestTime(this.context.clock, time, () => this.sweep(time))
      } catch (error) {
        this.context.log.warn(
          { err: error, business_id: businessId },
          'due work of a test business failed; retrying',
        )
      }
    })
    return this.last
  }

  /** Does everything that is due, in an order in which later steps see the results of earlier ones. */
  private async sweep({ businessId, now }: TestTime): Promise<void> {
    const { context } = this
    const { first, requests, messages } = this.workers
    while ((await expiredHolds.deleteBatch(context, holdsAtOnce)) === holdsAtOnce);
    await requests.check()
    await sweepAtOnce(context, businessId)
    for (const worker of first) await worker.settled()
    const since = this.remindedUntil.get(businessId) ?? plusSeconds(now, -daySeconds)
    if (since < now) await queueReminders(context, since)
    this.remindedUntil.set(businessId, now)
    for (const worker of messages) await worker.settled()
  }

  /** Sweeps all businesses with a standing clock. Never rejects. */
  private async sweepAll(): Promise<void> {
    try {
      for (let after = firstId; ;) {
        const found = await findStandingClocks(this.context.db.reads, { after, max: businessesAtOnce })
        for (const { id } of found) await this.pass(id)
        after = found.at(-1)?.id ?? after
        if (found.length < businessesAtOnce || this.hasStopped) return
      }
    } catch (error) {
      this.context.log.warn({ err: error }, 'test businesses could not be found; retrying')
    }
  }
}

/** Shows the time of a test business. Throws not_found or test_business. */
export async function showTestClock(
  { db, clock }: Context,
  actor: Actor,
  businessId: string | undefined,
): Promise<TestClock> {
  const { id, test_now, timezone } = await testBusiness(db.reads, actor, businessId)
  const now = test_now ?? realNow(clock.now())
  return { business_id: id, now: formatInstant(now, timezone), frozen: test_now !== null }
}

async function testBusiness(
  db: Context['db']['reads'],
  actor: Actor,
  given: string | undefined,
): Promise<Awaited<ReturnType<typeof businessForCreation>>> {
  const business = await businessForCreation(db, actor.scope, given)
  if (business.is_test === 1) return business
  throw new Problem('test_business', 'Only a test business has a clock. This business is not for tests.')
}

function fault(detail: string): Problem {
  return validationProblem([{ pointer: '/now', code: 'out_of_range', detail }])
}

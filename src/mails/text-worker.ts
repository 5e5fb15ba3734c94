import type { RateLimiter } from '../access/rate-limits.ts'
import { shortManageUrl } from '../access/manage-link.ts'
import { effectivePlan } from '../access/actor.ts'
import { quotasOfText } from '../access/rate-limit-rules.ts'
import { type Instant, plusSeconds } from '../base/instants.ts'
import { publicUrl } from '../base/public-url.ts'
import { quietHoursIn } from '../catalogue/mail-settings-rules.ts'
import type { Context } from './context.ts'
import { isAnyMailDue, type LeasedMail, leaseMails, sentSince } from './mail-queries.ts'
import { leaseSeconds, limitSeconds, maxToClientPerHour, quietUntil } from './mail-rules.ts'
import { mailViewOf, noAddresses } from './mail-view.ts'
import { type LeasedTurn, limitedUntil, type NextMail, OutboxWorker, turnOf } from './outbox-worker.ts'
import { renderText } from './render-text.ts'
import { findToldSeries } from './series.ts'
import { stopDigestOf } from './text-report.ts'
import { countSegments, hasStopped, insertStop } from './text-queries.ts'
import { textNumberOf } from './text-route.ts'
import { monthOf, segmentsOf } from './text-rules.ts'
import { type TextResult, TextSender } from './text-sender.ts'

/*
 * Sends due text messages, as mail-worker.ts sends emails. Its loop is separate, so that a provider that hangs delays
 * no email.
 *
 * Guarantees: one number of a business gets one message at a time. A message leased by a killed server, or whose answer
 * is lost, is sent once more, with the same ID. A business never sends more segments in a month than it may.
 */

const maxInFlight = 20

/** The worker of this process. Without `SMS_URL` it does nothing. */
export class TextWorker extends OutboxWorker {
  private readonly sender: TextSender | undefined

  constructor(context: Context, limiter: RateLimiter) {
    const { smsUrl } = context.config
    super(context, limiter, {
      ...{ maxInFlight: smsUrl === '' ? 0 : maxInFlight, pollMs: 2_000, signal: context.dueTexts },
      failing: 'text messages cannot be leased; retrying',
      failed: ['error', 'mail_id', 'the result of a text message could not be written'],
    })
    this.sender = smsUrl === '' ? undefined : new TextSender(smsUrl)
  }

  override start(): void {
    if (!this.sender) return
    super.start()
    this.wake()
  }

  protected override async lease(max: number): Promise<{ leased: LeasedTurn[] }> {
    const { db, clock } = this.context
    if (!(await isAnyMailDue(db.reads, clock.now(), 'text'))) return { leased: [] }
    const mails = await db.transaction((tx) => {
      const until = plusSeconds(tx.now, leaseSeconds)
      return leaseMails(tx.db, { max, now: tx.now, until, channel: 'text' })
    })
    const turns = [...Map.groupBy(mails, turnOf).values()]
    return { leased: turns.map((turn) => ({ id: turn[0]?.id ?? '', send: () => this.tell(turn) })) }
  }

  /** Sends the next message to a number, or finds that none is needed any more. */
  private async tell(mails: LeasedMail[]): Promise<void> {
    const { db, clock, config } = this.context
    const now = clock.now()
    const [{ recipient } = { recipient: '' }] = mails
    const digest = await stopDigestOf(this.context, recipient)
    const isStopped = await hasStopped(db.reads, digest)
    const { next, obsolete } = await this.nextToClient(
      mails,
      (booking) => !isStopped && textNumberOf(booking, config) === recipient,
    )
    if (!next) return this.conclude(mails, obsolete, [])
    const { mail, booking, same } = next
    const quiet = quietUntil(now, booking.timezone, quietHoursIn(booking.quiet_hours_json))
    if (quiet) {
      // too late for this appointment; messages about others stay
      if (quiet >= booking.starts_at) return this.conclude(mails, [...obsolete, mail, ...same], [])
      return this.postpone(mails, { until: quiet, waits_for: 'quiet_hours' })
    }
    const since = plusSeconds(now, -limitSeconds)
    const sent = await sentSince(db.reads, mail, { since, max: maxToClientPerHour })
    if (sent.length >= maxToClientPerHour) return this.postpone(mails, limitedUntil(sent[0] ?? now))
    const full = await this.countText(next)
    if (full) return this.postpone(mails, full)
    const result = await this.send(mails, next)
    await this.record(mails, { ...next, to: '', result, obsolete })
    if (result.hasStopped)
      await db.transaction((tx) => insertStop(tx.db, { phone: recipient, digest }, tx.now))
  }

  /** Counts a message at its first attempt. Returns until when it waits if an hour's limit is reached. */
  private async countText({ mail: { attempts, business_id: businessId }, booking }: NextMail) {
    if (attempts > 0) return undefined
    const { config, clock } = this.context
    const plan = effectivePlan(booking.plan, booking.hub_plan)
    const { ofBusiness, ofServer } = quotasOfText({ businessId, plan }, config)
    for (const [waits_for, quota] of [
      ['business_limit', ofBusiness],
      ['server_limit', ofServer],
    ] as const) {
      const { allowed, retryAfterSeconds } = await this.limiter.count([quota], businessId)
      if (!allowed) return { until: plusSeconds(clock.now(), retryAfterSeconds), waits_for }
    }
    return undefined
  }

  /** Never rejects. */
  private async send(mails: LeasedMail[], { mail, booking }: NextMail): Promise<TextResult> {
    const { config, log, clock } = this.context
    try {
      const known = await this.knownOf(mails, mail, booking)
      const now = clock.now()
      const told = await findToldSeries(this.context, { booking, kind: mail.kind, waiting: mails })
      const around = {
        ...{ addresses: noAddresses, known, now, from: '', server: config.publicUrl },
        series: told?.view,
      }
      const manageUrl = await shortManageUrl(this.context, booking)
      const text = renderText(mailViewOf(mail, booking, around), {
        manageUrl,
        canAnswer: canAnswer(config.smsUrl),
      })
      if (mail.attempts === 0 && !(await this.countSegments(mail, { text, now, booking })))
        return { outcome: 'refused', error: 'the text messages of this month are used up' }
      const statusUrl = config.publicUrl === '' ? null : `${publicUrl(config)}/texts/callback?id=${mail.id}`
      const { id, recipient: to } = mail
      return (
        (await this.sender?.send({ id, to, text, statusUrl })) ?? { outcome: 'refused', error: 'no provider' }
      )
    } catch (error) {
      log.error({ err: error, mail_id: mail.id }, 'a text message could not be made')
      return { outcome: 'failed', error: 'the text message could not be rendered; see the server log' }
    }
  }

  private countSegments(
    { business_id: businessId }: LeasedMail,
    { text, now, booking }: { text: string; now: Instant; booking: NextMail['booking'] },
  ): Promise<boolean> {
    const allowed = this.context.config.smsPerMonth[effectivePlan(booking.plan, booking.hub_plan)]
    const count = { businessId, month: monthOf(now), segments: segmentsOf(text), allowed }
    return this.context.db.transaction((tx) => countSegments(tx.db, count))
  }
}

/** True if a sender is a number, to which people can answer. Names take no answers. */
function canAnswer(smsUrl: string): boolean {
  return /^\+?\d+$/.test(new URL(smsUrl).searchParams.get('from') ?? '')
}

import type { RateLimiter } from '../access/rate-limits.ts'
import { shortManageUrl } from '../access/manage-link.ts'
import { effectivePlan } from '../access/actor.ts'
import { quotasOfText } from '../access/rate-limit-rules.ts'
import { type Instant, plusSeconds } from '../base/instants.ts'
import { publicUrl } from '../base/public-url.ts'
import { businessInScope } from '../catalogue/business.ts'
import { quietHoursIn } from '../catalogue/mail-settings-rules.ts'
import type { ClientMailbox } from './client-link-mail.ts'
import { clientLinkText } from './client-link-text.ts'
import type { Context } from './context.ts'
import { isAnyMailDue, type LeasedMail, leaseMails } from './mail-queries.ts'
import {
  isAboutFee,
  leaseSeconds,
  limitSeconds,
  maxToClientPerHour,
  maxToNumberPerHour,
  quietUntil,
} from './mail-rules.ts'
import { mailViewOf, noAddresses, shownFeeOf } from './mail-view.ts'
import { sendNotice } from './notice.ts'
import { isAnyNoticeDue, leaseNotices, type NoticeOf } from './notice-queries.ts'
import { type LeasedTurn, limitedUntil, type NextMail, OutboxWorker, turnOf } from './outbox-worker.ts'
import { renderText } from './render-text.ts'
import { findToldSeries } from './series.ts'
import { stopDigestOf } from './text-report.ts'
import { countSegments, hasStopped, insertStop, textsSince } from './text-queries.ts'
import { textNumberOf } from './text-route.ts'
import { monthOf, segmentsOf } from './text-rules.ts'
import { type TextResult, TextSender } from './text-sender.ts'
import { offerText, toldEntry } from './waitlist-mail.ts'
import type { ToldEntry } from './waitlist-mail-queries.ts'
import { keepsMessages } from './mail-route.ts'
import { keeper } from './send.ts'

/*
 * Sends due text messages, as mail-worker.ts sends emails. Its loop is separate, so that a provider that hangs delays
 * no email.
 *
 * Guarantees: one number of a business gets one message at a time. A message leased by a killed server, or whose answer
 * is lost, is sent once more, with the same ID. A business never sends more segments in a month than it may.
 */

const maxInFlight = 20

/** The parts of an email that a text message lacks. */
const emptyMail = {
  ...{ kind: 'waitlist_offered', senderName: '', replyTo: null, offUrl: null },
  content: { subject: '', text: '', html: '', calendar: null },
}

/** The worker of this process. Without `SMS_URL` it does nothing. */
export class TextWorker extends OutboxWorker {
  private readonly sender: TextSender | undefined
  private readonly isClient: (mailbox: ClientMailbox) => Promise<boolean>

  /** `isClient` reports if a number has bookings at a business. */
  constructor(
    context: Context,
    limiter: RateLimiter,
    { isClient }: { isClient: (mailbox: ClientMailbox) => Promise<boolean> },
  ) {
    const { smsUrl } = context.config
    super(context, limiter, {
      ...{ maxInFlight: smsUrl === '' ? 0 : maxInFlight, pollMs: 2_000, signal: context.dueTexts },
      failing: 'text messages cannot be leased; retrying',
      failed: ['error', 'mail_id', 'the result of a text message could not be written'],
    })
    this.isClient = isClient
    this.sender = smsUrl === '' ? undefined : new TextSender(smsUrl)
  }

  override start(): void {
    if (!this.sender) return
    super.start()
    this.wake()
  }

  protected override async lease(max: number): Promise<{ leased: LeasedTurn[] }> {
    const { db, clock } = this.context
    const now = clock.now()
    const isAnyDue =
      (await isAnyMailDue(db.reads, now, 'text')) ||
      (await isAnyNoticeDue(db.reads, 'waitlist_texts', now)) ||
      (await isAnyNoticeDue(db.reads, 'client_text_links', now))
    if (!isAnyDue) return { leased: [] }
    const { links, mails, offers } = await db.transaction(async (tx) => {
      const lease = { now: tx.now, until: plusSeconds(tx.now, leaseSeconds) }
      const links = await leaseNotices(tx.db, 'client_text_links', { ...lease, max }) // people wait for them
      const offers = await leaseNotices(tx.db, 'waitlist_texts', { ...lease, max: max - links.length })
      const rest = max - links.length - offers.length
      const mails = rest > 0 ? await leaseMails(tx.db, { ...lease, max: rest, channel: 'text' }) : []
      return { links, mails, offers }
    })
    const turns = [...Map.groupBy(mails, turnOf).values()]
    return {
      leased: [
        ...links.map((link) => ({ id: link.id, send: () => this.sendClientLink(link) })),
        ...offers.map((text) => ({ id: text.id, send: () => this.offer(text) })),
        ...turns.map((turn) => ({ id: turn[0]?.id ?? '', send: () => this.tell(turn) })),
      ],
    }
  }

  /**
   * Sends the link to a client's page. The client has asked for it, so it needs no consent and waits for no quiet hours.
   * A number that has answered STOP gets none.
   */
  private async sendClientLink(leased: NoticeOf<'client_text_links'>): Promise<void> {
    const { config, clock, db } = this.context
    const { isClient } = this
    const text = await clientLinkText(this.context, leased, { isClient, canAnswer: canAnswer(config.smsUrl) })
    const digest = await stopDigestOf(this.context, leased.phone)
    const isSent = text !== undefined && !(await hasStopped(db.reads, digest))
    const send = async ({ id }: { id: string }): Promise<TextResult> => {
      const full = await this.countLink(leased, text ?? '')
      if (full !== undefined) return { outcome: 'refused', error: full }
      const sent = await this.deliver(leased.business_id, {
        ...{ id, to: leased.phone, text: text ?? '', statusUrl: null },
      })
      if (sent.hasStopped)
        await db.transaction((tx) => insertStop(tx.db, { phone: leased.phone, digest }, tx.now))
      return sent
    }
    const mail = { ...emptyMail, kind: 'client_link', id: leased.id, to: '', at: clock.now() }
    await sendNotice(
      this.context,
      { send },
      { ...{ table: 'client_text_links', notice: leased }, mail: isSent ? mail : undefined },
    )
  }

  /** Sends a text message, or keeps that of a test business. */
  private async deliver(businessId: string, message: Parameters<TextSender['send']>[0]): Promise<TextResult> {
    if (await keepsMessages(this.context, this.context.db.reads, businessId)) return keeper.send()
    return (await this.sender?.send(message)) ?? { outcome: 'refused', error: 'no provider' }
  }

  /** Counts a link at its first attempt. Returns the limit that it exceeds. */
  private async countLink(
    { attempts, business_id: businessId }: NoticeOf<'client_text_links'>,
    text: string,
  ): Promise<string | undefined> {
    if (attempts > 0) return undefined
    const { config, clock, db } = this.context
    const row = await businessInScope(db.reads, { businessId }, businessId)
    const plan = effectivePlan(row.plan, row.hub_plan)
    const { ofBusiness, ofServer } = quotasOfText({ businessId, plan }, config)
    if (!(await this.limiter.count([ofBusiness, ofServer], businessId)).allowed)
      return 'the text messages of this hour are used up'
    const allowed = config.smsPerMonth[plan]
    const count = { businessId, month: monthOf(clock.now()), segments: segmentsOf(text), allowed }
    const isCounted = await db.transaction((tx) => countSegments(tx.db, count))
    return isCounted ? undefined : 'the text messages of this month are used up'
  }

  /** Sends an offer of the waiting list. Offers in quiet hours cannot wait, so no limit postpones one. */
  private async offer(leased: NoticeOf<'waitlist_texts'>): Promise<void> {
    const { db } = this.context
    const told = await toldEntry(this.context, leased)
    const digest = await stopDigestOf(this.context, leased.phone)
    const isSent = told && !(await hasStopped(db.reads, digest)) && (await this.countOffer(leased, told))
    const sender = { send: ({ id }: { id: string }) => this.sendOffer(id, leased, told) }
    const mail = { ...emptyMail, id: leased.id, to: '', at: this.context.clock.now() }
    await sendNotice(this.context, sender, {
      ...{ table: 'waitlist_texts', notice: leased },
      mail: isSent ? mail : undefined,
    })
  }

  /** Counts an offer at its first attempt. Returns false if a limit is reached; the email brings it, too. */
  private async countOffer(
    { attempts, business_id: businessId }: NoticeOf<'waitlist_texts'>,
    { plan: own, hub_plan }: ToldEntry,
  ): Promise<boolean> {
    if (attempts > 0) return true
    const { config } = this.context
    const { ofBusiness, ofServer } = quotasOfText({ businessId, plan: effectivePlan(own, hub_plan) }, config)
    return (await this.limiter.count([ofBusiness, ofServer], businessId)).allowed
  }

  private async sendOffer(
    id: string,
    { attempts, business_id: businessId, phone: to }: NoticeOf<'waitlist_texts'>,
    told: ToldEntry | undefined,
  ): Promise<TextResult> {
    const { config, clock, db } = this.context
    if (!told) return { outcome: 'refused', error: 'the offer is over' }
    const text = await offerText(this.context, told, { canAnswer: canAnswer(config.smsUrl) })
    const allowed = config.smsPerMonth[effectivePlan(told.plan, told.hub_plan)]
    const count = { businessId, month: monthOf(clock.now()), segments: segmentsOf(text), allowed }
    if (attempts === 0 && !(await db.transaction((tx) => countSegments(tx.db, count))))
      return { outcome: 'refused', error: 'the text messages of this month are used up' }
    return this.deliver(businessId, { id, to, text, statusUrl: null })
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
      // too late for this appointment; messages about others stay, and money is asked for later
      if (quiet >= booking.starts_at && !isAboutFee(mail.kind))
        return this.conclude(mails, [...obsolete, mail, ...same], [])
      return this.postpone(mails, { until: quiet, waits_for: 'quiet_hours' })
    }
    const since = plusSeconds(now, -limitSeconds)
    const sent = await textsSince(db.reads, mail, { since, max: maxToNumberPerHour })
    const clients = new Set([booking.client_id, ...sent.map(({ client_id }) => client_id)])
    const most = Math.min(clients.size * maxToClientPerHour, maxToNumberPerHour)
    const last = sent.at(-most) // exists if there is no room
    if (last) return this.postpone(mails, limitedUntil(last.sent_at ?? now))
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
    // in one step: a message that the server's limit stops does not count for its business
    const { allowed, limit, retryAfterSeconds } = await this.limiter.count([ofBusiness, ofServer], businessId)
    if (!allowed) {
      const waits_for = limit === ofServer.perHour ? ('server_limit' as const) : ('business_limit' as const)
      return { until: plusSeconds(clock.now(), retryAfterSeconds), waits_for }
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
      const fee = await this.feeOf(mail)
      const around = {
        ...{ addresses: noAddresses, known, now, from: '', server: config.publicUrl },
        ...{ series: told?.view, fee: fee && shownFeeOf(mail, fee, null) },
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
      return await this.deliver(mail.business_id, { id, to, text, statusUrl })
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

import type { RateLimiter } from '../access/rate-limits.ts'
import { hasEmail } from '../base/contact-formats.ts'
import { type Instant, plusSeconds } from '../base/instants.ts'
import { publicUrl } from '../base/public-url.ts'
import { repeat } from '../base/repeat.ts'
import type { Context } from './context.ts'
import { answerUrl } from './answer-link.ts'
import { sendCalendarMail } from './calendar-mail.ts'
import { type ClientMailbox, sendClientLink } from './client-link-mail.ts'
import { sendLinkMail } from './link-mail.ts'
import {
  findLateFees,
  findShownBookings,
  isAnyMailDue,
  type LeasedMail,
  leaseMails,
  sentSince,
  type ShownBooking,
  findFee,
  findRefundsUpTo,
} from './mail-queries.ts'
import {
  kindsToAnswer,
  leaseSeconds,
  limitSeconds,
  mailKinds,
  maxToBusinessPerHour,
  maxToClientPerHour,
  maxWithRequestsPerHour,
  noticeToSend,
  refundOfOccasion,
} from './mail-rules.ts'
import { isAnyNoticeDue, leaseNotices, type NoticeOf, type NoticeTable } from './notice-queries.ts'
import { deleteMailFiles } from './mail-files.ts'
import { cancelCostOf, type MailAddresses, mailViewOf, noAddresses, shownFeeOf } from './mail-view.ts'
import { offUrl } from './opt-out.ts'
import { keepsMessages, mailRoute } from './mail-route.ts'
import { queueReminders } from './reminders.ts'
import { lineOf, type MailView, renderMail, renderMany, type RenderedMail } from './render.ts'
import { findToldSeries } from './series.ts'
import { type LeasedTurn, limitedUntil, OutboxWorker, turnOf } from './outbox-worker.ts'
import { OwnServers, type Route } from './own-server.ts'
import { sendWaitlistMail, waitingUrl } from './waitlist-mail.ts'
import { sendWebhookMail } from './webhook-mail.ts'
import { keeper, MailSender, maxConnections, senderAddress, type SendResult } from './send.ts'

/*
 * Sends due emails with a lease loop (database/lease-loop.ts).
 *
 *   1. A lease brings the waiting emails of a few recipients. Each recipient's emails are with one server at a time.
 *   2. The present booking determines the email that is still relevant, and hourly limits decide if it may be sent.
 *   3. One email a recipient is sent, and its result written. The rest is due again at once, or waits with it.
 *
 * Guarantees: emails leased by a killed server are due again after a minute, with the same Message-ID. A mail server
 * that hangs or is unavailable delays only emails. No request waits for anything here.
 */

const remindMs = 60_000
const noticeTables: readonly NoticeTable[] = [
  ...(['user_mails', 'client_links', 'waitlist_mails', 'calendar_mails', 'webhook_mails'] as const),
]
/** Reminders missed while no server was running are sent up to this much later. */
const lateReminderSeconds = 86_400
/** Covers transactions that commit late. */
const overlapSeconds = 300
const maxLines = 100

/** Facts from folders above that emails need. */
interface MailLinks {
  /** Returns the URL where the client pays a due deposit. Null if none is due or no processor is available. */
  payUrl: (booking: ShownBooking) => string | null
  /** Returns the URL of the checkout of a payment. */
  checkoutUrl: (paymentId: string) => string
  /** Returns the URL where the client manages the booking, and the deadlines for changes. */
  manage: (booking: ShownBooking) => Promise<Pick<MailAddresses, 'manageUrl' | 'cancelUntil' | 'moveUntil'>>
  /** Returns at most three free times near that of an ended booking, each with the page that books it. */
  otherTimes: (booking: ShownBooking) => Promise<NonNullable<MailAddresses['otherTimes']>>
  /** Reports if a mailbox has bookings at a business. */
  isClient: (mailbox: ClientMailbox) => Promise<boolean>
}

/** In production, businesses may have a mail server although the operator has none. */
const isOn = ({ config }: Pick<Context, 'config'>) =>
  mailRoute(config) !== 'off' || config.environment === 'production'

/** Emails in work. More than the connections of one server, so that others' servers cannot take all places. */
const maxInWork = 4 * maxConnections

/** Returns the URL of a console page for a business. */
function consoleAddress({ config }: Pick<Context, 'config'>, businessId: string, path = ''): string {
  return `${publicUrl(config)}/console${path}?business=${businessId}`
}

/** The worker of this process. */
export class MailWorker extends OutboxWorker {
  private readonly links: MailLinks
  private readonly sender: MailSender
  private readonly own: OwnServers
  private reminders: ReturnType<typeof repeat> | undefined
  private remindedUntil: Instant | undefined

  constructor(context: Context, links: MailLinks, limiter: RateLimiter) {
    const maxInFlight = isOn(context) ? maxInWork : 0
    super(context, limiter, {
      ...{ maxInFlight, pollMs: 2_000, signal: context.dueMails },
      failing: 'emails cannot be leased; retrying',
      failed: ['error', 'mail_id', 'the result of an email could not be written'],
    })
    this.links = links
    this.sender = new MailSender(context.config)
    this.own = new OwnServers(context)
  }

  override start(): void {
    const hasTexts = this.context.config.smsUrl !== ''
    if (!isOn(this.context) && !hasTexts) return
    if (isOn(this.context)) super.start()
    this.reminders = repeat(() => this.remind(), remindMs, 0)
    this.wake()
  }

  /** Queues due reminders. Never rejects. */
  async remind(): Promise<void> {
    if (this.mode !== 'running') return
    const { clock, log } = this.context
    const now = clock.now()
    try {
      await queueReminders(this.context, this.remindedUntil ?? plusSeconds(now, -lateReminderSeconds))
      this.remindedUntil = plusSeconds(now, -overlapSeconds)
    } catch (error) {
      log.warn({ err: error }, 'reminders could not be queued; retrying in a minute')
    }
  }

  protected override close(): Promise<void> | undefined {
    this.sender.close()
    this.own.close()
    return this.reminders?.stop()
  }

  private async isAnyDue(now: Instant): Promise<boolean> {
    const { reads } = this.context.db
    if (await isAnyMailDue(reads, now, 'email')) return true
    for (const table of noticeTables) if (await isAnyNoticeDue(reads, table, now)) return true
    return false
  }

  protected override async lease(max: number) {
    const { db, clock } = this.context
    if (!(await this.isAnyDue(clock.now()))) return { leased: [] }
    const { links, ofClients, offers, calendars, hooks, turns } = await db.transaction(async (tx) => {
      const lease = { now: tx.now, until: plusSeconds(tx.now, leaseSeconds) }
      const links = await leaseNotices(tx.db, 'user_mails', { ...lease, max }) // few, and people wait for them
      const ofClients = await leaseNotices(tx.db, 'client_links', { ...lease, max: max - links.length })
      const room = max - links.length - ofClients.length
      const offers = await leaseNotices(tx.db, 'waitlist_mails', { ...lease, max: room })
      const rest = room - offers.length
      const mails = rest > 0 ? await leaseMails(tx.db, { ...lease, max: rest, channel: 'email' }) : []
      const turns = [...Map.groupBy(mails, turnOf).values()]
      const left = rest - turns.length // for emails that nobody waits for
      const calendars = left > 0 ? await leaseNotices(tx.db, 'calendar_mails', { ...lease, max: left }) : []
      const last = left - calendars.length
      const hooks = last > 0 ? await leaseNotices(tx.db, 'webhook_mails', { ...lease, max: last }) : []
      return { links, ofClients, offers, calendars, hooks, turns }
    })
    const turn = (id: string, send: () => Promise<void>): LeasedTurn => ({ id, send })
    return {
      leased: [
        ...links.map((mail) => turn(mail.id, () => sendLinkMail(this.context, this.sender, mail))),
        ...ofClients.map((link) => turn(link.id, () => this.sendToClient(link))),
        ...offers.map((mail) => turn(mail.id, () => this.sendAboutWaitlist(mail))),
        ...calendars.map((mail) => turn(mail.id, () => this.sendAboutCalendar(mail))),
        ...hooks.map((mail) => turn(mail.id, () => this.sendAboutWebhook(mail))),
        ...turns.map((mails) => turn(mails[0]?.id ?? '', () => this.tell(mails))),
      ],
    }
  }

  /** Returns the route of a business's emails. */
  private async routeOf(businessId: string): Promise<Route> {
    const { config, db } = this.context
    if (await keepsMessages(this.context, db.reads, businessId))
      return { sender: keeper, from: senderAddress(config), isOwn: false }
    const own = await this.own.find(businessId)
    return own ?? { sender: this.sender, from: senderAddress(config), isOwn: false }
  }

  private async sendToClient(leased: NoticeOf<'client_links'>): Promise<void> {
    const { sender } = await this.routeOf(leased.business_id)
    await sendClientLink(this.context, sender, { leased, isClient: this.links.isClient })
  }

  private async sendAboutWaitlist(notice: NoticeOf<'waitlist_mails'>): Promise<void> {
    const { sender } = await this.routeOf(notice.business_id)
    await sendWaitlistMail(this.context, sender, notice)
  }

  private async sendAboutCalendar(notice: NoticeOf<'calendar_mails'>): Promise<void> {
    const { sender } = await this.routeOf(notice.business_id)
    await sendCalendarMail(this.context, sender, notice)
  }

  private async sendAboutWebhook(notice: NoticeOf<'webhook_mails'>): Promise<void> {
    const { business_id: businessId } = notice
    const sender = businessId === null ? this.sender : (await this.routeOf(businessId)).sender
    await sendWebhookMail(this.context, sender, notice)
  }

  private tell(mails: LeasedMail[]): Promise<void> {
    return mails[0]?.audience === 'client' ? this.tellClient(mails) : this.tellBusiness(mails)
  }

  /** Sends the next email to a client, or finds that none is needed any more. */
  private async tellClient(mails: LeasedMail[]): Promise<void> {
    const { db, clock } = this.context
    const now = clock.now()
    const { next, obsolete } = await this.nextToClient(mails, ({ client_email }) => hasEmail(client_email))
    if (!next) return this.conclude(mails, obsolete, [])
    const { mail, booking, same } = next
    const since = plusSeconds(now, -limitSeconds)
    const sent = await sentSince(db.reads, mail, { since, max: maxToClientPerHour })
    if (sent.length >= maxToClientPerHour) return this.postpone(mails, limitedUntil(sent[0] ?? now))
    const fullUntil = await this.countCaused(mail, booking)
    if (fullUntil) return this.waitUntil(fullUntil, mails, mail)
    const result = await this.send(mail, booking.client_email, async (from) => ({
      booking,
      content: await this.render([...same, mail], mail, { booking, from }),
    }))
    await this.record(mails, { mail, to: booking.client_email, result, same, obsolete })
    await this.withdraw(mail, [booking])
  }

  /** Sends the next email to a recipient of a business, about one booking or, above the limit, about many. */
  private async tellBusiness(mails: LeasedMail[]): Promise<void> {
    const { db, clock } = this.context
    const now = clock.now()
    const bookings = await findShownBookings(db.reads, mails)
    const notices: { mail: LeasedMail; booking: ShownBooking }[] = []
    const obsolete: LeasedMail[] = []
    for (const waiting of await this.bySubject(mails)) {
      const booking = bookings.get(waiting[0]?.booking_id ?? '')
      const id = noticeToSend(waiting, booking)?.id
      for (const mail of waiting) {
        const isSettled = mail.kind === 'charge_failed' && !(await this.isFeeDue(mail))
        if (mail.id === id && booking && !isSettled) notices.push({ mail, booking })
        else obsolete.push(mail)
      }
    }
    const request = notices.find((notice) => kindsToAnswer.includes(notice.mail.kind))
    const first = request ?? notices[0]
    if (!first) return this.conclude(mails, obsolete, [])
    const { mail, booking } = first
    const since = plusSeconds(now, -limitSeconds)
    const max = request ? maxWithRequestsPerHour : maxToBusinessPerHour
    const sent = await sentSince(db.reads, mail, { since, max })
    if (sent.length >= max) return this.postpone(mails, limitedUntil(sent[0] ?? now))
    const fullUntil = await this.countCaused(mail, booking)
    if (fullUntil) return this.waitUntil(fullUntil, mails, mail)
    const isMany = !request && sent.length + notices.length > maxToBusinessPerHour
    const result = await this.send(mail, mail.to_email, async (from) => ({
      booking,
      content: isMany
        ? this.renderMany(notices, { now, from })
        : await this.render(mails, mail, { booking, from }),
    }))
    const carried = isMany ? notices.slice(1).map((notice) => notice.mail) : []
    await this.record(mails, { mail, to: mail.to_email, result, same: [], obsolete, carried })
    await this.withdraw(mail, isMany ? notices.map((notice) => notice.booking) : [booking])
  }

  /** Deletes the file of an email if its client was erased while it was written. */
  private async withdraw(mail: LeasedMail, shown: ShownBooking[]): Promise<void> {
    if (mailRoute(this.context.config) !== 'files') return
    const known = shown.filter(({ client_email }) => client_email !== '')
    const keys = known.map(({ id, business_id }) => ({ business_id, booking_id: id }))
    const now = await findShownBookings(this.context.db.reads, keys)
    if (known.some(({ id }) => now.get(id)?.client_email === '')) await deleteMailFiles(this.context, [mail])
  }

  /** Renders one of the waiting emails to a recipient, which are in order. It supersedes those about the same booking. */
  private async render(
    waiting: LeasedMail[],
    mail: LeasedMail,
    { booking, from }: { booking: ShownBooking; from: string },
  ): Promise<RenderedMail> {
    const series = await findToldSeries(this.context, { booking, kind: mail.kind, waiting })
    const fee = await this.feeOf(mail)
    const around = {
      ...(fee && { fee: shownFeeOf(mail, fee, this.links.checkoutUrl(fee.id)) }),
      refund: await this.refundOf(mail),
      addresses: await this.addressesOf(mail, booking),
      known: await this.knownOf(waiting, mail, booking),
      now: this.context.clock.now(),
      ...{ from, server: this.context.config.publicUrl, series: series?.view },
    }
    const others =
      mail.audience === 'client' ? await this.othersOf(series?.others ?? [], { mail, booking, from }) : []
    const cancelCost = await this.cancelCostOf(mail, booking, series?.others ?? [])
    return renderMail({ ...mailViewOf(mail, booking, around), cancelCost }, others)
  }

  /** Returns the other bookings of a series, for their calendar parts. */
  private async othersOf(
    ids: readonly string[],
    { mail, booking: { business_id }, from }: { mail: LeasedMail; booking: ShownBooking; from: string },
  ): Promise<MailView[]> {
    if (ids.length === 0) return []
    const { db, clock, config } = this.context
    const keys = ids.map((booking_id) => ({ business_id, booking_id }))
    const found = await findShownBookings(db.reads, keys)
    const around = { known: undefined, now: clock.now(), from, server: config.publicUrl }
    const views: MailView[] = []
    for (const id of ids) {
      const other = found.get(id)
      if (other)
        views.push(mailViewOf(mail, other, { ...around, addresses: await this.addressesOf(mail, other) }))
    }
    return views
  }

  /** Returns the refund that an email is about. Undefined for any other email. */
  private async refundOf(mail: LeasedMail): Promise<MailView['refund']> {
    const named = refundOfOccasion(mail)
    if (!named) return undefined
    const { reads } = this.context.db
    const { business_id } = mail
    const payment = await findFee(reads, { id: named.paymentId, business_id })
    const made = await findRefundsUpTo(reads, { ...named, business_id })
    const { amount = 0 } = made.at(-1) ?? {}
    if (!payment || amount === 0) return undefined
    const { currency } = payment
    const soFar = made.reduce((sum, one) => sum + one.amount, 0)
    return {
      ...{ now: { amount, currency }, soFar: { amount: soFar, currency } },
      ...{ rest: { amount: payment.amount - soFar, currency }, isOfFee: payment.kind === 'fee' },
    }
  }

  /** Returns the cost of a cancellation of a booking and others of its series. Undefined for one without fees. */
  private async cancelCostOf(
    { kind }: LeasedMail,
    booking: ShownBooking,
    others: readonly string[],
  ): Promise<MailView['cancelCost']> {
    if (kind !== 'cancelled' || booking.fee_agreed_at === null) return undefined
    const { id, business_id } = booking
    const fees = await findLateFees(this.context.db.reads, { ids: [id, ...others], business_id })
    return cancelCostOf(booking, fees, this.links.checkoutUrl)
  }

  private renderMany(
    notices: { mail: LeasedMail; booking: ShownBooking }[],
    { now, from }: { now: Instant; from: string },
  ): RenderedMail {
    const [first] = notices
    const consoleUrl = first ? consoleAddress(this.context, first.booking.business_id) : null
    const addresses = { ...noAddresses, consoleUrl }
    const around = { addresses, known: undefined, now, from, server: this.context.config.publicUrl }
    const views = notices.slice(0, maxLines).map(({ mail, booking }) => mailViewOf(mail, booking, around))
    const [view] = views
    if (!view) throw new Error('a mail about many needs one')
    return renderMany(view, views.map(lineOf), notices.length - views.length)
  }

  private async addressesOf(mail: LeasedMail, booking: ShownBooking): Promise<MailAddresses> {
    const { kind, audience } = mail
    const managed = audience === 'client' ? await this.links.manage(booking) : noAddresses
    const inConsole = consoleAddress(this.context, booking.business_id, `/bookings/${booking.id}`)
    return {
      ...managed,
      payUrl: audience === 'client' ? this.links.payUrl(booking) : null,
      offUrl: mailKinds[kind].isOptional ? await offUrl(this.context, booking) : null,
      ownUrl: audience === 'client' ? `${publicUrl(this.context.config)}/me/${booking.business_id}` : null,
      consoleUrl: audience === 'business' ? inConsole : null,
      ...(audience === 'business' &&
        booking.respond_by !== null && { answerUrl: await answerUrl(this.context, mail) }),
      ...(audience === 'client' &&
        (kind === 'declined' || kind === 'unanswered') && {
          otherTimes: await this.links.otherTimes(booking),
          waitUrl: await waitingUrl(this.context, booking),
        }),
    }
  }

  /** Never rejects. Emails that cannot be rendered are retried like those that cannot be sent. */
  private async send(
    { id, kind, business_id }: LeasedMail,
    to: string,
    make: (from: string) => Promise<{ booking: ShownBooking; content: RenderedMail }>,
  ): Promise<SendResult> {
    const { clock, log } = this.context
    try {
      const { sender, from: own } = await this.routeOf(business_id)
      const { booking, content } = await make(own)
      const now = clock.now()
      const around = { addresses: noAddresses, known: undefined, now, from: '' }
      const { business } = mailViewOf({ kind, audience: 'client' }, booking, around)
      return await sender.send({
        ...{ id, kind, to, content, at: now },
        ...{ senderName: business.name, replyTo: business.replyTo },
        offUrl: mailKinds[kind].isOptional ? await offUrl(this.context, booking) : null,
      })
    } catch (error) {
      log.error({ err: error, mail_id: id }, 'a mail could not be made')
      return { outcome: 'failed', error: 'the email could not be rendered; see the server log' }
    }
  }
}

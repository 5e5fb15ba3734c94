import { LRUCache } from 'lru-cache'
import { effectivePlan } from '../access/actor.ts'
import { quotaOfClientMail, quotaOfNotice } from '../access/rate-limit-rules.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { clientEmailOf } from '../base/contact-formats.ts'
import { type Instant, plusSeconds } from '../base/instants.ts'
import { LeaseLoop } from '../database/lease-loop.ts'
import type { Context } from './context.ts'
import {
  findFee,
  findNames,
  findShownBookings,
  hasOptedOut,
  type LeasedMail,
  type MailedFee,
  type MailResult,
  postponeCaused,
  type Postponement,
  postponeMails,
  type ShownBooking,
  writeMailResult,
} from './mail-queries.ts'
import {
  feeOfOccasion,
  isOutcomeOfCharge,
  type Known,
  knownBefore,
  limitSeconds,
  mailKinds,
  mailToSend,
  pauseSeconds,
  subjectOf,
} from './mail-rules.ts'
import type { SendResult } from './send.ts'

/* The parts of sending that emails and text messages share. */

/** While a server is unavailable, messages wait instead of failing one by one. */
const awayMs = 5_000
/** Emails wait this long while their business's server is busy with others. */
const busySeconds = 2
/** Businesses whose reached limit is remembered, so that the log reports it once. */
const maxFull = 1_000

/** The unit of sending: a notice, or the next message to a recipient. */
export interface LeasedTurn {
  id: string
  send: () => Promise<void>
}

/** The next message to a client about one booking. */
export interface NextMail {
  mail: LeasedMail
  booking: ShownBooking
  /** Messages about the booking that it supersedes. */
  same: LeasedMail[]
}

/** Returns what identifies the recipient of a message, who gets one after the other. */
export function turnOf({ business_id, audience, recipient }: LeasedMail): string {
  return [business_id, audience, recipient].join(' ')
}

/** Returns the end of the hour that began with the oldest message that counts. */
export function limitedUntil(oldest: Instant): Postponement {
  return { until: plusSeconds(oldest, limitSeconds), waits_for: 'recipient_limit' }
}

/** Leases messages of the outbox, and writes their results. */
export abstract class OutboxWorker extends LeaseLoop<Context, LeasedTurn> {
  protected readonly limiter: RateLimiter
  /** The ends of reached limits, by audience and business. */
  private readonly fullUntil = new LRUCache<string, Instant>({ max: maxFull })

  constructor(
    context: Context,
    limiter: RateLimiter,
    policy: ConstructorParameters<typeof LeaseLoop<Context, LeasedTurn>>[1],
  ) {
    super(context, policy)
    this.limiter = limiter
  }

  protected override async work({ send }: LeasedTurn): Promise<undefined> {
    await send()
  }

  /** Finds the next message to a client, and those that nobody needs any more. */
  protected async nextToClient(
    mails: LeasedMail[],
    isReachable: (booking: ShownBooking) => boolean,
  ): Promise<{ next: NextMail | undefined; obsolete: LeasedMail[] }> {
    const { db, clock } = this.context
    const bookings = await findShownBookings(db.reads, mails)
    const obsolete: LeasedMail[] = []
    let next: NextMail | undefined
    // one message about each subject is sent, and supersedes the others
    for (const waiting of await this.bySubject(mails)) {
      const booking = bookings.get(waiting[0]?.booking_id ?? '')
      const id = mailToSend(waiting, booking, clock.now())?.id
      const mail = waiting.find((one) => one.id === id)
      if (!mail || !booking || !isReachable(booking) || (await this.isUnwanted(mail, booking))) {
        obsolete.push(...waiting)
      } else if (!next) {
        next = { mail, booking, same: waiting.filter((one) => one !== mail) }
      }
    }
    return { next, obsolete }
  }

  /**
   * Groups messages by their subjects. The outcome of the charge for a late cancellation goes with the email about that,
   * if both wait.
   */
  protected async bySubject(mails: LeasedMail[]): Promise<LeasedMail[][]> {
    const cancelled = new Map(
      mails
        .filter(({ kind, to_phone }) => kind === 'cancelled' && to_phone === null)
        .map((mail) => [mail.booking_id, subjectOf(mail)]),
    )
    const subjects = new Map<LeasedMail, string>()
    for (const mail of mails) {
      const subject = isOutcomeOfCharge(mail.kind) ? cancelled.get(mail.booking_id) : undefined
      const isOfIt = subject !== undefined && (await this.feeOf(mail))?.reason === 'late_cancel'
      subjects.set(mail, isOfIt ? subject : subjectOf(mail))
    }
    return [...Map.groupBy(mails, (mail) => subjects.get(mail)).values()]
  }

  private async isUnwanted(mail: LeasedMail, booking: ShownBooking): Promise<boolean> {
    const { kind, business_id } = mail
    if (kind === 'fee_due') return !(await this.isFeeDue(mail))
    const email = clientEmailOf(booking.client_email)
    return mailKinds[kind].isOptional && (await hasOptedOut(this.context.db.reads, business_id, email))
  }

  /** Reports if the fee that an email is about is still to be paid. */
  protected async isFeeDue(mail: LeasedMail): Promise<boolean> {
    return (await this.feeOf(mail))?.status === 'due'
  }

  /** Returns the fee or disputed payment that an email is about. Undefined for any other email. */
  protected async feeOf(mail: LeasedMail): Promise<MailedFee | undefined> {
    const id = feeOfOccasion(mail)
    return id === undefined
      ? undefined
      : findFee(this.context.db.reads, { id, business_id: mail.business_id })
  }

  /** Returns what the recipient of waiting messages about a booking knows of it, with the names in it. */
  protected async knownOf(waiting: LeasedMail[], mail: LeasedMail, booking: ShownBooking) {
    const ofBooking = waiting.filter(({ booking_id }) => booking_id === mail.booking_id)
    const known = mail.kind === 'changed' ? knownBefore(ofBooking) : undefined
    return known && { ...known, names: await this.namesOf(booking, known) }
  }

  /**
   * Counts an email that the business itself caused, or whose recipient it has chosen, at its first attempt. Returns the
   * end of the hour if the business may cause no more in it.
   */
  protected async countCaused(
    { audience, caused_by, attempts }: LeasedMail,
    { business_id: businessId, plan: own, hub_plan }: ShownBooking,
  ): Promise<Instant | undefined> {
    if (attempts > 0 || (audience === 'client' && caused_by !== 'business')) return undefined
    const { clock, config } = this.context
    const { rateLimitFactor: factor } = config
    const plan = effectivePlan(own, hub_plan)
    const quota =
      audience === 'client'
        ? quotaOfClientMail({ businessId, plan }, factor)
        : quotaOfNotice(businessId, factor)
    const { allowed, retryAfterSeconds } = await this.limiter.count([quota], businessId)
    return allowed ? undefined : plusSeconds(clock.now(), retryAfterSeconds)
  }

  /** Makes the due emails that a business has caused wait together, so that they delay nobody else's. */
  protected async waitUntil(until: Instant, mails: LeasedMail[], mail: LeasedMail): Promise<void> {
    const { db, log, metrics } = this.context
    const { business_id, audience } = mail
    await this.postpone(mails, { until, waits_for: 'business_limit' })
    const others = await db.transaction((tx) => postponeCaused(tx.db, mail, { now: tx.now, until }))
    metrics.mailsPostponed(1 + others)
    const limit = `${audience} ${business_id}`
    const known = this.fullUntil.get(limit)
    if (known !== undefined && known > this.context.clock.now()) return
    this.fullUntil.set(limit, until)
    log.warn(
      { business_id, audience, until },
      'a business has caused as many emails as it may in an hour; more wait',
    )
  }

  private namesOf({ business_id }: ShownBooking, known: Partial<Known>): Promise<Map<string, string>> {
    const items = known.items ?? []
    const staff = [known.staff_id, ...items.map(({ staff_id }) => staff_id)]
    return findNames(this.context.db.reads, business_id, {
      staff: [...new Set(staff.filter((id) => id !== null && id !== undefined))],
      services: [...new Set(items.map(({ service_id }) => service_id))],
    })
  }

  protected async record(
    mails: LeasedMail[],
    done: {
      mail: LeasedMail
      to: string
      result: SendResult
      /** Emails superseded by this one, once it is sent. */
      same: LeasedMail[]
      obsolete: LeasedMail[]
      /** Emails whose contents this one includes. */
      carried?: LeasedMail[]
    },
  ): Promise<void> {
    const { mail, to, result, same, obsolete, carried = [] } = done
    const { clock, log, metrics } = this.context
    const now = clock.now()
    const leased_until = mail.next_attempt_at
    const attempts = mail.attempts + 1
    if (result.outcome === 'sent') {
      if (!result.isKept) metrics.mail('sent')
      const sent = { status: 'sent', sent_at: now, next_attempt_at: null, last_error: null } as const
      return this.conclude(
        mails,
        [...obsolete, ...same],
        [
          { ids: [mail.id], leased_until, changes: { ...sent, attempts, to_email: to } },
          { ids: carried.map(({ id }) => id), leased_until, changes: { ...sent, sent_with: mail.id } },
        ],
      )
    }
    if (result.isBusy) return this.postpone(mails, { until: plusSeconds(now, busySeconds), waits_for: null })
    const attempts_left = mail.attempts_left - 1
    const about = { mail_id: mail.id, booking_id: mail.booking_id, error: result.error }
    const failed = { attempts, attempts_left, last_error: result.error.slice(0, 300) }
    if (result.outcome === 'refused' || attempts_left <= 0) {
      metrics.mail('failed')
      log.warn(about, 'a mail was refused, and is not tried again')
      const changes = { ...failed, status: 'failed', next_attempt_at: null } as const
      return this.conclude(mails, obsolete, [{ ids: [mail.id], leased_until, changes }])
    }
    if (result.isAway) this.rest(awayMs)
    metrics.mail('retried')
    log.info(about, 'a mail could not be sent; it is tried again')
    await this.conclude(mails, obsolete, [{ ids: [mail.id], leased_until, changes: failed }], {
      until: plusSeconds(now, pauseSeconds(attempts)),
      waits_for: 'retry',
    })
  }

  protected postpone(mails: LeasedMail[], later: Postponement): Promise<void> {
    return this.conclude(mails, [], [], later)
  }

  /**
   * Writes results. The other emails of the lease are due at once, or all waiting emails of the recipient are
   * postponed.
   */
  protected async conclude(
    mails: LeasedMail[],
    superseded: LeasedMail[],
    results: MailResult[],
    later?: Postponement,
  ): Promise<void> {
    const [first] = mails
    if (!first) return
    const leased_until = first.next_attempt_at
    await this.context.db.transaction(async (tx) => {
      const ids = superseded.map(({ id }) => id)
      const changes = { status: 'superseded', next_attempt_at: null } as const
      await writeMailResult(tx.db, { ids, leased_until, changes })
      for (const result of results) await writeMailResult(tx.db, result)
      const atOnce = { until: tx.now, waits_for: null }
      await postponeMails(tx.db, first, { leased_until, now: tx.now, ...(later ?? atOnce) })
    })
  }
}

import { type Instant, plusSeconds, toMs } from '../base/instants.ts'
import { publicUrl } from '../base/public-url.ts'
import { repeat } from '../base/repeat.ts'
import { quietHoursIn } from '../catalogue/mail-settings-rules.ts'
import { LeaseLoop } from '../database/lease-loop.ts'
import { itemsOf } from '../database/shown-item-rules.ts'
import { senderAddress } from '../mails/send.ts'
import { type AttemptResult, Sender } from '../webhooks/send.ts'
import type { Context } from './context.ts'
import { removeDeviceOf } from './device.ts'
import { queueLate } from './late.ts'
import { pushKeys, webPush } from './push-keys.ts'
import { pushMessage, testMessage } from './push-message.ts'
import {
  findMemberships,
  findPushedBooking,
  findPushingBusiness,
  findPushTarget,
  isAnyPushDue,
  type LeasedPush,
  leasePushes,
  writePushResult,
} from './push-queries.ts'
import {
  choiceFor,
  isCurrent,
  isQuiet,
  leaseSeconds,
  maxAgeSeconds,
  mayKnow,
  pauseSeconds,
  usualKinds,
} from './push-rules.ts'

/*
 * Sends due notifications with a lease loop (database/lease-loop.ts), through the push services of the browsers.
 *
 *   1. The device, the person's present access and settings, and the booking as it is now decide if it is sent.
 *   2. It is encrypted for the device and signed with the server's key, then posted like a delivery (webhooks/send.ts).
 *   3. The result is written under the lease. A device that its push service no longer knows is removed.
 *
 * Guarantees: a notification leased by a killed server is due again after its lease. It may arrive twice; the device
 * and the push service replace one about the same booking. After an hour it is dropped. Nobody is notified of a booking
 * that they may not see at the time of sending.
 */

const lateMs = 60_000
const attemptMs = 10_000
const maxInFlight = 32
/** Push services accept a key's signature for at most 24 hours. */
const signedSeconds = 12 * 3_600

type Target = NonNullable<Awaited<ReturnType<typeof findPushTarget>>>
type Leased = LeasedPush & { id: string }

/** The worker of this process. */
export class PushWorker extends LeaseLoop<Context, Leased> {
  private readonly sender: Sender
  private late: ReturnType<typeof repeat> | undefined

  constructor(context: Context, { version }: { version: string }) {
    super(context, {
      ...{ maxInFlight, pollMs: 5_000, signal: context.duePushes },
      failing: 'notifications cannot be leased; retrying',
      failed: ['error', 'push_id', 'the result of a notification could not be written'],
    })
    const { config, clock } = context
    this.sender = new Sender({
      ...{ version, timeoutMs: attemptMs, clock },
      ...{ isUnguarded: config.environment !== 'production', allowedRanges: config.webhookAllowCidr },
    })
  }

  override start(): void {
    super.start()
    this.late = repeat(() => this.queueLate(), lateMs, 0)
    this.wake()
  }

  /** Queues the notifications of clients who are late. Never rejects. */
  async queueLate(): Promise<void> {
    if (this.mode !== 'running') return
    try {
      await queueLate(this.context)
    } catch (error) {
      this.context.log.warn({ err: error }, 'late clients could not be looked up; retrying in a minute')
    }
  }

  protected override close(): Promise<unknown> {
    return Promise.all([this.sender.close(), this.late?.stop()])
  }

  protected override async lease(max: number) {
    const { db, clock } = this.context
    if (!(await isAnyPushDue(db.reads, clock.now()))) return { leased: [] }
    const pushes = await db.transaction((tx) =>
      leasePushes(tx.db, { max, now: tx.now, until: plusSeconds(tx.now, leaseSeconds) }),
    )
    return { leased: pushes.map((push): Leased => ({ ...push, id: `${push.device_id}/${push.occasion}` })) }
  }

  protected override async work(push: Leased): Promise<undefined> {
    const { db, clock, log, metrics } = this.context
    const target = await findPushTarget(db.reads, push.device_id)
    const message = target && (await this.messageOf(push, target))
    if (!target || !message) return this.write(push, null)
    const result = await this.send(push, target, message)
    if (!result) return // aborted, and due again when its lease ends
    const { error, responseStatus, retryAfterSeconds } = result
    const about = {
      push_id: push.id,
      host: new URL(target.endpoint).host,
      error,
      response_status: responseStatus,
    }
    if (error === null) {
      metrics.push('sent')
      return this.write(push, null)
    }
    if (responseStatus === 404 || responseStatus === 410) {
      metrics.push('gone')
      log.info(about, 'a device takes no more notifications and was removed')
      await removeDeviceOf(this.context, target)
      return this.write(push, null)
    }
    const next = plusSeconds(clock.now(), pauseSeconds(push.attempts, retryAfterSeconds))
    const mayRetry =
      responseStatus === null || responseStatus === 429 || responseStatus < 400 || responseStatus >= 500
    const isLast = !mayRetry || next > endOf(push)
    metrics.push(isLast ? 'failed' : 'retried')
    log[isLast ? 'warn' : 'info'](about, 'a notification could not be sent')
    return this.write(push, isLast ? null : next)
  }

  /** Returns the message that the person may and wants to see. Undefined: none. */
  private async messageOf(push: Leased, target: Target) {
    const { db, clock } = this.context
    const now = clock.now()
    const { kind, business_id, booking_id } = push
    if (target.disabled_at !== null || endOf(push) < now) return undefined
    const memberships = await findMemberships(db.reads, target.user_id)
    if (memberships.length === 0) return undefined
    if (kind === 'test') return testMessage(target.locale)
    if (business_id === null || booking_id === null) return undefined
    const kinds = target.kinds?.split(' ') ?? usualKinds
    if (!kinds.includes(choiceFor[kind])) return undefined
    const business = await findPushingBusiness(db.reads, business_id)
    const booking = await findPushedBooking(db.reads, { business_id, booking_id })
    if (!business || !booking || !isCurrent(kind, booking, now)) return undefined
    if (isQuiet(quietHoursIn(target.quiet_hours_json), now, business.timezone)) return undefined
    const here = memberships.filter(
      (one) => one.business_id === business_id || (one.hub_id !== null && one.hub_id === business.hub_id),
    )
    const staffIds = itemsOf(booking).map(({ staff }) => staff?.id ?? null)
    if (!mayKnow(here, staffIds)) return undefined
    const isOne = memberships.length === 1 && here[0]?.hub_id === null
    return pushMessage(kind, booking, { locale: target.locale, business: isOne ? undefined : business.name })
  }

  /** Makes one attempt. Returns undefined if it was aborted. */
  private async send(push: Leased, target: Target, message: object): Promise<AttemptResult | undefined> {
    const { db, config, clock, log } = this.context
    const { origin } = new URL(target.endpoint)
    const now = clock.now()
    const left = Math.max(Math.ceil((toMs(endOf(push)) - toMs(now)) / 1_000), 0)
    try {
      const { publicKey, privateKey } = await pushKeys({ db })
      const library = await webPush()
      const expires = Math.floor(toMs(now) / 1_000) + signedSeconds
      const payload = JSON.stringify(message)
      const { cipherText } = library.encrypt(target.p256dh, target.auth, payload, 'aes128gcm')
      const headers = {
        ...library.getVapidHeaders(origin, subjectOf(config), publicKey, privateKey, 'aes128gcm', expires),
        'Content-Type': 'application/octet-stream',
        'Content-Encoding': 'aes128gcm',
        TTL: String(left),
        Urgency: 'high',
        // at most 32 characters of base64url, as the digits of an ID
        ...(push.booking_id !== null && { Topic: push.booking_id.replaceAll('-', '') }),
      }
      return await this.sender.post(target.endpoint, headers, cipherText)
    } catch (error) {
      log.error({ err: error, push_id: push.id }, 'a notification cannot be encrypted or sent')
      return { atMs: clock.nowMs(), tookMs: 0, responseStatus: null, error: 'connection_failed' }
    }
  }

  private async write(push: Leased, next: Instant | null): Promise<undefined> {
    await this.context.db.transaction((tx) => writePushResult(tx.db, push, next))
    return undefined
  }
}

function endOf({ created_at }: LeasedPush): Instant {
  return plusSeconds(created_at, maxAgeSeconds)
}

/** Returns the contact for operators of push services: this server, or its address for emails. */
function subjectOf(config: Context['config']): string {
  const url = publicUrl(config)
  return url.startsWith('https://') ? url : `mailto:${senderAddress(config)}`
}

import { timingSafeEqual } from 'node:crypto'
import { instantFromMs, plusSeconds, toMs } from '../base/instants.ts'
import { publicUrl } from '../base/public-url.ts'
import type { Context } from '../bookings/context.ts'
import { LeaseLoop } from '../database/lease-loop.ts'
import { openAccount } from './account-server.ts'
import type { BusyCalendarRow } from './busy-calendar-queries.ts'
import type { CalendarReader } from './busy-file.ts'
import { findCalendarAccount } from './calendar-account-queries.ts'
import { faultOf, pauseAfter } from './calendar-http.ts'
import { findDueChannel, renewChannel, storePush, updateChannel } from './channel-queries.ts'
import type { ProviderName } from './providers.ts'

/*
 * Channels by which providers report that a calendar has changed. A report makes the calendar due at once. Calendars are
 * polled as well, so a lost, late or repeated report does no harm. Providers report to https only.
 *
 * A report proves itself by a token, which follows from the ID of its channel. Nothing is read for a false one.
 */

const leaseSeconds = 120
const minPauseSeconds = 60
const maxPauseSeconds = 6 * 3_600

/** Path to which a provider reports changes. */
export const pushPath = '/calendar-pushes'

/** Opens the channels of calendars, and renews them after two thirds of their time. */
export class ChannelWorker extends LeaseLoop<Context, BusyCalendarRow> {
  private readonly reader: CalendarReader

  constructor(context: Context, reader: CalendarReader) {
    const failing = 'opening channels of calendars failed; retrying in some seconds'
    super(context, { maxInFlight: 4, pollMs: 10_000, failing, failed: ['warn', 'busy_calendar', failing] })
    this.reader = reader
  }

  /** Does nothing without an https URL. */
  override start(): void {
    if (publicUrl(this.context.config).startsWith('https://')) super.start()
  }

  protected override async lease(max: number) {
    const { db, clock } = this.context
    const leased: BusyCalendarRow[] = []
    while (this.mode === 'running' && leased.length < max) {
      const now = clock.now()
      const due = await findDueChannel(db.reads, now)
      if (!due) break
      const channel_due_at = plusSeconds(now, leaseSeconds)
      const isLeased = await db.transaction((tx) => updateChannel(tx.db, due, { channel_due_at }))
      if (isLeased) leased.push({ ...due, channel_due_at })
    }
    return { leased }
  }

  protected override async work(calendar: BusyCalendarRow): Promise<undefined> {
    await openChannel(this.context, this.reader, calendar)
  }
}

async function openChannel(
  context: Context,
  reader: CalendarReader,
  calendar: BusyCalendarRow,
): Promise<void> {
  const { db, clock, ids, log } = context
  const { account_id, business_id, url, channel_id: id, channel_key: key, channel_failures } = calendar
  const reach = { scope: { businessId: business_id }, staffId: undefined }
  const account = account_id === null ? undefined : await findCalendarAccount(db.reads, reach, account_id)
  if (!account || account.kind === 'caldav') return // deleted meanwhile
  const { kind } = account
  const token = await tokenOf(context)
  try {
    const server = await openAccount(context, reader, account)
    const opened = await server.watch?.(url, {
      known: id === null || key === null ? undefined : { id, key },
      ...{ freshId: ids.next(), nowMs: clock.nowMs(), token },
      address: (channel) => addressOf(context, kind, channel),
    })
    if (!opened) return
    const renewMs = clock.nowMs() + ((opened.untilMs - clock.nowMs()) * 2) / 3
    const isStored = await db.transaction((tx) =>
      updateChannel(tx.db, calendar, {
        ...{ channel_id: opened.id, channel_key: opened.key, channel_failures: 0 },
        channel_until: instantFromMs(opened.untilMs),
        channel_due_at: instantFromMs(Math.max(Math.floor(renewMs), toMs(tx.now) + minPauseSeconds * 1000)),
      }),
    )
    // the calendar was disconnected meanwhile
    if (!isStored && opened.id !== id) await server.unwatch?.(opened)
  } catch (error) {
    log.info({ busy_calendar: calendar.id, problem: faultOf(error).problem }, 'a calendar has no channel')
    const pauseSeconds = pauseAfter(error, {
      ...{ failures: channel_failures, nowMs: clock.nowMs() },
      ...{ minSeconds: minPauseSeconds, maxSeconds: maxPauseSeconds },
    })
    await db.transaction((tx) =>
      updateChannel(tx.db, calendar, {
        channel_failures: channel_failures + 1,
        channel_due_at: plusSeconds(tx.now, pauseSeconds),
      }),
    )
  }
}

function addressOf({ config }: Context, kind: ProviderName, channel: string): string {
  const root = `${publicUrl(config)}${pushPath}/${kind}`
  return kind === 'google' ? root : `${root}/${channel}` // Google names the channel in a header
}

/** Returns the token of a channel by its ID. */
async function tokenOf({ secret }: Pick<Context, 'secret'>): Promise<(channel: string) => string> {
  return secret.digester('calendar channels')
}

/** A report by a provider. */
interface Push {
  channel: string
  /** As the provider sends it, to prove that it comes from there. */
  token: string
  /** `missed` if reports were lost, `ending` if the channel needs a renewal, `gone` if the provider ended it. */
  event?: 'missed' | 'ending' | 'gone'
}

/** Applies a report. Returns false, and does nothing, for a false token. */
export async function receivePush(context: Context, { channel, token, event }: Push): Promise<boolean> {
  const [wanted, given] = [Buffer.from((await tokenOf(context))(channel)), Buffer.from(token)]
  if (wanted.length !== given.length || !timingSafeEqual(wanted, given)) return false
  await context.db.transaction(async (tx) => {
    const { now } = tx
    if (event === 'ending' || event === 'gone')
      await renewChannel(tx.db, channel, { now, isGone: event === 'gone' })
    if (event !== 'ending') {
      await storePush(tx.db, channel, { now, isMissed: event !== undefined })
      tx.onCommit(() => context.dueCalendars.raise())
    }
  })
  return true
}

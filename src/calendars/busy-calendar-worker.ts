import type { Context } from '../bookings/context.ts'
import { LeaseLoop } from '../database/lease-loop.ts'
import { fetchLeased, leaseBusyCalendar } from './busy-calendar.ts'
import { type BusyCalendarRow, findDueCalendar } from './busy-calendar-queries.ts'
import { CalendarReader } from './busy-file.ts'
import { maxInFlight, waitingFor } from './fair-share-rules.ts'

/** Opens a reader with the settings of this installation. */
export function openReader({ config }: Pick<Context, 'config'>, version: string): CalendarReader {
  const isUnguarded = config.environment !== 'production'
  const allowedRanges = config.webhookAllowCidr
  return new CalendarReader({ version, isUnguarded, allowsHttp: isUnguarded, allowedRanges })
}

/** Fetches due calendars, a few at once, in fair shares. A slow server therefore delays no calendar of other people. */
export class BusyCalendarWorker extends LeaseLoop<Context, BusyCalendarRow> {
  private readonly reader: CalendarReader

  constructor(context: Context, reader: CalendarReader, pollMs = 10_000) {
    const failing = 'fetching busy calendars failed; retrying in some seconds'
    const signal = context.dueCalendars
    super(context, { maxInFlight, pollMs, signal, failing, failed: ['warn', 'busy_calendar', failing] })
    this.reader = reader
  }

  /** Leases the most overdue calendar, one per round, because two at once could belong to one person. */
  protected override async lease() {
    const { db, clock } = this.context
    const waiting = waitingFor(this.inFlight.keys())
    while (this.mode === 'running') {
      const calendar = await findDueCalendar(db.reads, clock.now(), waiting)
      if (!calendar) break
      const leased = await leaseBusyCalendar(this.context, calendar)
      if (!leased) continue // another server was faster and has postponed it
      this.wake() // starts the next round
      return { leased: [leased] }
    }
    return { leased: [] }
  }

  protected override async work(calendar: BusyCalendarRow): Promise<undefined> {
    await fetchLeased(this.context, calendar, this.reader)
  }

  protected override close(): Promise<void> {
    return this.reader.close()
  }
}

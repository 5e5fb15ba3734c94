import type { Context } from '../bookings/context.ts'
import { LeaseLoop } from '../database/lease-loop.ts'
import { fetchLeased, leaseBusyCalendar } from './busy-calendar.ts'
import { type BusyCalendarRow, findDueCalendar } from './busy-calendar-queries.ts'
import { CalendarReader } from './busy-file.ts'

/** A reader with the settings of this installation. */
export function openReader({ config }: Pick<Context, 'config'>, version: string): CalendarReader {
  const isUnguarded = config.environment !== 'production'
  const allowedRanges = config.webhookAllowCidr
  return new CalendarReader({ version, isUnguarded, allowsHttp: isUnguarded, allowedRanges })
}

/** Of how many businesses at once; those of one hub take at most half. */
const maxInFlight = 8

/**
 * Fetches the calendars that are due, a few at once and one of each business: a business or hub whose servers are slow delays
 * its own calendars alone.
 */
export class BusyCalendarWorker extends LeaseLoop<Context, BusyCalendarRow> {
  private readonly reader: CalendarReader

  constructor(context: Context, reader: CalendarReader) {
    const failing = 'fetching busy calendars failed; retrying in a minute'
    super(context, { maxInFlight, pollMs: 60_000, failing, failed: ['warn', 'busy_calendar', failing] })
    this.reader = reader
  }

  /** Leases the calendar that is due for longest, one a round: two at once could be of one business. */
  protected override async lease() {
    const { db, clock } = this.context
    const served = [...this.inFlight.keys()].map(({ business_id }) => business_id)
    while (this.mode === 'running') {
      const calendar = await findDueCalendar(db.reads, clock.now(), { served, maxOfHub: maxInFlight / 2 })
      if (!calendar) break
      const leased = await leaseBusyCalendar(this.context, calendar)
      if (!leased) continue // another server was quicker, and has moved it ahead
      this.wake() // for the next
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

import type { Context } from '../bookings/context.ts'
import { LeaseLoop } from '../database/lease-loop.ts'
import { fetchLeased, leaseBusyCalendar } from './busy-calendar.ts'
import { type BusyCalendarRow, findDueCalendar } from './busy-calendar-queries.ts'
import { CalendarReader } from './busy-file.ts'

/** Opens a reader with the settings of this installation. */
export function openReader({ config }: Pick<Context, 'config'>, version: string): CalendarReader {
  const isUnguarded = config.environment !== 'production'
  const allowedRanges = config.webhookAllowCidr
  return new CalendarReader({ version, isUnguarded, allowsHttp: isUnguarded, allowedRanges })
}

/** Maximum number of businesses served at once. Those of one hub take at most half. */
const maxInFlight = 8

/**
 * Fetches due calendars, a few at once and at most one for each business. A business or hub with slow servers
 * therefore delays only its own calendars.
 */
export class BusyCalendarWorker extends LeaseLoop<Context, BusyCalendarRow> {
  private readonly reader: CalendarReader

  constructor(context: Context, reader: CalendarReader, pollMs = 10_000) {
    const failing = 'fetching busy calendars failed; retrying in some seconds'
    const signal = context.dueCalendars
    super(context, { maxInFlight, pollMs, signal, failing, failed: ['warn', 'busy_calendar', failing] })
    this.reader = reader
  }

  /** Leases the most overdue calendar, one per round, because two at once could belong to one business. */
  protected override async lease() {
    const { db, clock } = this.context
    const served = [...this.inFlight.keys()].map(({ business_id }) => business_id)
    while (this.mode === 'running') {
      const calendar = await findDueCalendar(db.reads, clock.now(), { served, maxOfHub: maxInFlight / 2 })
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

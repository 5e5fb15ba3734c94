import type { Context } from '../../src/bookings/context.ts'
import { BusyCalendarWorker } from '../../src/calendars/busy-calendar-worker.ts'
import type { CalendarReader } from '../../src/calendars/busy-file.ts'

/** A server's worker without its poll. `fetch` throws the errors that a server would log. */
export class DueCalendars extends BusyCalendarWorker {
  private readonly failures: unknown[] = []

  /** Fetches until none is due. */
  async fetch(): Promise<void> {
    await this.settled()
    if (this.failures.length > 0) throw this.failures[0]
  }

  protected override failed(_calendar: unknown, error: unknown): void {
    this.failures.push(error)
  }
}

/** Fetches all due busy calendars, as a server does each minute. */
export function fetchDue(context: Context, reader: CalendarReader): Promise<void> {
  return new DueCalendars(context, reader).fetch()
}

import type { Context } from '../bookings/context.ts'
import { fetchDueCalendars } from './busy-calendar.ts'
import { CalendarReader } from './busy-file.ts'

const pollMs = 60_000

/** A reader with the settings of this installation. */
export function openReader({ config }: Pick<Context, 'config'>, version: string): CalendarReader {
  const isUnguarded = config.environment !== 'production'
  const allowedRanges = config.webhookAllowCidr
  return new CalendarReader({ version, isUnguarded, allowsHttp: isUnguarded, allowedRanges })
}

/** Fetches due busy calendars every minute, on every server: each calendar is leased by one. `stop` cuts off what is under way. */
export function startFetching(context: Context, reader: CalendarReader): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= fetchDueCalendars(context, reader, stopping.signal)
      .catch((error: unknown) => {
        context.log.warn({ err: error }, 'fetching busy calendars failed; retrying in a minute')
      })
      .finally(() => (running = undefined))
  }, pollMs).unref()
  return {
    stop: async () => {
      stopping.abort()
      clearInterval(timer)
      await reader.close()
      await running
    },
  }
}

import { pageOfBusyCalendars } from '../../calendars/busy-calendar.ts'
import { toMs } from '../../base/instants.ts'
import type { Calendar } from '../../bookings/calendar.ts'
import type { Context } from '../../bookings/context.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'
import { relativeTime } from '../frame/formats.ts'

/** Names of calendar providers, by a part of their hosts. */
const providers = [
  [/(?:^|\.)google\.com$/, 'Google'],
  [/(?:^|\.)(?:office365|office|outlook|live)\.com$/, 'Outlook'],
  [/(?:^|\.)icloud\.com$/, 'iCloud'],
] as const

const mostCalendars = 100

/** Returns the source and age of times from connected calendars, by block: "Google, 12 minutes ago". */
export async function sourcesOf(
  context: Context,
  { person, locale }: ConsoleVisit,
  { calendar: { blocks, businessId }, nowMs }: { calendar: Calendar; nowMs: number },
): Promise<Map<string, string>> {
  const imported = blocks.filter(({ busy_calendar_id }) => busy_calendar_id !== null)
  if (imported.length === 0) return new Map()
  const query = { business_id: businessId, limit: mostCalendars, withAccounts: true }
  const { data } = await pageOfBusyCalendars(context, person, query)
  return new Map(
    imported.flatMap(({ id, busy_calendar_id }) => {
      const from = data.find((one) => one.id === busy_calendar_id)
      if (!from?.last_fetched_at) return []
      const { host } = new URL(from.url)
      const minutes = Math.max(0, Math.floor((nowMs - toMs(from.last_fetched_at)) / 60_000))
      const [, name = host] = providers.find(([hosts]) => hosts.test(host)) ?? []
      return [[id, `${name}, ${relativeTime(-minutes, locale)}`] as const]
    }),
  )
}

/** Describes time of a connected calendar, with its source. */
export function elsewhereText({ texts }: ConsoleVisit, source: string | undefined): string {
  const { elsewhere } = texts.calendar
  return source === undefined ? elsewhere : `${elsewhere} (${source})`
}

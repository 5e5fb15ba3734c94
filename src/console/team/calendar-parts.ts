import { hasRole } from '../../access/actor.ts'
import type { RateLimiter } from '../../access/rate-limits.ts'
import { html, type Html } from '../../base/html.ts'
import { type Instant, secondsUntil } from '../../base/instants.ts'
import { maxBusyCalendars } from '../../calendars/busy-calendar.ts'
import type { CalendarReader } from '../../calendars/busy-file.ts'
import { returnPath } from '../../calendars/calendar-connection.ts'
import { type CalendarFault, withPlace } from '../../calendars/fetch-problems.ts'
import type { ProviderName } from '../../calendars/providers.ts'
import { type ConsoleVisit, pathOf } from '../frame/console-page.ts'
import type { BusinessVisit } from '../frame/console-route.ts'
import { relativeTime } from '../frame/formats.ts'
import { textFor } from '../frame/text-groups.ts'
import type { ConsoleTexts } from '../frame/texts.ts'

/* The parts that the pages of connected calendars share. */

export const calendarsPath = '/console/calendars'
export const accountsPath = `${calendarsPath}/accounts`

/** The parts of the server that connect an account. */
export interface AccountParts {
  reader: CalendarReader
  limiter: RateLimiter
}

/** Returns the address that begins a grant for a staff member. */
export function grantPath(visit: ConsoleVisit, kind: ProviderName, staffId: string): string {
  return pathOf(`${returnPath(kind)}/start`, visit, { staff: staffId })
}

/** Returns the visitor restricted to this business, even if they belong to a hub. */
export function visitorOf({ person, business }: BusinessVisit) {
  return { ...person, scope: { businessId: business.id } }
}

/** Renders the link to the list of connected calendars. */
export function backLink(visit: ConsoleVisit): Html {
  const { calendars: t } = visit.texts
  return html`<p>
    <a class="back" href="${pathOf(calendarsPath, visit)}"
      >${hasRole(visit.person, 'manager') ? t.title : t.own.title}</a
    >
  </p>`
}

/** Explains why a calendar cannot be read, in the language of the page. */
export function faultText({ texts }: ConsoleVisit, { code, sentence, where }: CalendarFault): string {
  return withPlace(problemText(texts.calendars, code) ?? sentence, where)
}

function problemText(texts: ConsoleTexts['calendars'], code: string): string | undefined {
  const [, status] = /^status_(\d+)$/.exec(code) ?? []
  if (status === undefined) return textFor(texts.problems, code)
  return /^(401|403|404|410)$/.test(status) ? texts.statusGone({ status }) : texts.status({ status })
}

/** Formats "12 minutes ago". */
export function ageText(then: Instant, now: Instant, { locale }: BusinessVisit): string {
  return relativeTime(-Math.max(0, secondsUntil(then, now)) / 60, locale)
}

/** Returns the words of faults, with the limit of calendars that are read. */
export function limitWords({ setUp, calendars }: ConsoleTexts) {
  return {
    ...setUp,
    problem: (code: string, detail: string) =>
      code === 'calendar_limit_reached'
        ? calendars.busyLimit({ most: maxBusyCalendars })
        : setUp.problem(code, detail),
  }
}

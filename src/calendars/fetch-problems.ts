import type { BusyCalendarRow } from './busy-calendar-queries.ts'
import type { FetchFault, FetchProblem } from './calendar-http.ts'

/* The sentences for what can go wrong with external calendars. */

/** Days ahead to read. Later times are ignored. */
export const horizonDays = 400

/** The reason why a calendar could not be read: a code with its sentence, and the location in the file. */
export interface CalendarFault {
  code: FetchProblem
  sentence: string
  where: string | undefined
}

/** Returns a failure with its sentence. */
export function told({ problem: code, where }: FetchFault): CalendarFault {
  return { code, sentence: problemText(code), where }
}

/** Appends the location in the file to a sentence. */
export function withPlace(sentence: string, where: string | undefined): string {
  return where === undefined ? sentence : `${sentence.slice(0, -1)}: ${where}.`
}

/**
 * Returns the last failure of a calendar; undefined if the last fetch succeeded. Stored as a code, followed
 * by a space and the location.
 */
export function lastFault({ last_error }: Pick<BusyCalendarRow, 'last_error'>): CalendarFault | undefined {
  if (last_error === null) return undefined
  const [problem = '', ...where] = last_error.split(' ')
  return told({ problem: problem as FetchProblem, ...(where.length > 0 && { where: where.join(' ') }) })
}

type KnownProblem = Exclude<FetchProblem, `status_${number}`>

const problemTexts: Record<KnownProblem, string> = {
  timeout: 'The calendar did not arrive within 20 seconds.',
  address_not_allowed: 'The address leads into a private network.',
  dns_failed: 'The name of the server is not known.',
  connection_refused: 'The server refused the connection.',
  connection_reset: 'The server broke off the connection.',
  connection_failed: 'The server could not be reached.',
  certificate_rejected: 'The certificate of the server is not valid.',
  invalid_response: 'The server sent an answer that cannot be read.',
  redirect_not_allowed: 'The server leads on to an address that is not allowed, or too often.',
  too_large: 'The calendar is larger than 5 MB.',
  too_slow: 'Reading the calendar takes longer than 2 seconds.',
  too_much_memory: 'Reading the calendar takes too much memory.',
  not_a_calendar: 'What is at the address is not a calendar (iCalendar).',
  cut_off: 'The file of the calendar ends in the middle.',
  line_not_valid: 'The calendar has a line that cannot be read.',
  rule_not_valid: 'The calendar has a rule of recurrence that cannot be read.',
  nested_too_deeply: 'The calendar is nested too deeply.',
  date_not_valid: 'The calendar has a date that does not exist.',
  zone_not_known: 'The calendar has a time zone that nobody knows.',
  rule_too_fine: 'The calendar has an appointment that recurs every second or minute.',
  sign_in_refused: 'The server refuses the user name or the password.',
  no_calendars: 'There is no calendar server (CalDAV) at the address, or it has no calendars.',
  secret_changed:
    'The password cannot be read because HOLDFAST_SECRET has changed. Connect the account again.',
  access_revoked: 'The provider no longer lets Holdfast use the account. Connect the account again.',
  access_incomplete:
    'Not all requested permissions were granted. Connect the account again and allow all of them.',
  provider_not_set_up: 'This server has no valid client ID and secret for this provider.',
  grant_expired: 'The connection was begun in another log-in, or too long ago. Start again.',
  grant_refused: 'The access was not granted.',
  too_many_times: `The calendar has more than 5,000 appointments in the next ${horizonDays} days.`,
}

/** Explains in a sentence why a fetch failed. */
export function problemText(problem: FetchProblem): string {
  if (!problem.startsWith('status_')) return problemTexts[problem as KnownProblem]
  const status = problem.slice('status_'.length)
  const isGone = ['401', '403', '404', '410'].includes(status)
  return `The server answered ${status}${isGone ? ': the address may not be valid any more' : ''}.`
}

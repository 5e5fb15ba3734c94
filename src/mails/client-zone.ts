import { formatInstant, type Instant, toMs } from '../base/instants.ts'
import type { Language } from '../base/languages.ts'
import { momentOf, shortZone, timesOf } from './times-and-money.ts'

/*
 * The clocks of a client and a location. Online appointments lead with the client's, all others with that of the
 * location. If the two differ, the zone is named, and the other one follows.
 */

/** A start, and the zones in which it is shown. */
export interface ZonedStart {
  startsAt: Instant
  /** Zone of the location. */
  timezone: string
  /** Null if it is unknown. */
  clientZone: string | null
  /** Null at a place. */
  onlineUrl: string | null
}

/** True if the client's clock differs from that of the location. */
export function isElsewhere({ clientZone, timezone, startsAt }: ZonedStart): boolean {
  if (clientZone === null) return false
  const instant = Temporal.Instant.fromEpochMilliseconds(toMs(startsAt))
  const offset = (zone: string) => instant.toZonedDateTimeISO(zone).offsetNanoseconds
  return offset(clientZone) !== offset(timezone)
}

/** Returns the zone in which a client reads a time. */
export function clientsZone(start: ZonedStart): string {
  const { clientZone, onlineUrl, timezone } = start
  return onlineUrl !== null && clientZone !== null && isElsewhere(start) ? clientZone : timezone
}

/** Formats an instant about an appointment in a zone, with its name if the reader's may differ. */
export function namedMoment(instant: Instant, zone: string, start: ZonedStart, language: Language): string {
  const moment = momentOf(instant, zone, language)
  return isElsewhere(start) ? `${moment} ${shortZone(instant, zone, language)}` : moment
}

/** Formats an instant about an appointment as its client reads it. */
export function clientsMoment(instant: Instant, start: ZonedStart, language: Language): string {
  return namedMoment(instant, clientsZone(start), start, language)
}

/** Returns the date and the time of a start for its client. Names the zone if the two differ. */
export function clientsTimes(start: ZonedStart, language: Language): { date: string; time: string } {
  return timesIn(start, language, isElsewhere(start))
}

/** Like `clientsTimes`, but always with the zone of an online appointment: a text message shows no other time. */
export function textedTimes(start: ZonedStart, language: Language): { date: string; time: string } {
  return timesIn(start, language, start.onlineUrl !== null || isElsewhere(start))
}

function timesIn(start: ZonedStart, language: Language, isNamed: boolean): { date: string; time: string } {
  const { startsAt } = start
  const timezone = clientsZone(start)
  const { date, time } = timesOf({ startsAt, endsAt: startsAt, timezone }, language)
  return { date, time: isNamed ? `${time} ${shortZone(startsAt, timezone, language)}` : time }
}

/** Returns a start on the other clock, such as 4:00 in New York. Undefined if both show the same. */
export function otherTime(start: ZonedStart, language: Language): string | undefined {
  const { startsAt, timezone, clientZone } = start
  if (clientZone === null || !isElsewhere(start)) return undefined
  const leading = clientsZone(start)
  const other = leading === timezone ? clientZone : timezone
  const dayIn = (zone: string) => formatInstant(startsAt, zone).slice(0, 'yyyy-mm-dd'.length)
  const { date, time } = timesOf({ startsAt, endsAt: startsAt, timezone: other }, language)
  return language.say('widget.atLocation', {
    time: dayIn(other) === dayIn(leading) ? time : `${date}, ${time}`,
    place: (other.split('/').at(-1) ?? other).replaceAll('_', ' '),
  })
}

import { asciiEmail } from '../base/contact-formats.ts'
import { type Instant, toMs } from '../base/instants.ts'

/*
 * iCalendar files (RFC 5545) with one appointment, or a feed of many. Times are in UTC. Calendar programs convert them
 * to the user's zone, and no zone definition can be wrong.
 */

/** A booking as calendars show it. */
export interface Appointment {
  id: string
  /** Version of the booking. A calendar keeps the text with the highest version. */
  version: number
  title: string
  place: string
  description: string
  startsAt: Instant
  endsAt: Instant
  /** Time of creation of this text. */
  writtenAt: Instant
  isCancelled: boolean
  /** True until its deposit is paid. */
  isTentative?: boolean
  /** The URL for an online meeting. */
  url?: string | null
}

interface Party {
  name: string
  email: string
}

/** The sender and the recipient of an invitation by email. */
interface Invitation {
  organizer: Party
  attendee: Party
}

const lineOctets = 75

/**
 * Returns the text of a calendar file. Without an invitation anyone can open it, and nobody is asked to answer
 * (METHOD:PUBLISH, RFC 5546, section 3.2.1). With one it is the part of an email that adds the appointment to the
 * client's calendar (REQUEST, section 3.2.2). For a cancelled one it removes the appointment (CANCEL, section 3.2.5).
 */
export function calendarFile(appointment: Appointment, invitation?: Invitation): string {
  const method = invitation ? calendarMethod(appointment) : 'PUBLISH'
  const lines = [...headLines(method), ...eventLines(appointment, invitation), 'END:VCALENDAR']
  return textOf(lines)
}

/** A feed's name and zone, for people, and its suggested refresh interval. */
interface FeedHead {
  name: string
  timezone: string
  refreshMinutes: number
}

/** Returns the first lines of a feed (RFC 7986, and the older extensions of calendar programs). */
export function feedBegin({ name, timezone, refreshMinutes }: FeedHead): string {
  return textOf([
    ...headLines('PUBLISH'),
    `NAME:${escaped(name)}`,
    `X-WR-CALNAME:${escaped(name)}`,
    `X-WR-TIMEZONE:${timezone}`,
    `REFRESH-INTERVAL;VALUE=DURATION:PT${refreshMinutes}M`,
    `X-PUBLISHED-TTL:PT${refreshMinutes}M`,
  ])
}

/** Returns one appointment of a feed. */
export function feedEvent(appointment: Appointment): string {
  return textOf(eventLines(appointment))
}

/** Returns an appointment as the object of a calendar on a server, which has no method (RFC 4791, section 4.1). */
export function calendarObject(appointment: Appointment): string {
  const head = headLines('PUBLISH').filter((line) => !line.startsWith('METHOD'))
  return textOf([...head, ...eventLines(appointment), 'END:VCALENDAR'])
}

/** The last line of a feed. */
export const feedEnd = 'END:VCALENDAR\r\n'

function headLines(method: string): string[] {
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Holdfast//Booking//EN',
    'CALSCALE:GREGORIAN',
    `METHOD:${method}`,
  ]
}

function eventLines(appointment: Appointment, invitation?: Invitation): string[] {
  const { id, version, title, place, description, startsAt, endsAt, writtenAt, url } = appointment
  const { isCancelled, isTentative = false } = appointment
  return [
    'BEGIN:VEVENT',
    `UID:${id}@holdfast`,
    `SEQUENCE:${version - 1}`,
    `DTSTAMP:${utc(writtenAt)}`,
    `DTSTART:${utc(startsAt)}`,
    `DTEND:${utc(endsAt)}`,
    `SUMMARY:${escaped(title)}`,
    ...(place === '' ? [] : [`LOCATION:${escaped(place)}`]),
    ...(description === '' ? [] : [`DESCRIPTION:${escaped(description)}`]),
    ...(url ? [`URL:${url}`] : []),
    ...(invitation ? partyLines(invitation) : []),
    `STATUS:${isCancelled ? 'CANCELLED' : isTentative ? 'TENTATIVE' : 'CONFIRMED'}`,
    `TRANSP:${isCancelled ? 'TRANSPARENT' : 'OPAQUE'}`,
    ...(invitation && !isCancelled ? alarmLines(title) : []),
    'END:VEVENT',
  ]
}

function textOf(lines: string[]): string {
  return `${lines.map(folded).join('\r\n')}\r\n`
}

/** Returns the method of an invitation or a cancellation (RFC 5546, section 1.4). */
export function calendarMethod({ isCancelled }: Pick<Appointment, 'isCancelled'>): 'REQUEST' | 'CANCEL' {
  return isCancelled ? 'CANCEL' : 'REQUEST'
}

function partyLines({ organizer, attendee }: Invitation): string[] {
  const name = (text: string) => `"${text.replaceAll(/["\u0000-\u001f\u007f]/g, ' ')}"`
  return [
    `ORGANIZER;CN=${name(organizer.name)}:mailto:${asciiEmail(organizer.email)}`,
    `ATTENDEE;CN=${name(attendee.name)};CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;RSVP=FALSE:mailto:${asciiEmail(attendee.email)}`,
  ]
}

function alarmLines(title: string): string[] {
  return ['BEGIN:VALARM', 'ACTION:DISPLAY', `DESCRIPTION:${escaped(title)}`, 'TRIGGER:-PT1H', 'END:VALARM']
}

function utc(instant: Instant): string {
  return `${new Date(toMs(instant)).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}

/** RFC 5545, section 3.3.11. */
function escaped(text: string): string {
  return text.replaceAll(/[\\;,]/g, '\\$&').replaceAll(/\r?\n/g, '\\n')
}

/** RFC 5545, section 3.1: lines of at most 75 octets. Splits no character. */
function folded(line: string): string {
  let text = ''
  let octets = 0
  for (const character of line) {
    const length = Buffer.byteLength(character)
    if (octets + length > lineOctets) {
      text += '\r\n '
      octets = 1
    }
    text += character
    octets += length
  }
  return text
}

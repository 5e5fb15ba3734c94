import { type Instant, toMs } from '../base/instants.ts'

/*
 * An iCalendar file (RFC 5545) with one appointment. Times are in UTC: calendar programs convert them to the user's zone,
 * and no zone definition can be wrong.
 */

/** What a calendar shows of a booking. */
export interface Appointment {
  id: string
  /** Of the booking: a calendar keeps the text with the highest. */
  version: number
  title: string
  place: string
  description: string
  startsAt: Instant
  endsAt: Instant
  /** When this text is made. */
  writtenAt: Instant
  isCancelled: boolean
  /** Where to meet online. */
  url?: string | null
}

interface Party {
  name: string
  email: string
}

/** Who sends an invitation by mail, and to whom. */
interface Invitation {
  organizer: Party
  attendee: Party
}

const lineOctets = 75

/**
 * The text of a calendar file. Without an invitation it is for whoever opens it (METHOD:PUBLISH, RFC 5546, section 3.2.1): nobody is asked to answer. With
 * one it is the part of a mail that puts the appointment into the client's calendar (REQUEST, section 3.2.2) or takes it
 * out (CANCEL, section 3.2.5).
 */
export function calendarFile(appointment: Appointment, invitation?: Invitation): string {
  const { id, version, title, place, description, startsAt, endsAt, writtenAt, isCancelled, url } =
    appointment
  const method = invitation ? calendarMethod(appointment) : 'PUBLISH'
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Holdfast//Booking//EN',
    'CALSCALE:GREGORIAN',
    `METHOD:${method}`,
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
    `STATUS:${isCancelled ? 'CANCELLED' : 'CONFIRMED'}`,
    `TRANSP:${isCancelled ? 'TRANSPARENT' : 'OPAQUE'}`,
    ...(invitation && !isCancelled ? alarmLines(title) : []),
    'END:VEVENT',
    'END:VCALENDAR',
  ]
  return `${lines.map(folded).join('\r\n')}\r\n`
}

/** Of an invitation, or of its end (RFC 5546, section 1.4). */
export function calendarMethod({ isCancelled }: Pick<Appointment, 'isCancelled'>): 'REQUEST' | 'CANCEL' {
  return isCancelled ? 'CANCEL' : 'REQUEST'
}

function partyLines({ organizer, attendee }: Invitation): string[] {
  const name = (text: string) => `"${text.replaceAll(/["\u0000-\u001f\u007f]/g, ' ')}"`
  return [
    `ORGANIZER;CN=${name(organizer.name)}:mailto:${organizer.email}`,
    `ATTENDEE;CN=${name(attendee.name)};CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;RSVP=FALSE:mailto:${attendee.email}`,
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

/** RFC 5545, section 3.1: lines of at most 75 octets; splits no character. */
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

/*
 * An iCalendar file (RFC 5545) with one appointment. Times are in UTC. Calendar programs convert them to
 * the user's zone, and no zone definition can be wrong.
 */

/** An appointment, with instants in milliseconds. */
export interface Appointment {
  id: string
  title: string
  place: string
  description: string
  startsAtMs: number
  endsAtMs: number
  writtenAtMs: number
}

const lineOctets = 75

function utc(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}

/** Escapes a text (RFC 5545, section 3.3.11). */
function escaped(text: string): string {
  return text.replaceAll(/[\\;,]/g, '\\$&').replaceAll(/\r?\n/g, '\\n')
}

/** Folds lines at 75 octets (RFC 5545, section 3.1) without splitting characters. */
function folded(line: string): string {
  const encoder = new TextEncoder()
  let text = ''
  let octets = 0
  for (const character of line) {
    const { length } = encoder.encode(character)
    if (octets + length > lineOctets) {
      text += '\r\n '
      octets = 1
    }
    text += character
    octets += length
  }
  return text
}

/** Returns the text of the file. */
export function calendarFile(appointment: Appointment): string {
  const { id, title, place, description, startsAtMs, endsAtMs, writtenAtMs } = appointment
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Holdfast//Booking//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    'BEGIN:VEVENT',
    `UID:${id}@holdfast`,
    `DTSTAMP:${utc(writtenAtMs)}`,
    `DTSTART:${utc(startsAtMs)}`,
    `DTEND:${utc(endsAtMs)}`,
    `SUMMARY:${escaped(title)}`,
    `LOCATION:${escaped(place)}`,
    `DESCRIPTION:${escaped(description)}`,
    'STATUS:CONFIRMED',
    'TRANSP:OPAQUE',
    'END:VEVENT',
    'END:VCALENDAR',
  ]
  return `${lines.map(folded).join('\r\n')}\r\n`
}

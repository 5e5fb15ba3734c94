import type { Texts } from '../texts.ts'
import { calendarEntry, type EntryParts } from './calendar-entry.ts'

interface CalendarChoicesParts extends EntryParts {
  texts: EntryParts['texts'] & Pick<Texts, 'addToCalendar' | 'calendarFile'>
  onFile: () => void
}

/** Offers the calendar file, and links to web calendars that add an appointment by URL. */
export function CalendarChoices(parts: CalendarChoicesParts) {
  const { booking, texts, onFile } = parts
  const { title, place, details } = calendarEntry(parts)
  const utc = (instant: string) => new Date(instant).toISOString().slice(0, 19)
  const google = new URLSearchParams({
    action: 'TEMPLATE',
    text: title,
    dates: [booking.starts_at, booking.ends_at].map((at) => `${utc(at).replaceAll(/[-:]/g, '')}Z`).join('/'),
    location: place,
    details,
  })
  const outlook = new URLSearchParams({
    path: '/calendar/action/compose',
    rru: 'addevent',
    subject: title,
    startdt: `${utc(booking.starts_at)}Z`,
    enddt: `${utc(booking.ends_at)}Z`,
    location: place,
    body: details,
  })
  const elsewhere = { target: '_blank', rel: 'noopener noreferrer' }
  return (
    <details>
      <summary>{texts.addToCalendar}</summary>
      <ul>
        <li>
          <button type="button" class="link" onClick={onFile}>
            {texts.calendarFile}
          </button>
        </li>
        <li>
          <a {...elsewhere} href={`https://calendar.google.com/calendar/render?${google.toString()}`}>
            Google
          </a>
        </li>
        <li>
          <a
            {...elsewhere}
            href={`https://outlook.live.com/calendar/0/deeplink/compose?${outlook.toString()}`}
          >
            Outlook
          </a>
        </li>
      </ul>
    </details>
  )
}

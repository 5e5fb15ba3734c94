import type { Booking } from '../api/api-types.ts'
import type { Texts } from '../locales/texts.ts'

interface CalendarChoicesParts {
  booking: Booking
  business: { name: string; brand_name: string | null }
  texts: Pick<Texts, 'addToCalendar' | 'calendarFile'>
  onFile: () => void
}

/** The file, and the pages of calendars that take an appointment by their address. */
export function CalendarChoices({ booking, business, texts, onFile }: CalendarChoicesParts) {
  const { location, service } = booking
  const place = [location.name, location.address].filter(Boolean).join(', ')
  const name = `${service.name} – ${business.brand_name ?? business.name}`
  const utc = (instant: string) => new Date(instant).toISOString().slice(0, 19)
  const google = new URLSearchParams({
    action: 'TEMPLATE',
    text: name,
    dates: [booking.starts_at, booking.ends_at].map((at) => `${utc(at).replaceAll(/[-:]/g, '')}Z`).join('/'),
    location: place,
  })
  const outlook = new URLSearchParams({
    path: '/calendar/action/compose',
    rru: 'addevent',
    subject: name,
    startdt: `${utc(booking.starts_at)}Z`,
    enddt: `${utc(booking.ends_at)}Z`,
    location: place,
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

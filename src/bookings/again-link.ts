import { shownEmail } from '../base/contact-formats.ts'
import { formatInstant, type Instant } from '../base/instants.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import { itemsOf } from '../database/shown-item-rules.ts'

/** The client's choice of any free person. */
export const anyone = 'anyone'

/** The choices of a link to the booking page. */
interface Again {
  /** An ID, or `anyone`. Undefined: the client chooses. */
  staffId: string | undefined
  /** A time that the page holds at once, if it is still free. */
  startsAt?: Instant
}

/**
 * Returns the booking page with the services, location and people of a booking. The client's details go into the
 * fragment, which no server sees.
 */
export function againUrl(bookingUrl: string, booking: BookingRow, { staffId, startsAt }: Again): string {
  const items = itemsOf(booking)
  const url = new URL(bookingUrl)
  const [first] = items
  url.searchParams.set('service', items.map(({ service }) => service.id).join(','))
  url.searchParams.set('location', booking.location_id)
  if (staffId !== undefined) url.searchParams.set('staff', staffId)
  if (startsAt !== undefined) {
    url.searchParams.set('date', formatInstant(startsAt, booking.timezone).slice(0, 10))
    url.searchParams.set('time', startsAt)
    if (items.length === 1 && first && first.party_size > 1)
      url.searchParams.set('party', String(first.party_size))
  }
  const { client_first_name, client_last_name, client_email, client_phone } = booking
  const details = {
    first_name: client_first_name,
    last_name: client_last_name,
    email: shownEmail(client_email),
    phone: client_phone ?? '',
  }
  url.hash = new URLSearchParams(Object.entries(details).filter(([, text]) => text !== '')).toString()
  return url.href
}

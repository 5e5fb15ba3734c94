import { Type } from 'typebox'
import { dayOf } from '../../availability/hours-rules.ts'
import { zoneAround } from '../../availability/offer-rules.ts'
import { html, type Html } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import { formatInstant, type Instant, instantFromMs, isDate } from '../../base/instants.ts'
import { listBookings } from '../../bookings/booking.ts'
import type { Context } from '../../bookings/context.ts'
import type { Location } from '../../catalogue/location-and-staff-schemas.ts'
import type { Typed } from '../../pages/form.ts'
import { pathOf } from '../frame/console-page.ts'
import type { BusinessVisit } from '../frame/console-route.ts'

/* The notice after a holiday was saved: appointments within it, which stay. */

const said = (description: string) => Type.Optional(Type.String({ maxLength: 40, description }))

/** Parameters for the notice about a new holiday. */
export const holidayQuery = {
  staff: said('The id of the staff member who has a new holiday.'),
  location: said('The id of the location that has a new holiday.'),
  from: said('Its first day, such as 2026-12-24.'),
  until: said('Its last day.'),
}

/** Returns the query for a holiday that a form has added. Empty without one, or if some hours stay open. */
export function holidayOf(
  of: { staff: string } | { location: string },
  typed: Typed,
): Record<string, string> {
  const { from = '', until = '', opens = '', closes = '' } = typed
  if (from === '' || opens !== '' || closes !== '') return {}
  return { ...of, from, until: until === '' ? from : until }
}

const mostRead = 100

/** Renders the number of appointments in a holiday, with a link to the first one. */
export async function holidayNotice(
  context: Context,
  visit: BusinessVisit,
  { query, locations }: { query: Record<string, string | undefined>; locations: readonly Location[] },
): Promise<Html> {
  const { staff, location, from = '', until = '' } = query
  const id = staff ?? location ?? ''
  if (!isUuid(id) || !isDate(from) || !isDate(until) || until < from) return html``
  const place = locations.find((one) => one.id === location)
  const { business, texts } = visit
  const timezone = place?.timezone ?? business.timezone
  const days = { first: dayOf(from), last: dayOf(until) }
  const span = zoneAround(timezone, days).spanOf(days)
  const { kept, isMore } = await appointmentsOf(context, visit, {
    ...(staff === undefined ? { location_id: id } : { staff_id: id }),
    ...{ from: instantFromMs(span.from), to: instantFromMs(span.to) },
  })
  const [first] = kept
  if (!first) return html``
  const date = formatInstant(first.starts_at, timezone).slice(0, 10)
  return html`<p class="alert" role="status">
    <a href="${pathOf('/console', visit, { date })}"
      >${texts.overrides.under({ count: kept.length, isMore })}</a
    >
  </p>`
}

/** Returns active bookings, the first ones by start. */
export async function appointmentsOf(
  context: Context,
  { business, person }: BusinessVisit,
  of: { staff_id?: string; location_id?: string; from: Instant; to?: Instant },
) {
  const { data, next_cursor } = await listBookings(context, person, {
    ...{ ...of, business_id: business.id, sort: 'starts_at', limit: mostRead },
  })
  return { kept: data.filter(({ status }) => status !== 'cancelled'), isMore: next_cursor !== null }
}

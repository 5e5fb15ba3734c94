import { NoVerdict, type RaceClient } from './race-client.ts'
import type { BookingShown } from './race-types.ts'

const mostPages = 40

/** All bookings at a location, as the service lists them. */
export async function listBookings(client: RaceClient, locationId: string): Promise<BookingShown[]> {
  const all: BookingShown[] = []
  let cursor = ''
  for (let page = 0; page < mostPages; page += 1) {
    const answer = await client.have('GET', `/bookings?limit=100&location_id=${locationId}${cursor}`)
    all.push(...(answer['data'] as BookingShown[]))
    const next = answer['next_cursor'] as string | null // the list that the API gives
    if (next === null) return all
    cursor = `&cursor=${encodeURIComponent(next)}`
  }
  throw new NoVerdict('the list of bookings does not end')
}

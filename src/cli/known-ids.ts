import { operator } from '../access/operator.ts'
import { listBookings } from '../bookings/list-bookings.ts'
import { presentBooking } from '../bookings/present-booking.ts'
import { listCatalogue, showOfCatalogue, type CatalogueKind } from '../catalogue/list-catalogue.ts'
import type { Context } from '../context.ts'
import { Problem } from '../errors.ts'
import { unknownId, type Named } from '../unknown-id.ts'
import { shownTime } from './local-time.ts'

/** So many of the newest bookings are searched for the one that was meant: pages of a hundred. */
const mostPages = 10

/** What `work` gives for a booking; a UsageError that guesses which one was meant when there is none with this id. */
export async function onBooking<T>(context: Context, id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isNotFound(error)) throw error
    throw unknownId('booking', id, { known: await newestBookings(context) })
  }
}

/** Refuses an id of a service, location or staff member that nothing has: a list without any would look true. */
export async function assertInCatalogue<Row extends Named, Shown extends Named>(
  context: Context,
  kind: CatalogueKind<Row, Shown>,
  id: string | undefined,
): Promise<void> {
  if (id === undefined) return
  try {
    await showOfCatalogue(context, operator, { kind, id })
  } catch (error) {
    if (!isNotFound(error)) throw error
    const { data } = await listCatalogue(context, operator, { kind, query: { limit: '100' } })
    throw unknownId(kind.noun, id, { known: data, otherwise: 'bookings name theirs with --json.' })
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Problem && error.code === 'not_found'
}

async function newestBookings(context: Context): Promise<Named[]> {
  const found: Named[] = []
  let cursor: string | null = null
  for (let page = 0; page < mostPages; page += 1) {
    const query = { limit: '100', ...(cursor !== null && { cursor }) }
    const { rows, nextCursor } = await listBookings(context, operator, query)
    found.push(...rows.map(named))
    cursor = nextCursor
    if (cursor === null) break
  }
  return found
}

function named(row: Parameters<typeof presentBooking>[0]): Named {
  const { id, service, client, starts_at } = presentBooking(row, operator)
  return { id, name: `${service.name} for ${client.first_name} ${client.last_name}, ${shownTime(starts_at)}` }
}

import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { clientEmailOf, isStandIn, shownEmail } from '../base/contact-formats.ts'
import { Problem } from '../base/errors.ts'
import { formatInstant, type Instant } from '../base/instants.ts'
import { nameKey, searchText } from '../base/search-text.ts'
import { cursorOf, textPart, pageRows } from '../base/paging.ts'
import { businessForCreation } from '../catalogue/catalogue.ts'
import type { BookingsTable } from '../database/tables.ts'
import { maySeeClient } from './presented-booking.ts'
import { showBooking } from './booking.ts'
import type { NamedClient } from './client-rules.ts'
import { findBlockedAmong, findClients } from './client-queries.ts'
import type { ClientsQuery } from './client-schemas.ts'
import type { Context } from './context.ts'

/**
 * Maximum number of client texts, and of bookings, that a page reads. It bounds the cost, however many
 * bookings exist.
 */
const maxSearched = 10_000

/**
 * Lists the clients of a business by name. People who share an address are separate clients. A search, or a
 * list with `before`, may return a short or empty page although more follow.
 */
export async function listClients(
  context: Context,
  actor: Actor,
  query: Static<typeof ClientsQuery> & { name?: string; sort?: 'name' | '-name' },
) {
  const db = context.db.reads
  const { id: businessId, timezone } = await businessForCreation(db, actor.scope, query.business_id)
  const { sort = 'name' } = query
  const clientCursor = clientCursors[sort]
  const page = pageRows(query, clientCursor)
  const { rows: found, until } = await findClients(db, {
    businessId,
    email: query.email?.toLowerCase(),
    name: query.name,
    after: page.after && { name: page.after[0], email: page.after[1] },
    text: query.q === undefined ? undefined : searchText(query.q),
    before: query.before,
    now: context.clock.now(),
    rows: page.rows,
    isDescending: sort === '-name',
    searched: maxSearched,
  })
  const rows = found.slice(0, page.rows - 1)
  const last = found.length > rows.length ? rows.at(-1) : until
  const blocked = await findBlockedAmong(
    db,
    businessId,
    rows.map(({ email }) => clientEmailOf(email)),
  )
  const time = (instant: Instant | null) => instant && formatInstant(instant, timezone)
  return {
    data: rows.map(({ name: _, last_at, next_at, ...client }) => ({
      ...client,
      last_at: time(last_at),
      next_at: time(next_at),
      email: shownEmail(client.email),
      blocked: blocked.has(clientEmailOf(client.email)),
      business_id: businessId,
    })),
    next_cursor: last === undefined ? null : clientCursor.write([last.name, last.email]),
  }
}

/**
 * Returns the address that identifies a client; a stand-in for clients without one. Throws not_found, also
 * for an erased client.
 */
export async function namedClient(
  context: Context,
  actor: Actor,
  { email, booking_id = '', business_id }: NamedClient,
): Promise<{ email: string; business_id?: string }> {
  if (email !== undefined) return { email, ...(business_id !== undefined && { business_id }) }
  const client = await clientOfBooking(context, actor, booking_id)
  if (business_id === undefined || business_id === client.business_id) return client
  throw new Problem('not_found', 'There is no booking with this id at this business.')
}

/**
 * Returns the stand-in address of an earlier booking's client who has no address and still has the same phone
 * number. Undefined for any other client, and for one whom the caller may not see. Throws not_found.
 */
export async function findStandIn(
  context: Context,
  actor: Actor,
  { bookingId, phone }: { bookingId: string; phone: string | undefined },
): Promise<string | undefined> {
  const booking = await showBooking(context, actor, bookingId)
  const isTheirs = isStandIn(booking.client_email) && (phone ?? booking.client_phone) === booking.client_phone
  return isTheirs && maySeeClient(booking, actor) ? booking.client_email : undefined
}

/** Returns the client of a booking. Throws not_found, also for an erased client. */
export async function clientOfBooking(context: Context, actor: Actor, id: string) {
  const { client_email: email, business_id } = await showBooking(context, actor, id)
  if (email === '') throw new Problem('not_found', 'The client of this booking was erased.')
  return { email, business_id }
}

const clientCursors = {
  name: cursorOf('client', textPart, textPart),
  '-name': cursorOf(['client', '-name'], textPart, textPart),
}

/**
 * Returns the name that distinguishes a booking's client from others with the same address (see `nameKey`).
 */
export function nameOf(booking: Pick<BookingsTable, 'client_first_name' | 'client_last_name'>): string {
  return nameKey({ first_name: booking.client_first_name, last_name: booking.client_last_name })
}

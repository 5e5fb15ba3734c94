import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { clientEmailOf, isText } from '../base/contact-formats.ts'
import { invalidCursor } from '../base/errors.ts'
import { formatInstant, type Instant, readInstant } from '../base/instants.ts'
import { searchText } from '../base/search-text.ts'
import { businessForCreation } from '../catalogue/catalogue.ts'
import { decodeCursor, encodeCursor, readLimit } from '../base/wire.ts'
import { findBlockedAmong, findClients } from './client-queries.ts'
import type { ClientsQuery } from './client-schemas.ts'
import type { Context } from './context.ts'

/** Bookings that a page reads: bounds its cost however much was ever booked. */
const maxSearched = 10_000

/** Lists the clients of a business by address. A search may return a short or empty page although more follow. */
export async function listClients(context: Context, actor: Actor, query: Static<typeof ClientsQuery>) {
  const db = context.db.reads
  const { id: businessId, timezone } = await businessForCreation(db, actor.scope, query.business_id)
  const limit = readLimit(query.limit)
  const { rows: found, until } = await findClients(db, {
    businessId,
    email: query.email?.toLowerCase(),
    after: query.cursor === undefined ? undefined : parseCursor(query.cursor),
    text: query.q === undefined ? undefined : searchText(query.q),
    before: query.before === undefined ? undefined : readInstant(query.before),
    now: context.clock.now(),
    rows: limit + 1,
    searched: maxSearched,
  })
  const rows = found.slice(0, limit)
  const last = found.length > limit ? rows.at(-1)?.email : until
  const blocked = await findBlockedAmong(
    db,
    businessId,
    rows.map(({ email }) => clientEmailOf(email)),
  )
  const time = (instant: Instant | null) => instant && formatInstant(instant, timezone)
  return {
    data: rows.map(({ last_at, next_at, ...client }) => ({
      ...client,
      last_at: time(last_at),
      next_at: time(next_at),
      blocked: blocked.has(clientEmailOf(client.email)),
      business_id: businessId,
    })),
    next_cursor: last === undefined ? null : encodeCursor(['client', last]),
  }
}

/** Checks what it decodes: the database would fail on malformed text. */
function parseCursor(cursor: string): string {
  const [list, email] = decodeCursor(cursor, 2) ?? []
  if (list !== 'client' || email === undefined || !isText(email)) throw invalidCursor()
  return email
}

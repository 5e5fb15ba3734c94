import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import { type BookingRow, selectShown } from '../database/shown-booking.ts'
import { hasItem } from './booking-queries.ts'
import { isSwept } from '../database/test-time.ts'

/** A request about which the server has something to do. */
export type DueRequest = Pick<BookingRow, 'id' | 'business_id' | 'series_id'>

/** Finds requests that are due for a reminder or at their end, the longest due first. */
export function findDueRequests(
  db: Reads,
  { now, max }: { now: Instant; max: number },
): Promise<DueRequest[]> {
  return db
    .selectFrom('bookings')
    .select(['id', 'business_id', 'series_id'])
    .where('request_check_at', 'is not', null)
    .where('request_check_at', '<=', now)
    .where(isSwept('business_id'))
    .orderBy('request_check_at')
    .limit(max)
    .execute()
}

/** Sets when the server next looks at a request. The version stays, because nothing changes that anyone sees. */
export async function postponeRequest(
  db: Queries,
  { id, businessId, until }: { id: string; businessId: string; until: Instant },
): Promise<void> {
  await db
    .updateTable('bookings')
    .set({ request_check_at: until })
    .where('business_id', '=', businessId)
    .where('id', '=', id)
    .execute()
}

/** The unanswered requests of a business. Of a staff member: only those with a service that they give. */
interface OpenRequests {
  businessId: string
  staffId?: string | undefined
}

/** The position of a request in the list: its deadline and its ID. */
type RequestPosition = readonly [respondBy: Instant, id: string]

/**
 * Selects unanswered requests, those that end first at the top. A series is one request: its date that ends first. Reads the
 * index of open requests from the position, as far as the limit.
 */
function openRequests(
  db: Reads,
  { businessId, staffId, after, rows }: OpenRequests & { after?: RequestPosition | undefined; rows: number },
) {
  const answerable = (booking: 'b' | 'e') =>
    staffId === undefined ? sql<boolean>`1 = 1` : hasItem('staff_id', staffId, booking)
  const before = sql<boolean>`b.series_id is not null and exists (
    select 1 from bookings as e
     where e.series_id = b.series_id and e.series_id is not null and e.business_id = b.business_id
       and e.respond_by is not null and (e.respond_by, e.id) < (b.respond_by, b.id) and ${answerable('e')})`
  const query = db
    .selectFrom('bookings as b')
    .select(['b.id', 'b.respond_by', 'b.series_id'])
    .where('b.business_id', '=', businessId)
    .where('b.respond_by', 'is not', null)
    .where(answerable('b'))
    .where(sql<boolean>`not (${before})`)
    .orderBy('b.respond_by')
    .orderBy('b.id')
    .limit(rows)
  return after ? query.where(sql<boolean>`(b.respond_by, b.id) > (${after[0]}, ${after[1]})`) : query
}

/** Counts unanswered requests, up to `max`. A series counts once. */
export async function countOpenRequests(
  db: Reads,
  { max, ...of }: OpenRequests & { max: number },
): Promise<number> {
  const { count } = await db
    .selectFrom(openRequests(db, { ...of, rows: max }).as('open'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Finds one page of unanswered requests, each with its position. */
export async function findOpenRequests(
  db: Reads,
  page: OpenRequests & { after: RequestPosition | undefined; rows: number },
): Promise<{ id: string; series_id: string | null; position: RequestPosition }[]> {
  const found = await openRequests(db, page).execute()
  return found.flatMap(({ id, series_id, respond_by }) =>
    respond_by === null ? [] : [{ id, series_id, position: [respond_by, id] as const }],
  )
}

/** Finds the unanswered bookings of some requests, in the order of their times. A series has several. */
export function findRequestedDates(
  db: Reads,
  { businessId, staffId, ids, seriesIds }: OpenRequests & { ids: string[]; seriesIds: string[] },
): Promise<BookingRow[]> {
  let query = selectShown(db)
    .where('b.business_id', '=', businessId)
    .where('b.respond_by', 'is not', null)
    .where((of) =>
      of.or([
        ...(ids.length > 0 ? [of('b.id', 'in', ids)] : []),
        ...(seriesIds.length > 0 ? [of('b.series_id', 'in', seriesIds)] : []),
      ]),
    )
    .orderBy('b.starts_at')
    .orderBy('b.id')
  if (staffId !== undefined) query = query.where(hasItem('staff_id', staffId))
  return query.execute()
}

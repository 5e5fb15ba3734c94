import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import { type BookingRow, selectShown } from '../database/shown-booking.ts'
import { hasItem } from './booking-queries.ts'

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
  max: number
}

/** Counts unanswered requests, up to `max`. Those of a series count once. */
export async function countOpenRequests(
  db: Reads,
  { businessId, staffId, max }: OpenRequests,
): Promise<number> {
  let query = db
    .selectFrom('bookings as b')
    .select(({ fn }) => fn.coalesce('b.series_id', 'b.id').as('id'))
    .distinct()
    .where('b.business_id', '=', businessId)
    .where('b.respond_by', 'is not', null)
    .limit(max)
  if (staffId !== undefined) query = query.where(hasItem('staff_id', staffId))
  const { count } = await db
    .selectFrom(query.as('open'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Finds unanswered requests, those that end first at the top. */
export function findOpenRequests(
  db: Reads,
  { businessId, staffId, max }: OpenRequests,
): Promise<BookingRow[]> {
  let query = selectShown(db)
    .where('b.business_id', '=', businessId)
    .where('b.respond_by', 'is not', null)
    .orderBy('b.respond_by')
    .orderBy('b.id')
    .limit(max)
  if (staffId !== undefined) query = query.where(hasItem('staff_id', staffId))
  return query.execute()
}

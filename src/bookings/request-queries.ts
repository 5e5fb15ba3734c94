import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'

/** Finds requests that are due for a reminder or at their end, the longest due first. */
export function findDueRequests(
  db: Reads,
  { now, max }: { now: Instant; max: number },
): Promise<{ id: string; business_id: string }[]> {
  return db
    .selectFrom('bookings')
    .select(['id', 'business_id'])
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

/** Counts the unanswered requests of a business, up to `max`. Of a staff member: only those that they give. */
export async function countOpenRequests(
  db: Reads,
  { businessId, staffId, max }: { businessId: string; staffId?: string | undefined; max: number },
): Promise<number> {
  let query = db
    .selectFrom('bookings')
    .select('id')
    .where('business_id', '=', businessId)
    .where('respond_by', 'is not', null)
    .limit(max)
  if (staffId !== undefined) query = query.where('staff_id', '=', staffId)
  const { count } = await db
    .selectFrom(query.as('open'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Finds the unanswered requests of a business, those that end first at the top. */
export async function findOpenRequests(
  db: Reads,
  { businessId, staffId, max }: { businessId: string; staffId?: string | undefined; max: number },
): Promise<string[]> {
  let query = db
    .selectFrom('bookings')
    .select('id')
    .where('business_id', '=', businessId)
    .where('respond_by', 'is not', null)
    .orderBy('respond_by')
    .orderBy('id')
    .limit(max)
  if (staffId !== undefined) query = query.where('staff_id', '=', staffId)
  return (await query.execute()).map(({ id }) => id)
}

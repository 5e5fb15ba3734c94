import { compiledOnce, type Given } from '../database/compiled-once.ts'
import type { Queries } from '../database/database.ts'
import { inReach, type Reach } from '../database/reach.ts'
import type { HoldsTable } from '../database/tables.ts'
import type { Instant } from '../instants.ts'

/** A hold with what its status depends on. */
export interface HoldRow extends HoldsTable {
  timezone: string
  /** The booking that it became. */
  booking_id: string | null
}

const addition = compiledOnce((db, hold: Given<HoldsTable>) =>
  db
    .insertInto('holds')
    .values(hold)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id'),
)

/** Records a hold. False when another hold of the same session was recorded at the same moment. */
export async function insertHold(db: Queries, hold: HoldsTable): Promise<boolean> {
  const { rows } = await addition(db, hold)
  return rows.length > 0
}

interface WantedHold {
  reach: Reach
  id: string
  ownerId: string | undefined
}

const holdById = compiledOnce((db, { reach, id, ownerId }: Given<WantedHold>) =>
  db
    .selectFrom('holds as h')
    .innerJoin('locations as l', 'l.id', 'h.location_id')
    .leftJoin('bookings as b', (join) =>
      join.onRef('b.id', '=', 'h.id').onRef('b.business_id', '=', 'h.business_id'),
    )
    .selectAll('h')
    .select(['l.timezone', 'b.id as booking_id'])
    .where(inReach('h.business_id', reach))
    .where('h.id', '=', id)
    .$if(ownerId !== undefined, (query) => query.where('h.owner_id', '=', ownerId ?? '')),
)

/** A hold within reach; of one owner only where that is given. */
export async function findHold(
  db: Queries,
  reach: Reach,
  { id, ownerId }: { id: string; ownerId: string | undefined },
): Promise<HoldRow | undefined> {
  const { rows } = await holdById(db, { reach, id, ownerId })
  return rows[0]
}

/** Marks holds as given up; those that have lapsed or became bookings keep what they are. */
export async function releaseHolds(
  db: Queries,
  { businessId, ids, now }: { businessId: string; ids: string[]; now: Instant },
): Promise<void> {
  await db
    .updateTable('holds')
    .set({ released_at: now })
    .where('business_id', '=', businessId)
    .where('id', 'in', ids)
    .where('released_at', 'is', null)
    .where('expires_at', '>', now)
    .execute()
}

/** Makes those who place holds for one session at the same time wait for each other (PostgreSQL; SQLite always does). */
export async function lockSession(db: Queries, sessionId: string): Promise<void> {
  await db.selectFrom('sessions').select('id').where('id', '=', sessionId).forUpdate().execute()
}

/** Deletes up to `most` hold records that ended before an instant. Tells how many. */
export async function deleteOldHolds(db: Queries, before: Instant, most: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('holds')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('business_id', 'id'),
        'in',
        selectFrom('holds')
          .select(['business_id', 'id'])
          .where('expires_at', '<', before)
          .limit(most)
          .$asTuple('business_id', 'id'),
      ),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes up to `most` claims of holds that lapsed before an instant. Tells how many. */
export async function deleteOldClaims(db: Queries, before: Instant, most: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('claims')
    .where('id', 'in', (build) =>
      // what a new hold is just removing is left to it: waiting for each other could end in a deadlock
      build
        .selectFrom('claims')
        .select('id')
        .where('expires_at', '<', before)
        .limit(most)
        .forUpdate()
        .skipLocked(),
    )
    .where('expires_at', '<', before)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

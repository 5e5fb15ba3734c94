import { sql } from 'kysely'
import type { Queries } from '../database/database.ts'
import type { IdempotencyRecordsTable } from '../database/tables.ts'
import type { Instant } from '../instants.ts'

/** What one caller's one request is known by. */
export type RecordKey = Pick<IdempotencyRecordsTable, 'caller_id' | 'route' | 'idempotency_key'>

/** The record of a request, unless it is older than `since`. */
export function findRecord(
  db: Queries,
  key: RecordKey,
  since: Instant,
): Promise<IdempotencyRecordsTable | undefined> {
  return db
    .selectFrom('idempotency_records')
    .selectAll()
    .where('caller_id', '=', key.caller_id)
    .where('route', '=', key.route)
    .where('idempotency_key', '=', key.idempotency_key)
    .where('created_at', '>', since)
    .executeTakeFirst()
}

/** Deletes a record that is too old to count, so that its key can be used again. */
export async function deleteExpiredRecord(db: Queries, key: RecordKey, until: Instant): Promise<void> {
  await db
    .deleteFrom('idempotency_records')
    .where('caller_id', '=', key.caller_id)
    .where('route', '=', key.route)
    .where('idempotency_key', '=', key.idempotency_key)
    .where('created_at', '<=', until)
    .execute()
}

/**
 * Writes the record of a request. False when another transaction has written it: on PostgreSQL this
 * waits until that one has ended, so two with the same key never both go on.
 */
export async function insertRecord(db: Queries, record: IdempotencyRecordsTable): Promise<boolean> {
  const written = await db
    .insertInto('idempotency_records')
    .values(record)
    .onConflict((conflict) => conflict.doNothing())
    .returning('route')
    .executeTakeFirst()
  return written !== undefined
}

/** Puts the answer into a record that was written in the same transaction. */
export async function completeRecord(
  db: Queries,
  key: RecordKey,
  answer: Pick<IdempotencyRecordsTable, 'status' | 'etag' | 'body'>,
): Promise<void> {
  await db
    .updateTable('idempotency_records')
    .set(answer)
    .where('caller_id', '=', key.caller_id)
    .where('route', '=', key.route)
    .where('idempotency_key', '=', key.idempotency_key)
    .execute()
}

/** Deletes up to `most` records from before an instant. Tells how many. */
export async function deleteOldRecords(db: Queries, before: Instant, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_records
     where (caller_id, route, idempotency_key) in (
       select caller_id, route, idempotency_key from idempotency_records where created_at < ${before} limit ${most})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0n)
}

import { sql } from 'kysely'
import { compiledOnce, type Given } from '../database/compiled-once.ts'
import type { Engine, Queries } from '../database/database.ts'
import type { IdempotencyRecordsTable } from '../database/tables.ts'
import type { Instant } from '../instants.ts'

/** What one caller's one request is known by. */
export type RecordKey = Pick<IdempotencyRecordsTable, 'caller_id' | 'route' | 'idempotency_key'>

const recordByKey = compiledOnce((db, { key, since }: Given<{ key: RecordKey; since: Instant }>) =>
  db
    .selectFrom('idempotency_records')
    .selectAll()
    .where('caller_id', '=', key.caller_id)
    .where('route', '=', key.route)
    .where('idempotency_key', '=', key.idempotency_key)
    .where('created_at', '>', since),
)

/** The record of a request, unless it is older than `since`. */
export async function findRecord(
  db: Queries,
  key: RecordKey,
  since: Instant,
): Promise<IdempotencyRecordsTable | undefined> {
  const { rows } = await recordByKey(db, { key, since })
  return rows[0]
}

/**
 * Whether no other transaction is about to write this record; none is until this one ends. Does not wait, on
 * PostgreSQL, where a wait would end with the time that a statement has. On SQLite no two transactions write at once.
 */
export async function isAlone(engine: Engine, db: Queries, key: RecordKey): Promise<boolean> {
  if (engine === 'sqlite') return true
  const name = [key.caller_id, key.route, key.idempotency_key].join('\n')
  const { rows } = await sql<{ alone: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as alone`.execute(db)
  return rows[0]?.alone === true
}

type NewRecord = Given<{ record: IdempotencyRecordsTable; since: Instant }>

const addition = compiledOnce((db, { record, since }: NewRecord) =>
  db
    .insertInto('idempotency_records')
    .values(record)
    .onConflict((conflict) =>
      conflict
        .columns(['caller_id', 'route', 'idempotency_key'])
        .doUpdateSet(record)
        .where('idempotency_records.created_at', '<=', since),
    )
    .returning('route'),
)

/** Writes the record of a request. False when there is one already that is not older than `since`. */
export async function insertRecord(
  db: Queries,
  record: IdempotencyRecordsTable,
  since: Instant,
): Promise<boolean> {
  const { rows } = await addition(db, { record, since })
  return rows.length > 0
}

type KeptAnswer = Pick<IdempotencyRecordsTable, 'status' | 'etag' | 'body'>

const completion = compiledOnce((db, { key, answer }: Given<{ key: RecordKey; answer: KeptAnswer }>) =>
  db
    .updateTable('idempotency_records')
    .set(answer)
    .where('caller_id', '=', key.caller_id)
    .where('route', '=', key.route)
    .where('idempotency_key', '=', key.idempotency_key),
)

/** Puts the answer into a record that was written in the same transaction. */
export async function completeRecord(
  db: Queries,
  key: RecordKey,
  { status, etag, body }: KeptAnswer,
): Promise<void> {
  await completion(db, { key, answer: { status, etag, body } })
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

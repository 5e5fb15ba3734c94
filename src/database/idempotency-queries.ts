import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import { cachedQuery, type Params } from './cached-query.ts'
import type { Database, Queries } from './database.ts'
import { groupedLookup } from './grouped.ts'
import { type Columns, isAmong, rowsOf, rowsText } from './json-rows.ts'
import { sharedStatement } from './shared-transaction.ts'
import type { IdempotencyRecordsTable } from './tables.ts'

/** Identifies one request of one caller. */
export type RecordKey = Pick<IdempotencyRecordsTable, 'caller_id' | 'route' | 'idempotency_key'>

const recordsByKeys = cachedQuery((db, { keys }: Params<{ keys: string }>) =>
  db
    .selectFrom('idempotency_records')
    .selectAll()
    .where(
      isAmong(
        db,
        [
          ['caller_id', 'uuid'],
          ['route', 'text'],
          ['idempotency_key', 'text'],
        ],
        keys,
      ),
    ),
)

/** Finds the record of a request by caller, route and key, whatever its age. */
export const findRecord = groupedLookup(
  async ({ reads }: Database, keys) => (await recordsByKeys(reads, { keys })).rows,
  {
    keyOf: ({ caller_id, route, idempotency_key }) => [caller_id, route, idempotency_key] as const,
    ownerOf: ([callerId]) => callerId,
  },
)

/** Like `findRecord`, but within the transaction that would store a record. */
export const findRecordWithin = sharedStatement({
  writes: false,
  run: async (db, members: readonly RecordKey[]) => {
    const keys = members.map(({ caller_id, route, idempotency_key }) => [caller_id, route, idempotency_key])
    const { rows } = await recordsByKeys(db, { keys: JSON.stringify(keys) })
    const found = new Map(rows.map((row) => [nameOf(row), row]))
    return members.map((key) => found.get(nameOf(key)))
  },
})

function nameOf({ caller_id, route, idempotency_key }: RecordKey): string {
  return [caller_id, route, idempotency_key].join('\n')
}

const recordColumns = {
  caller_id: 'uuid',
  route: 'text',
  idempotency_key: 'text',
  request_digest: 'text',
  status: 'integer',
  etag: 'text',
  body: 'text',
  created_at: 'timestamptz',
} as const satisfies Columns<keyof IdempotencyRecordsTable>

const newRecordColumns = { ...recordColumns, claim_id: 'uuid' } as const

interface NewRecord {
  record: IdempotencyRecordsTable
  /** A hold that is inserted just before. Without the hold, there is nothing to record. */
  claimId: string | undefined
  since: Instant
}

/**
 * Looks up each hold separately. With `exists` in an `or`, PostgreSQL would read all claims as long as there are only a
 * few thousand.
 */
const insertRecords = cachedQuery(
  (db: Queries, { rows, since }: Params<{ rows: string; since: Instant }>) => {
    const columns = Object.keys(recordColumns)
    const names = sql.join(columns.map((name) => sql.ref(name)))
    const news = columns.slice(3).map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`)
    return sql<RecordKey>`
    insert into idempotency_records (${names})
    select ${names} from ${rowsOf(db, newRecordColumns, rows)} as w
     where coalesce(w.claim_id = (select c.id from claims as c where c.id = w.claim_id), w.claim_id is null)
     order by caller_id, route, idempotency_key
    on conflict (caller_id, route, idempotency_key)
       do update set ${sql.join(news)} where idempotency_records.created_at <= ${since}
    returning caller_id, route, idempotency_key`
  },
)

/**
 * Inserts a record, or replaces one older than `since`. Returns false if a newer one exists or if the hold is missing.
 */
export const insertRecord = sharedStatement({
  writes: (isInserted: boolean) => isInserted,
  step: 1, // after their holds
  run: async (db, members: readonly NewRecord[]) => {
    const [first] = members
    if (!first) return []
    const rows = rowsText(
      db,
      newRecordColumns,
      members.map(({ record, claimId }) => ({ ...record, claim_id: claimId })),
    )
    // one transaction has one time, hence one `since`
    const inserted = new Set((await insertRecords(db, { rows, since: first.since })).rows.map(nameOf))
    return members.map(({ record }) => inserted.has(nameOf(record)))
  },
})

/** Deletes up to `max` records older than an instant and returns their number. */
export async function deleteOldRecords(db: Queries, before: Instant, max: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_records
     where (caller_id, route, idempotency_key) in (
       select caller_id, route, idempotency_key from idempotency_records where created_at < ${before} limit ${max})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0n)
}

/** A stored response, with the transaction time at which it was made. */
export type StoredBody = RecordKey & Pick<IdempotencyRecordsTable, 'body'>

const madeColumns = { id: 'text', at: 'timestamptz' } as const

/** Finds responses that created things, by ID. Each is stored in the transaction that creates the thing. */
export async function findRecordsOf(
  db: Queries,
  made: readonly { id: string; at: Instant }[],
): Promise<StoredBody[]> {
  const { rows } = await sql<StoredBody>`
    select r.caller_id, r.route, r.idempotency_key, r.body
      from ${rowsOf(db, madeColumns, sql<string>`${rowsText(db, madeColumns, made)}`)} as w
      join idempotency_records as r on r.created_at = w.at and r.body like '%' || w.id || '%'`.execute(db)
  return rows
}

/** Finds the responses that name blocked clients. */
export async function findRecordsOfBlocks(db: Queries): Promise<StoredBody[]> {
  return db
    .selectFrom('idempotency_records')
    .select(['caller_id', 'route', 'idempotency_key', 'body'])
    .where(sql<boolean>`route = 'POST /api/v1/clients/block'`) // the condition of the index
    .execute()
}

export async function updateRecordBody(db: Queries, { body, ...key }: StoredBody): Promise<void> {
  await changeRecord(db, key, { body })
}

/** Replaces the digest of a request. Any repetition then gets the stored response. */
export const erasedDigest = ''

export async function forgetRequest(db: Queries, key: RecordKey): Promise<void> {
  await changeRecord(db, key, { request_digest: erasedDigest })
}

async function changeRecord(
  db: Queries,
  { caller_id, route, idempotency_key }: RecordKey,
  change: Partial<Pick<IdempotencyRecordsTable, 'body' | 'request_digest'>>,
): Promise<void> {
  await db
    .updateTable('idempotency_records')
    .set(change)
    .where('caller_id', '=', caller_id)
    .where('route', '=', route)
    .where('idempotency_key', '=', idempotency_key)
    .execute()
}

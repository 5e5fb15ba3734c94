import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import type { Database, Queries } from '../database/database.ts'
import { groupedLookup } from '../database/grouped.ts'
import { type Columns, isAmong, rowsOf, rowsText } from '../database/json-rows.ts'
import { sharedStatement } from '../database/shared-transaction.ts'
import type { IdempotencyRecordsTable } from '../database/tables.ts'

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

/** The record of a request, by caller, route and key, however old. */
export const findRecord = groupedLookup(
  async ({ reads }: Database, keys) => (await recordsByKeys(reads, { keys })).rows,
  {
    keyOf: ({ caller_id, route, idempotency_key }) => [caller_id, route, idempotency_key] as const,
    ownerOf: ([callerId]) => callerId,
  },
)

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

const insertRecords = cachedQuery((db, { rows, since }: Params<{ rows: string; since: Instant }>) => {
  const columns = Object.keys(recordColumns)
  const names = sql.join(columns.map((name) => sql.ref(name)))
  const news = columns.slice(3).map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`)
  return sql<RecordKey>`
    insert into idempotency_records (${names})
    select ${names} from ${rowsOf(db, recordColumns, rows)} as w where true
     order by caller_id, route, idempotency_key
    on conflict (caller_id, route, idempotency_key)
       do update set ${sql.join(news)} where idempotency_records.created_at <= ${since}
    returning caller_id, route, idempotency_key`
})

/** Inserts a record, or replaces one older than `since`. False when a newer one exists. */
export const insertRecord = sharedStatement({
  writes: true,
  run: async (db, members: readonly { record: IdempotencyRecordsTable; since: Instant }[]) => {
    const [first] = members
    if (!first) return []
    const rows = rowsText(
      db,
      recordColumns,
      members.map(({ record }) => record),
    )
    const nameOf = ({ caller_id, route, idempotency_key }: RecordKey) =>
      [caller_id, route, idempotency_key].join('\n')
    // one transaction has one time, and so one `since`
    const inserted = new Set((await insertRecords(db, { rows, since: first.since })).rows.map(nameOf))
    return members.map(({ record }) => inserted.has(nameOf(record)))
  },
})

/** Deletes up to `max` records from before an instant. Returns how many. */
export async function deleteOldRecords(db: Queries, before: Instant, max: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_records
     where (caller_id, route, idempotency_key) in (
       select caller_id, route, idempotency_key from idempotency_records where created_at < ${before} limit ${max})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0n)
}

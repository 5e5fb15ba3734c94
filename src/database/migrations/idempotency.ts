import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** Responses that are kept for repetitions of their requests. */
export function idempotencyTables(engine: Engine): string[] {
  const { id, instant, table } = columnTypes(engine)
  return [
    table(
      'idempotency_records',
      `caller_id ${id} not null,
       route text not null,
       idempotency_key text not null check (length(idempotency_key) between 1 and 255),
       request_digest text not null,
       status integer not null,
       etag text,
       body text not null,
       ${instant('created_at')} not null,
       primary key (caller_id, route, idempotency_key)`,
    ),
    `create index idempotency_records_by_age on idempotency_records (created_at)`,
  ]
}

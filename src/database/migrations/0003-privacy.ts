import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { auditTables } from './audit.ts'
import { columnTypes } from './column-types.ts'

/** The audit log, and columns for erasing clients on request or when their bookings are old. */
export async function privacy(db: Kysely<unknown>, engine: Engine): Promise<void> {
  for (const statement of [...auditTables(engine), ...erasure(engine)]) await sql.raw(statement).execute(db)
}

function erasure(engine: Engine): string[] {
  const { instant } = columnTypes(engine)
  return [
    `alter table businesses add column retention_days integer check (retention_days between 1 and 3650)`,
    `alter table bookings add column ${instant('erased_at')}`,
    `create index bookings_to_erase on bookings (business_id, ends_at, id) where erased_at is null`,
    // the bodies name clients, and no booking leads to these records
    `create index idempotency_records_of_blocks on idempotency_records (created_at)
      where route = 'POST /api/v1/clients/block'`,
  ]
}

import { type Expression, type Insertable, type RawBuilder, sql } from 'kysely'
import type { Queries, Reads } from './database.ts'
import { type Columns, rowsOf, rowsText } from './json-rows.ts'
import type { AuditEntriesTable } from './tables.ts'

/** A line of the audit log, as written. */
export type NewAuditEntry = Insertable<AuditEntriesTable>

const columns = {
  id: 'uuid',
  business_id: 'uuid',
  hub_id: 'uuid',
  at: 'timestamptz',
  actor_type: 'text',
  actor_id: 'uuid',
  actor_name: 'text',
  action: 'text',
  subject_type: 'text',
  subject_id: 'uuid',
  address: 'text',
  request_id: 'text',
} as const satisfies Columns<keyof AuditEntriesTable>

/** Returns the parameter of `insertOfAudit`. */
export function auditText(db: Reads, entries: readonly NewAuditEntry[]): string {
  return rowsText(db, columns, entries)
}

/** Returns the statement that writes entries, alone or as part of the statement that makes the change. */
export function insertOfAudit(db: Queries, entries: Expression<string>): RawBuilder<unknown> {
  const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)))
  return sql`insert into audit_entries (${names}) select ${names} from ${rowsOf(db, columns, entries)} as n`
}

import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** The record of changes and their authors. No foreign keys: docs/decisions/0020-no-keys-to-what-stays.md. */
export function auditTables(engine: Engine): string[] {
  const { id, instant, table } = columnTypes(engine)
  return [
    table(
      'audit_entries',
      `id ${id} primary key,
       business_id ${id},
       hub_id ${id},
       ${instant('at')} not null,
       actor_type text not null,
       actor_id ${id},
       actor_name text,
       action text not null,
       subject_type text not null,
       subject_id ${id} not null,
       address text,
       request_id text`,
    ),
    `create index audit_entries_by_time on audit_entries (business_id, at, id)`,
    `create index audit_entries_of_hubs on audit_entries (hub_id, at, id) where hub_id is not null`,
    `create index audit_entries_by_subject on audit_entries (subject_id, at, id)`,
    // sessions and links write most entries, but few each
    `create index audit_entries_by_actor on audit_entries (actor_id, at, id)
      where actor_type not in ('session', 'manage_link')`,
    `create index audit_entries_by_age on audit_entries (at)`,
  ]
}

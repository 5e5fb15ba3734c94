import { sql, type RawBuilder } from 'kysely'
import type { Engine } from './database.ts'

type ColumnType = 'text' | 'uuid' | 'integer' | 'timestamptz'

/**
 * Rows that are handed to a statement as one parameter, whatever their number, so that its text stays the same and
 * stays prepared. The result stands where a table can.
 */
export function jsonRows(
  engine: Engine,
  columns: Record<string, ColumnType>,
  rows: object[],
): RawBuilder<unknown> {
  const json = JSON.stringify(rows)
  const names = Object.entries(columns)
  if (engine === 'postgres') {
    const list = names.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`)
    return sql`(select * from jsonb_to_recordset(${json}::jsonb) as r(${sql.join(list)}))`
  }
  const list = names.map(([name]) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`)
  return sql`(select ${sql.join(list)} from json_each(${json}))`
}

/** Ids that are handed to a statement as one parameter, whatever their number: what stands after `in`. */
export function jsonIds(engine: Engine, ids: string[]): RawBuilder<unknown> {
  const json = JSON.stringify(ids)
  return engine === 'postgres'
    ? sql`(select json_array_elements_text(${json}::json)::uuid)`
    : sql`(select value from json_each(${json}))`
}

import { sql, type RawBuilder } from 'kysely'
import type { Engine } from './database.ts'

type ColumnType = 'text' | 'uuid' | 'integer' | 'timestamptz'

/**
 * Rows that are handed to a statement as one parameter, whatever their number, so that its text stays the same and
 * stays prepared. The result stands where a table can.
 */
export function jsonRows<Column extends string>(
  engine: Engine,
  columns: Record<Column, ColumnType>,
  rows: Record<NoInfer<Column>, unknown>[],
): RawBuilder<unknown> {
  const names = Object.keys(columns) as Column[]
  if (engine === 'postgres') {
    const list = names.map((name) => sql`${sql.ref(name)} ${sql.raw(columns[name])}`)
    return sql`(select * from json_to_recordset(${JSON.stringify(rows)}::json) as r(${sql.join(list)}))`
  }
  // SQLite would look for each name in the text of each row: by its place a column is found in two thirds of the time
  const arrays = JSON.stringify(rows.map((row) => names.map((name) => row[name])))
  const list = names.map((name, index) => sql`value ->> ${sql.lit(index)} as ${sql.ref(name)}`)
  return sql`(select ${sql.join(list)} from jsonb_each(${arrays}))`
}

/** Ids that are handed to a statement as one parameter, whatever their number: what stands after `in`. */
export function jsonIds(engine: Engine, ids: string[]): RawBuilder<unknown> {
  const json = JSON.stringify(ids)
  return engine === 'postgres'
    ? sql`(select json_array_elements_text(${json}::json)::uuid)`
    : sql`(select value from json_each(${json}))`
}

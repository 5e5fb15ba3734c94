import { type Expression, PostgresAdapter, sql, type RawBuilder } from 'kysely'
import type { Reads } from './database.ts'

type ColumnType =
  'text' | 'int4multirange' | 'uuid' | 'uuid[]' | 'integer' | 'bigint' | 'timestamptz' | 'jsonb'

/** Columns of the rows that a statement gets as one parameter. */
export type Columns<Name extends string> = Record<Name, ColumnType>

export function isPostgres(db: Reads): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/**
 * Turns a JSON parameter (see `rowsText`) into rows, in place of a table. The text of the statement is the same for any
 * number of rows, so it stays prepared.
 */
export function rowsOf<Name extends string>(
  db: Reads,
  columns: Columns<Name>,
  rows: Expression<string>,
): RawBuilder<unknown> {
  const names = Object.keys(columns) as Name[]
  if (isPostgres(db)) {
    const list = names.map((name) => sql`${sql.ref(name)} ${sql.raw(columns[name])}`)
    return sql`(select * from json_to_recordset(${rows}::json) as r(${sql.join(list)}))`
  }
  const list = names.map((name, index) => sql`v ->> ${sql.lit(index)} as ${sql.ref(name)}`)
  // materialised, because SQLite would otherwise write and parse the text of a row for each of its columns
  return sql`(with r as materialized (select value as v from json_each(${rows})) select ${sql.join(list)} from r)`
}

/** Returns the parameter of `rowsOf`. */
export function rowsText<Name extends string>(
  db: Reads,
  columns: Columns<Name>,
  rows: readonly Partial<Record<NoInfer<Name>, unknown>>[],
): string {
  if (isPostgres(db)) return JSON.stringify(rows)
  // arrays, because SQLite finds a column by position in two thirds of the time it needs by name
  const names = Object.keys(columns) as Name[]
  return JSON.stringify(rows.map((row) => names.map((name) => row[name])))
}

/**
 * Joins to each row of `w` the rows of a table that fulfil a condition on both. Looks them up one by one, because
 * PostgreSQL would read the whole table while it has few statistics.
 */
export function foreach(db: Reads, table: string, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  const [name = '', alias = name] = table.split(' as ')
  return isPostgres(db)
    ? sql`cross join lateral (select * from ${sql.table(name)} as ${sql.ref(alias)} where ${condition} offset 0) as ${sql.ref(alias)}`
    : sql`cross join ${sql.table(name)} as ${sql.ref(alias)} on ${condition}`
}

/**
 * Finds the rows that `w` names by ID. Makes PostgreSQL look them up by their IDs even if it has no statistics. The
 * `is true` of conditions does the same, see `isLiving` of claim-snapshot-queries.ts.
 */
export function isNamed(db: Reads, column: string): RawBuilder<boolean> {
  return isPostgres(db)
    ? sql<boolean>`${sql.ref(column)} = any (array(select id from w))`
    : sql<boolean>`${sql.ref(column)} in (select id from w)`
}

/** Compares a column with the values of a list, which is a column of `rowsOf` of type `uuid[]`. */
export function isIn(db: Reads, column: string, list: string): RawBuilder<boolean> {
  return isPostgres(db)
    ? sql<boolean>`${sql.ref(column)} = any (${sql.ref(list)})`
    : sql<boolean>`${sql.ref(column)} in (select value from json_each(${sql.ref(list)}))`
}

/**
 * Narrows columns to the rows of a JSON array of arrays of texts, which is one parameter. PostgreSQL narrows each
 * column separately, because its planner can then use an index. The caller picks its own rows from the result.
 */
export function isAmong(
  db: Reads,
  columns: readonly (readonly [name: string, type: ColumnType])[],
  rows: Expression<string>,
): RawBuilder<boolean> {
  if (isPostgres(db)) {
    const conditions = columns.map(
      ([name, type], index) =>
        sql`${sql.ref(name)} = any (array(select (r ->> ${sql.lit(index)})::${sql.raw(type)} from json_array_elements(${rows}::json) as r))`,
    )
    return sql<boolean>`(${sql.join(conditions, sql` and `)})`
  }
  const names = sql.join(columns.map(([name]) => sql.ref(name)))
  const values = columns.map((_column, index) => sql`r.value ->> ${sql.lit(index)}`)
  return sql<boolean>`(${names}) in (select ${sql.join(values)} from json_each(${rows}) as r)`
}

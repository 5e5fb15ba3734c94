import type { Engine } from '../database.ts'

/** The spelling of the column types in `tables.ts` for each engine. */
export interface ColumnTypes {
  id: string
  json: string
  /** Text that sorts by code point on both engines, independent of the server's locale. */
  sortedText: string
  /** An instant column: `timestamptz`, or fixed-width UTC text with a check of its format. */
  instant: (column: string) => string
  table: (name: string, columns: string) => string
}

const instantPattern =
  '[1-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]Z'

/** Returns the types of an engine. */
export function columnTypes(engine: Engine): ColumnTypes {
  if (engine === 'postgres') {
    return {
      id: 'uuid',
      json: 'jsonb',
      sortedText: 'text collate "C"',
      instant: (column) => `${column} timestamptz`,
      table: (name, columns) => `create table ${name} (${columns})`,
    }
  }
  return {
    id: 'text',
    json: 'text',
    sortedText: 'text',
    instant: (column) => `${column} text check (${column} glob '${instantPattern}')`,
    table: (name, columns) => `create table ${name} (${columns}) strict`,
  }
}

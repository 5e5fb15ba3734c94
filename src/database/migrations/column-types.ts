import type { Engine } from '../database.ts'

/** How the two engines spell the column types that `tables.ts` describes. */
export interface ColumnTypes {
  id: string
  json: string
  /** Text that sorts by code point on both engines, whatever the server's locale. */
  sortedText: string
  /** An instant column: `timestamptz`, or fixed-width UTC text that nothing else fits into. */
  instant: (column: string) => string
  table: (name: string, columns: string) => string
}

const instantPattern =
  '[1-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]Z'

/** The spelling of an engine. */
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
